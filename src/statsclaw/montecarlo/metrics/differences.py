"""A metric of one method minus the same metric of another, on the same data sets, with the error of the pairing.

Only replications in which both methods succeeded count; `failures` are the others (failure_rate and convergence_rate
are of all). The error is S / √n of the differences of the influences that a replication has on the two metrics (of a
mean the values themselves): whatever the methods share cancels. Proportions: only replications in which the methods
disagree matter; the interval is made of the exact ones of the two kinds of disagreement (Zou and Donner 2008), so that
methods that never disagreed are not taken to be the same. Heavy tails that leave one of the two metrics without a limit
leave their difference without limits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from statsclaw.montecarlo.metrics.measures import RATES, McEstimate, columns_of, estimate_metric, outcomes
from statsclaw.montecarlo.metrics.sample import Sample, deviation, lost_in
from statsclaw.montecarlo.table import Flags, Floats, Table


def metric_difference(
    metric: str,
    table: Table,
    other: Table,
    *,
    parameter: str | None = None,
    truth: float = math.nan,
    of_field: str | None = None,
) -> McEstimate:
    """The metric by the method of `table` minus the metric by that of `other`."""
    columns = columns_of(metric, parameter, of_field)
    total = len(table.failed)
    lost = lost_in(table, columns) | lost_in(other, columns)
    failures = int(np.count_nonzero(lost))
    if metric not in RATES:
        table, other = _without(table, lost, columns), _without(other, lost, columns)
    second, first = (
        estimate_metric(metric, rows, parameter=parameter, truth=truth, of_field=of_field) for rows in (table, other)
    )
    trials = len(table.failed)
    nothing = McEstimate(math.nan, None, total, failures, trials=trials)
    if not (math.isfinite(first.value) and math.isfinite(second.value)):
        return replace(nothing, undefined=first.undefined or second.undefined)
    hits, misses = (
        outcomes(metric, rows, parameter=parameter, truth=truth, of_field=of_field) for rows in (table, other)
    )
    if hits is not None and misses is not None:
        return _of_proportions(hits, misses, total, failures)
    own, reference = (_influence(metric, rows, f"{parameter}", truth, of_field) for rows in (table, other))
    wide = max(wider for row in (first, second) for wider in (row.wider_below, row.wider_above))
    error = deviation(own - reference) / math.sqrt(trials) if trials > 1 else None
    return replace(nothing, value=second.value - first.value, mcse=error, wider_below=wide, wider_above=wide)


def _without(table: Table, lost: Flags, columns: tuple[str, ...]) -> Table:
    return Table(table.failed[~lost], {name: table.columns[name][~lost] for name in columns})


def _of_proportions(own: Flags, other: Flags, total: int, failures: int) -> McEstimate:
    only_other, only_own = (
        _share(int(np.count_nonzero(row & ~same)), len(own)) for row, same in ((other, own), (own, other))
    )
    gaps = own.astype(np.float64) - other
    error = deviation(gaps) / math.sqrt(len(own)) if len(own) > 1 else None
    value = only_own.value - only_other.value
    return McEstimate(value, error, total, failures, trials=len(own), parts=(only_other, only_own))


def _share(hits: int, trials: int) -> McEstimate:
    share = hits / trials
    return McEstimate(share, math.sqrt(share * (1 - share) / trials), trials, 0, hits, trials)


def _influence(metric: str, table: Table, parameter: str, truth: float, of_field: str | None) -> Floats:
    """How much each replication moves the metric, but for a constant."""
    sample = Sample(table, ())
    if metric == "mean":
        return sample[str(of_field)]
    if metric in ("mse", "rmse", "relative_bias"):
        return _of_error(metric, _estimates(sample, parameter) - truth, truth)
    with np.errstate(all="ignore"):
        found = _INFLUENCES[metric](sample, parameter)
    return np.where(np.isfinite(found), found, 0.0)


def _estimates(sample: Sample, parameter: str) -> Floats:
    return sample[f"{parameter}.estimate"]


def _standardised(sample: Sample, parameter: str) -> Floats:
    values = _estimates(sample, parameter)
    return np.square((values - np.mean(values)) / deviation(values))


def _of_se_ratio(sample: Sample, parameter: str) -> Floats:
    errors = sample[f"{parameter}.se"]
    ratio = float(np.mean(errors)) / deviation(_estimates(sample, parameter))
    return ratio * (errors / float(np.mean(errors)) - _standardised(sample, parameter) / 2)


def _of_rms_se_ratio(sample: Sample, parameter: str) -> Floats:
    squares = np.square(sample[f"{parameter}.se"])
    mean = float(np.mean(squares))
    ratio = math.sqrt(mean) / deviation(_estimates(sample, parameter))
    return ratio * (squares / mean - _standardised(sample, parameter)) / 2


def _of_error(metric: str, errors: Floats, truth: float) -> Floats:
    if metric == "relative_bias":
        return errors / truth
    return np.square(errors) if metric == "mse" else _of_root(np.square(errors))


def _of_root(values: Floats) -> Floats:
    """Of the root of the mean of the values."""
    root = math.sqrt(float(np.mean(values)))
    return values / (2 * root) if root > 0 else values


_INFLUENCES: Mapping[str, Callable[[Sample, str], Floats]] = {
    "bias": _estimates,
    "empse": lambda sample, of: deviation(_estimates(sample, of)) * _standardised(sample, of) / 2,
    "modse": lambda sample, of: _of_root(np.square(sample[f"{of}.se"])),
    "se_ratio": _of_se_ratio,
    "rms_se_ratio": _of_rms_se_ratio,
    "relative_error_modse": lambda sample, of: 100 * _of_rms_se_ratio(sample, of),
    "width": lambda sample, of: sample[f"{of}.high"] - sample[f"{of}.low"],
    "time": lambda sample, _: sample["seconds"],
}
#: Metrics of which two methods can be compared as a difference.
DIFFERENCES: frozenset[str] = frozenset(
    {*_INFLUENCES, "relative_bias", "mse", "rmse", "coverage", "rejection", "mean", *RATES}
)
