"""Between which values a metric would lie, whatever the failed replications would have given.

A metric is made of the replications that succeeded. Had the others not failed they could have given anything:
- proportions: every failure a miss, or every failure a hit;
- quantiles (median_bias, robust_empse, quantile_range, median_time): every failure below all others, or above;
- means (bias, mean, width, time): no bounds, unless `support` says between which values one replication can lie;
- mse, rmse, empse: the smallest is where the failures would have added nothing, there is no largest without `support`;
- modse: as the mean of its squares;
- what is divided by the empirical standard error, and comparisons of methods: no bounds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from statsclaw.montecarlo.metrics.measures import PROPORTIONS, RATES, McEstimate, columns_of
from statsclaw.montecarlo.metrics.order import Interval, quantile
from statsclaw.montecarlo.metrics.sample import Sample
from statsclaw.montecarlo.table import Floats, Table

#: Values one replication can take. "observed": what failed would have lain no farther from the median than the
#: farthest of the others, on either side: an estimator may fail exactly where it would have been low.
Support = Interval | Literal["observed"] | None


@dataclass(frozen=True, slots=True)
class Bounds:
    """`note` says what was assumed, or that there are none."""

    low: float
    high: float
    note: str = ""


UNBOUNDED = "no bounds over the failures: they could have given anything"


def worst_case(
    metric: str,
    estimate: McEstimate,
    table: Table,
    *,
    parameter: str | None = None,
    truth: float = math.nan,
    of_field: str | None = None,
    support: Support = None,
) -> Bounds:
    """Bounds of the metric over all replications, whatever the failed ones would have given."""
    lost = estimate.failures
    if metric in RATES or lost == 0:
        return Bounds(estimate.value, estimate.value)
    if estimate.trials == 0:
        return Bounds(0.0, 1.0) if metric in PROPORTIONS else Bounds(-math.inf, math.inf, UNBOUNDED)
    if estimate.successes is not None:
        hits, total = estimate.successes, estimate.replications
        return Bounds(hits / total, (hits + lost) / total, "failures counted as all misses and as all hits")
    if estimate.ordered is not None:
        return _quantile_bounds(estimate, lost)
    sample = Sample(table, columns_of(metric, parameter, of_field))
    if metric in ("bias", "relative_bias", "mean", "width", "time", "standardised_bias", "modse"):
        return _mean_bounds(metric, sample, estimate, parameter, truth, of_field, support)
    if metric in ("mse", "rmse", "empse"):
        return _spread_bounds(metric, sample, f"{parameter}", truth, lost, support)
    return Bounds(-math.inf, math.inf, UNBOUNDED)


def _quantile_bounds(estimate: McEstimate, lost: int) -> Bounds:
    """Conservative for a difference: the ends need not be reached together."""
    shares, ordered = estimate.quantiles, estimate.ordered
    assert ordered is not None
    low = _extended(ordered, shares[0], lost)
    high = _extended(ordered, shares[-1], lost)
    if len(shares) == 1:
        ends = low
    else:
        ends = (max(high[0] - low[1], 0.0) if math.isfinite(high[0] - low[1]) else 0.0, high[1] - low[0])
    return Bounds(
        estimate.scale * ends[0] - estimate.shift,
        estimate.scale * ends[1] - estimate.shift,
        "failures placed below all and above all",
    )


def _extended(ordered: Floats, share: float, lost: int) -> Interval:
    """The quantile with the failures below all others, and above."""
    total = len(ordered) + lost

    place = (total - 1) * share
    ranks = {min(max(int(spot) + step, 0), len(ordered) - 1) for spot in (place, place - lost) for step in (0, 1)}
    ordered = np.partition(ordered, sorted(ranks))

    def at(spot: float) -> float:
        return quantile(ordered, spot / (len(ordered) - 1)) if len(ordered) > 1 else float(ordered[0])

    low = at(place - lost) if place >= lost else -math.inf
    return low, at(place) if place <= len(ordered) - 1 else math.inf


def _mean_bounds(
    metric: str,
    sample: Sample,
    estimate: McEstimate,
    parameter: str | None,
    truth: float,
    of_field: str | None,
    support: Support,
) -> Bounds:
    values = _averaged(metric, sample, parameter, of_field)
    ends, note = _ends(values, support)
    if metric == "modse" and isinstance(support, tuple):
        ends = (support[0] ** 2, support[1] ** 2)
    if metric in ("width", "time", "modse"):
        ends = (max(ends[0], 0.0), ends[1])
    scale, shift = 1.0, 0.0
    if metric in ("bias", "relative_bias", "standardised_bias"):
        shift = truth
    if metric == "relative_bias":
        scale = 1 / truth if truth != 0 else math.nan
    if metric == "standardised_bias":
        scale = 1 / float(np.std(values, ddof=1)) if len(values) > 1 and np.std(values) > 0 else math.nan
    kept, lost = len(values) / estimate.replications, estimate.failures / estimate.replications
    mean = float(np.mean(values))
    found = sorted(scale * (kept * mean + lost * end - shift) for end in ends)
    if metric == "modse":
        found = [math.sqrt(max(end, 0.0)) for end in found]
    return Bounds(found[0], found[1], note)


def _averaged(metric: str, sample: Sample, parameter: str | None, of_field: str | None) -> Floats:
    if metric == "width":
        return sample[f"{parameter}.high"] - sample[f"{parameter}.low"]
    if metric == "modse":
        return np.square(sample[f"{parameter}.se"])
    return sample["seconds" if metric == "time" else str(of_field) if metric == "mean" else f"{parameter}.estimate"]


def _ends(values: Floats, support: Support) -> tuple[Interval, str]:
    if support is None:
        return (-math.inf, math.inf), UNBOUNDED
    if support == "observed":
        centre = float(np.median(values))
        reach = max(float(np.max(values)) - centre, centre - float(np.min(values)))
        return (centre - reach, centre + reach), "failures taken to lie no farther from the median than the others do"
    return support, f"failures taken to lie in [{support[0]:g}, {support[1]:g}]"


def _spread_bounds(metric: str, sample: Sample, parameter: str, truth: float, lost: int, support: Support) -> Bounds:
    values = sample[f"{parameter}.estimate"]
    total = len(values) + lost
    (bottom, top), note = _ends(values, support)
    centre = float(np.mean(values)) if metric == "empse" else truth
    squares = float(np.sum(np.square(values - centre)))
    if metric == "empse":
        if total < 2:
            return Bounds(0.0, math.inf, note)
        # The largest variance has every failure at one end or the other: try all splits.
        split = np.unique(np.linspace(0, lost, min(lost, 1000) + 1).astype(int))
        with np.errstate(all="ignore"):
            moved = split * (bottom - centre) + (lost - split) * (top - centre)
            added = split * (bottom - centre) ** 2 + (lost - split) * (top - centre) ** 2
            most = float(np.max((squares + added - moved**2 / total) / (total - 1)))
        return Bounds(math.sqrt(squares / (total - 1)), math.sqrt(most) if most >= 0 else math.inf, note)
    least = 0.0 if bottom <= centre <= top else min(abs(bottom - centre), abs(top - centre)) ** 2
    most = max(abs(bottom - centre), abs(top - centre)) ** 2
    found = ((squares + lost * least) / total, (squares + lost * most) / total)
    return Bounds(*(found if metric == "mse" else (math.sqrt(found[0]), math.sqrt(found[1]))), note)
