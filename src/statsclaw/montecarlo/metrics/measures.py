"""Performance measures of a study with their Monte Carlo standard errors.

Formulas: Morris, White and Crowther (2019), Using simulation studies to evaluate statistical methods, Table 6. They
are large-sample formulas. That of the empirical standard error, and so of everything divided by it, is of estimates
that are about normal. Where it is, `robust` holds the error for any distribution with a fourth moment (delta method
on the influence of each replication: the infinitesimal jackknife), and intervals use the larger of the two. Where the
tail of the estimates says that there is no fourth moment, the interval is open towards larger spreads: nothing says
how large they could be. No finite sample can do better for every distribution. What holds, for the 99 % interval of
EmpSE of normal, t₅, t₃, exponential and lognormal estimates: from 500 replications on it errs on either side in at
most 0.7 % of studies, with 200 in up to 1.7 %, with 100 in up to 4 % (t₃); below 100 tails are not looked at. The
price: with 500 normal estimates it is left open in 8 % of studies, with 1000 in 2 %.

ModSE has no upper limit where the tail index of the standard errors themselves is below 5, nor se_ratio where it is
below 2.5. What holds (800 studies each; lognormal standard errors with σ from 0.1 to 1.5, chi, Pareto): with 200, 500
and 1000 replications a 99 % limit of ModSE, se_ratio or relative_error_modse at the truth errs in at most 1.8 % of
studies. The price: from σ = 0.5 on (a coefficient of variation of 53 %) ModSE is left open above.

Bias in units of EmpSE: where the tail index of the estimates is below 4 EmpSE is taken to be up to twice as large, and
below 2 there are no limits. What holds, at a bias of ±0.1, ±0.3 and ±1 EmpSE (1000 studies each, 200 to 1000
replications; normal, t₅ to t₂.₅, exponential, χ²₁, lognormal and Pareto estimates): a 99 % limit errs in at most 1.7 %
of studies; with t₂.₁, which hardly has a variance, in 3 % (1000) to 10 % (200). The price: lognormal estimates with
σ = 1 stay undecided in nearly all studies, with σ = 0.75 in half, exponential ones in 3 % of studies of 1000.

These limits were chosen on the distributions named here. Of others, Laplace, Gumbel, Weibull and gamma do as well;
rare outliers do not: with 1 % of estimates ten times as spread up to 3.5 % (1000 replications) and 8.8 % (500) of
studies err, with 0.2 % twenty times as spread 33 % and 44 %; ModSE, with 1 % of standard errors ten times as large, in
2.0 % and 3.7 %.

Plain means (bias, relative_bias, mean, width, time) have the t interval, whatever the tails.

A replication that failed, or in which a column that is needed is not a number, is excluded and counted.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from statsclaw.montecarlo.metrics import order
from statsclaw.montecarlo.metrics.estimates import McEstimate as McEstimate
from statsclaw.montecarlo.metrics.formulas import FORMULAS, mean
from statsclaw.montecarlo.metrics.jackknife import jackknifed
from statsclaw.montecarlo.metrics.sample import Kept, Sample
from statsclaw.montecarlo.own import TRUTH, OwnMetric
from statsclaw.montecarlo.table import Flags, Floats, Table

PROPORTIONS: frozenset[str] = frozenset({"coverage", "be_coverage", "rejection", "failure_rate", "convergence_rate"})
#: Of all replications, failed or not.
RATES: frozenset[str] = frozenset({"failure_rate", "convergence_rate"})


def estimate_metric(
    metric: str,
    table: Table,
    *,
    parameter: str | None = None,
    truth: float = math.nan,
    of_field: str | None = None,
    kept: Kept | None = None,
) -> McEstimate:
    """The metric in one cell and method. No replication left, or a standard error below zero: no value.

    `kept`: holds what was worked out, for several metrics of the same table. Raises KeyError where there is no such
    metric or a column it needs is not there.
    """
    if metric in RATES:
        total, failures = len(table.failed), int(np.count_nonzero(table.failed))
        hits = failures if metric == "failure_rate" else total - failures
        return _proportion(hits, total, total, failures)
    sample = Sample(table, columns_of(metric, parameter, of_field), kept)
    total, count = sample.total, sample.count
    if count == 0:
        return McEstimate(math.nan, None, total, total)
    if metric in PROPORTIONS:
        hits = int(np.count_nonzero(_successes(metric, sample, f"{parameter}", truth)))
        return _proportion(hits, count, total, total - count)
    if metric == "mean" and (ones := _as_flags(sample[str(of_field)])) is not None:
        return _proportion(ones, count, total, total - count)
    if metric in order.QUANTILES:
        return _of_quantiles(metric, sample, f"{parameter}", truth)
    with np.errstate(all="ignore"):
        if isinstance(metric, OwnMetric):
            return jackknifed(metric, sample, parameter, truth).counted(total, count)
        found = mean(sample[str(of_field)]) if metric == "mean" else FORMULAS[metric](sample, f"{parameter}", truth)
    return found.counted(total, count)


def columns_of(metric: str, parameter: str | None = None, of_field: str | None = None) -> tuple[str, ...]:
    """The columns a metric is made of."""
    if isinstance(metric, OwnMetric):
        return metric.columns(parameter)
    if metric in RATES:
        return ()
    if metric == "mean":
        return (str(of_field),)
    return tuple(name if name == "seconds" else f"{parameter}.{name}" for name in METRICS[metric])


def needs_of(metric: str) -> tuple[str, ...]:
    """As in METRICS."""
    return METRICS[metric] if not isinstance(metric, OwnMetric) else tuple(set(metric.arguments) - {TRUTH})


def is_of_parameter(metric: str) -> bool:
    if isinstance(metric, OwnMetric):
        return metric.of_parameter
    return bool(METRICS[metric]) and METRICS[metric] != ("seconds",)


def needs_truth(metric: str) -> bool:
    return TRUTH in metric.arguments if isinstance(metric, OwnMetric) else metric in OF_TRUTH


def _proportion(hits: int, trials: int, total: int, failures: int) -> McEstimate:
    """√(p (1 − p) / n)."""
    if trials == 0:
        return McEstimate(math.nan, None, total, failures, hits, trials)
    share = hits / trials
    return McEstimate(share, math.sqrt(share * (1 - share) / trials), total, failures, hits, trials)


def outcomes(
    metric: str, table: Table, *, parameter: str | None = None, truth: float = math.nan, of_field: str | None = None
) -> Flags | None:
    """Of a proportion, whether each replication it is made of is a success, in their order; else None.

    Also None for bias-eliminated coverage: its target moves with every replication.
    """
    if metric in RATES:
        return table.failed if metric == "failure_rate" else ~table.failed
    if metric not in ("coverage", "rejection", "mean"):
        return None
    sample = Sample(table, columns_of(metric, parameter, of_field))
    if metric == "mean":
        values = sample[str(of_field)]
        return values == 1 if _as_flags(values) is not None else None
    return _successes(metric, sample, f"{parameter}", truth)


def _successes(metric: str, sample: Sample, parameter: str, truth: float) -> Flags:
    """Bias-eliminated coverage is of the mean of the estimates, whatever the intervals are made of."""
    if metric == "rejection":
        rejected: Flags = sample[f"{parameter}.reject"] != 0
        return rejected
    target = truth if metric == "coverage" else float(np.mean(sample[f"{parameter}.estimate"]))
    found: Flags = (sample[f"{parameter}.low"] <= target) & (target <= sample[f"{parameter}.high"])
    return found


def _as_flags(values: Floats) -> int | None:
    """How many are 1, if all are 0 or 1: their mean is a proportion."""
    ones = int(np.count_nonzero(values == 1))
    return ones if ones + int(np.count_nonzero(values == 0)) == len(values) else None


def _of_quantiles(metric: str, sample: Sample, parameter: str, truth: float) -> McEstimate:
    shares, scale = order.QUANTILES[metric]
    column = "seconds" if metric == "median_time" else f"{parameter}.estimate"
    ordered = sample.ordered(column)
    shift = truth if metric == "median_bias" else 0.0
    value, mcse = order.combined(ordered, shares, scale)
    value -= shift
    return McEstimate(
        value if math.isfinite(value) else math.nan,
        mcse if mcse is not None and math.isfinite(mcse) else None,
        sample.total,
        sample.total - sample.count,
        trials=sample.count,
        ordered=ordered,
        quantiles=shares,
        scale=scale,
        shift=shift,
    )


_ESTIMATE, _SE, _LIMITS = ("estimate",), ("estimate", "se"), ("low", "high")
#: Every metric of one method, with the columns it is made of (of a parameter, but for `seconds`).
METRICS: Mapping[str, tuple[str, ...]] = {
    "bias": _ESTIMATE,
    "relative_bias": _ESTIMATE,
    "standardised_bias": _ESTIMATE,
    "median_bias": _ESTIMATE,
    "empse": _ESTIMATE,
    "robust_empse": _ESTIMATE,
    "quantile_range": _ESTIMATE,
    "modse": ("se",),
    "mse": _ESTIMATE,
    "rmse": _ESTIMATE,
    "relative_error_modse": _SE,
    "se_ratio": _SE,
    "rms_se_ratio": _SE,
    "coverage": _LIMITS,
    "be_coverage": ("estimate", *_LIMITS),
    "width": _LIMITS,
    "rejection": ("reject",),
    "time": ("seconds",),
    "median_time": ("seconds",),
    "failure_rate": (),
    "convergence_rate": (),
    "mean": (),
}
#: Metrics that compare with the truth.
OF_TRUTH: frozenset[str] = frozenset(
    {"bias", "relative_bias", "standardised_bias", "median_bias", "mse", "rmse", "coverage"}
)
