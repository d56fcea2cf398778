"""Where the true value of a metric may lie, given what the replications showed."""

from __future__ import annotations

import math

import numpy as np
from scipy import special  # type: ignore[import-untyped]

from statsclaw.montecarlo.metrics import TAIL, McEstimate
from statsclaw.montecarlo.table import Floats

Interval = tuple[float, float]


def clopper_pearson(successes: int, trials: int, error: float) -> Interval:
    """The exact interval of a proportion: it misses the true one with a probability of at most `error`."""
    low = special.betaincinv(successes, trials - successes + 1, error / 2) if successes > 0 else 0.0
    high = special.betaincinv(successes + 1, trials - successes, 1 - error / 2) if successes < trials else 1.0
    return float(low), float(high)


def interval(estimate: McEstimate, error: float) -> Interval:
    """Exact for proportions, from ranks for quantile ranges, else value ± t · mcse with trials − 1 degrees of freedom.

    Everything is possible where the Monte Carlo error is unknown.
    """
    if estimate.successes is not None and estimate.trials > 0:
        return clopper_pearson(estimate.successes, estimate.trials, error)
    if estimate.ordered is not None and estimate.trials > 0 and math.isfinite(estimate.value):
        return quantile_range(estimate.ordered, error)
    if estimate.mcse is None or estimate.trials < 2 or not math.isfinite(estimate.value):
        return -math.inf, math.inf
    half = float(special.stdtrit(estimate.trials - 1, 1 - error / 2)) * estimate.mcse
    return estimate.value - half, estimate.value + half


def quantile_range(ordered: Floats, error: float) -> Interval:
    """The interval of the upper minus the lower quantile, infinite where there are too few values for the tails.

    The exact limits of each quantile (order statistics, for any distribution) are combined by the method of variance
    estimates recovery (Zou and Donner 2008), which takes the two as uncorrelated: that makes it a little too wide.
    """
    low, high = (float(value) for value in np.quantile(ordered, [TAIL, 1 - TAIL]))
    first, last = _ranks(len(ordered), error / 2)
    mirrored = -ordered[::-1]
    below, above = low - _at(ordered, first), _at(ordered, last) - low
    beyond, within = -high - _at(mirrored, first), _at(mirrored, last) + high
    value = high - low
    return value - math.hypot(above, within), value + math.hypot(below, beyond)


def _ranks(count: int, error: float) -> tuple[int, int]:
    """Ranks between which the lower quantile lies; it is beyond either with a probability of at most `error`."""
    reach = 10 * math.sqrt(count * TAIL * (1 - TAIL)) + 50
    numbers = np.arange(max(int(count * TAIL - reach), 0), min(int(count * TAIL + reach), count) + 1)
    fewer = special.bdtr(numbers, count, TAIL)
    more = special.bdtrc(numbers, count, TAIL)
    return int(numbers[0] + np.count_nonzero(fewer <= error)), int(numbers[0] + np.count_nonzero(more > error) + 1)


def _at(ordered: Floats, rank: int) -> float:
    if rank < 1:
        return -math.inf
    return float(ordered[rank - 1]) if rank <= len(ordered) else math.inf
