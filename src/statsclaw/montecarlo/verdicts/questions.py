"""What a criterion asks: of one cell, of neighbouring cells (trend), or of a row of cells (rate)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from statsclaw.montecarlo.design import Criterion, Study, StudyRefused, cell_name
from statsclaw.montecarlo.metrics.differences import DIFFERENCES, metric_difference
from statsclaw.montecarlo.metrics.failures import Bounds, worst_case
from statsclaw.montecarlo.metrics.measures import (
    METRICS,
    McEstimate,
    columns_of,
    estimate_metric,
    is_of_parameter,
    needs_truth,
    outcomes,
)
from statsclaw.montecarlo.metrics.paired import COMPARISONS, compare, compared_column
from statsclaw.montecarlo.metrics.sample import lost_in
from statsclaw.montecarlo.storage.results import SECONDS, NamedColumns, Results, first_of
from statsclaw.montecarlo.table import Flags, Table
from statsclaw.words import or_else

ALONG_AXIS = ("rate", "trend")
#: All metrics of the engine.
KNOWN = (*METRICS, *COMPARISONS, *ALONG_AXIS)


@dataclass(frozen=True, slots=True)
class Question:
    """One value that must lie within [low, high]. `cells`: those it is made of."""

    criterion: Criterion
    cells: tuple[int, ...]
    name: str
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Place:
    """A cell, a method, and the columns that a replication must have there."""

    cell: int
    method: str
    columns: tuple[str, ...]


def questions_of(study: Study, criterion: Criterion) -> list[Question]:
    """Of a metric one per selected cell, of a trend one per step, of a rate one per row of cells along the axis."""
    check_criterion(study, criterion)
    cells = study.cells()
    low = -math.inf if criterion.low is None else criterion.low
    high = math.inf if criterion.high is None else criterion.high
    if criterion.metric not in ALONG_AXIS:
        return [
            Question(criterion, (number,), cell_name(cells[number]), low, high) for number in study.selected(criterion)
        ]
    found = []
    for row in _rows(study, criterion):
        others = {axis: level for axis, level in cells[row[0]].items() if axis != criterion.axis}
        where = cell_name(others) if others else f"along {criterion.axis}"
        if criterion.metric == "rate":
            found.append(Question(criterion, tuple(row), where, low, high))
            continue
        for first, second in pairwise(row):
            step = f"{criterion.axis}={cells[first][str(criterion.axis)]}→{cells[second][str(criterion.axis)]}"
            found.append(Question(criterion, (first, second), f"{where},{step}" if others else step, low, high))
    return found


def check_criterion(study: Study, criterion: Criterion) -> None:
    """Raises StudyRefused where a criterion cannot be judged as it is written."""
    metric, name = criterion.metric, criterion.id
    known = (*KNOWN, *study.metrics)
    if metric not in known:
        raise StudyRefused(f"{name}: there is no metric {metric!r}{or_else(metric, known)}")
    if criterion.low is None and criterion.high is None:
        raise StudyRefused(f"{name}: no bound, so nothing could miss it")
    if criterion.low is not None and criterion.high is not None and criterion.low > criterion.high:
        raise StudyRefused(f"{name}: low is above high")
    for axis, levels in criterion.cells.items():
        if not set(levels) <= set(study.grid.get(axis, ())):
            raise StudyRefused(f"{name}: {axis} has no such level in the grid")
    for method in (criterion.method, criterion.reference, criterion.minus):
        if method is not None and method not in study.method_names:
            raise StudyRefused(f"{name}: there is no method {method!r}")
    if metric in COMPARISONS and criterion.reference is None:
        raise StudyRefused(f"{name}: {metric} needs a reference, the method it is compared with")
    if criterion.minus is not None:
        if metric not in DIFFERENCES:
            raise StudyRefused(f"{name}: minus goes with {', '.join(sorted(DIFFERENCES))}, not with {metric}")
        if criterion.minus == criterion.method or criterion.reference is not None or criterion.unit != "absolute":
            raise StudyRefused(f"{name}: minus names another method, without reference and with absolute bounds")
    if metric == "mean" and criterion.field is None:
        raise StudyRefused(f"{name}: mean needs a field, the recorded scalar it is of")
    if metric in ALONG_AXIS and (criterion.axis is None or criterion.axis not in study.grid):
        raise StudyRefused(f"{name}: {metric} needs an axis of the grid")
    if metric == "trend" and criterion.of not in (*METRICS, *study.metrics):
        raise StudyRefused(f"{name}: trend needs a metric in `of`")
    if metric == "rate" and (criterion.of or "rmse") not in ("rmse", "empse", "mse", "modse", "robust_empse", "width"):
        raise StudyRefused(f"{name}: a rate is of rmse, mse, empse, modse, robust_empse or width")
    if criterion.unit not in ("absolute", "empse"):
        raise StudyRefused(f"{name}: unit is “absolute” or “empse”")
    if criterion.unit == "empse" and metric not in ("bias", "agreement", "difference"):
        raise StudyRefused(f"{name}: only bias, agreement and difference can be in units of EmpSE")
    if criterion.parameter is None and _needs_parameter(criterion):
        raise StudyRefused(f"{name}: the metric {metric} is of a parameter")
    if metric not in COMPARISONS and needs_truth(metric_of(criterion)):
        known_truths = study.truth_in(study.cells()[0])
        if criterion.parameter not in known_truths:
            raise StudyRefused(f"{name}: the study does not say what {criterion.parameter} truly is")
    if metric == "rate" and any(not _positive(level) for level in study.grid[str(criterion.axis)]):
        raise StudyRefused(f"{name}: a rate needs an axis of positive numbers")
    for row in _rows(study, criterion) if metric in ALONG_AXIS else ():
        counts = list(dict.fromkeys(study.replications_in(study.cell(number)) for number in row))
        if len(counts) > 1:
            said = f"{metric} is over cells with {counts[0]:,} and {counts[1]:,} replications, which cannot be judged"
            raise StudyRefused(f"{name}: {said}", todo=f"give the cells along {criterion.axis} the same number")
    if metric in ALONG_AXIS and not _rows(study, criterion):
        raise StudyRefused(f"{name}: {metric} needs two or more levels of {criterion.axis} among its cells")


def _needs_parameter(criterion: Criterion) -> bool:
    if criterion.metric in COMPARISONS:
        return criterion.metric != "speed_ratio"
    metric = criterion.of or "rmse" if criterion.metric in ALONG_AXIS else criterion.metric
    return is_of_parameter(metric)


def _positive(level: object) -> bool:
    return isinstance(level, int | float) and not isinstance(level, bool) and level > 0


def _rows(study: Study, criterion: Criterion) -> list[list[int]]:
    """The selected cells that share all levels but that of the axis, two or more, in the order of the grid."""
    cells = study.cells()
    rows: dict[tuple[object, ...], list[int]] = {}
    for number in study.selected(criterion):
        shared = tuple(level for axis, level in cells[number].items() if axis != criterion.axis)
        rows.setdefault(shared, []).append(number)
    return [row for row in rows.values() if len(row) > 1]


class Evidence:
    """What was recorded for one question; read once, looked at as of any number of replications."""

    def __init__(self, study: Study, question: Question, results: Results) -> None:
        self.question, self._study = question, study
        criterion = question.criterion
        self._metric = metric_of(criterion)
        needed = self._columns = columns_needed(criterion)
        methods = methods_of(criterion)
        for method in methods:
            _require(results, method, needed)
        self._tables = [results.table(cell, criterion.method, needed) for cell in question.cells]
        self._references = [results.table(cell, method, needed) for method in methods[1:] for cell in question.cells]
        self.completed = min(len(table.failed) for table in (*self._tables, *self._references))
        self._found: dict[int, McEstimate] = {}

    def plain(self) -> tuple[str, float] | None:
        """Metric and truth, where the question is about a metric of one method in one cell."""
        criterion = self.question.criterion
        if criterion.minus is not None or criterion.metric in (*COMPARISONS, *ALONG_AXIS):
            return None
        return self._metric, self._truth(0)

    def estimate(self, count: int | None = None) -> McEstimate:
        """The value from the first `count` replications, all unless given."""
        used = self.completed if count is None else min(count, self.completed)
        if used not in self._found:
            self._found[used] = self._estimate(used)
        return self._found[used]

    def _estimate(self, count: int) -> McEstimate:
        criterion = self.question.criterion
        if criterion.metric in COMPARISONS:
            own, other = self._cut(self._tables[0], count), self._cut(self._references[0], count)
            return compare(criterion.metric, own, other, parameter=criterion.parameter, unit=criterion.unit)
        if criterion.minus is not None:
            own, other = self._cut(self._tables[0], count), self._cut(self._references[0], count)
            return metric_difference(
                criterion.metric, own, other, parameter=criterion.parameter, truth=self._truth(0),
                of_field=criterion.field,
            )  # fmt: skip
        found = [self._of_cell(at, count) for at in range(len(self._tables))]
        if criterion.metric == "rate":
            return slope(self._levels(), found)
        return change(found[0], found[1]) if criterion.metric == "trend" else found[0]

    def outcomes(self) -> Flags | None:
        """Of a proportion in one cell, success or not in the order of the replications."""
        criterion = self.question.criterion
        if criterion.minus is not None or criterion.metric in (*COMPARISONS, *ALONG_AXIS):
            return None
        return outcomes(
            self._metric, self._tables[0], parameter=criterion.parameter, truth=self._truth(0), of_field=criterion.field
        )

    def lost(self) -> dict[Place, Flags]:
        """Of each method, in each cell: the replications that failed or lack a needed column."""
        tables = [self._cut(table, None) for table in (*self._tables, *self._references)]
        return dict(zip(places_of(self.question), (lost_in(table, self._columns) for table in tables), strict=True))

    def bounds(self) -> Bounds:
        """Of the value, had the failures lain no farther out than the others; infinite where there are none."""
        criterion = self.question.criterion
        if criterion.metric in COMPARISONS or criterion.minus is not None:
            found = self.estimate()
            return Bounds(found.value, found.value) if not found.failures else Bounds(-math.inf, math.inf)
        single = self.plain() is not None
        of_cells = [
            worst_case(
                self._metric, self.estimate() if single else self._of_cell(at, None), table,
                parameter=criterion.parameter, truth=self._truth(at), of_field=criterion.field, support="observed",
            )
            for at, table in enumerate(self._tables)
        ]  # fmt: skip
        if criterion.metric == "trend":
            return Bounds(of_cells[1].low - of_cells[0].high, of_cells[1].high - of_cells[0].low, of_cells[0].note)
        return of_cells[0] if criterion.metric != "rate" else _slope_bounds(self._levels(), of_cells)

    def _of_cell(self, at: int, count: int | None) -> McEstimate:
        criterion = self.question.criterion
        return estimate_metric(
            self._metric, self._cut(self._tables[at], count), parameter=criterion.parameter, truth=self._truth(at),
            of_field=criterion.field,
        )  # fmt: skip

    def _cut(self, table: Table, count: int | None) -> Table:
        return first_of(table, self.completed if count is None else min(count, self.completed))

    def _truth(self, at: int) -> float:
        cell = self._study.cell(self.question.cells[at])
        return self._study.truth_in(cell).get(str(self.question.criterion.parameter), math.nan)

    def _levels(self) -> list[float]:
        axis = str(self.question.criterion.axis)
        return [float(self._study.cell(number)[axis]) for number in self.question.cells]


def methods_of(criterion: Criterion) -> tuple[str, ...]:
    """The method a criterion is about, and the one it is compared with."""
    compared = criterion.other if criterion.minus is not None or criterion.metric in COMPARISONS else None
    return (criterion.method,) if compared is None else (criterion.method, compared)


def places_of(question: Question) -> list[Place]:
    """Where replications can fail that a question needs: each method in each cell."""
    columns = columns_needed(question.criterion)
    return [Place(cell, method, columns) for method in methods_of(question.criterion) for cell in question.cells]


def _require(results: Results, method: str, needed: Sequence[str]) -> None:
    """Raises KeyError with the first column that was never recorded; a store would give it as unknown throughout."""
    if not isinstance(results, NamedColumns):
        return
    known = (*results.columns(method), SECONDS)
    for name in needed:
        if name not in known:
            raise KeyError(f"{name} of {method}")


def metric_of(criterion: Criterion) -> str:
    """The metric of one cell that a criterion is made of."""
    if criterion.metric in ALONG_AXIS:
        return criterion.of or "rmse"
    return "standardised_bias" if criterion.metric == "bias" and criterion.unit == "empse" else criterion.metric


def columns_needed(criterion: Criterion) -> tuple[str, ...]:
    """The columns without which a criterion has no answer."""
    if criterion.metric in COMPARISONS:
        return (compared_column(criterion.metric, criterion.parameter),)
    return columns_of(metric_of(criterion), criterion.parameter, criterion.field)


def slope(levels: Sequence[float], found: Sequence[McEstimate]) -> McEstimate:
    """Of the logarithm of the metric on that of the axis, by least squares; its error is that of independent cells."""
    total = sum(row.replications for row in found)
    failures = sum(row.failures for row in found)
    trials = min(row.trials for row in found)
    if any(not row.value > 0 for row in found):
        reason = next((row.undefined for row in found if row.undefined), "")
        if not reason and any(row.value == 0 for row in found):
            reason = "the metric is 0 in a cell, so that it has no rate"
        return McEstimate(math.nan, None, total, failures, trials=trials, undefined=reason)
    weights = _slope_weights(levels)
    value = float(weights @ np.log([row.value for row in found]))
    if any(row.error is None for row in found):
        return McEstimate(value, None, total, failures, trials=trials)
    errors = np.array([(row.error or 0.0) / row.value for row in found])
    # One cell in which tails look heavy by chance says little about a row of them.
    wide = math.inf if sum(row.open_above for row in found) > len(found) / 2 else 1.0
    error = float(np.sqrt(np.sum(np.square(weights * errors))))
    return McEstimate(value, error, total, failures, trials=trials, wider_below=wide, wider_above=wide)


def _slope_weights(levels: Sequence[float]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    centred = np.log(levels) - np.mean(np.log(levels))
    weights: np.ndarray[tuple[int], np.dtype[np.float64]] = centred / np.sum(np.square(centred))
    return weights


def _slope_bounds(levels: Sequence[float], found: Sequence[Bounds]) -> Bounds:
    ends = np.log([[max(row.low, 0.0) for row in found], [row.high for row in found]]) if _logs(found) else None
    if ends is None:
        return Bounds(-math.inf, math.inf)
    weights = _slope_weights(levels)
    pairs = np.sort(weights * ends, axis=0)
    return Bounds(float(np.sum(pairs[0])), float(np.sum(pairs[1])), found[0].note)


def _logs(found: Sequence[Bounds]) -> bool:
    return all(row.low > 0 and math.isfinite(row.high) for row in found)


def change(first: McEstimate, second: McEstimate) -> McEstimate:
    """The second minus the first, of independent cells."""
    known = first.error is not None and second.error is not None
    return replace(
        McEstimate(
            second.value - first.value,
            math.hypot(first.error or 0.0, second.error or 0.0) if known else None,
            first.replications + second.replications,
            first.failures + second.failures,
            trials=min(first.trials, second.trials),
            undefined=first.undefined or second.undefined,
        ),
        parts=(first, second),
    )
