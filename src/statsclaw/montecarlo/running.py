"""Runs a study: what is missing is cut into tasks, computed wherever the executor has workers, and stored at once."""

from __future__ import annotations

import re
import signal
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType

import numpy as np

from statsclaw.montecarlo.batch import Batch, Executor, Lost, Rows, Status, Task
from statsclaw.montecarlo.design import Study, StudyRefused, cell_name
from statsclaw.montecarlo.events import BatchStored, Ended, Event, Extended, OnEvent, Remarked, Started, WorkerLost
from statsclaw.montecarlo.executors.inline import InlineExecutor
from statsclaw.montecarlo.executors.local import LocalExecutor, cores
from statsclaw.montecarlo.load import loading
from statsclaw.montecarlo.schedule import Schedule
from statsclaw.montecarlo.storage.store import Store
from statsclaw.montecarlo.storage.writer import Writer, writing
from statsclaw.montecarlo.validate import validate, validate_criteria
from statsclaw.montecarlo.watching import Watch

#: By cell, the ranges [first, stop) of replications that are to be computed, without which methods.
Missing = dict[int, list[tuple[int, int, tuple[str, ...]]]]
_MOST_LOOKED_AT = 200  # cells
_EITHER = "what was computed may be of either; --redo computes it again"
_AGAIN = "it is computed again, alone in a fresh worker"
_TIDY_EVERY = 32
_LAST_WAIT_S = 1.0  # after Ctrl-C, for what is about to be complete


def run(
    study: Study,
    *,
    folder: Path | str | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    replications: int | None = None,
    sequential: bool = False,
    apart: bool = False,
    redo: bool = False,
    accept: bool = False,
    careful: bool = False,
    on_event: OnEvent | None = None,
) -> Store:
    """The results of the study, those of earlier runs included.

    `workers`: processes (default: one per core; 0: none, everything here). `executor`: other workers than these; who
    made it closes it. `sequential`: undecided criteria get more replications, up to the study's cap. Where the study,
    or what its workers load, changed: `apart` keeps results in a folder of their own, `redo` computes what is of
    another version and what failed again, `accept` goes on and mixes. `careful`: stops
    where everything fails, or no method returns what the truth names or a criterion needs. Ctrl-C: what is complete is
    kept, then KeyboardInterrupt.
    """
    if loading() is not None:
        name = loading()
        raise StudyRefused(f"{name} runs itself while it is loaded", todo="put run(study) below `if __name__ == ...`")
    study = validate_criteria(validate(study if replications is None else replace(study, replications=replications)))
    if workers is not None and workers < 0:
        raise StudyRefused(f"the number of workers must not be negative, it is {workers}")
    place = Path(folder) if folder is not None else default_folder(study)
    with writing(place, study, apart=apart, redo=redo, accept=accept) as writer:
        watch = Watch(study) if careful else None
        _Run(study, writer, on_event or (lambda event: None), watch).work(executor, workers, sequential)
    return Store.open(writer.folder)


def default_folder(study: Study) -> Path:
    """Beside the study's file, or here under its name."""
    if study.origin is not None:
        return study.origin.parent / f"{study.origin.stem}.results"
    return Path(f"{re.sub(r'[^A-Za-z0-9_.-]+', '-', study.name).strip('-.') or 'study'}.results")


class _Run:
    def __init__(self, study: Study, writer: Writer, tell: OnEvent, watch: Watch | None = None) -> None:
        self._study, self._writer, self._tell, self._watch = study, writer, tell, watch
        self._cells = study.cells()
        self._planned = [max(count, writer.reach.get(cell, 0)) for cell, count in enumerate(study.planned)]
        self._left = [0] * len(self._cells)
        self._stored = [0] * len(self._cells)
        self._deaths: dict[tuple[int, int], dict[str, tuple[Status, str]]] = {}
        self._suspects: deque[Task] = deque()  # replications in which a worker was killed from outside
        self._alone: set[tuple[int, int, str | None]] = set()  # those that were tried alone, by method
        self._said: set[str] = set()
        self._replications = 0
        self._is_alone = False

    def work(self, executor: Executor | None, workers: int | None, sequential: bool) -> None:
        begun = time.monotonic()
        self._tell(self._beginning())
        for note in self._writer.notes:
            self._tell(Remarked(note))
        interrupted = False
        own = executor is None
        used: Executor | None = executor
        with _stoppable() as stop:
            try:
                missing = self._missing()
                while missing or sequential or self._study.mcse:
                    if missing:
                        used = used or self._executor(workers, missing)
                        interrupted = self._compute(used, missing, stop)
                    missing = {} if interrupted else self._further(sequential)
                    if not missing:
                        break
            except BaseException:
                if own and used is not None:
                    used.close(at_once=True)
                raise
            if own and used is not None:
                used.close(at_once=interrupted)
        if self._replications and (changed := self._writer.changed()):
            self._tell(Remarked(f"changed while the study ran: {'; '.join(changed)}; {_EITHER}"))
        self._tell(Ended(interrupted, self._replications, time.monotonic() - begun))
        if interrupted:
            raise KeyboardInterrupt

    def _executor(self, workers: int | None, missing: Missing) -> Executor:
        if workers == 0:
            return InlineExecutor(self._study)
        wanted = sum(stop - first for ranges in missing.values() for first, stop, _ in ranges)
        return LocalExecutor(self._study, min(workers or cores(), wanted))

    def _beginning(self) -> Event:
        done = tuple(self._writer.stored(cell) for cell in range(len(self._cells)))
        names = tuple(cell_name(cell) for cell in self._cells)
        folder, study = str(self._writer.folder), self._study
        failed, warned = zip(*(self._writer.counts(cell) for cell in range(len(self._cells))), strict=True)
        return Started(study.name, folder, names, study.method_names, study.planned, done, failed, warned)

    def _missing(self) -> Missing:
        gaps = {cell: self._writer.missing_of(cell, self._planned[cell]) for cell in range(len(self._cells))}
        return {cell: ranges for cell, ranges in gaps.items() if ranges}

    def _further(self, sequential: bool) -> Missing:
        """What Monte Carlo errors that are too large, and criteria that are not decided, want beyond what there is."""
        wanted: dict[int, int] = {}
        if self._study.mcse:
            from statsclaw.montecarlo.verdicts.precision import imprecise_cells

            wanted |= imprecise_cells(self._study, self._writer)
        if sequential:
            from statsclaw.montecarlo.verdicts.judge import undecided_cells

            for cell, further in undecided_cells(self._study, self._writer).items():
                wanted[cell] = max(wanted.get(cell, 0), self._writer.completed(cell) + further)
        for cell, count in wanted.items():
            self._planned[cell] = count if self._study.cap is None else min(count, self._study.cap)
        missing = self._missing()
        if missing:
            self._tell(Extended({cell: sum(b - a for a, b, _ in ranges) for cell, ranges in missing.items()}))
        return missing

    def _compute(self, executor: Executor, missing: Missing, stop: _Stop) -> bool:
        """Until nothing is missing, or somebody wants it to stop: then True."""
        schedule = Schedule(executor.capacity)
        for cell, first, last, without in self._in_order(missing):
            schedule.add(cell, [(first, last)], without)
        for cell, ranges in missing.items():
            self._left[cell] = sum(last - first for first, last, _ in ranges)
        out = 0
        give_up = float("inf")
        while True:
            while not stop.asked and out < self._room(executor) and (task := self._next(schedule)) is not None:
                executor.submit(task)
                out += 1
            if stop.asked and give_up == float("inf"):
                give_up = time.monotonic() + _LAST_WAIT_S
            if out == 0 or time.monotonic() >= give_up:
                return stop.asked
            for outcome in executor.completed(0.2):
                out -= 1
                if isinstance(outcome, Lost):
                    self._lost(outcome, schedule)
                else:
                    schedule.learn(outcome)
                    if out < self._room(executor) and not stop.asked and (task := self._next(schedule)) is not None:
                        executor.submit(task)  # before storing, so that no worker waits for the disk
                        out += 1
                    self._store(outcome)

    def _in_order(self, missing: Missing) -> Iterator[tuple[int, int, int, tuple[str, ...]]]:
        """Cell by cell; where somebody watches, first a few replications of each."""
        few = self._watch.enough if self._watch is not None and len(missing) <= _MOST_LOOKED_AT else 0
        for cell, ranges in missing.items():
            first, stop, without = ranges[0]
            if few:
                yield cell, first, min(stop, first + few), without
        for cell, ranges in missing.items():
            for place, (first, stop, without) in enumerate(ranges):
                begin = first + few if place == 0 else first
                if begin < stop:
                    yield cell, begin, stop, without

    def _room(self, executor: Executor) -> int:
        """How many tasks may be out: one, where it is to be alone."""
        return 1 if self._suspects or self._is_alone else executor.capacity

    def _next(self, schedule: Schedule) -> Task | None:
        self._is_alone = bool(self._suspects)
        return self._suspects.popleft() if self._suspects else schedule.next_task()

    def _lost(self, lost: Lost, schedule: Schedule) -> None:
        """The replication a worker ended in is not tried again with the method that ended it. One that was killed from
        outside is, alone: only if it is killed again, it is the method's own doing."""
        task, at = lost.task, lost.at
        stop = task.first + task.count
        deaths = self._deaths.setdefault((task.cell, at), {})
        stored = tuple(name for name in task.without if task.count > 1 or name not in deaths)
        schedule.put_back(Task(task.cell, at + 1, stop - at - 1, stored))
        schedule.put_back(Task(task.cell, task.first, at - task.first, stored))
        who, reason = (task.cell, at, lost.method), lost.reason
        if lost.from_outside and who not in self._alone:
            self._alone.add(who)
            self._tell(WorkerLost(task.cell, at, lost.method, lost.status.name, f"{reason}\n{_AGAIN}"))
            self._suspects.append(Task(task.cell, at, 1, (*stored, *deaths), alone=True))
            return
        self._tell(WorkerLost(task.cell, at, lost.method, lost.status.name, reason))
        wanted = [name for name in self._study.method_names if name not in stored]
        for method in (lost.method,) if lost.method is not None else wanted:
            deaths.setdefault(method, (lost.status, reason))
        if len(deaths) < len(wanted):
            schedule.put_back(Task(task.cell, at, 1, (*stored, *deaths)))
        else:
            self._store(Batch(Task(task.cell, at, 1, stored), {}))

    def _store(self, batch: Batch) -> None:
        task = batch.task
        if batch.loaded:
            self._writer.learn(batch.loaded)
        deaths = self._deaths.pop((task.cell, task.first), {}) if task.count == 1 else {}
        rows = {**batch.methods, **{name: _row_of_death(*deaths[name]) for name in deaths}}
        batch = replace(batch, methods={name: rows[name] for name in self._study.method_names if name in rows})
        self._writer.add(batch)
        self._replications += task.count
        self._left[task.cell] -= task.count
        self._stored[task.cell] += 1
        if self._left[task.cell] == 0:
            self._writer.tidy(task.cell, fully=True)
        elif self._stored[task.cell] % _TIDY_EVERY == 0:
            self._writer.tidy(task.cell)
        for remark in batch.remarks:
            if remark not in self._said:
                self._said.add(remark)
                self._tell(Remarked(remark))
        failures = {name: int(np.count_nonzero(rows.status)) for name, rows in batch.methods.items()}
        warned = sum(int(np.count_nonzero(rows.warnings)) for rows in batch.methods.values())
        self._tell(BatchStored(task.cell, task.first, task.count, batch.elapsed, failures, warned))
        if self._watch is not None:
            self._watch.look(batch)


def _row_of_death(status: Status, reason: str) -> Rows:
    return Rows(np.array([status], np.uint8), np.array([np.nan]), {}, np.zeros(1, np.uint16), {0: reason})


class _Stop:
    asked = False


@contextmanager
def _stoppable() -> Iterator[_Stop]:
    """The first Ctrl-C (or SIGTERM) asks to stop, the second does it."""
    stop = _Stop()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return

    def ask(number: int, frame: FrameType | None) -> None:
        if stop.asked:
            raise KeyboardInterrupt
        stop.asked = True

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
