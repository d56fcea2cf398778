"""A study inside a run: the simulator's code draws data and says what to ask, a worker answers, the engine records.

It is a study of the Monte Carlo engine like any other, computed by workers behind the barrier. Who draws the data never
sees an answer, so nothing can be drawn again because of one; who answers never sees what was drawn for others.
"""

from __future__ import annotations

import json
import math
import queue
import random
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from statsclaw.montecarlo import design
from statsclaw.montecarlo.batch import Batch, Lost, Status, Task
from statsclaw.montecarlo.programs.answers import Answer, RowsOfMethod
from statsclaw.montecarlo.running import run as run_study
from statsclaw.montecarlo.storage.results import SECONDS
from statsclaw.montecarlo.storage.store import Store
from statsclaw.montecarlo.verdicts.questions import columns_needed
from statsclaw.runlog.events import CommandExecuted
from statsclaw.runlog.events.finding import Finding, Severity
from statsclaw.specs.sim_spec import Study, as_criterion, as_design
from statsclaw.verify.blind.answering import read_answer, request_for
from statsclaw.verify.blind.drawing import START_S, Drawer, answered, calculated_columns, measured_columns
from statsclaw.verify.blind.expressions import Answered, Condition
from statsclaw.verify.blind.form import Forms
from statsclaw.verify.blind.inside import statsclaw_wire as wire
from statsclaw.verify.blind.inside.statsclaw_wire import Extra
from statsclaw.verify.blind.meaningless import NULLS, meaningless
from statsclaw.verify.blind.questionnaire import Call, Misread
from statsclaw.verify.blind.talking import Conversation, Silent
from statsclaw.verify.blind.trying import finding
from statsclaw.verify.parsers import Parsed
from statsclaw.verify.runner import Bench, evidence

_ANSWER_S = 3600.0
#: So many deaths in a row, and a package is not started again.
_MOST_DEATHS = 20
#: Replications of each cell that are computed again.
_AGAIN = 2
#: Replications that are drawn before anybody is asked.
_SMOKE = 2

# --- the executor ----------------------------------------------------------------------------------------------------


class BlindExecutor:
    """Workers of the Monte Carlo engine: each is a drawer and a worker behind the barrier, a thread between them."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation, self.count = simulation, simulation.workers
        self.tasks: queue.Queue[Task | None] = queue.Queue()
        self.done: queue.Queue[Batch | Lost | BaseException] = queue.Queue()
        self.stopped = threading.Event()
        self.threads = [threading.Thread(target=self._work, args=(n,), daemon=True) for n in range(self.count)]
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

    def _work(self, number: int) -> None:
        pair: Pair | None = None
        try:
            while (task := self.tasks.get()) is not None and not self.stopped.is_set():
                pair = pair or Pair(self.simulation, str(number))
                try:
                    self.done.put(pair.run(task))
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

    def __init__(self, simulation: Simulation, name: str) -> None:
        self.simulation, self.name = simulation, name
        self.drawer = simulation.drawer(f"draw-{name}")
        self.worker: Conversation | None = None
        self.measured = {SECONDS}
        self.calculated: set[str] = set()
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
            return Answer(found["replication"], None, Status.NO_DATA, text=str(found["problem"]))
        said = found["methods"].get(name)
        self.measured |= measured_columns(said)
        self.calculated |= {f"{name}: {column}" for column in calculated_columns(said)}
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
            self.worker = self.simulation.start(f"worker-{self.name}")
        several = len(calls) > 1 or len(self.simulation.study.methods) > 1  # else nothing can be asked twice
        alone = several and not any(list(call.uses()) for call in calls)
        for call in calls:
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


# --- a batch as evidence ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Simulation:
    """`folder` keeps what was computed, so that a run that was interrupted goes on; it is of one seed and one code."""

    bench: Bench
    study: Study
    entry: str
    forms: Forms
    start: Callable[[str], Conversation]
    folder: Path
    workers: int = 2

    def drawer(self, name: str) -> Drawer:
        return Drawer(self.bench, self.study, self.entry, name)

    def report(self, first: int, count: int) -> bytes:
        """Replications first … first + count − 1 of every cell, as the record of a study. Raises Misread."""
        return self._report(self._computed(first + count), first, count)

    def evidence(self, subject: str, tree: str, first: int, count: int, secret: str) -> Iterator[CommandExecuted]:
        """One batch, computed as far as it is missing, and whether it can be computed again."""
        begun = time.monotonic()
        try:
            report = self.report(first, count)
            differing, calculated = self.history(first, count, secret)
        except (Misread, Silent) as misread:
            made = Parsed(False, str(misread)[:400])
            row = evidence(
                self.bench, "study", "study", subject, tree, ("statsclaw", "study"), 1, str(misread), 0, made
            )
            yield row.model_copy(update={"fault_of": "simulator"})
            return
        made = Parsed(not differing, f"{count} replications a cell", records=report)
        fault = "builder"
        if differing and not self._drawn_alike(first):
            fault = "simulator"
            made = replace(made, summary="drawn again in a fresh process, the data are others: draw from the stream")
        elif differing:
            text = f"computed again in a fresh process, something else comes out: {', '.join(differing[:5])}"
            made = replace(made, summary=text)
        elapsed = time.monotonic() - begun
        argv = ("statsclaw", "study")
        text = "\n".join([made.summary, *(f"calculated by the study: {row}" for row in calculated)]) + "\n"
        row = evidence(self.bench, "study", "study", subject, tree, argv, 0, text, elapsed, made)
        yield row.model_copy(update={"fault_of": fault}) if differing else row

    def _drawn_alike(self, number: int) -> bool:
        """Whether a replication of each cell is drawn the same by two fresh processes, the second in another order."""
        found = []
        for name in ("draw-once", "draw-again"):
            drawer = self.drawer(name)
            cells = as_design(self.study).cells()
            ordered = cells if name == "draw-once" else cells[::-1]
            try:
                rows = {str(c): next(iter(drawer.replications(self.bench.seed, c, number, 1))) for c in ordered}
            finally:
                drawer.talk.end()
            found.append({cell: wire.encode(row) for cell, row in rows.items()})
        return found[0] == found[1]

    def _computed(self, replications: int) -> Store:
        made = as_design(self.study)
        wanted = design.Study(
            name=made.name, grid=made.grid, methods=made.methods, truth=made.truth, replications=replications,
            seed=self.bench.seed, program=design.Program("command", ("blind",)), level=made.level,
        )  # fmt: skip
        executor = BlindExecutor(self)
        try:
            return run_study(wanted, folder=self.folder, executor=executor)
        finally:
            executor.close(at_once=True)

    def history(self, first: int, count: int, secret: str) -> tuple[list[str], list[str]]:
        """Columns that are others when some replications are computed again, in another order, in fresh processes.

        With them those that the study calculates from answers, instead of recording or summarising one.
        """
        drawn = random.Random(f"{secret} {first}")
        store = Store.open(self.folder)
        tasks = [
            Task(cell, number, 1)
            for cell in range(len(self.study.cells()))
            for number in drawn.sample(range(first, first + count), min(_AGAIN, count))
        ]
        drawn.shuffle(tasks)
        pair = Pair(self, "again")
        try:
            found = {name for task in tasks for name in self._differing(store, pair.run(task), pair.measured)}
            return sorted(found), sorted(pair.calculated)
        finally:
            pair.close()

    def _differing(self, store: Store, batch: Batch, measured: set[str]) -> Iterator[str]:
        task = batch.task
        for method, rows in batch.methods.items():
            kept = store.table(task.cell, method)
            if bool(kept.failed[task.first]) != bool(rows.status[0]):
                yield f"{method}: whether it fails"
            for column, values in rows.columns.items():
                old, new = float(kept.columns[column][task.first]), float(values[0])
                if column not in measured and not (old == new or (math.isnan(old) and math.isnan(new))):
                    yield f"{method}: {column}"

    def _needed(self, method: str) -> set[str]:
        own = [row for row in self.study.criteria if row.method == method]
        return {column for row in own for column in columns_needed(as_criterion(row))}

    def _report(self, store: Store, first: int, count: int) -> bytes:
        rows = []
        for number, name in enumerate(self.study.cells()):
            for method in self.study.methods:
                table = store.table(number, method)
                ours = slice(first, first + count)
                failed = [bool(flag) for flag in table.failed[ours]]
                columns = {
                    column: [None if bad else float(v) for bad, v in zip(failed, values[ours], strict=True)]
                    for column, values in table.columns.items()
                    if not column.startswith("_")
                }
                if all(failed):  # then nobody has recorded a column
                    columns = dict.fromkeys([*columns, *self._needed(method)], [None] * count)
                rows.append(
                    {
                        "cell": name,
                        "method": method,
                        "replication": list(range(first, first + count)),
                        "failed": failed,
                        "columns": columns,
                    }
                )
        return json.dumps({"seed": self.bench.seed, "cells": rows}).encode()

    # --- before anybody is asked

    def checked(self) -> Iterator[Finding]:
        """Two replications of every cell on meaningless answers: complete, and drawn from their own streams."""
        try:
            drawer = self.drawer("draw-check")
        except (Misread, Silent) as misread:
            yield self._finding("study-not-started", str(misread))
            return
        try:
            yield from self._looked(drawer)
        except Silent as silent:
            yield self._finding("study-silent", f"the study could not be tried: {silent}")
        finally:
            drawer.talk.end()

    def _looked(self, drawer: Drawer) -> Iterator[Finding]:
        asking, own = set[str](), set[tuple[str, str]]()
        for number, cell in enumerate(as_design(self.study).cells()):
            drawn = list(drawer.replications(self.bench.seed, cell, 0, _SMOKE))
            other = next(iter(drawer.replications(self.bench.seed + 1, cell, 0, 1)))
            name = self.study.cells()[number]
            if problem := next((row["problem"] for row in drawn if "problem" in row), ""):
                yield self._finding("no-data", f"the data of {name} cannot be drawn: {problem}")
                return
            for method in self.study.methods:
                asked = [_asked(row, method) for row in (*drawn, other)]
                asking |= {method} if drawn[0]["methods"].get(method, {}).get("calls") else set()
                if fault := self._fault(method, name, drawn[0]["methods"].get(method)):
                    yield self._finding(f"incomplete:{method}", fault)
                    return
                own |= {(method, column) for column in self._own_numbers(method, drawn[0]["methods"].get(method))}
                if asked[0] == asked[1] or asked[0] == asked[2]:
                    text = f"{method} is the same in every replication of {name}: draw does not use its stream"
                    yield self._finding("stream-ignored", text)
                    return

        if not asking:
            yield self._finding("asks-nothing", "no method of the study asks the package anything")
        for method in sorted({method for method, _ in own}):
            columns = ", ".join(sorted(column for name, column in own if name == method))
            text = f"{method} asks the package, and records {columns} whatever it answers"
            yield self._finding(f"own-numbers:{method}", text, severity="warning")

    def _fault(self, method: str, cell: str, said: Any) -> str:
        """What is missing in the records of a method, whatever the package may answer."""
        faults: list[str] = []
        for kind in NULLS:
            found = answered(0, 0, said, partial(self._null, kind), self.study.level)
            needed = {
                column
                for row in self.study.criteria
                if row.method == method and cell in self.study.selected(row)
                for column in columns_needed(as_criterion(row))
            } - {SECONDS}
            missing = sorted(needed - set(found.names))
            if found.status == Status.OK and not missing:
                return ""
            faults.append(found.text or f"{method} does not record {', '.join(missing)}, which a criterion needs")
        return f"in {cell}: {faults[0]}"

    def _own_numbers(self, method: str, said: Any) -> set[str]:
        """Columns that criteria need and that are the same for every kind of meaningless answers, though it asks."""
        if not (isinstance(said, dict) and said.get("calls")):
            return set()
        found = [answered(0, 0, said, partial(self._null, kind), self.study.level) for kind in NULLS]
        kept = [dict(zip(row.names, row.values, strict=True)) for row in found if row.status == Status.OK]
        needed = self._needed(method) - {SECONDS}
        return {
            column
            for column in needed
            if len(kept) > 1 and not column.endswith(".reject") and len({repr(row.get(column)) for row in kept}) == 1
        }

    def _null(self, kind: str, calls: Sequence[Call], _: str) -> dict[int, Answered]:
        return dict(meaningless(calls, self.forms, kind).given)

    @staticmethod
    def _finding(key: str, text: str, severity: Severity = "error") -> Finding:
        return finding(key, "study", text, severity, to="simulator")


def _asked(row: Mapping[str, Any], method: str) -> bytes:
    """The data that a method asks about, without seeds, which are others anyway; or what it records without asking."""
    said = row.get("methods", {}).get(method)
    calls = said.get("calls") if isinstance(said, dict) else None
    if not calls:  # a method that the study computes itself
        return wire.encode(said.get("record") if isinstance(said, dict) else None)
    return wire.encode([[call.get("arguments"), _without_generators(call.get("named"))] for call in calls])


def _without_generators(named: Any) -> Any:
    if not isinstance(named, dict):
        return None
    return {k: v for k, v in named.items() if not (isinstance(v, Extra) and v.kind == "generator")}
