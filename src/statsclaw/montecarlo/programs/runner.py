"""Computes tasks of a study in another language, through one long-lived process that may die or fall silent.

Whatever happens to the process becomes the status of exactly the replication it was in; the process is started again
and goes on with the next. So the batch is always complete, and the same however the tasks are cut.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Protocol

from statsclaw.montecarlo.batch import Batch, Killed, Loaded, Lost, Status, Task
from statsclaw.montecarlo.design import Cell, Study, StudyRefused, cell_name
from statsclaw.montecarlo.programs.answers import Answer, RowsOfMethod
from statsclaw.montecarlo.programs.process import ProgramEnded
from statsclaw.montecarlo.programs.r import RConversation

#: Without a timeout of the study, nobody waits longer than this for one answer.
SILENCE_S = 3600.0
#: So much longer than the study's timeout a process has to stop by itself before it is killed.
GRACE = 1.25
GRACE_S = 1.0
#: Replications asked for at once.
MOST_AT_ONCE = 1000
IGNORES_STREAM = (
    "the data-generating process does not use its stream (cell {}): "
    "its data may be the same in every replication, or may not be reproducible"
)


class Conversation(Protocol):
    """A running process that answers one batch after the other, and raises ProgramEnded when it is no more."""

    #: What the methods of a replication gave before the process ended is known.
    keeps_methods: bool

    def ask(self, cell: Cell, number: int, first: int, count: int, wanted: Sequence[int]) -> None: ...

    def answer(self) -> Iterable[Answer]:
        """The next of the answers to what was asked."""
        ...

    def loaded(self) -> tuple[Loaded, ...]:
        """What the process has loaded, as far as it has not said so before."""
        ...

    def close(self, *, patience_s: float = 0.0) -> None: ...


class ProgramRunner:
    """A Runner. The process is started with it, so that a study that cannot be loaded is refused at once."""

    def __init__(self, study: Study, *, gives_back: bool = False) -> None:
        if study.program is None:
            raise StudyRefused(f"the study {study.name} names no program.")
        self._study, self._program = study, study.program
        self._cells, self._gives_back = study.cells(), gives_back
        self._conversation: Conversation | None = self._start()

    def run(self, task: Task, started: Callable[[int], None]) -> Batch:
        """Complete, whatever became of the process."""
        work = _Work(self._study, task, self._cells[task.cell], started)
        try:
            while work.left:
                self._some(work)
        except BaseException:
            self._drop()
            raise
        return replace(work.batch(), loaded=self._loaded())

    def _loaded(self) -> tuple[Loaded, ...]:
        try:
            return self._conversation.loaded() if self._conversation is not None else ()
        except ProgramEnded:
            self._drop()
            return ()

    def close(self) -> None:
        if self._conversation is not None:
            self._conversation.close(patience_s=1.0)
            self._conversation = None

    def _some(self, work: _Work) -> None:
        """Asks for what is left, at most MOST_AT_ONCE, and records until it is complete or the process has ended."""
        if self._conversation is None:
            self._conversation = self._start()
        count = 1 if work.is_within else min(work.left, MOST_AT_ONCE)
        after = work.replication + count
        try:
            self._conversation.ask(work.cell, work.task.cell, work.replication, count, work.wanted)
            while work.replication < after:
                for answer in self._conversation.answer():
                    work.record(answer)
        except ProgramEnded as ended:
            if ended.from_outside and self._gives_back and not work.task.alone:
                raise Killed(work.killed(ended, keeps_methods=self._conversation.keeps_methods)) from None
            work.lost(ended, keeps_methods=self._conversation.keeps_methods)
            self._drop()

    def _start(self) -> Conversation:
        timeout = self._study.timeout
        limit_s = SILENCE_S if timeout is None else timeout * GRACE + GRACE_S
        if self._program.language == "r":
            return RConversation(self._study, self._program, limit_s)
        # what it needs to read JSON takes longer to import than R to start
        from statsclaw.montecarlo.programs.command import CommandConversation

        return CommandConversation(self._study, self._program, limit_s)

    def _drop(self) -> None:
        if self._conversation is not None:
            self._conversation.close()
            self._conversation = None


class _Work:
    """A task and how far it is: `replication`, and the methods that are still `wanted` of it."""

    def __init__(self, study: Study, task: Task, cell: Cell, started: Callable[[int], None]) -> None:
        truth = study.truth_in(cell)
        self.task, self.cell, self._started = task, cell, started
        self._begun = time.perf_counter()
        self._names = study.method_names
        self._all = tuple(place for place, name in enumerate(self._names) if name not in task.without)
        self._rows = {place: RowsOfMethod(self._names[place], task.count, truth, study.level) for place in self._all}
        self.replication, self.wanted = task.first, self._all
        self._in_data = True
        self._data: Answer | None = None
        self._remarks: dict[str, None] = {}
        if self.left:
            started(task.first)

    @property
    def left(self) -> int:
        return self.task.first + self.task.count - self.replication if self._all else 0

    @property
    def is_within(self) -> bool:
        """Some methods of the present replication are done."""
        return self.wanted != self._all

    def record(self, answer: Answer) -> None:
        if answer.method is not None:
            if answer.method in self._rows:
                self._add(answer)
        elif answer.status == Status.OK:
            self._in_data = False
            self._data = answer
            if answer.warnings:
                self._remarks[f"the data-generating process warns: {answer.text.splitlines()[0]}"] = None
            if answer.ignored_stream:
                self._remarks[IGNORES_STREAM.format(cell_name(self.cell))] = None
        else:
            self._all_end(replace(answer, text=f"the data-generating process: {answer.text}"))

    def lost(self, ended: ProgramEnded, *, keeps_methods: bool) -> None:
        """The process ended where the work is."""
        answer = Answer(self.replication, None, ended.status, text=ended.reason)
        if not keeps_methods:
            self._all_end(answer)
        elif self._in_data:
            self._all_end(replace(answer, text=f"the data-generating process: {ended.reason}"))
        else:
            self._add(replace(answer, method=self.wanted[0]))
        self._in_data = True

    def killed(self, ended: ProgramEnded, *, keeps_methods: bool) -> Lost:
        method = None if self._in_data or not keeps_methods else self._names[self.wanted[0]]
        return Lost(self.task, self.replication, ended.status, ended.reason, method, from_outside=True)

    def batch(self) -> Batch:
        methods = {self._names[place]: rows.rows() for place, rows in self._rows.items()}
        return Batch(self.task, methods, tuple(self._remarks), time.perf_counter() - self._begun)

    def _add(self, answer: Answer) -> None:
        """One more method of the replication is done; they come in their order."""
        self._rows[self.wanted[0]].add(self.replication - self.task.first, answer, self._data)
        self.wanted = self.wanted[1:]
        if not self.wanted:
            self._next()

    def _all_end(self, answer: Answer) -> None:
        for place in self.wanted:
            self._rows[place].add(self.replication - self.task.first, answer)
        self._next()

    def _next(self) -> None:
        self.replication, self.wanted = self.replication + 1, self._all
        self._in_data, self._data = True, None
        if self.left:
            self._started(self.replication)
