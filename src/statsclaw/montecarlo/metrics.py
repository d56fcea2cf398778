"""Performance measures of a study with their Monte Carlo standard errors.

Formulas: Morris, White and Crowther (2019), Using simulation studies to evaluate statistical methods, Table 6. They
are large-sample formulas. That of the empirical standard error, and so that of se_ratio, is of estimates that are
about normal: with heavy tails it is too small. In se_ratio the covariance of estimates and standard errors is
ignored, as there. Failed replications are excluded and counted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from scipy import special  # type: ignore[import-untyped]

from statsclaw.montecarlo.table import Floats, Table

Metric = Literal[
    "bias", "rmse", "empse", "modse", "se_ratio", "coverage", "rejection", "mean", "quantile_range", "failure_rate"
]
PROPORTIONS: frozenset[Metric] = frozenset({"coverage", "rejection", "failure_rate"})
#: The quantile range runs from this quantile to the one as far from the other end.
TAIL = 0.025


@dataclass(frozen=True, slots=True)
class McEstimate:
    """`value` is NaN where there is none, `mcse` None where it cannot be estimated.

    `replications`: all that were run; `failures`: those of them that failed; `trials`: those the value is made of;
    `successes`: of a proportion, how many of the trials; `ordered`: of a quantile range, the sorted estimates.
    """

    value: float
    mcse: float | None
    replications: int
    failures: int
    successes: int | None = None
    trials: int = 0
    ordered: Floats | None = field(default=None, compare=False, repr=False)


def estimate_metric(
    metric: Metric, table: Table, *, parameter: str | None = None, truth: float = math.nan, of_field: str | None = None
) -> McEstimate:
    """The metric in one cell and method. No replication left, or a standard error below zero: no value."""
    total, failures = len(table.failed), int(np.count_nonzero(table.failed))
    if metric == "failure_rate":
        return McEstimate(*_share(failures, total), total, failures, failures, total)
    if total == failures:
        return McEstimate(math.nan, None, total, failures)
    if metric in PROPORTIONS:
        hits = _hits(metric, table, parameter, truth)
        return McEstimate(*_share(hits, total - failures), total, failures, hits, total - failures)
    with np.errstate(all="ignore"):
        if metric == "mean":
            value, mcse = _mean(table.usable(str(of_field)))
        else:
            value, mcse = _CONTINUOUS[metric](table, f"{parameter}", truth)
    known = mcse is not None and math.isfinite(mcse)
    shown = value if math.isfinite(value) else math.nan
    found = McEstimate(shown, mcse if known else None, total, failures, None, total - failures)
    if metric != "quantile_range":
        return found
    return replace(found, ordered=np.sort(table.usable(f"{parameter}.estimate")))


Found = tuple[float, float | None]


def _hits(metric: Metric, table: Table, parameter: str | None, truth: float) -> int:
    if metric == "rejection":
        return int(np.count_nonzero(table.usable(f"{parameter}.reject")))
    low, high = table.usable(f"{parameter}.low"), table.usable(f"{parameter}.high")
    return int(np.count_nonzero((low <= truth) & (truth <= high)))


def _share(hits: int, trials: int) -> Found:
    if trials == 0:
        return math.nan, None
    share = hits / trials
    return share, math.sqrt(share * (1 - share) / trials)


def _mean(values: Floats) -> Found:
    if len(values) < 2:
        return float(np.mean(values)), None
    return float(np.mean(values)), float(np.std(values, ddof=1)) / math.sqrt(len(values))


def _bias(table: Table, parameter: str, truth: float) -> Found:
    return _mean(table.usable(f"{parameter}.estimate") - truth)


def _rmse(table: Table, parameter: str, truth: float) -> Found:
    """By the delta method: the error of the MSE over twice its root."""
    mse, of_mse = _mean((table.usable(f"{parameter}.estimate") - truth) ** 2)
    root = math.sqrt(mse) if mse >= 0 else math.nan
    return root, 0.0 if root == 0 and of_mse == 0 else _over(of_mse, 2 * root)


def _empse(table: Table, parameter: str, _: float) -> Found:
    values = table.usable(f"{parameter}.estimate")
    if len(values) < 2:
        return math.nan, None
    spread = float(np.std(values, ddof=1))
    return spread, spread / math.sqrt(2 * (len(values) - 1))


def _modse(table: Table, parameter: str, _: float) -> Found:
    """Root of the mean of the squared standard errors."""
    errors = table.usable(f"{parameter}.se")
    if np.any(errors < 0):
        return math.nan, None
    mean, of_mean = _mean(errors**2)
    root = math.sqrt(mean)
    return root, 0.0 if root == 0 else _over(of_mean, 2 * root)


def _se_ratio(table: Table, parameter: str, truth: float) -> Found:
    """Mean of the standard errors (not the root of their mean square) over the standard deviation of the estimates."""
    errors = table.usable(f"{parameter}.se")
    spread, of_spread = _empse(table, parameter, truth)
    mean, of_mean = _mean(errors)
    if np.any(errors < 0) or not spread > 0 or of_mean is None or of_spread is None:
        return math.nan, None
    if mean == 0:
        return 0.0, 0.0
    ratio = mean / spread
    return ratio, ratio * math.hypot(of_mean / mean, of_spread / spread)


def _quantile_range(table: Table, parameter: str, _: float) -> Found:
    """97.5 % minus 2.5 % quantile, as numpy interpolates them.

    The error of each is that of Maritz and Jarrett (1978), with the ranks the interpolation lies between, and their
    small covariance is ignored: a few per cent too large on average.
    """
    values = np.sort(table.usable(f"{parameter}.estimate"))
    low, high = np.quantile(values, [TAIL, 1 - TAIL])
    if len(values) < 2:
        return float(high - low), None
    return float(high - low), math.hypot(_quantile_error(values, TAIL), _quantile_error(values, 1 - TAIL))


def _quantile_error(ordered: Floats, share: float) -> float:
    count = len(ordered)
    rank = (count - 1) * share + 1
    weights = np.diff(special.betainc(rank, count + 1 - rank, np.arange(count + 1) / count))
    centred = ordered - float(weights @ ordered)
    return math.sqrt(max(float(weights @ centred**2) - float(weights @ centred) ** 2, 0.0))


def _over(error: float | None, scale: float) -> float | None:
    return error / scale if error is not None and scale > 0 else None


_CONTINUOUS: Mapping[Metric, Callable[[Table, str, float], Found]] = {
    "bias": _bias,
    "rmse": _rmse,
    "empse": _empse,
    "modse": _modse,
    "se_ratio": _se_ratio,
    "quantile_range": _quantile_range,
}
