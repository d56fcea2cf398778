"""One replication again, alone, and whether it is what was stored."""

from __future__ import annotations

import functools
import json
import pdb
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from statsclaw.errors import InputRefused, MachineRefused
from statsclaw.montecarlo.batch import Batch, Lost, Rows, Status, Task
from statsclaw.montecarlo.design import Level, Study, StudyRefused, cell_name
from statsclaw.montecarlo.executors.local import LocalExecutor
from statsclaw.montecarlo.python.runner import PythonRunner
from statsclaw.montecarlo.running import default_folder
from statsclaw.montecarlo.storage.places import place_of
from statsclaw.montecarlo.storage.store import Store
from statsclaw.montecarlo.validate import validate


@dataclass(frozen=True, slots=True)
class Replayed:
    """`status`, `values`, `text`: what it gave now. `stored`: what was stored, None where nothing was.

    `same`: bit for bit the same; None where there is nothing to compare with. `changed`: what of the study is not as
    it was when the results were stored.
    """

    method: str
    status: Status
    values: Mapping[str, float]
    text: str
    stored: Mapping[str, float] | None
    same: bool | None
    changed: tuple[str, ...] = ()


def replay(
    study: Study,
    cell: int | str | Mapping[str, Level],
    replication: int,
    method: str | None = None,
    *,
    debug: bool = False,
    folder: Path | str | None = None,
) -> list[Replayed]:
    """The replication once more, in a worker like that of a run; `debug`: here, stopped at the start of the method."""
    study = validate(study)
    number = find_cell(study, cell)
    if replication < 0:
        raise StudyRefused(f"the replication must be a number from 0, it is {replication}")
    if method is not None and method not in study.method_names:
        raise StudyRefused(f"there is no method {method!r} (methods: {', '.join(study.method_names)})")
    task = Task(number, replication, 1)
    found = dict(_inline(_stopping(study, method), task).methods) if debug else _in_workers(study, task)
    store, changed = _store_of(study, Path(folder) if folder is not None else default_folder(study))
    wanted = study.method_names if method is None else (method,)
    return [_compared(name, found[name], store, task, changed) for name in wanted]


def recheck(study: Study, store: Store, count: int = 3) -> list[str]:
    """A few stored replications once more, each alone in a fresh process; one sentence about each that differs.

    They are the last of up to `count` cells, the first and the last cell among them: by then a study has had the most
    occasions to keep something. Only what the study as it is now gave is looked at. Nothing is said where a process
    ends or takes too long.
    """
    last = {number: stop for number in range(len(study.cells())) if (stop := _computed_now(study, store, number))}
    cells = list(last)
    places = np.unique(np.linspace(0, len(cells) - 1, min(count, len(cells))).round().astype(int)).tolist()
    tasks = [Task(cells[place], last[cells[place]] - 1, 1) for place in reversed(places)]
    try:
        first = _each_alone(study, tasks)
        doubtful = [task for task in tasks if not _is_stored(first.get(task), store, task)]
        again = _each_alone(study, doubtful)
    except (StudyRefused, MachineRefused):  # it cannot be sent to another process
        return []
    said = []
    for task in reversed(doubtful):
        where = f"replication {task.first} of {cell_name(study.cells()[task.cell])} gives something else"
        one, other = first[task], again.get(task)
        if other is not None and not all(_same_row(one.methods[name], other.methods[name]) for name in one.methods):
            said.append(f"{where} each time it is computed: it depends on the clock, or on a generator without a seed")
        else:
            said.append(
                f"{where} when it is computed again: the study keeps state between replications "
                "(a generator or counter outside of its functions?)"
            )
    return said


def _computed_now(study: Study, store: Store, cell: int) -> int:
    """The last replication of the cell that the present version gave, of any method, and one; 0: there is none."""
    pieces = (piece for method in study.method_names for piece in store.versions_in(cell, method))
    return max((stop for version, _, stop in pieces if version == max(store.versions)), default=0)


def _is_present(store: Store, task: Task, method: str) -> bool:
    pieces = store.versions_in(task.cell, method)
    return any(version == max(store.versions) and first <= task.first < stop for version, first, stop in pieces)


def _each_alone(study: Study, tasks: Sequence[Task]) -> dict[Task, Batch]:
    """Without those whose process has ended."""
    if not tasks:
        return {}
    executor = LocalExecutor(study, len(tasks))  # each worker is given one
    found: dict[Task, Batch] = {}
    left = len(tasks)
    try:
        for task in tasks:
            executor.submit(task)
        while left:
            for outcome in executor.completed(1.0):
                left -= 1
                if isinstance(outcome, Batch):
                    found[outcome.task] = outcome
    finally:
        executor.close(at_once=True)
    return found


def _is_stored(batch: Batch | None, store: Store, task: Task) -> bool:
    """As far as it can be compared: not where time or the end of a process decided."""
    if batch is None:
        return True
    own = {name: rows for name, rows in batch.methods.items() if _is_present(store, task, name)}
    compared = [_compared(name, rows, store, task, ()) for name, rows in own.items()]
    by_chance = (Status.TIMEOUT, Status.DIED)
    kept = {name: store.row(task.cell, name, task.first) for name in batch.methods}
    return all(
        each.same is not False or each.status in by_chance or (row := kept[each.method]) is None or row[0] in by_chance
        for each in compared
    )


def _same_row(one: Rows, other: Rows) -> bool:
    columns = one.columns.keys() == other.columns.keys()
    same = columns and all(one.columns[name].tobytes() == other.columns[name].tobytes() for name in one.columns)
    return bool(same and one.status.tolist() == other.status.tolist())


def find_cell(study: Study, cell: int | str | Mapping[str, Level]) -> int:
    """The number of the one cell that is meant: by number, `n=50,rho=0.5`, or levels; what is clear may be left out."""
    cells = study.cells()
    names = [cell_name(each) for each in cells]
    if isinstance(cell, str) and cell in names:
        return names.index(cell)
    if isinstance(cell, int):
        if not 0 <= cell < len(cells):
            raise StudyRefused(f"there is no cell {cell}; they are numbered 0 … {len(cells) - 1}")
        return cell
    if isinstance(cell, str):
        pairs = [part.partition("=") for part in cell.split(",") if part.strip()]
        wanted: dict[str, str] = {axis.strip(): level.strip() for axis, _, level in pairs}
    else:
        wanted = {axis: str(level) for axis, level in cell.items()}
    unknown = [axis for axis in wanted if axis not in study.grid]
    if unknown:
        raise StudyRefused(f"the grid has no axis {unknown[0]!r} (axes: {', '.join(study.grid) or 'none'})")
    fits = [n for n, each in enumerate(cells) if all(_is_level(each[axis], text) for axis, text in wanted.items())]
    if len(fits) != 1:
        count = "no cell" if not fits else f"{len(fits)} cells"
        raise StudyRefused(f"{cell!r} names {count}", todo=f"name one, e.g. {names[fits[0] if fits else 0]}")
    return fits[0]


def _is_level(level: Level, text: str) -> bool:
    if str(level) == text:
        return True
    try:
        return not isinstance(level, (str, bool)) and float(text) == level
    except ValueError:
        return False


def _stopping(study: Study, method: str | None) -> Study:
    """The study whose methods (or this one) begin in the debugger."""
    if not isinstance(study.methods, Mapping):
        raise InputRefused("only methods in Python can be replayed in the debugger")

    def stopped(call: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(call)
        def inner(*arguments: Any) -> Any:
            return pdb.runcall(call, *arguments)

        return inner

    methods = {name: stopped(call) if method in (None, name) else call for name, call in study.methods.items()}
    return replace(study, methods=methods, timeout=None)


def _inline(study: Study, task: Task) -> Batch:
    return PythonRunner(study, cautious=True).run(task, lambda replication: None)


def _in_workers(study: Study, task: Task) -> dict[str, Rows]:
    """All methods: one that ends its worker is left out of the next."""
    executor = LocalExecutor(study, 1)
    found: dict[str, Rows] = {}
    try:
        while len(found) < len(study.method_names):
            executor.submit(replace(task, without=tuple(found), alone=True))
            outcome = next(iter(_first(executor)))
            if isinstance(outcome, Batch):
                return {**found, **outcome.methods}
            nothing = np.zeros(1, np.uint16)
            lost = Rows(np.array([outcome.status], np.uint8), np.array([np.nan]), {}, nothing, {0: outcome.reason})
            left = [name for name in study.method_names if name not in found]
            found |= dict.fromkeys(left if outcome.method is None else [outcome.method], lost)
        return found
    finally:
        executor.close(at_once=True)


def _first(executor: LocalExecutor) -> Iterator[Batch | Lost]:
    while True:
        yield from executor.completed(1.0)


def _store_of(study: Study, folder: Path) -> tuple[Store | None, tuple[str, ...]]:
    """With what of the study is not as it was."""
    place = place_of(folder, study)
    if place is None:
        return None, ()
    design = json.loads(json.dumps(study.described(), default=float))
    return Store.open(place.folder, None if place.found.design else design), place.found.refused


def _compared(name: str, rows: Rows, store: Store | None, task: Task, changed: tuple[str, ...]) -> Replayed:
    status = Status(int(rows.status[0]))
    values = {column: float(numbers[0]) for column, numbers in rows.columns.items()} if status == Status.OK else {}
    text = rows.problems.get(0, "")
    row = store.row(task.cell, name, task.first) if store is not None else None
    if row is None:
        return Replayed(name, status, values, text, None, None, changed)
    kept_status, stored = row
    same = kept_status == status and stored.keys() == values.keys()
    same = same and all(_bits(stored[column]) == _bits(values[column]) for column in values)
    return Replayed(name, status, values, text, stored, same, changed)


def _bits(number: float) -> bytes:
    return np.float64(number).tobytes()
