"""What a metric would have been with a fault, from what was recorded without it.

For the usual metrics by their formulas, from moments and counts that are worked out once: a shift S of the estimates
moves means and medians by S; the mean square becomes MSE + 2 S bias + S², with an error from the first four moments;
a factor of the standard errors multiplies what is made of them. Coverage is counted again. For all others the columns
are changed and the metric is computed again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from statsclaw.montecarlo.design import Study
from statsclaw.montecarlo.metrics.measures import McEstimate
from statsclaw.montecarlo.metrics.sample import Sample
from statsclaw.montecarlo.storage.results import Results
from statsclaw.montecarlo.table import Floats, Table
from statsclaw.montecarlo.verdicts.questions import Evidence, Question


@dataclass(frozen=True, slots=True)
class Perturbation:
    """Standard errors and intervals × `factor`, estimates and intervals moved by `shift` EmpSE. One of the two."""

    factor: float
    shift: float


Faulty = Callable[[Perturbation], McEstimate]


def with_fault(study: Study, question: Question, results: Results) -> Faulty:
    """The metric of a question under any fault."""
    evidence = Evidence(study, question, results)
    if (plain := evidence.plain()) is not None:
        metric, truth = plain
        found = evidence.estimate()
        parameter = f"{question.criterion.parameter}"
        if metric in _SCALED and math.isfinite(found.value):
            return lambda fault: _scaled(metric, found, fault.factor)
        if metric in ("coverage", "be_coverage", *_MOVED) and found.trials > 1:
            wanted = [f"{parameter}.{name}" for name in ("estimate", "low", "high")]
            names = wanted if metric in ("coverage", "be_coverage") else wanted[:1]
            sample = Sample(results.table(question.cells[0], question.criterion.method, names), names)
            if sample.count == found.trials and metric in _MOVED:
                return _moved(metric, found, sample[names[0]] - truth, truth)
            if sample.count > 1 and metric in ("coverage", "be_coverage"):
                estimate, low, high = (sample[name] for name in names)
                return _covered(metric, found, estimate, low, high, truth)

    def again(fault: Perturbation) -> McEstimate:
        changed = Perturbed(results, question.criterion.method, f"{question.criterion.parameter}", fault)
        return Evidence(study, question, changed).estimate()

    return again


#: Proportional to the standard errors; relative_error_modse is, but for the 100.
_SCALED = ("modse", "width", "se_ratio", "rms_se_ratio", "relative_error_modse")
_MOVED = ("bias", "relative_bias", "standardised_bias", "median_bias", "mse", "rmse")


def _scaled(metric: str, found: McEstimate, factor: float) -> McEstimate:
    mcse, robust = (None if error is None else factor * error for error in (found.mcse, found.robust))
    shift = 100.0 if metric == "relative_error_modse" else 0.0
    return replace(found, value=factor * (found.value + shift) - shift, mcse=mcse, robust=robust)


def _moved(metric: str, found: McEstimate, errors: Floats, truth: float) -> Faulty:
    """By the moments of the errors: mean b, then u = error − b."""
    count, bias = len(errors), float(np.mean(errors))
    u = errors - bias
    squares = np.square(u)
    second, third, fourth = (float(np.dot(squares, other)) / count for other in (np.ones_like(u), u, squares))
    size = math.sqrt(second * count / (count - 1))

    def shifted(fault: Perturbation) -> McEstimate:
        step = fault.shift * size
        if metric == "bias":
            return replace(found, value=found.value + step)
        if metric == "relative_bias":
            return replace(found, value=found.value + step / truth)
        if metric == "median_bias":
            return replace(found, value=found.value + step, shift=found.shift - step)
        if metric == "standardised_bias":
            value = found.value + fault.shift
            spread = second / size**2 - value * third / size**3 + value**2 / 4 * (fourth - second**2) / size**4
            return replace(found, value=value, mcse=math.sqrt(max(spread, 0.0) / (count - 1)))
        centre = bias + step
        mse = second + centre**2
        error = math.sqrt(max(fourth + 4 * centre * third + 4 * centre**2 * second - second**2, 0.0) / (count - 1))
        if metric == "mse":
            return replace(found, value=mse, mcse=error)
        root = math.sqrt(mse)
        return replace(found, value=root, mcse=error / (2 * root) if root > 0 else 0.0)

    return shifted


def _covered(metric: str, found: McEstimate, values: Floats, low: Floats, high: Floats, truth: float) -> Faulty:
    """An interval stretched by f covers from f = (truth − estimate) / (end − estimate) on, of the end on that side."""
    target = truth if metric == "coverage" else float(np.mean(values))
    total, count, size = found.replications, len(values), float(np.std(values, ddof=1))
    gap, below, above = target - values, low - values, high - values
    around = bool(np.all(below < 0) and np.all(above > 0))
    needed = np.where(gap > 0, gap / above, gap / below) if around else None

    def shifted(fault: Perturbation) -> McEstimate:
        if fault.shift == 0 and needed is not None:
            hits = int(np.count_nonzero(needed <= fault.factor))
        else:
            at = gap - fault.shift * size
            hits = int(np.count_nonzero((fault.factor * below <= at) & (at <= fault.factor * above)))
        share = hits / count
        return McEstimate(share, math.sqrt(share * (1 - share) / count), total, total - count, hits, count)

    return shifted


class Perturbed:
    """Results as they would have been with the fault, for one parameter of one method."""

    def __init__(self, results: Results, method: str, parameter: str, fault: Perturbation) -> None:
        self._results, self._method, self._parameter, self._fault = results, method, parameter, fault

    def completed(self, cell: int) -> int:
        return self._results.completed(cell)

    def table(self, cell: int, method: str, columns: Sequence[str] | None = None) -> Table:
        own = [f"{self._parameter}.{name}" for name in ("estimate", "low", "high", "se")]
        if method != self._method or columns is None or not set(columns) & set(own):
            return self._results.table(cell, method, columns)
        table = self._results.table(cell, method, tuple(dict.fromkeys((own[0], *columns))))
        return Table(table.failed, self._moved(table, columns, own[0]))

    def _moved(self, table: Table, columns: Sequence[str], estimate: str) -> dict[str, np.ndarray]:
        values = table.columns[estimate]
        shift = self._fault.shift * float(np.nanstd(values[~table.failed], ddof=1)) if self._fault.shift else 0.0
        found: dict[str, np.ndarray] = {}
        for name in columns:
            kind = name.rsplit(".", 1)[-1] if name.startswith(f"{self._parameter}.") else ""
            column = table.columns[name]
            if kind == "se":
                column = column * self._fault.factor
            elif kind in ("low", "high"):
                column = values + self._fault.factor * (column - values) + shift
            elif kind == "estimate":
                column = column + shift
            found[name] = column
        return found
