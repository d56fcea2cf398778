"""ROC curves, the areas under them and their standard errors."""

from __future__ import annotations

import math
import numbers
import warnings
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri

from rocarea._results import AreaComparison, AreaInterval, RocCurve
from rocarea._validation import check_arguments

__all__ = ["auc", "auc_ci", "compare", "roc_curve"]


class _Counts(NamedTuple):
    """Doubled counts of one marker, or differences of those of two.

    ``diseased[i]`` is 2 n V10_i and ``healthy[j]`` is 2 m V01_j, where V10 and
    V01 are the placements; ``total`` is the sum of either and equals
    2 m n times the area. All are whole numbers and exact.
    """

    diseased: NDArray[np.int64]
    healthy: NDArray[np.int64]
    total: int

    @property
    def denominator(self) -> int:
        """2 m n as a Python integer, which cannot overflow."""
        return 2 * self.diseased.size * self.healthy.size

    @property
    def ratio(self) -> float:
        """The area (or the difference of two areas), correctly rounded."""
        return self.total / self.denominator

    @property
    def degenerate(self) -> bool:
        """Whether the standard error is zero, decided on the whole numbers."""
        a, b = self.diseased, self.healthy
        return bool(a.min() == a.max() and b.min() == b.max())

    def minus(self, other: _Counts) -> _Counts:
        """Differences of the counts, subject by subject."""
        return _Counts(
            self.diseased - other.diseased,
            self.healthy - other.healthy,
            self.total - other.total,
        )


def _twice_below(
    values: NDArray[np.float64], reference: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Count how many of a sorted reference are < each value, plus how many are <=."""
    twice = np.searchsorted(reference, values, side="left").astype(np.int64)
    twice += np.searchsorted(reference, values, side="right")
    return twice


def _doubled_counts(x: NDArray[np.float64], y: NDArray[np.float64]) -> _Counts:
    """Doubled counts of the diseased scores x and the healthy scores y."""
    a = _twice_below(x, np.sort(y))
    # #{X > y} + #{X >= y} = 2 m - (#{X <= y} + #{X < y})
    b = 2 * x.size - _twice_below(y, np.sort(x))
    return _Counts(a, b, int(a.sum(dtype=np.int64)))


def _standard_error(counts: _Counts) -> float:
    """Standard error of ``counts.ratio``, exactly 0.0 where it is zero.

    The deviations m a_i - T and n b_j - T are formed as whole numbers, and only
    then scaled, squared and summed.
    """
    if counts.degenerate:
        return 0.0
    variance = 0.0
    for group in (counts.diseased, counts.healthy):
        size = group.size
        deviations = group * size - counts.total
        variance += _sum_of_squares(deviations, counts.denominator) / (
            size * (size - 1)
        )
    return math.sqrt(variance)


def _sum_of_squares(deviations: NDArray[np.int64], denominator: int) -> float:
    """Sum of (deviation / denominator)**2, rounded once and free of order."""
    scaled = deviations / float(denominator)
    return math.fsum((scaled * scaled).tolist())


def _normal_quantile(level: float) -> float:
    """Standard normal quantile at 1 - (1 - level)/2, from the lower tail."""
    # Narrow floats are widened before the subtraction; numbers more precise
    # than float64 (fractions, long doubles) are rounded only after it.
    exact = isinstance(level, (numbers.Rational, np.longdouble))
    tail = (1 - (level if exact else float(level))) / 2
    return -float(ndtri(float(tail)))


def auc(scores: ArrayLike, labels: ArrayLike) -> float:
    r"""Area under the empirical ROC curve.

    Parameters
    ----------
    scores : array-like of bool, int or float, shape (N,)
        One score for each subject; large scores speak for disease. They are
        read as float64.
    labels : array-like of bool, int or float, shape (N,)
        1 or True for a diseased, 0 or False for a healthy subject.

    Returns
    -------
    float
        The area, between 0 and 1.

    Raises
    ------
    TypeError
        If the scores are not numeric.
    ValueError
        If scores or labels are not one-dimensional or differ in length, if a
        score is NaN, infinite or masked, if a label is not 0 or 1, or if there
        are no diseased or no healthy subjects.

    Notes
    -----
    With the scores :math:`X_1, \dots, X_m` of the diseased and
    :math:`Y_1, \dots, Y_n` of the healthy the area is

    .. math::

        \hat\theta = \frac{1}{mn} \sum_{i=1}^m \sum_{j=1}^n \psi(X_i, Y_j),
        \qquad
        \psi(x, y) = 1, \tfrac12, 0 \text{ for } y < x, y = x, y > x,

    the share of pairs in which the diseased score is larger, ties counting one
    half. An area below one half is returned as it is: the direction of the
    scores is never turned round. Scores that are equal as float64 are tied. No
    subject is left out: missing values are refused.

    The pairs are counted by sorting and binary search, in time of order
    N log N, and the whole-number count is divided once.

    References
    ----------
    DeLong, E. R., DeLong, D. M. and Clarke-Pearson, D. L. (1988). Comparing
    the areas under two or more correlated receiver operating characteristic
    curves: a nonparametric approach. Biometrics 44, 837-845.

    Examples
    --------
    >>> from rocarea import auc
    >>> auc([1, 2, 3, 4], [0, 1, 0, 1])
    0.75
    >>> auc([1, 1, 1], [0, 1, 1])
    0.5
    """
    [(x, y)] = check_arguments({"scores": scores}, labels, at_least=1)
    return _doubled_counts(x, y).ratio


def auc_ci(scores: ArrayLike, labels: ArrayLike, level: float = 0.95) -> AreaInterval:
    r"""Area under the empirical ROC curve with a confidence interval.

    Parameters
    ----------
    scores : array-like of bool, int or float, shape (N,)
        One score for each subject; large scores speak for disease. They are
        read as float64.
    labels : array-like of bool, int or float, shape (N,)
        1 or True for a diseased, 0 or False for a healthy subject. At least
        two of each are needed.
    level : float, default 0.95
        Confidence of the interval, strictly between 0 and 1.

    Returns
    -------
    AreaInterval
        Object with the floats ``area``, ``se`` (standard error), ``lower`` and
        ``upper`` (confidence limits).

    Raises
    ------
    TypeError
        If the level is not a real number or the scores are not numeric.
    ValueError
        If the level does not lie strictly between 0 and 1, if scores or labels
        are not one-dimensional or differ in length, if a score is NaN,
        infinite or masked, if a label is not 0 or 1, or if there are fewer
        than two diseased or fewer than two healthy subjects.

    Warns
    -----
    RuntimeWarning
        If the standard error is zero.

    Notes
    -----
    With :math:`\psi` and :math:`\hat\theta` as in `auc` and the placements
    :math:`V_{10,i} = n^{-1} \sum_j \psi(X_i, Y_j)` and
    :math:`V_{01,j} = m^{-1} \sum_i \psi(X_i, Y_j)`, the variance of the area is
    estimated by

    .. math::

        S = \frac{1}{m(m-1)} \sum_i (V_{10,i} - \hat\theta)^2
          + \frac{1}{n(n-1)} \sum_j (V_{01,j} - \hat\theta)^2,

    the standard error is :math:`\sqrt S` and the limits are
    :math:`\hat\theta \mp q \sqrt S` with the standard normal quantile q at
    1 - (1 - level)/2.

    Limits are cut off: a lower limit below 0 becomes 0 and an upper limit
    above 1 becomes 1, without a warning. Nothing else keeps the interval inside
    of [0, 1], and for areas near 0 or 1 it covers the true area less often than
    its level says.

    A standard error of zero gives an interval without width and a warning. It
    occurs if the scores separate the groups perfectly (area 1 or 0) or are all
    tied (area 1/2); both limits are then equal to the area. This is not
    certainty about the area: the variance cannot be estimated from such data.

    References
    ----------
    DeLong, E. R., DeLong, D. M. and Clarke-Pearson, D. L. (1988). Comparing
    the areas under two or more correlated receiver operating characteristic
    curves: a nonparametric approach. Biometrics 44, 837-845.

    Examples
    --------
    >>> from rocarea import auc_ci
    >>> result = auc_ci([1, 3, 5, 2, 4, 6], [0, 0, 0, 1, 1, 1], level=0.9)
    >>> round(result.area, 4), round(result.se, 4)
    (0.6667, 0.2722)
    >>> round(result.lower, 4), result.upper
    (0.219, 1.0)
    """
    [(x, y)] = check_arguments({"scores": scores}, labels, at_least=2, level=level)
    counts = _doubled_counts(x, y)
    area = counts.ratio
    if counts.degenerate:
        warnings.warn(
            f"standard error is zero (area {area}): the interval has no width, "
            "which is not certainty about the area",
            RuntimeWarning,
            stacklevel=2,
        )
        return AreaInterval(area=area, se=0.0, lower=area, upper=area)
    se = _standard_error(counts)
    half_width = _normal_quantile(level) * se
    return AreaInterval(
        area=area,
        se=se,
        lower=max(0.0, area - half_width),
        upper=min(1.0, area + half_width),
    )


def compare(
    scores1: ArrayLike, scores2: ArrayLike, labels: ArrayLike
) -> AreaComparison:
    r"""Compare the areas of two markers measured on the same subjects.

    Parameters
    ----------
    scores1 : array-like of bool, int or float, shape (N,)
        Scores of the first marker, one for each subject; large scores speak
        for disease. They are read as float64.
    scores2 : array-like of bool, int or float, shape (N,)
        Scores of the second marker for the same subjects in the same order.
    labels : array-like of bool, int or float, shape (N,)
        1 or True for a diseased, 0 or False for a healthy subject. At least
        two of each are needed.

    Returns
    -------
    AreaComparison
        Object with the floats ``area1``, ``area2``, ``difference`` (first minus
        second), ``se`` (standard error of the difference), ``z`` and
        ``p_value``.

    Raises
    ------
    TypeError
        If scores1 or scores2 are not numeric.
    ValueError
        If scores1, scores2 or labels are not one-dimensional or differ in
        length, if a score is NaN, infinite or masked, if a label is not 0 or 1,
        or if there are fewer than two diseased or fewer than two healthy
        subjects.

    Warns
    -----
    RuntimeWarning
        If the areas differ and the standard error of their difference is zero.

    Notes
    -----
    With the areas :math:`\hat\theta^r` and the placements of `auc_ci` for the
    markers r = 1, 2,

    .. math::

        S^{rs} = \frac{1}{m(m-1)} \sum_i
            (V_{10,i}^r - \hat\theta^r)(V_{10,i}^s - \hat\theta^s)
          + \frac{1}{n(n-1)} \sum_j
            (V_{01,j}^r - \hat\theta^r)(V_{01,j}^s - \hat\theta^s),

    .. math::

        z = \frac{\hat\theta^1 - \hat\theta^2}
                 {\sqrt{S^{11} + S^{22} - 2 S^{12}}},
        \qquad p = 2 \Phi(-|z|).

    The variance of the difference is computed from the differences of the
    placements, subject by subject, which is the same number without
    cancellation.

    Where the standard error is zero, z and the p-value are NaN, with a warning,
    if the areas differ, and 0 and 1, without a warning, if the areas are equal,
    as for a marker and itself or for two markers that order every pair alike.
    A marker that separates the groups perfectly gives no warning by itself.

    References
    ----------
    DeLong, E. R., DeLong, D. M. and Clarke-Pearson, D. L. (1988). Comparing
    the areas under two or more correlated receiver operating characteristic
    curves: a nonparametric approach. Biometrics 44, 837-845.

    Examples
    --------
    >>> from rocarea import compare
    >>> labels = [0, 0, 0, 1, 1, 1]
    >>> result = compare([1, 3, 5, 2, 4, 6], [1, 2, 4, 3, 5, 6], labels)
    >>> round(result.difference, 4), round(result.se, 4)
    (-0.2222, 0.1571)
    >>> round(result.z, 4), round(result.p_value, 4)
    (-1.4142, 0.1573)
    """
    (x1, y1), (x2, y2) = check_arguments(
        {"scores1": scores1, "scores2": scores2}, labels, at_least=2
    )
    counts1 = _doubled_counts(x1, y1)
    counts2 = _doubled_counts(x2, y2)
    counts = counts1.minus(counts2)
    difference = counts.ratio
    se = _standard_error(counts)
    if not counts.degenerate:
        z = difference / se
        with np.errstate(all="ignore"):  # a tiny p-value may underflow
            p_value = 2.0 * float(ndtr(-abs(z)))
    elif counts.total == 0:
        z, p_value = 0.0, 1.0
    else:
        z, p_value = math.nan, math.nan
        warnings.warn(
            "z and p_value are undefined: the areas differ "
            f"(difference {difference}) and the standard error of their "
            "difference is zero",
            RuntimeWarning,
            stacklevel=2,
        )
    return AreaComparison(
        area1=counts1.ratio,
        area2=counts2.ratio,
        difference=difference,
        se=se,
        z=z,
        p_value=p_value,
    )


def roc_curve(scores: ArrayLike, labels: ArrayLike) -> RocCurve:
    r"""Empirical ROC curve.

    Parameters
    ----------
    scores : array-like of bool, int or float, shape (N,)
        One score for each subject; large scores speak for disease. They are
        read as float64.
    labels : array-like of bool, int or float, shape (N,)
        1 or True for a diseased, 0 or False for a healthy subject.

    Returns
    -------
    RocCurve
        Object with the read-only float64 arrays ``threshold``, ``tpr`` and
        ``fpr``, each of shape (k + 1,), where k is the number of distinct
        scores.

    Raises
    ------
    TypeError
        If the scores are not numeric.
    ValueError
        If scores or labels are not one-dimensional or differ in length, if a
        score is NaN, infinite or masked, if a label is not 0 or 1, or if there
        are no diseased or no healthy subjects.

    Notes
    -----
    A subject is called positive at the threshold t if its score is at least as
    large as t:

    .. math::

        \mathrm{tpr}(t) = \frac{\#\{i: X_i \ge t\}}{m}, \qquad
        \mathrm{fpr}(t) = \frac{\#\{j: Y_j \ge t\}}{n}

    for the scores X of the m diseased and Y of the n healthy. The thresholds
    are infinity and then the distinct scores from the largest to the smallest,
    so that the first row is (infinity, 0, 0) and the last has both rates equal
    to 1. The scores -0.0 and 0.0 are one threshold, 0.0.

    The curve is an object with three arrays, not a tuple. The trapezoids under
    it add up to the area that `auc` returns.

    References
    ----------
    DeLong, E. R., DeLong, D. M. and Clarke-Pearson, D. L. (1988). Comparing
    the areas under two or more correlated receiver operating characteristic
    curves: a nonparametric approach. Biometrics 44, 837-845.

    Examples
    --------
    >>> from rocarea import roc_curve
    >>> curve = roc_curve([1, 2, 2, 3], [0, 1, 0, 1])
    >>> curve.threshold.tolist()
    [inf, 3.0, 2.0, 1.0]
    >>> curve.tpr.tolist()
    [0.0, 0.5, 1.0, 1.0]
    >>> curve.fpr.tolist()
    [0.0, 0.0, 0.5, 1.0]
    """
    [(x, y)] = check_arguments({"scores": scores}, labels, at_least=1)
    distinct = np.unique(np.concatenate((x, y)))[::-1]
    threshold = np.concatenate(([np.inf], distinct))
    tpr = _share_at_least(threshold, x)
    fpr = _share_at_least(threshold, y)
    for array in (threshold, tpr, fpr):
        array.flags.writeable = False
    return RocCurve(threshold=threshold, tpr=tpr, fpr=fpr)


def _share_at_least(
    threshold: NDArray[np.float64], scores: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Share of the scores that are at least as large as each threshold."""
    below = np.searchsorted(np.sort(scores), threshold, side="left")
    share: NDArray[np.float64] = (scores.size - below) / scores.size
    return share
