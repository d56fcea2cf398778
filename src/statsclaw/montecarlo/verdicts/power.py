"""How a metric would be distributed over repeated studies, and what the decision rules would make of it."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from statsclaw.montecarlo import special
from statsclaw.montecarlo.metrics.measures import PROPORTIONS
from statsclaw.montecarlo.metrics.order import Interval
from statsclaw.montecarlo.metrics.sample import LARGER, reach_by_chance

_MOST_REPLICATIONS = 10_000_000


@dataclass(frozen=True, slots=True)
class Proportion:
    """Successes are binomial: exact."""

    value: float


@dataclass(frozen=True, slots=True)
class Measured:
    """Normal around `value` with error `spread` / √(R − `lost`). `log_shift`: log(value + log_shift) is. `over_spread`:
    it is divided by EmpSE, so that its lower limit lies farther off where the tails of the estimates look heavy."""

    value: float
    spread: float
    log_shift: float | None = None
    lost: int = 0
    over_spread: bool = False


@dataclass(frozen=True, slots=True)
class Spread:
    """A root of a mean square of normal values with R − `lost` degrees of freedom: scaled chi, exact."""

    value: float
    lost: int = 0


Model = Proportion | Measured | Spread


def model_at(metric: str, value: float, spread: float | None = None, *, difference: bool = False) -> Model | None:
    """How the metric is distributed in studies in which it truly has this value, of estimates that are about normal.

    `spread`: the standard deviation of one replication; None is the answer where it is needed and not known.
    `difference`: of two methods. Raises ValueError where the metric cannot have that value.
    """
    if difference:
        return None if spread is None else Measured(value, spread)
    if metric in PROPORTIONS:
        if not 0.0 <= value <= 1.0:
            raise ValueError("a proportion lies between 0 and 1")
        return Proportion(value)
    if metric in ("rmse", "empse"):
        if value < 0.0:
            raise ValueError("a standard deviation is not negative")
        return Spread(value, lost=0 if metric == "rmse" else 1)
    if metric in ("se_ratio", "rms_se_ratio"):
        if value <= 0.0:
            raise ValueError("a ratio of standard deviations is above 0")
        return Measured(value, value * math.sqrt(0.5), 0.0, lost=1, over_spread=True)
    if metric == "relative_error_modse":
        if value <= -100.0:
            raise ValueError("a ratio of standard deviations is above 0")
        return Measured(value, (100 + value) * math.sqrt(0.5), 100.0, lost=1, over_spread=True)
    if metric == "standardised_bias":
        return Measured(value, math.sqrt(1 + value**2 / 2))
    return None if spread is None else Measured(value, spread)


@dataclass(frozen=True, slots=True)
class Chances:
    """Of PASS and FAIL, in one cell: literal, and by the interval (what is left is UNDECIDED)."""

    literal_pass: float
    interval_pass: float
    interval_fail: float


#: Of too few replications: the bare comparison is taken to pass, nothing is decided.
NOTHING_KNOWN = Chances(1.0, 0.0, 0.0)


@lru_cache(maxsize=100_000)
def chances(model: Model, replications: int, band: Interval, pass_error: float, fail_error: float) -> Chances:
    """`pass_error`: on each side of the interval that passes; `fail_error`: of the interval that fails, both sides."""
    if isinstance(model, Proportion):
        return _of_proportion(model.value, replications, band, pass_error, fail_error)
    if isinstance(model, Measured) and not model.over_spread:
        return _of_measured(model, replications, band, pass_error, fail_error, 1.0)
    parts = [
        (share, _of_spread(model, replications, band, pass_error, fail_error, reach) if isinstance(model, Spread)
         else _of_measured(model, replications, band, pass_error, fail_error, reach))
        for reach, share in reach_by_chance(replications).items()
        if share
    ]  # fmt: skip
    return Chances(
        sum(share * part.literal_pass for share, part in parts),
        sum(share * part.interval_pass for share, part in parts),
        sum(share * part.interval_fail for share, part in parts),
    )


def _of_proportion(value: float, trials: int, band: Interval, pass_error: float, fail_error: float) -> Chances:
    low, high = band
    if low > 1 or high < 0:
        return Chances(0.0, 0.0, 1.0)
    within = hits_between(trials, max(low, 0.0), min(high, 1.0))
    # PASS: P(X ≥ x | low) ≤ error and P(X ≤ x | high) ≤ error; FAIL: P(X ≤ x | low) or P(X ≥ x | high) ≤ error / 2.
    first = _first_above(trials, low, pass_error) if low > 0 else 0
    last = trials - _first_above(trials, 1 - high, pass_error) if high < 1 else trials
    below = _first_above(trials, 1 - low, fail_error / 2) if low > 0 else trials + 1
    above = _first_above(trials, high, fail_error / 2) if high < 1 else trials + 1
    return Chances(
        _probability(trials, value, *within),
        _probability(trials, value, first, last),
        _probability(trials, value, 0, trials - below) + _probability(trials, value, above, trials),
    )


def hits_between(trials: int, low: float, high: float) -> tuple[int, int]:
    """The numbers of successes whose share lies in [low, high], as a share is compared: successes / trials."""
    first, last = max(math.ceil(low * trials) - 1, 0), min(math.floor(high * trials) + 1, trials)
    while first <= trials and first / trials < low:
        first += 1
    while last >= 0 and last / trials > high:
        last -= 1
    return first, last


def _first_above(trials: int, edge: float, error: float) -> int:
    """The smallest x with P(X ≥ x | edge) ≤ error; trials + 1 if there is none."""
    return bisect_left(range(trials + 1), True, key=lambda x: bool(special.bdtrc(x - 1, trials, edge) <= error))


def _probability(trials: int, value: float, first: int, last: int) -> float:
    if first > last:
        return 0.0
    return float(special.bdtr(last, trials, value) - (special.bdtr(first - 1, trials, value) if first > 0 else 0.0))


def _of_measured(
    model: Measured, replications: int, band: Interval, pass_error: float, fail_error: float, reach: float
) -> Chances:
    """`reach`: so many times as far the lower limit lies, of what is over a spread."""
    if replications <= model.lost:
        return NOTHING_KNOWN
    centre, error = model.value, model.spread / math.sqrt(replications - model.lost)
    low, high = band
    if model.log_shift is not None and model.value + model.log_shift > 0:
        size = model.value + model.log_shift
        centre, error = math.log(size), error / size
        low, high = (math.log(max(end + model.log_shift, 1e-300)) if end < math.inf else end for end in (low, high))
    if error == 0:
        return _certain(low <= centre <= high)
    judged = error * LARGER[reach] if model.over_spread else error
    inner, outer = float(special.ndtri(1 - pass_error)) * judged, float(special.ndtri(1 - fail_error / 2)) * judged

    def between(bottom: float, top: float) -> float:
        return max(float(special.ndtr((top - centre) / error) - special.ndtr((bottom - centre) / error)), 0.0)

    fail = between(-math.inf, low - outer) + between(high + reach * outer, math.inf)
    return Chances(between(low, high), between(low + reach * inner if low > -math.inf else low, high - inner), fail)


def _of_spread(
    model: Spread, replications: int, band: Interval, pass_error: float, fail_error: float, reach: float
) -> Chances:
    """The interval is value · exp(± z / √(2 ν)), ν the degrees of freedom; `reach`: so many times as far above."""
    degrees = replications - model.lost
    if degrees < 1:
        return NOTHING_KNOWN
    if model.value == 0:
        return _certain(band[0] <= 0 <= band[1])
    inner, outer = (
        math.exp(LARGER[reach] * float(special.ndtri(1 - error)) / math.sqrt(2 * degrees))
        for error in (pass_error, fail_error / 2)
    )

    def below(bound: float) -> float:
        ratio = min(max(bound, 0.0) / model.value, 1e6)
        return float(special.chdtr(degrees, ratio * ratio * degrees))

    def between(bottom: float, top: float) -> float:
        return max(below(top) - below(bottom), 0.0)

    low, high = band
    fail = below(low / outer**reach) + 1 - below(high * outer)
    return Chances(between(low, high), between(low * inner, high / inner**reach if high < math.inf else high), fail)


def _certain(passes: bool) -> Chances:
    return Chances(float(passes), float(passes), float(not passes))


def needed(missed: Callable[[int], float], target: float, start: int) -> int | None:
    """The replications from which a miss has at most the probability `target`, if 10 million are enough.

    Found by halving, and then moved past the next few at which the sawtooth of a binomial is above it again.
    """
    low, high = 1, max(start, 2)
    while high < _MOST_REPLICATIONS and missed(high) > target:
        low, high = high, 2 * high
    if missed(high) > target:
        return None
    while high - low > max(1, high // 500):
        middle = (low + high) // 2
        low, high = (middle, high) if missed(middle) > target else (low, middle)
    reach = np.unique(np.linspace(high, high + max(high // 20, 20), 21).astype(int))
    above = [count for count in reach.tolist() if missed(count) > target]
    return int(max(above)) + 1 if above else high
