"""Where the true value of a metric may lie, given what the replications showed."""

from __future__ import annotations

import math
from collections.abc import Callable

from statsclaw.montecarlo import special
from statsclaw.montecarlo.metrics.measures import McEstimate
from statsclaw.montecarlo.metrics.order import Interval, combined_interval, difference

EVERYTHING: Interval = (-math.inf, math.inf)
_SMALLEST_ERROR = 1e-12


def clopper_pearson(successes: int, trials: int, error: float) -> Interval:
    """The exact interval of a proportion: it misses the true one with a probability of at most `error`."""
    low = special.betaincinv(successes, trials - successes + 1, error / 2) if successes > 0 else 0.0
    high = special.betaincinv(successes + 1, trials - successes, 1 - error / 2) if successes < trials else 1.0
    return float(low), float(high)


def interval(estimate: McEstimate, error: float) -> Interval:
    """Exact for proportions, from ranks for quantiles, else value ± t · mcse with trials − 1 degrees of freedom.

    The larger standard error counts, on the scale of the logarithm for what cannot be negative. Everything is possible
    where the Monte Carlo error is unknown, and on the side of larger spreads where the tails are too heavy.
    """
    if estimate.parts is not None:
        first, second = estimate.parts
        return difference(first.value, interval(first, error), second.value, interval(second, error))
    if estimate.successes is not None and estimate.trials > 0:
        return clopper_pearson(estimate.successes, estimate.trials, error)
    if estimate.trials < 2 or not math.isfinite(estimate.value):
        return EVERYTHING
    if estimate.ordered is not None:
        low, high = combined_interval(estimate.ordered, estimate.quantiles, error)
        return estimate.scale * low - estimate.shift, estimate.scale * high - estimate.shift
    if estimate.error is None:
        return EVERYTHING
    half = float(special.stdtrit(estimate.trials - 1, 1 - error / 2)) * estimate.error
    low, high = _moved(estimate, -half * estimate.wider_below), _moved(estimate, half * estimate.wider_above)
    low, high = low * estimate.nearer if low > 0 else low, high * estimate.nearer if high < 0 else high
    lowest = -math.inf if estimate.log_shift is None else 0.0 - estimate.log_shift
    return lowest if estimate.open_below else low, math.inf if estimate.open_above else high


def kind_of(estimate: McEstimate) -> str:
    """How the interval of a metric is made."""
    if estimate.parts is not None:
        return "from those of its two parts"
    if estimate.successes is not None:
        return "Clopper-Pearson"
    return "order statistics" if estimate.ordered is not None else "value ± t · mcse"


def _moved(estimate: McEstimate, way: float) -> float:
    """The value, moved so far on its scale."""
    if estimate.log_shift is None or not estimate.value + estimate.log_shift > 0:
        return estimate.value + way
    size = estimate.value + estimate.log_shift
    return size * math.exp(min(max(way / size, -700.0), 700.0)) - estimate.log_shift


def inside(found: Interval, low: float, high: float) -> bool:
    return low <= found[0] and found[1] <= high


def outside(found: Interval, low: float, high: float) -> bool:
    return found[1] < low or found[0] > high


def error_to_exclude(estimate: McEstimate, low: float, high: float) -> float:
    """The smallest error at which the interval leaves the band: a p-value of "the metric lies within the band"."""
    if not (estimate.value < low or estimate.value > high):
        return 1.0
    return _smallest_error(lambda error: outside(interval(estimate, error), low, high))


def error_to_include(estimate: McEstimate, low: float, high: float) -> float:
    """The smallest error on either side at which the interval lies within the band: two one-sided tests."""
    if not low <= estimate.value <= high:
        return 1.0
    return _smallest_error(lambda error: inside(interval(estimate, error), low, high)) / 2


def _smallest_error(decided: Callable[[float], bool]) -> float:
    """By halving on the scale of the logarithm; 1 where no error is large enough."""
    if not decided(1 - 1e-9):
        return 1.0
    if decided(_SMALLEST_ERROR):
        return _SMALLEST_ERROR
    below, above = math.log(_SMALLEST_ERROR), 0.0
    while above - below > 1e-3:
        middle = (below + above) / 2
        below, above = (below, middle) if decided(math.exp(middle)) else (middle, above)
    return math.exp(above)
