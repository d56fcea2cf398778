"""Workers of a study: each draws replications, asks the package about them and records what it answered."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from statsclaw.montecarlo.batch import Batch, Lost, Task
from statsclaw.montecarlo.programs.answers import Answer, RowsOfMethod
from statsclaw.montecarlo.storage.results import SECONDS
from statsclaw.specs.sim_spec import as_design
from statsclaw.verify.blind.answering import read_answer, request_for
from statsclaw.verify.blind.drawing import START_S, answered, calculated_columns, measured_columns, shown_calls
from statsclaw.verify.blind.expressions import Answered, Condition
from statsclaw.verify.blind.inside import statsclaw_wire as wire
from statsclaw.verify.blind.naming import unnamed
from statsclaw.verify.blind.questionnaire import Call, Misread
from statsclaw.verify.blind.talking import Conversation, Silent
from statsclaw.verify.progress import Step

if TYPE_CHECKING:
    from statsclaw.verify.blind.study import Simulation

_ANSWER_S = 3600.0
#: So many deaths in a row, and a package is not started again.
_MOST_DEATHS = 20


class BlindExecutor:
    """Workers of the Monte Carlo engine: each is a drawer and a worker behind the barrier, a thread between them."""

    def __init__(self, simulation: Simulation, step: Step) -> None:
        self.simulation, self.count, self.step = simulation, simulation.bench.workers, step
        self.tasks: queue.Queue[Task | None] = queue.Queue()
        self.done: queue.Queue[Batch | Lost | BaseException] = queue.Queue()
        self.stopped = threading.Event()
        self.threads = [threading.Thread(target=self._work, daemon=True) for _ in range(self.count)]
        for thread in self.threads:
            thread.start()

    @property
    def capacity(self) -> int:
        return 2 * self.count

    def submit(self, task: Task) -> None:
        self.tasks.put(task)

    def completed(self, timeout: float) -> Iterator[Batch | Lost]:
        try:
            found = self.done.get(timeout=timeout)
        except queue.Empty:
            return
        while True:
            if isinstance(found, BaseException):
                raise found
            yield found
            try:
                found = self.done.get_nowait()
            except queue.Empty:
                return

    def close(self, *, at_once: bool = False) -> None:
        self.stopped.set()
        for _ in self.threads:
            self.tasks.put(None)
        for thread in self.threads:
            thread.join(timeout=5.0 if at_once else 60.0)

    def _work(self) -> None:
        pair: Pair | None = None
        try:
            while (task := self.tasks.get()) is not None and not self.stopped.is_set():
                pair = pair or Pair(self.simulation)
                try:
                    self.done.put(pair.run(task))
                    self.step.done += task.count
                except Silent as silent:
                    pair.close()
                    pair = None
                    self.done.put(Misread(f"the study: {silent}"))
        except BaseException as error:
            self.done.put(error)
        finally:
            if pair is not None:
                pair.close()


class Pair:
    """Who draws and who answers, and what of the records is measured rather than computed."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self.drawer = simulation.drawer()
        self.worker: Conversation | None = None
        self.measured = {SECONDS}
        #: What the study calculates from answers, by method and column.
        self.calculated: dict[str, str] = {}
        #: What each method asks, and what it records whatever the answer is, where that is looked at.
        self.asked: dict[str, str] = {}
        self.own: set[str] = set()
        #: Methods that this worker has answered before, and what it answered in this replication.
        self.warm: set[str] = set()
        self.known: dict[bytes, Answered] = {}
        self.deaths = 0

    def run(self, task: Task) -> Batch:
        study, begun = self.simulation.study, time.perf_counter()
        made = as_design(study)
        cell = made.cells()[task.cell]
        names = [name for name in study.methods if name not in task.without]
        rows = {name: RowsOfMethod(name, task.count, made.truth_in(cell), study.level) for name in names}
        for found in self.drawer.replications(self.simulation.bench.seed, cell, task.first, task.count):
            offset = found["replication"] - task.first
            self.known.clear()
            for place, name in enumerate(names):
                rows[name].add(offset, self._answer(found, place, name))
        return Batch(task, {name: row.rows() for name, row in rows.items()}, (), time.perf_counter() - begun)

    def _answer(self, found: Mapping[str, Any], place: int, name: str) -> Answer:
        if "problem" in found:
            raise Misread(f"the data of replication {found['replication']} cannot be drawn: {found['problem']}")
        said = found["methods"].get(name)
        self.measured |= measured_columns(said)
        for column, how in calculated_columns(said):
            self.calculated.setdefault(f"{name}: {column}", how)
        if name not in self.asked:
            self.asked[name] = shown_calls(said)
            self.own |= {f"{name}: {column}" for column in self.simulation.own_numbers(name, said)}
        if self.worker is None or name not in self.warm:
            answered(found["replication"], place, said, self._ask, self.simulation.study.level)
            self.known.clear()
            self.warm.add(name)
        return answered(found["replication"], place, said, self._ask, self.simulation.study.level)

    def _ask(self, calls: Sequence[Call], salt: str) -> dict[int, Answered]:
        given: dict[int, Answered] = {}
        if calls and self.deaths >= _MOST_DEATHS:
            ended = Condition(("died",), f"its process ended {self.deaths} times in a row, and is not started again")
            return {calls[0].id: Answered(calls[0].id, error=ended, died=True)}
        fresh = self.worker is None
        if self.worker is None:
            self.worker = self.simulation.start()
        several = len(calls) > 1 or len(self.simulation.study.methods) > 1  # else nothing can be asked twice
        alone = several and not any(list(call.uses()) for call in calls)
        for call in calls:
            if fault := unnamed(call, self.simulation.forms):
                raise Misread(f"the study asks for what nobody has promised: {fault}")
            request = request_for(call, self.simulation.forms, f"{self.simulation.bench.seed} {salt}")
            same = wire.encode(request | {"id": 0, "seed": call.seed}) if several else b""
            if alone and same in self.known:
                given[call.id] = replace(self.known[same], id=call.id)
                continue
            try:
                reply = self.worker.ask(request, _ANSWER_S + (START_S if fresh else 0.0))
                given[call.id] = self.known[same] = read_answer(reply, call.id)
                self.deaths = 0
            except Silent as silent:
                self.worker.end()
                self.worker, self.warm = None, set()
                self.deaths += 1
                given[call.id] = Answered(call.id, error=Condition(("died",), str(silent)), died=True)
                return given
            if given[call.id].error is not None:
                break
        self.worker.send_later({"do": "forget"})
        return given

    def close(self) -> None:
        self.drawer.talk.end()
        if self.worker is not None:
            self.worker.end()
