"""Quantiles of the estimates: their Monte Carlo errors and intervals, from order statistics, for any distribution."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping
from statistics import NormalDist

import numpy as np

from statsclaw.montecarlo import special
from statsclaw.montecarlo.table import Floats

Interval = tuple[float, float]
#: The quantile range runs from this quantile to the one as far from the other end.
TAIL = 0.025
#: The interquartile range of a normal distribution in standard deviations.
IQR_OF_NORMAL = 2 * NormalDist().inv_cdf(0.75)
#: One quantile, or the upper minus the lower of two, times a factor.
QUANTILES: Mapping[str, tuple[tuple[float, ...], float]] = {
    "quantile_range": ((TAIL, 1 - TAIL), 1.0),
    "median_bias": ((0.5,), 1.0),
    "robust_empse": ((0.25, 0.75), 1 / IQR_OF_NORMAL),
    "median_time": ((0.5,), 1.0),
}


#: More values than this are sorted only around the quantiles that are needed.
_MANY = 1_000_000


def partly_sorted(values: Floats) -> Floats:
    """Sorted; of millions only what lies around the quantiles of QUANTILES is in its place, which is three times as
    fast."""
    if len(values) <= _MANY:
        return np.sort(values)
    shares = sorted({share for parts, _ in QUANTILES.values() for share in parts})
    windows = [_window(len(values), share) for share in shares]
    found: Floats = np.partition(values, sorted({min(end, len(values) - 1) for window in windows for end in window}))
    for first, last in windows:
        found[first:last].sort()
    return found


def combined(ordered: Floats, shares: tuple[float, ...], scale: float) -> tuple[float, float | None]:
    """The quantile, or upper minus lower, as numpy interpolates them, and its error.

    The error of each is that of Maritz and Jarrett (1978), with the ranks the interpolation lies between. That of a
    difference takes off the covariance of two quantiles of normal values in large samples, p(1−q)/(f f') with f from
    the two errors: without it, the error of an interquartile range would be a quarter too large.
    """
    found = [quantile(ordered, share) for share in shares]
    value = found[-1] - found[0] if len(shares) > 1 else found[0]
    if len(ordered) < 2:
        return scale * value, None
    errors = [quantile_error(ordered, share) for share in shares]
    if len(shares) == 1:
        return scale * value, scale * errors[0]
    low, high = shares
    correlation = math.sqrt(low * (1 - high) / (high * (1 - low)))
    variance = errors[0] ** 2 + errors[1] ** 2 - 2 * correlation * errors[0] * errors[1]
    return scale * value, scale * math.sqrt(max(variance, 0.0))


def quantile(ordered: Floats, share: float) -> float:
    """As numpy interpolates it, without sorting again."""
    place = (len(ordered) - 1) * share
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    if not ordered[above] > ordered[below]:
        return float(ordered[below])
    return float(ordered[below] + (place - below) * (ordered[above] - ordered[below]))


def quantile_error(ordered: Floats, share: float) -> float:
    """Maritz and Jarrett: the spread of the order statistic, over the ranks it could have had."""
    count = len(ordered)
    rank = (count - 1) * share + 1
    first, last = _window(count, share)
    weights = np.diff(special.betainc(rank, count + 1 - rank, np.arange(first, last + 1) / count))
    window = ordered[first:last]
    centred = window - float(weights @ window)
    return math.sqrt(max(float(weights @ centred**2) - float(weights @ centred) ** 2, 0.0))


def _window(count: int, share: float) -> tuple[int, int]:
    """Ranks beyond which a quantile cannot be, for all that matters."""
    reach = 10 * math.sqrt(count * share * (1 - share)) + 50
    return max(int(count * share - reach), 0), min(int(count * share + reach), count)


def quantile_interval(ordered: Floats, share: float, error: float) -> Interval:
    """Exact for any distribution: the quantile is beyond either limit with a probability of at most error / 2."""
    count = len(ordered)
    first, last = _window(count, share)
    ranks, half = range(first, last + 1), error / 2
    lower = first + bisect_left(ranks, True, key=lambda rank: bool(special.bdtr(rank, count, share) > half))
    upper = first + bisect_left(ranks, True, key=lambda rank: bool(special.bdtrc(rank, count, share) <= half)) + 1
    return _at(ordered, lower), _at(ordered, upper)


def combined_interval(ordered: Floats, shares: tuple[float, ...], error: float) -> Interval:
    """Of one quantile exact, of upper minus lower by the method of variance estimates recovery.

    Zou and Donner (2008); it takes the two as uncorrelated, which makes it a little too wide. Infinite where there
    are too few values for the tails.
    """
    low = quantile_interval(ordered, shares[0], error)
    if len(shares) == 1:
        return low
    return difference(
        quantile(ordered, shares[0]), low, quantile(ordered, shares[1]), quantile_interval(ordered, shares[1], error)
    )


def difference(first: float, of_first: Interval, second: float, of_second: Interval) -> Interval:
    """The interval of second − first, from those of each (Zou and Donner 2008)."""
    value = second - first
    below = math.hypot(second - of_second[0], of_first[1] - first)
    above = math.hypot(of_second[1] - second, first - of_first[0])
    return value - below, value + above


def _at(ordered: Floats, rank: int) -> float:
    if rank < 1:
        return -math.inf
    return float(ordered[rank - 1]) if rank <= len(ordered) else math.inf
