"""What figures show: metrics of every cell and method, each column read once, and how a grid is laid out on pages."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import TypeVar

import numpy as np

from statsclaw.montecarlo.design import Level, Study
from statsclaw.montecarlo.metrics.estimates import McEstimate
from statsclaw.montecarlo.metrics.intervals import interval
from statsclaw.montecarlo.metrics.measures import columns_of, estimate_metric
from statsclaw.montecarlo.storage.results import Results, column_names
from statsclaw.montecarlo.table import Table

T = TypeVar("T")
#: Probability that an error bar misses the true value of the metric.
BAR_ERROR = 0.05
TIME, FAILED, REJECTION = "time", "failure_rate", "rejection"
LABELS: Mapping[str, str] = {
    "bias": "Bias",
    "rmse": "RMSE",
    "coverage": "Coverage",
    "se_ratio": "Mean SE / EmpSE",
    TIME: "Time (s)",
    FAILED: "Failed",
    REJECTION: "Rejection rate",
}
#: What is read of every cell and method; bounds in units of the empirical standard error need that too.
_METRICS = (*LABELS, "empse")


@dataclass(frozen=True, slots=True)
class Point:
    """A metric with its error bar, no longer than the value itself where the Monte Carlo error is unknown.

    Of estimates with tails too heavy for a limit on one side, the bar there is as if they were not.
    """

    estimate: McEstimate
    low: float
    high: float

    @property
    def value(self) -> float:
        return self.estimate.value

    @property
    def drawn(self) -> bool:
        return math.isfinite(self.value)

    @property
    def is_open(self) -> bool:
        return self.estimate.open_below or self.estimate.open_above


def as_point(estimate: McEstimate) -> Point:
    low, high = interval(replace(estimate, wider_below=1.0, wider_above=1.0), BAR_ERROR)
    known = math.isfinite(low) and math.isfinite(high)
    return Point(estimate, low if known else estimate.value, high if known else estimate.value)


@dataclass(slots=True)
class Measures:
    """All metrics that the figures need; `columns` are those that a method has."""

    study: Study
    results: Results
    cells: list[dict[str, Level]]
    truths: list[dict[str, float]]
    columns: dict[str, frozenset[str]]
    points: dict[tuple[str, int, str, str], Point] = field(default_factory=dict)
    failures: dict[tuple[int, str], int] = field(default_factory=dict)
    replications: list[int] = field(default_factory=list)

    @property
    def methods(self) -> tuple[str, ...]:
        return self.study.method_names

    @property
    def parameters(self) -> list[str]:
        """Those of the truth that a method estimates, in the order of the truth."""
        return self.parameters_with("estimate")

    def parameters_with(self, part: str) -> list[str]:
        """Parameters of the truth of which a method records this part, in the order of the truth."""
        named = dict.fromkeys(name for truth in self.truths for name in truth)
        return [name for name in named if any(f"{name}.{part}" in have for have in self.columns.values())]

    def has(self, metric: str, parameter: str) -> bool:
        return any(key[0] == metric and key[3] == parameter and point.drawn for key, point in self.points.items())

    def point(self, metric: str, cell: int, method: str, parameter: str) -> Point | None:
        return self.points.get((metric, cell, method, parameter))


def measure(study: Study, results: Results) -> Measures:
    cells = study.cells()
    columns = {method: frozenset(column_names(results, 0, method)) | {"seconds"} for method in study.method_names}
    found = Measures(study, results, cells, [study.truth_in(cell) for cell in cells], columns)
    found.replications = [results.completed(cell) for cell in range(len(cells))]
    for cell, method in product(range(len(cells)), study.method_names):
        found.failures[cell, method] = int(np.count_nonzero(results.table(cell, method, []).failed))
        for parameter, truth in found.truths[cell].items():
            needed = {metric: columns_of(metric, parameter) for metric in _METRICS}
            known = {metric: names for metric, names in needed.items() if columns[method].issuperset(names)}
            # One parameter at a time: of long studies all columns at once would not fit into memory.
            table = results.table(cell, method, sorted({name for names in known.values() for name in names}))
            for metric in known:
                found.points[metric, cell, method, parameter] = _point(metric, table, parameter, truth)
    return found


def _point(metric: str, table: Table, parameter: str, truth: float) -> Point:
    return as_point(estimate_metric(metric, table, parameter=parameter, truth=truth))


@dataclass(frozen=True, slots=True)
class Column:
    """One column of panels: a parameter in the cells that have these levels, in the order of the levels."""

    title: str
    parameter: str
    cells: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Page:
    axis: str | None
    levels: tuple[Level, ...]
    columns: tuple[Column, ...]
    fixed: Mapping[str, Level]

    @property
    def cells(self) -> list[int]:
        return [cell for column in self.columns for cell in column.cells if cell is not None]


def is_numeric(levels: Sequence[Level]) -> bool:
    return all(isinstance(level, int | float) and not isinstance(level, bool) for level in levels)


def varying(study: Study) -> list[str]:
    return [axis for axis, levels in study.grid.items() if len(set(levels)) > 1]


def main_axis(study: Study) -> str | None:
    """The first numeric axis with more than one level, else the first that varies, else the first."""
    several = varying(study)
    numeric = [axis for axis in several if is_numeric(study.grid[axis])]
    return next(iter([*numeric, *several, *study.grid]), None)


def pages(study: Study, parameters: Sequence[str], widest: int = 4) -> list[Page]:
    """Columns are the parameters, of one parameter the levels of the second axis; every other level is a page."""
    axis = main_axis(study)
    levels = study.grid[axis] if axis is not None else ()
    if is_numeric(levels):
        levels = sorted(levels)
    others = [name for name in varying(study) if name != axis]
    across = others[0] if len(parameters) == 1 and others else None
    kept = [name for name in others if name != across]
    found = []
    for chosen in product(*(study.grid[name] for name in kept)):
        fixed = dict(zip(kept, chosen, strict=True))
        columns = [
            Column(title, parameter, _cells(study, axis, levels, {**fixed, **more}))
            for title, parameter, more in _titles(study, parameters, across)
        ]
        found += [Page(axis, tuple(levels), tuple(part), fixed) for part in chunks(columns, widest)]
    return found


def _titles(study: Study, parameters: Sequence[str], across: str | None) -> list[tuple[str, str, dict[str, Level]]]:
    if across is None:
        return [(parameter, parameter, {}) for parameter in parameters]
    return [(f"{across} = {level}", parameters[0], {across: level}) for level in study.grid[across]]


def _cells(
    study: Study, axis: str | None, levels: Sequence[Level], fixed: Mapping[str, Level]
) -> tuple[int | None, ...]:
    cells = study.cells()
    wanted = [{**fixed, axis: level} for level in levels] if axis is not None else [dict(fixed)]
    return tuple(
        next((at for at, cell in enumerate(cells) if all(cell[k] == v for k, v in want.items())), None)
        for want in wanted
    )


def chunks(items: Sequence[T], most: int) -> list[Sequence[T]]:
    """As few as can be, of nearly equal length."""
    count = math.ceil(len(items) / most)
    size = math.ceil(len(items) / count) if count else 1
    return [items[at : at + size] for at in range(0, len(items), size)]
