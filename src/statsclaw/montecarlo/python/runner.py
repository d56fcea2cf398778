"""Computes replications of a study written in Python, in this process."""

from __future__ import annotations

import inspect
import math
import pickle
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from statsclaw.montecarlo.batch import MISSING, Batch, Loaded, Rows, Status, Task
from statsclaw.montecarlo.design import Cell, Method, Study, cell_name
from statsclaw.montecarlo.python.alarm import Alarm, TimedOut
from statsclaw.montecarlo.python.ambient import Globals, WarningLog, seed_globals, start_of_globals
from statsclaw.montecarlo.python.error_texts import ErrorTexts
from statsclaw.montecarlo.python.packing import (
    NotConverged,
    NotUsable,
    Row,
    about_truth,
    flatten,
    pack,
    sometimes_missing,
)
from statsclaw.montecarlo.python.sharing import own_copy
from statsclaw.montecarlo.storage.loaded import PYTHON
from statsclaw.montecarlo.streams import DATA, Stream, stream_key

_SMALLEST_DATA = 200  # bytes of pickle below which equal data may be chance
_GENERATOR_NAMES = frozenset({"rng", "generator", "random_generator", "random_state", "stream"})


def wants_stream(method: Callable[..., Any]) -> bool:
    """The method has a third parameter that is for a generator: it is required, or called or annotated like one."""
    try:
        parameters = list(inspect.signature(method).parameters.values())
    except (TypeError, ValueError):
        return False
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if len(positional) < 3:
        return False
    third = positional[2]
    return third.default is third.empty or third.name in _GENERATOR_NAMES or "Generator" in str(third.annotation)


@dataclass(slots=True)
class _Method:
    name: str
    call: Method
    stage: int
    wants_stream: bool


@dataclass(slots=True)
class _Record:
    """What one method gives in one task."""

    rows: list[Row | None]
    status: np.ndarray[Any, np.dtype[np.uint8]]
    seconds: np.ndarray[Any, np.dtype[np.float64]]
    warnings: np.ndarray[Any, np.dtype[np.uint16]]
    problems: dict[int, str] = field(default_factory=dict)

    @classmethod
    def empty(cls, count: int) -> _Record:
        floats = np.zeros(count, np.float64)
        return cls([None] * count, np.zeros(count, np.uint8), floats, np.zeros(count, np.uint16))

    def fail(self, place: int, status: Status, text: str) -> None:
        self.rows[place] = None
        self.status[place] = status
        self.problems[place] = text


class PythonRunner:
    """A `Runner`. `entered(k)` is called before method k (from 1) of a replication, so that its death has a name.

    `cautious`: global random numbers are seeded for every call from the first on, not only once they turn out to be
    used. Results are the same; nothing is ever computed twice.
    """

    def __init__(
        self, study: Study, entered: Callable[[int], None] = lambda stage: None, *, cautious: bool = False
    ) -> None:
        assert study.dgp is not None and isinstance(study.methods, Mapping)
        self._study = study
        self._dgp = study.dgp
        self._entered = entered
        self._cells = study.cells()
        named = enumerate(study.methods.items(), start=1)
        self._methods = [_Method(name, call, stage, wants_stream(call)) for stage, (name, call) in named]
        self._careful = cautious  # something uses global random numbers: they are seeded before every call
        self._alarm = Alarm(study.timeout)
        self._looked_at: set[int] = set()
        self._remarks: dict[str, None] = {}
        self._texts = ErrorTexts()
        self._absent: dict[str, bool] = {}  # modules that were wanted and are not there; said already

    def run(self, task: Task, started: Callable[[int], None]) -> Batch:
        begun = time.perf_counter()
        before = Globals()
        start = start_of_globals()
        try:
            start.restore()
            methods = self._computed(task, started)
            if not self._careful and start.differ(Globals()):
                self._careful = True
                self._remark(
                    "something uses global random numbers or changes numpy's settings: these are now set before "
                    "every data set and method, from the study's seed"
                )
                methods = self._computed(task, started)
        finally:
            before.restore()
        remarks, self._remarks = tuple(self._remarks), {}
        absent = tuple(Loaded(PYTHON, name, MISSING, "") for name, said in self._absent.items() if not said)
        self._absent = dict.fromkeys(self._absent, True)
        return Batch(task, methods, remarks, time.perf_counter() - begun, absent)

    def close(self) -> None: ...

    @property
    def _too_long(self) -> str:
        return f"it took more than {self._study.timeout:g} seconds"

    def _remark(self, text: str) -> None:
        self._remarks[text] = None

    def _computed(self, task: Task, started: Callable[[int], None]) -> dict[str, Rows]:
        cell = self._cells[task.cell]
        fixed = self._study.truth_in(cell)
        of_data = self._study.truth_of_data(cell)
        drawn: dict[str, float] = {}
        methods = [method for method in self._methods if method.name not in task.without]
        records = {method.name: _Record.empty(task.count) for method in methods}
        work = [(method, records[method.name], self._stream(cell, f"method:{method.name}")) for method in methods]
        data_stream = self._stream(self._study.data_cell(cell), DATA)
        first_data: list[bytes] = []
        log = WarningLog()
        with log.listening(), self._alarm.listening():
            for place in range(task.count):
                replication = task.first + place
                started(replication)
                log.reset()
                try:
                    data = self._drawn(cell, data_stream, replication)
                    if of_data:
                        drawn = {name: _true_value(name, value(data, dict(cell))) for name, value in of_data.items()}
                except (Exception, SystemExit, TimedOut) as error:
                    self._alarm.disarm()
                    self._note_absent(error)
                    why = self._too_long if isinstance(error, TimedOut) else self._texts.of(error)
                    text = f"the data-generating process: {why}"
                    for _, record, _ in work:
                        record.fail(place, Status.NO_DATA, text)
                    continue
                if log.count:
                    self._remark(f"the data-generating process warns: {log.last}")
                if place < 3 and task.cell not in self._looked_at:
                    self._look_at_data(task, data, data_stream, first_data)
                for method, record, stream in work:
                    self._entered(method.stage)
                    log.reset()
                    self._analysed(method, record, place, data, cell, (fixed, drawn), stream, replication, log)
        packed = {
            name: pack(r.rows, r.status, r.seconds, r.warnings, r.problems, method=name) for name, r in records.items()
        }
        for name, rows in packed.items():
            for column in sometimes_missing(rows):
                self._remark(f"method {name} gives {column} in some replications and not in others")
        return packed

    def _stream(self, cell: Cell, purpose: str) -> tuple[Stream, bytes]:
        seed = self._study.seed
        return Stream(stream_key(seed, cell, purpose)), stream_key(seed, cell, f"global:{purpose}")

    def _drawn(self, cell: Cell, stream: tuple[Stream, bytes], replication: int) -> Any:
        if self._careful:
            start_of_globals().restore()
            seed_globals(stream[1], replication)
        generator = stream[0].at(replication)
        if self._study.timeout is None:
            return self._dgp(dict(cell), generator)
        with self._alarm.limited():
            return self._dgp(dict(cell), generator)

    def _analysed(
        self,
        method: _Method,
        record: _Record,
        place: int,
        data: Any,
        cell: Cell,
        truths: tuple[Mapping[str, float], Mapping[str, float]],
        stream: tuple[Stream, bytes],
        replication: int,
        log: WarningLog,
    ) -> None:
        """Runs one method on a copy of the data and records how it ended."""
        begun = time.perf_counter()
        try:
            own = own_copy(data)
            if self._careful:
                start_of_globals().restore()
                seed_globals(stream[1], replication)
            arguments = (own, dict(cell), stream[0].at(replication)) if method.wants_stream else (own, dict(cell))
            begun = time.perf_counter()
            if self._study.timeout is None:
                result = method.call(*arguments)
            else:
                with self._alarm.limited():
                    result = method.call(*arguments)
            record.seconds[place] = time.perf_counter() - begun
            fixed, drawn = truths
            row = flatten(result, {**fixed, **drawn} if drawn else fixed, self._study.level, _summarise_draws)
            record.rows[place] = about_truth(row, drawn) if drawn else row
        except NotConverged:
            record.fail(place, Status.NOT_CONVERGED, "the method says that it did not converge")
        except TimedOut:
            self._alarm.disarm()
            record.seconds[place] = time.perf_counter() - begun
            record.fail(place, Status.TIMEOUT, self._too_long)
        except NotUsable as error:
            record.fail(place, Status.EXCEPTION, str(error))
        except (Exception, SystemExit) as error:
            record.seconds[place] = time.perf_counter() - begun
            self._note_absent(error)
            record.fail(place, Status.EXCEPTION, self._texts.of(error))
        if log.count:
            record.warnings[place] = min(log.count, np.iinfo(np.uint16).max)
            if log.last and place not in record.problems:
                record.problems[place] = log.last

    def _note_absent(self, error: BaseException) -> None:
        if isinstance(error, ModuleNotFoundError) and error.name and "." not in error.name:
            self._absent.setdefault(error.name, False)

    def _look_at_data(self, task: Task, data: Any, stream: tuple[Stream, bytes], seen: list[bytes]) -> None:
        """In the first replications: do the data come from the stream?"""
        where = cell_name(self._cells[task.cell])
        if stream[0].untouched:
            self._looked_at.add(task.cell)
            self._remark(
                f"the data-generating process does not use its stream (cell {where}): its data may not be reproducible"
            )
            return
        try:
            seen.append(pickle.dumps(data, protocol=5))
        except Exception:
            self._looked_at.add(task.cell)
            return
        if len(seen) == 3:
            self._looked_at.add(task.cell)
            if len(set(seen)) == 1 and len(seen[0]) >= _SMALLEST_DATA:
                self._remark(f"the data are the same in every replication (cell {where})")


def _true_value(parameter: str, value: Any) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"the truth of {parameter} is {number}")
    return number


def _summarise_draws(draws: Any, truth: float | None, level: float) -> Mapping[str, float]:
    from statsclaw.montecarlo.chains.samplers import summarise_draws

    return summarise_draws(draws, truth, level)
