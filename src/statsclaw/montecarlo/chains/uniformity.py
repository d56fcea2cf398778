"""Are whole numbers 0 … largest uniform? Two tests with exact or stated error, and the band that goes into the plot."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats  # type: ignore[import-untyped]

from statsclaw.montecarlo.table import Floats

#: With more ranks than this the pointwise error of the band hardly changes any more, and is taken from here.
_MOST_EXACT = 5000
#: Expected in each bin of the histogram, at least; and bins, at most.
_FEWEST_EXPECTED, _MOST_BINS = 5, 20

Ints = NDArray[np.int64]


def bins_for(count: int, largest: int) -> int:
    """As many equal bins as divide the possible ranks, hold enough on average, and are no more than twenty."""
    fitting = [
        bins for bins in range(1, _MOST_BINS + 1) if (largest + 1) % bins == 0 and count / bins >= _FEWEST_EXPECTED
    ]
    return max(fitting, default=1)


def histogram(ranks: Floats, largest: int, bins: int) -> Ints:
    return np.bincount((ranks.astype(np.int64) * bins) // (largest + 1), minlength=bins).astype(np.int64)


def chi_square(ranks: Floats, largest: int) -> float:
    """p-value of Pearson's test on equal bins; NaN where there are too few ranks for two bins."""
    bins = bins_for(len(ranks), largest)
    if bins < 2:
        return math.nan
    counts = histogram(ranks, largest, bins)
    expected = len(ranks) / bins
    return float(special.chdtrc(bins - 1, float(np.sum((counts - expected) ** 2)) / expected))


def ecdf(ranks: Floats, largest: int) -> Ints:
    """How many ranks are ≤ 0, 1, … largest − 1."""
    return np.cumsum(np.bincount(ranks.astype(np.int64), minlength=largest + 1))[:-1].astype(np.int64)


def ecdf_test(ranks: Floats, largest: int) -> float:
    """p-value of the most surprising point of the ECDF: exact, by the distribution of the whole path.

    The statistic is the smallest pointwise binomial p-value, as in Säilynoja, Bürkner and Vehtari (2022).
    """
    if len(ranks) == 0:
        return math.nan
    count = len(ranks)
    shares = np.arange(1, largest + 1) / (largest + 1)
    smallest = float(np.min(_pointwise(ecdf(ranks, largest), count, shares)))
    if smallest == 1:
        return 1.0
    # What is as surprising counts, also where rounding makes it a little less so.
    return 1 - _stays_inside(min(count, _MOST_EXACT), largest, smallest * (1 + 1e-9))


def ecdf_band(count: int, largest: int, error: float) -> tuple[Ints, Ints]:
    """Bounds of the counts ≤ 0 … largest − 1 that the whole ECDF of uniform ranks leaves with probability ≤ error."""
    shares = np.arange(1, largest + 1) / (largest + 1)
    return _bounds(count, shares, pointwise_error(min(count, _MOST_EXACT), largest, error))


def histogram_band(count: int, bins: int, error: float) -> tuple[float, float]:
    """Bounds of every bin that any of them leaves with probability of at most `error` (Bonferroni)."""
    share = error / bins / 2
    return float(stats.binom.ppf(share, count, 1 / bins)), float(stats.binom.isf(share, count, 1 / bins))


@lru_cache(maxsize=64)
def pointwise_error(count: int, largest: int, error: float) -> float:
    """The largest pointwise error at which the path leaves the band with probability of at most `error`."""
    below, above = math.log(error / largest), math.log(error)
    while above - below > 1e-3:
        middle = (below + above) / 2
        if 1 - _stays_inside(count, largest, math.exp(middle)) <= error:
            below = middle
        else:
            above = middle
    return math.exp(below)


def _pointwise(counts: Ints, count: int, shares: Floats) -> Any:
    """Two-sided binomial p-value of every point."""
    lower, upper = special.bdtr(counts, count, shares), special.bdtrc(counts - 1, count, shares)
    upper = np.where(counts == 0, 1.0, upper)
    return np.minimum(2 * np.minimum(lower, upper), 1.0)


def _bounds(count: int, shares: Floats, error: float) -> tuple[Ints, Ints]:
    """Smallest and largest count at every point whose pointwise p-value is above `error`."""
    low = stats.binom.ppf(error / 2, count, shares).astype(np.int64)
    low = np.where(2 * special.bdtr(low, count, shares) > error, low, low + 1)
    low = np.where((low > 0) & (2 * special.bdtr(np.maximum(low - 1, 0), count, shares) > error), low - 1, low)
    return low, count - low[::-1]


def _stays_inside(count: int, largest: int, error: float) -> float:
    """Probability that the counts of uniform ranks have pointwise p-values above `error` at every point.

    The counts are a Markov chain: those still to come fall into the next value with probability 1 / (values left).
    """
    shares = np.arange(1, largest + 1) / (largest + 1)
    lows, highs = _bounds(count, shares, error)
    before, chances = np.array([0]), np.array([1.0])
    for step in range(largest):
        low, high = int(lows[step]), int(highs[step])
        if low > high:
            return 0.0
        after = np.arange(low, high + 1)
        chances = chances @ _moves(before, after, count, 1 / (largest + 1 - step))
        before = after
    return min(max(float(chances.sum()), 0.0), 1.0)


def _moves(before: NDArray[Any], after: NDArray[Any], count: int, share: float) -> Floats:
    """Binomial probabilities of going from each count to each later one."""
    left = (count - before)[:, None]
    gained = after[None, :] - before[:, None]
    possible = (gained >= 0) & (gained <= left)
    gained = np.where(possible, gained, 0)
    logs = _log_factorials(count)
    log_chance = logs[left] - logs[gained] - logs[left - gained]
    log_chance = log_chance + gained * math.log(share) + (left - gained) * math.log1p(-share)
    return np.asarray(np.where(possible, np.exp(log_chance), 0.0))


@lru_cache(maxsize=8)
def _log_factorials(count: int) -> Floats:
    return np.asarray(special.gammaln(np.arange(count + 1) + 1.0))
