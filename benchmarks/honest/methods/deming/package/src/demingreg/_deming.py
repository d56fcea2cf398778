"""Deming regression with jackknife standard errors."""

from __future__ import annotations

import math
from dataclasses import InitVar, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from demingreg import _input, _numerics
from demingreg._numerics import Array

# Measurements or levels beyond 2**_HUGE are divided by 2**_SHIFT before they are
# added or subtracted, so that this does not overflow.
_HUGE = 960
_SHIFT = 64


@dataclass(frozen=True, eq=False)
class _Method:
    """What the fits need of the measurements by one method."""

    name: str
    mean: Array  # of each specimen
    count: NDArray[np.int64]  # measurements of each specimen
    mantissa: Array  # the sum of squares within a specimen is mantissa * 4**exponent
    exponent: NDArray[np.int64]

    @classmethod
    def of(cls, name: str, rows: Array) -> _Method:
        count, mean, deviations = _numerics.row_means_and_deviations(rows)
        mantissa, exponent = _numerics.row_sums_of_squares(deviations)
        return cls(name, mean, count, mantissa, exponent)

    def take(self, rows: NDArray[np.intp]) -> _Method:
        return _Method(
            self.name,
            self.mean[rows],
            self.count[rows],
            self.mantissa[rows],
            self.exponent[rows],
        )


@dataclass(frozen=True, eq=False)
class _Line:
    """A fitted line; means, deviations and intercept are in the inner unit."""

    ratio: float
    ratio_of_means: float
    slope: float
    intercept: float
    means: tuple[float, float, float, float]  # x, then y, each in two parts
    dx: Array
    dy: Array


@dataclass(frozen=True, eq=False)
class _Jackknife:
    """The line with all specimens (last entry) and without each of them.

    The means of x and y are in two parts and in units of 2**shift.
    """

    shift: int
    slopes: Array  # shape (n + 1,)
    means: Array  # shape (4, n + 1)


def _estimated_ratio(x: _Method, y: _Method) -> float:
    """Ratio of the pooled variances within specimens."""
    variances = []
    for method in (x, y):
        if int((method.count - 1).sum()) == 0:
            raise ValueError(
                f"no replicates of {method.name}: to estimate the ratio a specimen "
                "with two or more measurements by each method is needed"
            )
    for method in (x, y):
        mantissa, exponent = _numerics.add_scaled(method.mantissa, method.exponent)
        if mantissa == 0.0:
            raise ValueError(
                f"the ratio cannot be estimated: the replicates of {method.name} do "
                "not vary within any specimen"
            )
        variances.append((mantissa / int((method.count - 1).sum()), exponent))
    (of_x, exponent_x), (of_y, exponent_y) = variances
    return _numerics.ldexp(of_x / of_y, 2 * (exponent_x - exponent_y))


def _fit_line(x: _Method, y: _Method, given: float | None, shift: int) -> _Line:
    """Ratio and line of these specimens, or the error that says why not."""
    ratio = _estimated_ratio(x, y) if given is None else given
    factor = _numerics.mean(1.0 / x.count) / _numerics.mean(1.0 / y.count)
    ratio_of_means = ratio * factor
    for value in (ratio, ratio_of_means):
        if not 0.0 < value < math.inf:
            if given is not None:
                raise _input.bad_ratio(given)
            raise ValueError(
                "the ratio cannot be estimated: that of the variances within "
                f"specimens is {value}"
            )
    x_first, x_shift, dx = _numerics.mean_and_deviations(x.mean)
    y_first, y_shift, dy = _numerics.mean_and_deviations(y.mean)
    slope = _numerics.slope_of_deviations(dx, dy, ratio_of_means)
    if math.isnan(slope):
        raise ValueError(
            "no slope: the line is vertical, the points are equal, or they have no "
            "direction"
        )
    intercept = (y_first + y_shift) - slope * (x_first + x_shift)
    if not math.isfinite(slope):
        raise ValueError(f"no slope: it is {slope}")
    if not math.isfinite(_numerics.ldexp(intercept, shift)):
        raise ValueError(f"no slope: with the slope {slope} the intercept overflows")
    means = (x_first, x_shift, y_first, y_shift)
    return _Line(ratio, ratio_of_means, slope, intercept, means, dx, dy)


def _quantile(level: float, n: int) -> float:
    return float(stats.t.isf((1.0 - level) / 2.0, n - 2))


def _interval(estimate: float, se: float, quantile: float) -> Array:
    """Ends of an interval; infinite where they cannot be represented."""
    if not math.isfinite(se) or not math.isfinite(estimate):
        return np.array([-math.inf, math.inf])
    half = np.float64(quantile) * np.float64(se)
    return np.array([estimate - half, estimate + half], dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Bias:
    """Bias of method y against method x at decision levels.

    `DemingFit.bias_at` returns it; it is not meant to be built by users.

    Parameters
    ----------
    levels : ndarray of float64, shape (m,)
        Decision levels in the unit of x.
    bias : ndarray of float64, shape (m,)
        Estimated bias at each level.
    se : ndarray of float64, shape (m,)
        Jackknife standard error of each bias.
    interval : ndarray of float64, shape (m, 2)
        Lower and upper end of the confidence interval of each bias, at the level
        of confidence of the fit.

    Notes
    -----
    The bias at the level :math:`X_c` is :math:`B_c = a + (b - 1) X_c`. Two objects
    are equal only if they are the same object.

    References
    ----------
    .. [1] Linnet, K. (1993). Evaluation of regression procedures for methods
       comparison studies. Clinical Chemistry, 39(3), 424-432.

    Examples
    --------
    >>> from demingreg import fit
    >>> line = fit([1.0, 2.0, 3.0, 4.0], [3.0, 5.0, 7.0, 9.0])
    >>> line.bias_at([0.0, 2.0]).bias.tolist()
    [1.0, 3.0]
    """

    levels: Array
    bias: Array
    se: Array
    interval: Array


@dataclass(frozen=True, eq=False)
class DemingFit:
    """Result of a Deming regression.

    `fit` returns it; it is not meant to be built by users.

    Parameters
    ----------
    slope : float
        Slope b of the line y = a + b * (true value of x).
    intercept : float
        Intercept a of the line.
    slope_se, intercept_se : float
        Jackknife standard errors over specimens. With ``ratio=None`` they include
        the estimation of the ratio, which is estimated anew without each specimen.
    slope_interval, intercept_interval : ndarray of float64, shape (2,)
        Lower and upper end of the confidence intervals, from Student's t with
        n - 2 degrees of freedom.
    true_values : ndarray of float64, shape (n,)
        Estimated true values in the unit of x, in the order of the rows.
    residuals : ndarray of float64, shape (n,)
        Residuals whose sum of squares the fit minimises, in the order of the rows.
        These are neither the vertical distances from the line nor, unless
        ``ratio_of_means`` is 1, the perpendicular ones.
    ratio : float
        Error variance of a single measurement by x over that of a single
        measurement by y, as it was given or estimated.
    ratio_of_means : float
        The same for the means of replicates; the fit uses this one.
    level : float
        Two-sided confidence of all intervals.
    n : int
        Number of specimens.

    Notes
    -----
    With the values :math:`x_i, y_i` of the specimens (means, where there are
    replicates) and the ratio of the means :math:`\\lambda_m`, the residuals are

    .. math:: (y_i - a - b x_i) / \\sqrt{1 + \\lambda_m b^2}.

    Two objects are equal only if they are the same object.

    References
    ----------
    .. [1] Deming, W. E. (1943). Statistical Adjustment of Data. Wiley, New York.
    .. [2] Linnet, K. (1993). Evaluation of regression procedures for methods
       comparison studies. Clinical Chemistry, 39(3), 424-432.

    Examples
    --------
    >>> from demingreg import fit
    >>> line = fit([1.0, 2.0, 3.0, 4.0], [3.0, 5.0, 7.0, 9.0])
    >>> line.slope, line.intercept, line.n
    (2.0, 1.0, 4)
    """

    slope: float
    intercept: float
    slope_se: float
    intercept_se: float
    slope_interval: Array
    intercept_interval: Array
    true_values: Array
    residuals: Array
    ratio: float
    ratio_of_means: float
    level: float
    n: int
    _without: InitVar[_Jackknife]

    def __post_init__(self, _without: _Jackknife) -> None:
        # not a field: users see it neither in the representation nor in fields()
        object.__setattr__(self, "_jackknife", _without)

    def bias_at(self, levels: ArrayLike) -> Bias:
        """Bias of y against x at decision levels.

        Parameters
        ----------
        levels : float or array_like of float, shape (m,)
            Decision levels in the unit of x. A single number counts as one level.

        Returns
        -------
        Bias
            Bias, standard error and confidence interval at each level; its arrays
            have the length m, which is 1 for a single number.

        Raises
        ------
        ValueError
            If `levels` is not of finite real numbers, has more than one dimension
            or is empty.

        Notes
        -----
        The bias at the level :math:`X_c` is :math:`B_c = a + (b - 1) X_c`. Its
        standard error is that of the jackknife, from
        :math:`B_{c(i)} = a_{(i)} + (b_{(i)} - 1) X_c`, with the same specimen left
        out of slope and intercept; their correlation is thereby accounted for. The
        interval is :math:`B_c \\pm t SE(B_c)` with the quantile and the level of
        confidence of the fit. Where the bias is too large for a float, the standard
        error is infinite.

        References
        ----------
        .. [1] Linnet, K. (1993). Evaluation of regression procedures for methods
           comparison studies. Clinical Chemistry, 39(3), 424-432.

        Examples
        --------
        >>> from demingreg import fit
        >>> x = [7.0, 8.3, 10.5, 9.0, 5.1, 8.2, 10.2, 10.3, 7.1, 5.9]
        >>> y = [7.9, 8.2, 9.6, 9.0, 6.5, 7.3, 10.2, 10.6, 6.3, 5.2]
        >>> at = fit(x, y).bias_at([5.0, 10.0])
        >>> at.bias.round(4).tolist()
        [0.1024, -0.1862]
        >>> at.interval.shape
        (2, 2)
        """
        with np.errstate(all="ignore"):
            values = _input.decision_levels(levels)
            known: _Jackknife = self._jackknife  # type: ignore[attr-defined]
            shift = known.shift
            if math.frexp(float(np.abs(values).max()))[1] > _HUGE:
                shift = _SHIFT
            x_first, x_shift, y_first, y_shift = np.ldexp(
                known.means, known.shift - shift
            )
            bias = np.empty_like(values)
            se = np.empty_like(values)
            interval = np.empty((values.size, 2))
            quantile = _quantile(self.level, self.n)
            for c, at in enumerate(np.ldexp(values, -shift)):
                # (mean of y - level) + slope * (level - mean of x), where the
                # level goes to the first part of the mean: it is often as large
                all_and_without = ((y_first - at) + y_shift) + known.slopes * (
                    (at - x_first) - x_shift
                )
                bias[c] = np.ldexp(all_and_without[-1], shift)
                se[c] = _numerics.ldexp(
                    _numerics.jackknife_se(all_and_without[:-1]), shift
                )
                interval[c] = _interval(float(bias[c]), float(se[c]), quantile)
            return Bias(levels=values, bias=bias, se=se, interval=interval)


def fit(
    x: ArrayLike,
    y: ArrayLike,
    ratio: float | None = 1.0,
    level: float = 0.95,
) -> DemingFit:
    """Deming regression of method y on method x.

    Both methods measure the same specimens with error. The line relates their true
    values; standard errors are those of the jackknife over specimens.

    Parameters
    ----------
    x, y : array_like of float, shape (n,) or (n, columns)
        Measurements of the same n specimens by two methods, n at least 3. In one
        dimension, one number for each specimen. In two dimensions, one row for each
        specimen with its replicates in the columns, in any order. Missing
        replicates are NaN, None or masked; x and y may have different numbers of
        columns. Every specimen needs a measurement by each method, and each
        specimen counts once, whatever its number of replicates.
    ratio : float or None, default 1.0
        Error variance of a *single* measurement by *x over* that of a single
        measurement by *y*. Some other programs mean the inverse, the variance of y
        over that of x: pass them the reciprocal. None estimates the ratio from the
        replicates of both methods. The default is 1.0 with replicates too.
    level : float, default 0.95
        Two-sided confidence of all intervals, those of `DemingFit.bias_at` included;
        strictly between 0 and 1.

    Returns
    -------
    DemingFit
        Slope and intercept with standard errors and intervals, estimated true
        values, residuals and ratios. Its method `DemingFit.bias_at` gives the bias
        of y against x at decision levels.

    Raises
    ------
    ValueError
        If, in this order, x or y is not an array of real numbers; has neither one
        nor two dimensions; the two differ in dimensions or in the number of
        specimens; there are fewer than 3 specimens; a value is infinite; a specimen
        has no measurement by one of the methods; `level` is not strictly between 0
        and 1; `ratio` is neither None nor positive and finite; the ratio is to be
        estimated, but a method has no replicates or replicates without variation;
        the line has no finite slope and intercept; or one of the last three holds
        for the specimens that remain without one of them, so that the jackknife
        fails.

    Notes
    -----
    Let :math:`x_i` and :math:`y_i` be the means of the :math:`k_{xi}` and
    :math:`k_{yi}` measurements of specimen i that are there, and :math:`\\lambda` the
    ratio of single measurements. If it is to be estimated, it is the ratio of the
    variances within specimens, pooled over specimens,

    .. math::

        \\lambda = \\frac{\\sum_i \\sum_k (x_{ik} - x_i)^2 / (N_x - n)}
                       {\\sum_i \\sum_k (y_{ik} - y_i)^2 / (N_y - n)},
        \\quad N_x = \\sum_i k_{xi},\\; N_y = \\sum_i k_{yi}.

    Given or estimated, it is carried over to the means,

    .. math::

        \\lambda_m = \\lambda \\, \\frac{\\mathrm{mean}_i(1 / k_{xi})}
                                    {\\mathrm{mean}_i(1 / k_{yi})}.

    With u and q the sums of squares of x and y about their means and p the sum of
    products,

    .. math::

        b = \\frac{\\lambda_m q - u + \\sqrt{(u - \\lambda_m q)^2 + 4 \\lambda_m p^2}}
                 {2 \\lambda_m p}, \\quad a = \\bar y - b \\bar x .

    Where p = 0 the slope is 0 if :math:`u > \\lambda_m q`, and there is none
    otherwise. With :math:`e_i = y_i - a - b x_i`, the estimated true values are
    :math:`x_i + \\lambda_m b e_i / (1 + \\lambda_m b^2)` and the residuals
    :math:`e_i / \\sqrt{1 + \\lambda_m b^2}`; the line minimises the sum of squares of
    the latter.

    The standard error of the slope is

    .. math::

        SE(b) = \\sqrt{\\frac{n - 1}{n} \\sum_i (b_{(i)} - \\mathrm{mean}(b_{(.)}))^2}

    with the slopes :math:`b_{(i)}` without specimen i; the same holds for the
    intercept. The factor of :math:`\\lambda_m` is formed anew without each specimen,
    and with ``ratio=None`` the ratio is estimated anew too, so that the standard
    errors include its estimation. Passing the field ``ratio`` of such a fit back as
    an argument gives the same line, but other standard errors. Intervals are
    :math:`b \\pm t SE(b)` with Student's t of n - 2 degrees of freedom.

    The time taken is of order n squared.

    References
    ----------
    .. [1] Deming, W. E. (1943). Statistical Adjustment of Data. Wiley, New York.
    .. [2] Linnet, K. (1993). Evaluation of regression procedures for methods
       comparison studies. Clinical Chemistry, 39(3), 424-432.

    Examples
    --------
    >>> from demingreg import fit
    >>> x = [7.0, 8.3, 10.5, 9.0, 5.1, 8.2, 10.2, 10.3, 7.1, 5.9]
    >>> y = [7.9, 8.2, 9.6, 9.0, 6.5, 7.3, 10.2, 10.6, 6.3, 5.2]
    >>> line = fit(x, y, ratio=4.0)
    >>> round(line.slope, 4), round(line.intercept, 4)
    (1.0012, -0.0897)

    Duplicates, with one measurement missing, and the ratio estimated from them:

    >>> x = [[1.0, 1.2], [2.1, 1.9], [3.0, 3.3], [4.2, None]]
    >>> y = [[1.1, 1.0], [2.2, 2.0], [3.1, 2.9], [4.0, 4.1]]
    >>> line = fit(x, y, ratio=None)
    >>> round(line.ratio, 4), round(line.ratio_of_means, 4)
    (2.2667, 2.8333)
    """
    with np.errstate(all="ignore"):
        x_rows, y_rows = _input.measurements(x, y)
        confidence = _input.confidence_level(level)
        given = _input.error_ratio(ratio)

        largest = max(np.nanmax(np.abs(x_rows)), np.nanmax(np.abs(y_rows)))
        shift = _SHIFT if math.frexp(float(largest))[1] > _HUGE else 0
        if shift:
            x_rows = np.ldexp(x_rows, -shift)
            y_rows = np.ldexp(y_rows, -shift)
        method_x = _Method.of("x", x_rows)
        method_y = _Method.of("y", y_rows)
        n = x_rows.shape[0]
        line = _fit_line(method_x, method_y, given, shift)

        slopes, intercepts, means = np.empty(n + 1), np.empty(n), np.empty((4, n + 1))
        slopes[n], means[:, n] = line.slope, line.means
        rest = np.arange(1, n)
        for i in range(n):
            try:
                other = _fit_line(
                    method_x.take(rest), method_y.take(rest), given, shift
                )
            except ValueError as error:
                raise ValueError(
                    f"the jackknife fails without specimen {i} (rows are counted "
                    f"from 0): {error}"
                ) from error
            slopes[i], means[:, i] = other.slope, other.means
            intercepts[i] = other.intercept
            if i < n - 1:
                rest[i] = i

        true_values, residuals = _values_and_residuals(line, method_x.mean, shift)
        intercept = _numerics.ldexp(line.intercept, shift)
        slope_se = _numerics.jackknife_se(slopes[:n])
        intercept_se = _numerics.ldexp(_numerics.jackknife_se(intercepts), shift)
        quantile = _quantile(confidence, n)
        return DemingFit(
            slope=line.slope,
            intercept=intercept,
            slope_se=slope_se,
            intercept_se=intercept_se,
            slope_interval=_interval(line.slope, slope_se, quantile),
            intercept_interval=_interval(intercept, intercept_se, quantile),
            true_values=true_values,
            residuals=residuals,
            ratio=line.ratio,
            ratio_of_means=line.ratio_of_means,
            level=confidence,
            n=n,
            _without=_Jackknife(shift, slopes, means),
        )


def _values_and_residuals(line: _Line, x: Array, shift: int) -> tuple[Array, Array]:
    """Estimated true values and residuals in the unit of the caller."""
    lam: Any = np.float64(line.ratio_of_means)
    b: Any = np.float64(line.slope)
    vertical = line.dy - b * line.dx
    steepness = np.sqrt(lam) * abs(b)
    # lam * b / (1 + lam * b**2), without squaring what may overflow
    if steepness <= 1.0:
        gain = lam * b / (1.0 + lam * b * b)
    else:
        gain = 1.0 / (b + 1.0 / (lam * b))
    true_values = np.ldexp(x + gain * vertical, shift)
    residuals = np.ldexp(vertical / np.hypot(1.0, steepness), shift)
    return true_values, residuals
