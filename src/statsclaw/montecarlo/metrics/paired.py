"""Two methods on the same data: relative precision, agreement, speed, with errors that use the pairing.

Only replications in which both succeeded count; `failures` are the others. Relative precision is the exception: as in
simsum and rsimsum each EmpSE is of all replications in which its own method succeeded, and only the correlation is of
those in which both did.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from statsclaw.montecarlo.metrics.estimates import Found, McEstimate
from statsclaw.montecarlo.metrics.sample import deviation, reach
from statsclaw.montecarlo.table import Floats, Table

#: Metrics that compare a method with a reference, and the column of each they are made of.
COMPARISONS: Mapping[str, str] = {
    "relative_precision": "estimate",
    "agreement": "estimate",
    "difference": "estimate",
    "speed_ratio": "seconds",
}


def compared_column(metric: str, parameter: str | None) -> str:
    return "seconds" if COMPARISONS[metric] == "seconds" else f"{parameter}.estimate"


def compare(
    metric: str, table: Table, reference: Table, *, parameter: str | None = None, unit: str = "absolute"
) -> McEstimate:
    """`metric` of a method against the reference. `unit="empse"`: agreement and difference in EmpSE of the reference.

    - relative_precision: 100 ((EmpSE of reference / EmpSE of method)² − 1), the gain in precision in per cent;
    - agreement: root of the mean squared difference of the two estimates of a replication;
    - difference: mean of estimate − estimate of the reference;
    - speed_ratio: mean seconds of the reference over those of the method: how many times faster it is.
    """
    column = compared_column(metric, parameter)
    own, other = table.columns[column], reference.columns[column]
    both = ~(table.failed | reference.failed | np.isnan(own) | np.isnan(other))
    total, count = len(both), int(np.count_nonzero(both))
    if count < total:
        own, other = own[both], other[both]
    if count == 0:
        return McEstimate(math.nan, None, total, total)
    if metric == "relative_precision":
        alone = [rows.columns[column][~(rows.failed | np.isnan(rows.columns[column]))] for rows in (table, reference)]
        with np.errstate(all="ignore"):
            return _relative_precision(alone[0], alone[1], own, other).counted(total, count)
    with np.errstate(all="ignore"):
        found = _FORMULAS[metric](own, other)
        if unit == "empse" and metric in ("agreement", "difference"):
            found = _in_empse(found, other)
    return found.counted(total, count)


def _relative_precision(own: Floats, other: Floats, own_pairs: Floats, other_pairs: Floats) -> Found:
    """200 (E_A/E_B)² √((1 − ρ²)/(n − 1)) of normal estimates, with n of the method and ρ of the pairs. Robust: the
    influence of a replication on log(E_A/E_B)² is the difference of the squared standardised estimates that it has,
    each over the number of those."""
    if len(own_pairs) < 2:
        return Found(math.nan, None)
    spreads = deviation(other), deviation(own)
    if not min(spreads) > 0:
        return Found(math.nan, None)
    squared, sizes = (spreads[0] / spreads[1]) ** 2, (len(other), len(own))
    correlation = _correlation(other_pairs, own_pairs)
    formula = 200 * squared * math.sqrt(max(1 - correlation**2, 0.0) / (sizes[1] - 1))
    if len(own_pairs) == max(sizes):
        standardised = (other - np.mean(other)) / spreads[0], (own - np.mean(own)) / spreads[1]
        influence = np.square(standardised[0]) - np.square(standardised[1])
        robust = 100 * squared * deviation(influence) / math.sqrt(sizes[1])
    else:
        robust = 100 * squared * _unpaired(own, other, own_pairs, other_pairs)
    wide = max(reach(own), reach(other))
    return Found(100 * (squared - 1), formula, robust, log_shift=100.0, wider_below=wide, wider_above=wide)


def _correlation(first: Floats, second: Floats) -> float:
    spread = deviation(first) * deviation(second)
    if not spread > 0:
        return 0.0
    return float(np.dot(first - np.mean(first), second - np.mean(second))) / (len(first) - 1) / spread


def _unpaired(own: Floats, other: Floats, own_pairs: Floats, other_pairs: Floats) -> float:
    """The error of log S²_A − log S²_B where not all replications have both: the covariance is of the pairs."""

    def squares(values: Floats, of: Floats) -> Floats:
        found: Floats = np.square((of - np.mean(values)) / deviation(values)) - 1
        return found

    variances = [float(np.mean(np.square(squares(values, values)))) / len(values) for values in (other, own)]
    shared = float(np.dot(squares(other, other_pairs), squares(own, own_pairs))) / (len(own) * len(other))
    return math.sqrt(max(sum(variances) - 2 * shared, 0.0))


def _agreement(own: Floats, other: Floats) -> Found:
    """By the delta method: the error of the mean square over twice its root. Methods that agree to rounding differ in
    few replications if any, so tails are not looked at: what no replication showed is not in the interval."""
    squares = np.square(own - other)
    root = math.sqrt(float(np.mean(squares)))
    if len(squares) < 2:
        return Found(root, None)
    error = deviation(squares) / math.sqrt(len(squares))
    return Found(root, error / (2 * root) if root > 0 else 0.0, log_shift=0.0)


def _difference(own: Floats, other: Floats) -> Found:
    gaps = own - other
    if len(gaps) < 2:
        return Found(float(np.mean(gaps)), None)
    return Found(float(np.mean(gaps)), deviation(gaps) / math.sqrt(len(gaps)))


def _speed_ratio(own: Floats, other: Floats) -> Found:
    """Ratio of means; the influence on its logarithm is other/mean − own/mean."""
    means = float(np.mean(other)), float(np.mean(own))
    if not min(means) > 0:
        return Found(math.nan, None)
    ratio = means[0] / means[1]
    if len(own) < 2:
        return Found(ratio, None)
    influence = other / means[0] - own / means[1]
    return Found(ratio, ratio * deviation(influence) / math.sqrt(len(own)), log_shift=0.0)


def _in_empse(found: Found, other: Floats) -> Found:
    """The spread of the reference is taken as known: its own error is small beside that of the difference."""
    spread = deviation(other) if len(other) > 1 else math.nan
    if not spread > 0:
        exact = spread == 0 and found.value == 0
        return Found(
            math.nan, None, undefined="the methods agree and the reference does not vary: 0 / 0" if exact else ""
        )
    error = None if found.mcse is None else found.mcse / spread
    return Found(found.value / spread, error, log_shift=found.log_shift, wider_above=found.wider_above)


_FORMULAS: Mapping[str, Callable[[Floats, Floats], Found]] = {
    "agreement": _agreement,
    "difference": _difference,
    "speed_ratio": _speed_ratio,
}
