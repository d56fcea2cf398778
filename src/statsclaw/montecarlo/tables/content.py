"""What stands in a table: cells down, metrics and methods across, every value rounded by its Monte Carlo error."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from statsclaw.montecarlo.design import Study, StudyRefused, cell_name
from statsclaw.montecarlo.metrics.rendering import TITLES, number, seconds
from statsclaw.montecarlo.metrics.summary import SummaryRow, judged_metrics, short_of, summarise
from statsclaw.montecarlo.storage.mixing import note_of
from statsclaw.montecarlo.storage.results import Results
from statsclaw.words import span

#: The columns unless others are asked for, as far as there are any.
USUAL = ("bias", "empse", "rmse", "coverage", "rejection")
#: Methods stand side by side below each metric up to this many columns, else below one another.
_MOST_COLUMNS = 6
#: Values whose errors differ by more than this are rounded each by its own.
_ALIKE = 10.0
_MOST_DIGITS = 9
_Key = tuple[int, str, str | None]


@dataclass(frozen=True, slots=True)
class Entry:
    """`error`: empty where there is none. `failed`: the value leaves out replications that failed. `versions`: of the
    study, those that its replications are of."""

    value: str
    error: str = ""
    failed: bool = False
    versions: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """`begins`: the first of its block, which a rule may set apart."""

    names: tuple[str, ...]
    entries: tuple[Entry, ...]
    begins: bool = False


@dataclass(frozen=True, slots=True)
class PaperTable:
    """`stub`: heads of the columns of names; `spans`: metrics over their methods, empty where each has one column;
    `heads`: of the columns of values; `notes`: what must be said below."""

    title: str
    stub: tuple[str, ...]
    spans: tuple[tuple[str, int], ...]
    heads: tuple[str, ...]
    lines: tuple[Line, ...]
    notes: tuple[str, ...]


def paper_table(study: Study, results: Results, metrics: Sequence[str] | None = None) -> PaperTable:
    """`metrics`: the columns, in this order; the usual ones that there are, and those that are judged, unless given."""
    wanted = list(dict.fromkeys(metrics or (*USUAL, *judged_metrics(study))))
    rows = summarise(study, results, metrics=[*wanted, "failure_rate"]).rows
    found = _by_place(rows)
    columns = [name for metric in wanted for name in dict.fromkeys(_name(r) for r in rows if r.metric == metric)]
    if not columns:
        raise StudyRefused(
            f"the study has no {' or '.join(wanted)}: its methods do not record it, or no replication is there"
        )
    methods = [name for name in study.method_names if any(key[1] == name for key in found)]
    places = list(dict.fromkeys((cell, parameter) for cell, _, parameter in found))
    several = len({parameter for _, parameter in places}) > 1
    axes = [axis for axis, levels in study.grid.items() if len(set(levels)) > 1]
    shape = _Shape(study, axes, several)
    digits = {name: _digits([row.error for row in rows if _name(row) == name]) for name in columns}
    if len(methods) * len(columns) <= _MOST_COLUMNS and len(methods) > 1:
        lines = _beside(found, shape, places, columns, methods, digits)
        spans, heads = tuple((_title(name), len(methods)) for name in columns), tuple(methods * len(columns))
        stub = shape.heads
    else:
        lines = _below(found, shape, places, columns, methods, digits)
        spans, heads, stub = (), tuple(_title(name) for name in columns), (*shape.heads, "Method")
    return PaperTable(study.name, stub, spans, heads, tuple(lines), tuple(_notes(study, results, rows)))


@dataclass(frozen=True, slots=True)
class _Shape:
    study: Study
    axes: Sequence[str]
    parameters: bool

    @property
    def heads(self) -> tuple[str, ...]:
        return (*self.axes, *(["Parameter"] if self.parameters else []))

    def names(self, cell: int, parameter: str | None) -> tuple[str, ...]:
        levels = self.study.cell(cell)
        return (*(str(levels[axis]) for axis in self.axes), *([parameter or "–"] if self.parameters else []))


def _by_place(rows: Sequence[SummaryRow]) -> dict[_Key, dict[str, SummaryRow]]:
    """What is of a method alone stands beside each of its parameters."""
    found: dict[_Key, dict[str, SummaryRow]] = {}
    for row in rows:
        if row.parameter is not None:
            found.setdefault((row.cell, row.method, row.parameter), {})[_name(row)] = row
    for row in rows:
        if row.parameter is None:
            own = [key for key in found if key[:2] == (row.cell, row.method)]
            for key in own or [(row.cell, row.method, None)]:
                found.setdefault(key, {})[_name(row)] = row
    return found


def _name(row: SummaryRow) -> str:
    return row.metric if row.field is None else f"mean {row.field}"


def _title(name: str) -> str:
    title = TITLES.get(name, name)
    return title[0].upper() + title[1:]


def _beside(
    found: Mapping[_Key, Mapping[str, SummaryRow]], shape: _Shape, places: Sequence[tuple[int, str | None]],
    columns: Sequence[str], methods: Sequence[str], digits: Mapping[str, int | None],
) -> list[Line]:  # fmt: skip
    lines: list[Line] = []
    for cell, parameter in places:
        entries = [
            _entry(found.get((cell, method, parameter), {}).get(name), digits[name])
            for name in columns
            for method in methods
        ]
        names = shape.names(cell, parameter)
        begins = bool(lines) and len(names) > 1 and names[0] != lines[-1].names[0]
        lines.append(Line(names, tuple(entries), begins))
    return lines


def _below(
    found: Mapping[_Key, Mapping[str, SummaryRow]], shape: _Shape, places: Sequence[tuple[int, str | None]],
    columns: Sequence[str], methods: Sequence[str], digits: Mapping[str, int | None],
) -> list[Line]:  # fmt: skip
    lines: list[Line] = []
    for cell, parameter in places:
        here = [method for method in methods if (cell, method, parameter) in found]
        for at, method in enumerate(here):
            names = (*shape.names(cell, parameter), method)
            own = found[cell, method, parameter]
            entries = tuple(_entry(own.get(name), digits[name]) for name in columns)
            lines.append(Line(names, entries, begins=bool(lines) and at == 0 and len(here) > 1))
    return lines


def _digits(errors: Sequence[float | None]) -> int | None:
    """Places after the point that show two digits of the usual Monte Carlo error; None: each value has its own."""
    known = sorted(error for error in errors if error is not None and math.isfinite(error) and error > 0)
    if not known or known[-1] > _ALIKE * known[0]:
        return None
    digits = 1 - math.floor(math.log10(known[len(known) // 2]))
    return digits if 0 <= digits <= _MOST_DIGITS else None


def _entry(row: SummaryRow | None, digits: int | None) -> Entry:
    return replace(_written(row, digits), versions=row.versions if row is not None else "")


def _written(row: SummaryRow | None, digits: int | None) -> Entry:
    if row is None or math.isnan(row.value):
        return Entry("–", failed=row is not None and bool(row.failures))
    if row.metric == "failure_rate":
        return Entry(f"{row.failures:,}/{row.replications:,}")
    failed = bool(row.failures)
    if row.metric in ("time", "median_time"):
        return Entry(seconds(row.value), failed=failed)
    if digits is None:
        error = "" if row.error is None else number(row.error, row.error)
        return Entry(number(row.value, row.error), error, failed)
    return Entry(_fixed(row.value, digits), "" if row.error is None else _fixed(row.error, digits), failed)


def _fixed(value: float, digits: int) -> str:
    text = f"{value:.{digits}f}"
    return text.lstrip("-") if not text.strip("-0.") else text


def _notes(study: Study, results: Results, rows: Sequence[SummaryRow]) -> list[str]:
    made = {results.completed(cell) for cell in range(len(study.cells()))} - {0}
    said = [f"Monte Carlo standard errors in parentheses; {span(made)} replications in each cell."]
    failed = sorted((row for row in rows if row.metric == "failure_rate" and row.failures), key=lambda row: row.method)
    for method, own in groupby(failed, key=lambda row: row.method):
        listed = "; ".join(
            f"{cell_name(study.cell(row.cell)).replace(',', ', ')}: {row.failures:,} of {row.replications:,}"
            for row in own
        )
        said.append(f"† Failed replications of {method} are left out ({listed}).")
    return [*said, *short_of(study, results), *(f"{text[0].upper()}{text[1:]}." for text in note_of(results))]
