"""Looks at what comes in for what no honest study does: everything fails, or nothing is about what the truth names."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from statsclaw.errors import RunStopped
from statsclaw.montecarlo.batch import Batch, Status
from statsclaw.montecarlo.design import Study, StudyRefused, cell_name
from statsclaw.montecarlo.storage.failing import headline
from statsclaw.montecarlo.storage.results import SECONDS

#: Of a criterion in one cell: method, column, criterion.
_Need = tuple[int, tuple[str, str, str]]
_PARTS = ("estimate", "se", "low", "high", "reject", "rhat", "ess_bulk", "ess_tail", "rank")


@dataclass(slots=True)
class _Seen:
    tried: int = 0
    failed: int = 0
    first: str = ""


class Watch:
    """`enough`: so many replications of a cell are looked at before anything is said."""

    enough = 20

    def __init__(self, study: Study) -> None:
        self._study = study
        self._cells = study.cells()
        self._seen: dict[tuple[int, str], _Seen] = {}
        self._returned: dict[int, Counter[str]] = {}
        self._told: dict[int, set[str]] = {}
        self._unseen, self._named, self._estimated = set(range(len(self._cells))), set[str](), set[str]()
        self._file = shlex.quote(study.origin.name) if study.origin is not None else "STUDY"
        self._needed = {(cell, *place) for cell, place in _needed(study)}
        self._given: Counter[tuple[int, str]] = Counter()

    def look(self, batch: Batch) -> None:
        """RunStopped, or StudyRefused, where it is no use to go on."""
        cell = batch.task.cell
        for name, rows in batch.methods.items():
            seen = self._seen.setdefault((cell, name), _Seen())
            failed = np.flatnonzero(rows.status)
            seen.tried += len(rows.status)
            seen.failed += len(failed)
            if not seen.first and len(failed):
                seen.first = headline(Status(int(rows.status[failed[0]])), rows.problems.get(int(failed[0]), ""))
            if len(failed) < len(rows.status):
                self._told.setdefault(cell, set()).add(name)
                self._returned.setdefault(cell, Counter()).update(list(rows.columns))
        self._failing(cell)
        self._misnamed(cell, batch)
        self._not_given(batch)

    def _hopeless(self, cell: int, method: str) -> bool:
        seen = self._seen.get((cell, method))
        return seen is not None and seen.tried >= self.enough and seen.failed == seen.tried

    def _failing(self, cell: int) -> None:
        names = self._study.method_names
        hopeless = [name for name in names if self._hopeless(cell, name)]
        if not hopeless:
            return
        everywhere = [
            name for name in hopeless if all(self._hopeless(number, name) for number in range(len(self._cells)))
        ]
        if everywhere:
            where = " in every cell" if len(self._cells) > 1 else ""
            self._stop(everywhere[0], cell, where)
        if len(names) > 1 and hopeless == list(names):
            self._stop(hopeless[0], cell, f" in the cell {cell_name(self._cells[cell])}, with every method")

    def _stop(self, method: str, cell: int, where: str) -> None:
        seen = self._seen[cell, method]
        raise RunStopped(
            f"all of the first {seen.tried:,} replications failed{where}: {method}: {seen.first}",
            kept="what was computed is stored",
            todo=f"mend it and run with --redo, or go on with --go-on; see `statsclaw mc failures {self._file}`",
        )

    def _not_given(self, batch: Batch) -> None:
        """A column that a criterion needs is not there, in so many replications that succeeded."""
        cell = batch.task.cell
        for name, rows in batch.methods.items():
            succeeded = rows.status == Status.OK
            self._given[cell, name] += int(np.count_nonzero(succeeded))
            if succeeded.any():
                self._needed -= {
                    (cell, name, column, of)
                    for at, who, column, of in self._needed
                    if at == cell and who == name and column in (*rows.columns, SECONDS)
                }
            if self._given[cell, name] < min(self.enough, self._study.replications_in(self._cells[cell])):
                continue
            for at, who, column, of in sorted(self._needed):
                if (at, who) == (cell, name):
                    raise StudyRefused(
                        f"the criterion {of} needs {column}, which {name} has not given in the first "
                        f"{self._given[cell, name]:,} replications of {cell_name(self._cells[cell])}",
                        kept="what was computed is stored",
                        todo=f"mend the method{self._hint()}, or take the criterion out, or go on with --go-on",
                    )

    def _hint(self) -> str:
        of_r = self._study.program is not None and self._study.program.language == "r"
        return " (in R a misspelt name, as in fit$std.eror, gives NULL)" if of_r else ""

    def _misnamed(self, cell: int, batch: Batch) -> None:
        """Once every method has succeeded in the cell."""
        if self._told.get(cell) != {*self._study.method_names} or cell not in self._returned:
            return
        columns = self._returned.pop(cell)
        self._told[cell] = set()  # said once for each cell
        estimated = {name.rpartition(".")[0] for name in columns if name.rpartition(".")[2] in _PARTS} - {""}
        truth = self._study.truth_in(self._cells[cell])
        unknown = sorted((estimated | {name for name in columns if "." not in name}) - {*truth})
        lost = [name for name in truth if name not in estimated]
        judged = {each.parameter for each in self._study.criteria}
        named = [name for name in lost if name in judged or (estimated - {*truth})]
        if named:
            method = next(iter(batch.methods))
            there = f"{method} gives {', '.join(unknown) or 'other parameters'}"
            where = f"in the cell {cell_name(self._cells[cell])}, replication {batch.task.first}"
            raise StudyRefused(
                f"the truth names {named[0]}, which no method returns: {there} {where}",
                kept="what was computed is stored",
                todo="give both the same name, or go on as it is with --go-on",
            )
        self._named |= {*truth}
        self._estimated |= estimated
        self._unseen.discard(cell)
        if never := sorted(self._named - self._estimated) if not self._unseen and self._estimated else []:
            there = f"the methods return {', '.join(sorted(self._estimated))}"
            raise StudyRefused(
                f"the truth names {' and '.join(never)}, which no method returns in any cell: {there}",
                kept="what was computed is stored",
                todo="take it out of the truth, or return it, or go on as it is with --go-on",
            )


def _needed(study: Study) -> Iterator[_Need]:
    from statsclaw.montecarlo.verdicts.questions import columns_needed, methods_of

    for criterion in study.criteria:
        for cell in study.selected(criterion):
            for method in methods_of(criterion):
                yield from ((cell, (method, column, criterion.id)) for column in columns_needed(criterion))
