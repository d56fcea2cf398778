"""What a program in another language answered, and the rows that become of it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from statsclaw.montecarlo.batch import Rows, Status
from statsclaw.montecarlo.design import Study
from statsclaw.montecarlo.python.packing import Row, about_truth, pack
from statsclaw.montecarlo.table import Floats

CONVERGED = "converged"


@dataclass(frozen=True, slots=True)
class Answer:
    """How one method (or, where `method` is None, the data-generating process) ended in one replication."""

    replication: int
    method: int | None
    status: Status
    seconds: float = math.nan
    warnings: int = 0
    text: str = ""
    names: tuple[str, ...] = ()
    values: Sequence[float] = ()
    draws: Mapping[str, Floats] = field(default_factory=dict)
    ignored_stream: bool = False
    #: Of the data: the truths that depend on them.
    truths: Mapping[str, float] = field(default_factory=dict)


def folder_of(study: Study) -> Path | None:
    """Where the program runs: beside the file of the study, else beside its own first file."""
    if study.origin is not None:
        return study.origin.parent
    return study.program.files[0].parent if study.program and study.program.files else None


def _summarise_draws(draws: Floats, truth: float | None, level: float) -> Mapping[str, float]:
    from statsclaw.montecarlo.chains.samplers import summarise_draws

    return summarise_draws(draws, truth, level)


class RowsOfMethod:
    """Collects what one method gave in the replications of a task."""

    def __init__(self, method: str, count: int, truth: Mapping[str, float], level: float) -> None:
        self._method, self._truth, self._level = method, truth, level
        self._rows: list[Row | None] = [None] * count
        self._status = np.full(count, Status.DIED, dtype=np.uint8)
        self._seconds = np.full(count, np.nan)
        self._warnings = np.zeros(count, dtype=np.uint16)
        self._problems: dict[int, str] = {}

    def add(self, offset: int, answer: Answer, data: Answer | None = None) -> None:
        """`data`: what the data-generating process answered."""
        before = f"the data-generating process: {data.text}" if data is not None and data.text else ""
        status = answer.status
        if status == Status.OK:
            row = dict(zip(answer.names, answer.values, strict=True))
            if row.pop(CONVERGED, 1.0) != 1.0:
                status = Status.NOT_CONVERGED
                self._note(offset, "the method says that it did not converge")
            else:
                self._rows[offset] = self._complete(row, answer.draws, data.truths if data is not None else {})
        self._status[offset] = status
        self._seconds[offset] = answer.seconds
        if answer.warnings:
            self._warnings[offset] = min(answer.warnings, 65535)
        if answer.text or before:
            self._note(offset, answer.text)
            self._note(offset, before)

    def rows(self) -> Rows:
        said = self._problems
        packed = pack(self._rows, self._status, self._seconds, self._warnings, {}, method=self._method)
        places = sorted({*said, *packed.problems})
        problems = {place: "\n".join(filter(None, (packed.problems.get(place), said.get(place)))) for place in places}
        return replace(packed, problems=problems)

    def _complete(self, row: Row, draws: Mapping[str, Floats], truths: Mapping[str, float]) -> Row:
        """What the method says itself stands; the rest is computed from its draws. A plain number that is called like
        a parameter is its estimate."""
        for parameter, drawn in draws.items():
            summary = _summarise_draws(drawn, {**self._truth, **truths}.get(parameter), self._level)
            row = {**{f"{parameter}.{name}": value for name, value in summary.items()}, **row}
        for parameter in self._truth:
            if parameter in row:
                row[f"{parameter}.estimate"] = row.pop(parameter)
        return about_truth(row, truths)

    def _note(self, offset: int, text: str) -> None:
        if text:
            self._problems[offset] = "\n".join(filter(None, (self._problems.get(offset), text.rstrip())))
