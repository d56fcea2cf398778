"""A study inside a run: the simulator's code draws data and says what to ask, a worker answers, the engine records.

It is a study of the Monte Carlo engine like any other, computed by workers behind the barrier. Who draws the data never
sees an answer, so nothing can be drawn again because of one; who answers never sees what was drawn for others.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import product, starmap
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from statsclaw.montecarlo import design
from statsclaw.montecarlo.batch import Batch, Status, Task
from statsclaw.montecarlo.running import run as run_study
from statsclaw.montecarlo.storage.results import SECONDS
from statsclaw.montecarlo.storage.store import Store
from statsclaw.montecarlo.table import Table
from statsclaw.montecarlo.verdicts.questions import columns_needed
from statsclaw.runlog.events import CommandExecuted
from statsclaw.runlog.events.finding import Finding, Severity
from statsclaw.specs.sim_spec import Study, as_criterion, as_design
from statsclaw.verify.blind.drawing import (
    Drawer,
    answered,
    numbers_in,
)
from statsclaw.verify.blind.expressions import COMPARISONS, Answered, leaves_in
from statsclaw.verify.blind.form import Forms
from statsclaw.verify.blind.inside import statsclaw_wire as wire
from statsclaw.verify.blind.inside.statsclaw_wire import Extra
from statsclaw.verify.blind.meaningless import NULLS, meaningless
from statsclaw.verify.blind.naming import unnamed, unnamed_field
from statsclaw.verify.blind.questionnaire import Call, Misread, read_calls
from statsclaw.verify.blind.replicating import BlindExecutor, Pair
from statsclaw.verify.blind.talking import Conversation, Silent
from statsclaw.verify.blind.trying import finding
from statsclaw.verify.parsers import Parsed
from statsclaw.verify.runner import Bench, evidence
from statsclaw.verify.study_report import Records, written

#: Of each cell, how many replications are computed again: so many, this share, and as many as take no longer.
_AGAIN, _SHARE, _CHEAP_S = 2, 0.1, 1.0
#: Replications that are drawn before anybody is asked.
_SMOKE = 2

#: What axes of a grid are called that say how large a sample is.
_SAMPLE_SIZES = frozenset({"n", "N", "n_obs", "nobs", "sample_size", "T"})

# --- a batch as evidence ---------------------------------------------------------------------------------------------


class Own(NamedTuple):
    """A column that a method of the study records by itself, though it asks the package."""

    cell: str
    method: str
    column: str


@dataclass(frozen=True)
class Simulation:
    """`folder` keeps what was computed, so that a run that was interrupted goes on; it is of one seed and one code."""

    bench: Bench
    study: Study
    entry: str
    forms: Forms
    start: Callable[[], Conversation]
    folder: Path

    def drawer(self) -> Drawer:
        return Drawer(self.bench, self.study, self.entry)

    def report(self, first: int, count: int) -> bytes:
        """Replications first … first + count − 1 of every cell, as the record of a study. Raises Misread."""
        return written(self._records(self._computed(first + count), first, count))

    def evidence(self, subject: str, tree: str, first: int, count: int, secret: str) -> Iterator[CommandExecuted]:
        """One batch, computed as far as it is missing, and whether it can be computed again."""
        begun = time.monotonic()
        try:
            report = self.report(first, count)
            differing, told = self.history(first, count, secret, time.monotonic() - begun)
        except (Misread, Silent) as misread:
            made = Parsed(False, str(misread)[:400])
            row = evidence(
                self.bench, "study", "study", subject, tree, ("statsclaw", "study"), 1, str(misread), 0, made
            )
            yield row.model_copy(update={"fault_of": "simulator"})
            return
        made = Parsed(not differing, f"{count} replications a cell", records=report)
        fault = "builder"
        if differing and not self._drawn_alike(first, count):
            fault = "simulator"
            made = replace(made, summary="drawn again in a fresh process, the data are others: draw from the stream")
        elif differing:
            text = f"computed again in a fresh process, something else comes out: {', '.join(differing[:5])}"
            made = replace(made, summary=text)
        elapsed = time.monotonic() - begun
        argv = ("statsclaw", "study")
        text = "\n".join([made.summary, *told]) + "\n"
        row = evidence(self.bench, "study", "study", subject, tree, argv, 0, text, elapsed, made)
        yield row.model_copy(update={"fault_of": fault}) if differing else row

    def _drawn_alike(self, first: int, count: int) -> bool:
        """Whether a process that draws all replications, and one that draws some of the last only, draw the same."""
        numbers = range(max(first, first + count - _AGAIN), first + count)
        found = []
        for all_of_them in (True, False):
            drawer, drawn = self.drawer(), {}
            cells = as_design(self.study).cells()
            begin = first if all_of_them else numbers[0]
            try:
                for cell in cells if all_of_them else cells[::-1]:
                    for row in drawer.replications(self.bench.seed, cell, begin, first + count - begin):
                        if row["replication"] in numbers:
                            drawn[str(cell), row["replication"]] = wire.encode(row)
            finally:
                drawer.talk.end()
            found.append(drawn)
        return found[0] == found[1]

    def _computed(self, replications: int) -> Store:
        made = as_design(self.study)
        wanted = design.Study(
            name=made.name, grid=made.grid, methods=made.methods, truth=made.truth, replications=replications,
            seed=self.bench.seed, program=design.Program("command", ("blind",)), level=made.level,
        )  # fmt: skip
        with self.bench.progress.step("study, replications", replications * len(wanted.cells())) as step:
            executor = BlindExecutor(self, step)
            try:
                return run_study(wanted, folder=self.folder, executor=executor)
            finally:
                executor.close(at_once=True)

    def history(self, first: int, count: int, secret: str, took_s: float = 0.0) -> tuple[list[str], list[str]]:
        """Columns that are others when some replications are computed again, in another order, in fresh processes.

        With them what a reviewer should know: what is asked, calculated from answers, and recorded whatever they are.
        """
        drawn = random.Random(f"{secret} {first}")
        store = Store.open(self.folder)
        share = self._share_again(store, first, count, took_s)
        again = min(count, max(_AGAIN, math.ceil(share * count)))
        tasks = [
            Task(cell, number, 1)
            for cell in range(len(self.study.cells()))
            for number in drawn.sample(range(first, first + count), again)
        ]
        drawn.shuffle(tasks)
        workers = self.bench.workers
        with ThreadPoolExecutor(workers) as pool:
            done = list(pool.map(partial(self._computed_again, store), [tasks[n::workers] for n in range(workers)]))
        found = {name for names, _ in done for name in names}
        pairs = [pair for _, pair in done if pair is not None]
        told = [f"asked by the study: {name}: {calls}" for name, calls in pairs[0].asked.items() if calls]
        calculated = {column: how for pair in reversed(pairs) for column, how in pair.calculated.items()}
        told += [f"calculated by the study: {column} = {how}" for column, how in sorted(calculated.items())]
        told += [
            f"recorded whatever the package answers: {name}" for name in sorted(set().union(*(p.own for p in pairs)))
        ]
        return sorted(found), told

    def _computed_again(self, store: Store, tasks: Sequence[Task]) -> tuple[set[str], Pair | None]:
        """Columns that are others, and who computed them."""
        if not tasks:
            return set(), None
        pair = Pair(self)
        try:
            return {name for task in tasks for name in self._differing(store, pair.run(task), pair.measured)}, pair
        finally:
            pair.close()

    def _share_again(self, store: Store, first: int, count: int, took_s: float) -> float:
        """Which share of the replications is computed again: all where that takes little."""
        spent = [
            np.nansum(store.table(cell, name).columns[SECONDS][first : first + count])
            for cell in range(len(self.study.cells()))
            for name in self.study.methods
        ]
        return max(_SHARE, min(1.0, _CHEAP_S / max(took_s, float(sum(spent)), 1e-3)))

    def _differing(self, store: Store, batch: Batch, measured: set[str]) -> Iterator[str]:
        task = batch.task
        for method, rows in batch.methods.items():
            kept = store.table(task.cell, method)
            if bool(kept.failed[task.first]) != bool(rows.status[0]):
                yield f"{method}: whether it fails"
            for column, values in rows.columns.items():
                old = float(kept.columns[column][task.first]) if column in kept.columns else math.inf
                new = float(values[0])
                if column not in measured and not (old == new or (math.isnan(old) and math.isnan(new))):
                    yield f"{method}: {column}"

    def _needed(self, method: str) -> set[str]:
        own = [row for row in self.study.criteria if row.method == method]
        return {column for row in own for column in columns_needed(as_criterion(row))}

    def _records(self, store: Store, first: int, count: int) -> Records:
        tables: dict[tuple[str, str], Table] = {}
        for (number, name), method in product(enumerate(self.study.cells()), self.study.methods):
            table, ours = store.table(number, method), slice(first, first + count)
            failed = table.failed[ours]
            columns = {
                column: np.where(failed, np.nan, values[ours])
                for column, values in table.columns.items()
                if not column.startswith("_")
            }
            if failed.all():  # then nobody has recorded a column
                columns = dict.fromkeys([*columns, *self._needed(method)], np.full(count, np.nan))
            tables[name, method] = Table(failed, columns)
        return Records(self.bench.seed, first, count, tables)

    # --- before anybody is asked

    def checked(self) -> Iterator[Finding]:
        """Two replications of every cell on meaningless answers: complete, and drawn from their own streams."""
        try:
            drawer = self.drawer()
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
        asking, own, sizes = set[str](), set[Own](), dict[str, str]()
        for number, cell in enumerate(as_design(self.study).cells()):
            drawn = list(drawer.replications(self.bench.seed, cell, 0, _SMOKE))
            other = next(iter(drawer.replications(self.bench.seed + 1, cell, 0, 1)))
            name = self.study.cells()[number]
            if problem := next((row["problem"] for row in drawn if "problem" in row), ""):
                yield self._finding("no-data", f"the data of {name} cannot be drawn: {problem}")
                return
            sizes.update(self._other_sizes(name, cell, drawn[0]["methods"]))
            for method in self.study.methods:
                asked = [_asked(row, method) for row in (*drawn, other)]
                asking |= {method} if drawn[0]["methods"].get(method, {}).get("calls") else set()
                if fault := self._fault(method, name, drawn[0]["methods"].get(method)):
                    yield self._finding(f"incomplete:{method}", fault)
                    return
                columns = self.own_numbers(method, drawn[0]["methods"].get(method))
                own |= {Own(name, method, column) for column in columns}
                if asked[0] == asked[1] or asked[0] == asked[2]:
                    text = f"{method} is the same in every replication of {name}: draw does not use its stream"
                    yield self._finding("stream-ignored", text)
                    return

        if not asking:
            yield self._finding("asks-nothing", "no method of the study asks the package anything")
        for name, text in sizes.items():
            yield self._finding(f"other-size:{name}", text, severity="warning")
        for method in sorted({row.method for row in own}):
            shown = ", ".join(sorted({row.column for row in own if row.method == method}))
            text = f"{method} asks the package, and records {shown} whatever it answers"
            yield self._finding(f"own-numbers:{method}", text, severity="warning")
        yield from self._decided_by(own)

    def _decided_by(self, own: set[Own]) -> Iterator[Finding]:
        """Criteria that no answer can change, because all that they look at is the study's own."""
        for row in self.study.criteria:
            columns = {*columns_needed(as_criterion(row))} - {SECONDS}
            methods = {row.method, row.minus or row.method}
            looked = set(starmap(Own, product(self.study.selected(row), methods, columns)))
            if looked and looked <= own:
                text = (
                    f"{row.id} is decided by {', '.join(sorted(columns))} of {' and '.join(sorted(methods))}, and they "
                    "are the same whatever the package answers: it cannot fail. Record them from the answer."
                )
                yield self._finding(f"own-verdict:{row.id}", text)

    def _other_sizes(self, name: str, cell: design.Cell, methods: Mapping[str, Any]) -> dict[str, str]:
        """For the reviewer: sample sizes of the cell that nothing has which is asked there."""
        calls = [call for said in methods.values() if isinstance(said, dict) for call in said.get("calls") or []]
        given = [part for call in calls for part in [*call["arguments"], *(call.get("named") or {}).values()]]
        shapes = [numbers_in(part).shape for part in given]
        found = {length for shape in shapes for length in shape}
        return {
            axis: f"in {name} no argument has {level} elements or rows; there are {sorted(found)[:8]}"
            for axis, level in cell.items()
            if axis in _SAMPLE_SIZES and isinstance(level, int) and calls and found and level not in found
        }

    def _fault(self, method: str, cell: str, said: Any) -> str:
        """What is missing in the records of a method, whatever the package may answer."""
        if fault := self._unnamed(said):
            return f"{method} asks for what nobody has promised: {fault}"
        faults: list[str] = []
        for kind in NULLS:
            try:
                found = answered(0, 0, said, partial(self._null, kind), self.study.level)
            except Misread as misread:
                return f"in {cell}: {misread}"
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

    def _unnamed(self, said: Any) -> str:
        try:
            calls = read_calls(said.get("calls"))
        except (Misread, AttributeError):
            return ""  # `answered` says so
        leaves = leaves_in(said.get("record"))
        found = [unnamed(call, self.forms) for call in calls]
        found += [unnamed_field(leaf, calls, self.forms) for leaf in leaves if leaf[0] < len(calls)]
        return next(filter(None, found), "")

    def own_numbers(self, method: str, said: Any) -> set[str]:
        """Columns that criteria need and that are the same for every kind of meaningless answers, though it asks."""
        if not (isinstance(said, dict) and said.get("calls")):
            return set()
        rng = np.random.default_rng(0)
        tried = [(kind, said | {"record": _with_open_comparisons(said.get("record"), rng)}) for kind in NULLS * 4]
        found = [answered(0, 0, row, partial(self._null, kind), self.study.level) for kind, row in tried]
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


def _with_open_comparisons(node: Any, rng: np.random.Generator) -> Any:
    """Each comparison may turn out either way: all meaningless answers lie on one side of a narrow band."""
    if isinstance(node, Extra):
        if node.kind == "do" and node.value.get("name") in COMPARISONS:
            return float(rng.integers(2))
        return Extra(node.kind, _with_open_comparisons(node.value, rng))
    if isinstance(node, dict):
        return {name: _with_open_comparisons(part, rng) for name, part in node.items()}
    return [_with_open_comparisons(part, rng) for part in node] if isinstance(node, list | tuple) else node


def _without_generators(named: Any) -> Any:
    if not isinstance(named, dict):
        return None
    return {k: v for k, v in named.items() if not (isinstance(v, Extra) and v.kind == "generator")}
