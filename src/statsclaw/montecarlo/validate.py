"""What makes a study one that can be run. Everything absurd is refused with one sentence before anything starts."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from statsclaw.montecarlo.design import Criterion, Level, Study, StudyRefused, cell_name, is_named, is_own, levels_of
from statsclaw.words import or_else

MOST_REPLICATIONS = 10**10
MOST_CELLS = 10**6
#: Names of what the engine itself records of every method.
RESERVED = frozenset({"status", "seconds", "warnings", "problem", "replication", "converged"})


def validate(study: Study) -> Study:
    """The study itself, if it can be run."""
    if not isinstance(study, Study):
        raise StudyRefused(f"a study is made by Study(...), this is of type {type(study).__name__}")
    _require(_is_name(study.name), "the name of a study must be a non-empty line of text")
    _grid(study)
    _methods(study)
    _numbers(study)
    _truth(study)
    _metrics(study)
    _criteria(study)
    return study


def _require(holds: object, sentence: str) -> None:
    if not holds:
        raise StudyRefused(sentence)


def _is_name(text: object) -> bool:
    return isinstance(text, str) and bool(text.strip()) and text.isprintable()


def _is_whole(number: object) -> bool:
    return isinstance(number, int) and not isinstance(number, bool)


def _is_number(number: object) -> bool:
    return isinstance(number, (int, float)) and not isinstance(number, bool) and math.isfinite(number)


def _grid(study: Study) -> None:
    _require(isinstance(study.grid, Mapping), "the grid must be a mapping from axis to levels, e.g. {'n': [50, 100]}")
    for axis, levels in study.grid.items():
        named = _is_name(axis) and not set(axis) & {"=", ","}
        _require(named, f"the axis {axis!r} of the grid needs a name without '=' and ','")
        _require(isinstance(levels, tuple), f"axis {axis} of the grid needs a list of levels, not {levels!r}")
        _require(levels, f"axis {axis} of the grid has no levels")
        for place, level in enumerate(levels):
            fits = isinstance(level, (int, float, str, bool))
            _require(fits, f"level {level!r} of axis {axis} must be a number, a text or true/false; name it by a text")
            finite = not isinstance(level, float) or math.isfinite(level)
            _require(finite, f"level {level!r} of axis {axis} is not finite")
            shown = [str(other) for other in levels[:place]]
            twice = level in levels[:place] or str(level) in shown
            _require(not twice, f"axis {axis} of the grid has the level {level!r} twice")
            _require(str(level).isprintable(), f"level {level!r} of axis {axis} must be one line of text")
    cells = math.prod(len(levels) for levels in study.grid.values())
    _require(cells <= MOST_CELLS, f"the grid has {cells:,} cells, at most {MOST_CELLS:,} are possible")
    _leave_out(study)


def _leave_out(study: Study) -> None:
    listed = isinstance(study.leave_out, Sequence) and not isinstance(study.leave_out, str)
    _require(listed, "leave_out must be a list of combinations of levels, e.g. [{'n': 20, 'p': [10, 20]}]")
    for row in study.leave_out:
        _require(isinstance(row, Mapping) and row, f"leave_out needs combinations of levels, not {row!r}")
        for axis, levels in row.items():
            known = ", ".join(study.grid)
            _require(axis in study.grid, f"leave_out: the grid has no axis {axis!r} (axes: {known})")
            for level in levels_of(levels):
                _require(level in study.grid[axis], f"leave_out: axis {axis} has no level {level!r}")
    _require(study.cells(), "leave_out leaves no cell of the grid")


def _methods(study: Study) -> None:
    names = list(study.methods) if isinstance(study.methods, (Mapping, Sequence)) else []
    _require(names and not isinstance(study.methods, str), "the study has no methods")
    for name in names:
        _require(_is_name(name) and "/" not in name, f"the method {name!r} needs a name: one line without '/'")
    _require(len(set(names)) == len(names), "two methods have the same name")
    if study.program is not None:
        _require(study.dgp is None, "a study has either a program or a data-generating function, not both")
        return
    _require(callable(study.dgp), "the study has no data-generating process: dgp must be a function of (cell, rng)")
    _require(isinstance(study.methods, Mapping), "methods must be a mapping from name to function")
    assert study.dgp is not None and isinstance(study.methods, Mapping)
    _require(accepts(study.dgp, 2), "the data-generating process must take (cell, rng)")
    for name, method in study.methods.items():
        _require(callable(method), f"the method {name} is not a function")
        _require(
            accepts(method, 2) or accepts(method, 3), f"the method {name} must take (data, cell) or (data, cell, rng)"
        )


def accepts(function: Callable[..., Any], count: int) -> bool:
    """It can be called with this many arguments, as far as can be seen."""
    try:
        inspect.signature(function).bind(*[None] * count)
    except TypeError:
        return False
    except ValueError:  # compiled, without a signature
        return True
    return True


def _numbers(study: Study) -> None:
    count = _replications(study)
    seed_fits = _is_whole(study.seed) and 0 <= study.seed < 2**64
    _require(seed_fits, f"the seed must be a whole number from 0 to 2^64 − 1, not {study.seed!r}")
    level_fits = _is_number(study.level) and 0.5 < study.level < 1
    _require(level_fits, f"the level of the intervals must lie between 0.5 and 1, not be {study.level!r}")
    share = study.failures_allowed
    _require(_is_number(share) and 0 <= share < 1, f"failures_allowed must be a share from 0 to below 1, not {share!r}")
    _require(isinstance(study.mcse, Mapping), "mcse must be a mapping from metric to error, e.g. {'coverage': 0.005}")
    for metric, error in study.mcse.items():
        _require(
            _is_number(error) and error > 0, f"mcse: the error of {metric} must be a positive number, not {error!r}"
        )
    if study.timeout is not None:
        fits = _is_number(study.timeout) and study.timeout > 0
        _require(fits, f"the timeout must be a positive number of seconds, not {study.timeout!r}")
    if study.cap is not None:
        fits = _is_whole(study.cap) and count <= study.cap <= MOST_REPLICATIONS
        _require(fits, f"the cap must be a whole number of at least the {count:,} replications, not {study.cap!r}")


def _replications(study: Study) -> int:
    """The most there are of a cell."""
    given = study.replications
    by_cell = isinstance(given, Mapping) or callable(given)
    said = f"replications must be a whole number, a table of cells or a function of the cell, not {given!r}"
    _require(by_cell or isinstance(given, (int, float, np.number)), said)
    cells = study.cells()
    for name in given if isinstance(given, Mapping) else ():
        known = isinstance(name, str) and any(is_named(name, cell) for cell in cells)
        _require(known, f"replications: no cell is called {name}")
    most = 0
    for cell in cells if by_cell else cells[:1]:
        where = f" (in the cell {cell_name(cell)})" if by_cell else ""
        try:
            count = study.replications_in(cell)
        except StudyRefused:
            raise
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
            raise StudyRefused(f"the replications cannot be computed in the cell {cell_name(cell)}: {said}") from None
        whole = _is_whole(count) and count >= 1
        _require(whole, f"replications must be a whole number of at least 1, not {count!r}{where}")
        fits = count <= MOST_REPLICATIONS
        _require(fits, f"{count:,} replications are more than can be run ({MOST_REPLICATIONS:,}){where}")
        most = max(most, count)
    return most


def _truth(study: Study) -> None:
    _require(
        callable(study.truth) or isinstance(study.truth, Mapping), "truth must be a mapping or a function of the cell"
    )
    for cell in study.cells():
        try:
            truth = study.truth_in(cell)
            of_data = study.truth_of_data(cell)
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
            raise StudyRefused(f"the truth cannot be computed in the cell {cell_name(cell)}: {said}") from None
        for parameter, value in truth.items():
            _require(_is_name(parameter), f"the parameter {parameter!r} needs a name")
            said = f"the truth of {parameter} depends on the data: a command in another language cannot say it"
            _require(parameter not in of_data or study.program is None or study.program.language == "r", said)
            _require(parameter not in RESERVED, f"a parameter cannot be called {parameter}: the engine uses that name")
            try:
                finite = math.isfinite(value)
            except (TypeError, OverflowError):
                finite = False
            _require(
                finite, f"the truth of {parameter} in the cell {cell_name(cell)} is {value!r}, not a finite number"
            )


def _metrics(study: Study) -> None:
    said = "metrics must be a mapping from name to function, e.g. {'loss': lambda estimate, truth: …}"
    _require(isinstance(study.metrics, Mapping), said)
    for name, function in study.metrics.items():
        _require(_is_name(name), f"the metric {name!r} needs a name: one line of text")
        _require(callable(function), f"the metric {name} is not a function")
        said = f"the metric {name} must take its columns by name, such as (estimate, truth)"
        _require(is_own(function), said)


#: What the values of a metric cannot go beyond.
_RANGES = {
    **dict.fromkeys(("coverage", "be_coverage", "rejection", "failure_rate", "convergence_rate"), (0.0, 1.0)),
    **dict.fromkeys(
        ("empse", "modse", "mse", "rmse", "robust_empse", "width", "time", "se_ratio", "rms_se_ratio"), (0.0, math.inf)
    ),
}


def validate_criteria(study: Study) -> Study:
    """The study itself, if its criteria can be judged. Not for workers: it loads what judges."""
    from statsclaw.montecarlo.metrics.measures import METRICS
    from statsclaw.montecarlo.verdicts.faults import faults_of
    from statsclaw.montecarlo.verdicts.questions import KNOWN, check_criterion

    for name in study.metrics:
        _require(name not in KNOWN, f"the metric {name!r} is one of the engine's: give it another name")
    known = {*METRICS, *study.metrics}
    for metric in study.mcse:
        _require(metric in known, f"mcse: there is no metric {metric!r}{or_else(metric, known)}")
    for criterion in study.criteria:
        check_criterion(study, criterion)
        faults_of(criterion)
        least, most = _RANGES.get(criterion.metric, (-math.inf, math.inf))
        low, high = criterion.low, criterion.high
        possible = (low is None or low <= most) and (high is None or high >= least)
        hint = "; 95 % is written 0.95" if most == 1.0 and low is not None and 1 < low <= 100 else ""
        _require(possible, f"criterion {criterion.id}: {criterion.metric} is never in that band{hint}")
    return study


def _criteria(study: Study) -> None:
    listed = isinstance(study.criteria, Sequence) and not isinstance(study.criteria, str)
    _require(listed, "criteria must be a list of Criterion(...)")
    seen: set[str] = set()
    for criterion in study.criteria:
        _require(isinstance(criterion, Criterion), f"a criterion is made by Criterion(...), not {criterion!r}")
        _require(_is_name(criterion.id), "every criterion needs an id")
        _require(criterion.id not in seen, f"two criteria have the id {criterion.id}")
        seen.add(criterion.id)
        _criterion(study, criterion)


def _some(study: Study) -> dict[str, list[Level]]:
    axis, levels = next(iter(study.grid.items()))
    return {axis: list(levels[:2])}


def _criterion(study: Study, criterion: Criterion) -> None:
    who = f"criterion {criterion.id}"
    _require(isinstance(criterion.cells, Mapping), f"{who}: cells must be a mapping from axis to levels")
    texts = (criterion.parameter, criterion.field, criterion.axis, criterion.of, criterion.method, criterion.other)
    _require(all(isinstance(text, str | None) for text in texts), f"{who}: names must be texts")
    faults = isinstance(criterion.faults, Sequence) and all(isinstance(name, str) for name in criterion.faults)
    _require(faults and not isinstance(criterion.faults, str), f"{who}: faults must be a list of texts")
    methods = ", ".join(study.method_names)
    for role, name in (("method", criterion.method), ("reference", criterion.reference), ("minus", criterion.minus)):
        known = (name is None and role != "method") or name in study.method_names
        _require(known, f"{who}: there is no {role} {name!r} (methods: {methods})")
    for axis in (criterion.axis, *criterion.cells):
        _require(
            axis is None or axis in study.grid, f"{who}: the grid has no axis {axis!r} (axes: {', '.join(study.grid)})"
        )
    for axis, levels in criterion.cells.items():
        _require(
            not isinstance(levels, str) and isinstance(levels, Sequence),
            f"{who}: cells needs lists of levels, such as {_some(study)}",
        )
        for level in levels:
            _require(level in study.grid[axis], f"{who}: axis {axis} has no level {level!r}")
    cells = study.cells()
    selected = study.selected(criterion)
    _require(selected, f"{who} is about no cell of the grid")
    if criterion.parameter is not None:
        for number in selected:
            known = criterion.parameter in study.truth_in(cells[number])
            where = cell_name(cells[number])
            _require(known, f"{who}: the truth has no parameter {criterion.parameter!r} in the cell {where}")
    for bound in (criterion.low, criterion.high):
        fits = bound is None or (isinstance(bound, (int, float)) and not math.isnan(bound))
        _require(fits, f"{who}: the bound {bound!r} is not a number")
    if criterion.low is not None and criterion.high is not None:
        _require(criterion.low <= criterion.high, f"{who}: the lower bound {criterion.low} is above {criterion.high}")
    _require(
        criterion.unit in ("absolute", "empse"), f"{who}: the unit must be absolute or empse, not {criterion.unit!r}"
    )
