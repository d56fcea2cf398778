"""Kill -9 at every event boundary, before and after the line is written: a resumed run ends like an undisturbed one.

A run is walked through many times. In one walk it is killed at every twelfth line, before the line is written and
again after it, and resumed each time by another process; twelve walks together cover every line. A later resumption
could put right what an earlier one left wrong, so around the events with which the engine itself decides something a
run is also killed exactly once.
"""

from __future__ import annotations

import os
import signal
import traceback
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from statsclaw.backends.replay import Recording
from statsclaw.engine.start import Order
from statsclaw.runlog import chain
from statsclaw.runlog import events as e
from statsclaw.runlog.fold import RunView
from statsclaw.runlog.log import EVENTS, RunLog, read_view, verify
from statsclaw.runlog.store import sha256
from statsclaw.states import State
from tests.support.runs import HERE, HONEST, Bench, branches, commits_on, make_target, order_for

RUN = "walk-0001"
#: An event by its name and how often it has been there before; a death there, before its line is written or after.
Mark = tuple[str, int]
Death = tuple[Mark, bool]


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def in_child(work: Callable[[], object]) -> int:
    """Run `work` in a forked process and return how that process ended."""
    child = os.fork()
    if child == 0:
        try:
            work()
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
    return os.waitpid(child, 0)[1]


def order_of(target: Path, recording: Path) -> Order:
    """With the seeds of the recording: everything that is computed is the same again, and so is every hash."""
    seed = Recording(recording).created.canary_seed
    return order_for(target, "replay", recording=recording, run_id=RUN, canary_seed=seed)


# --- what an event is, whatever line it stands on --------------------------------------------------------------------

NAMING = ("kind", "name", "dispatch", "state", "blockers", "question", "subject", "phase", "signal", "cause", "failed")


def name_of(event: e.Event) -> str:
    """The same for the same event in another run, and after an interruption."""
    return repr([str(getattr(event, key)) for key in NAMING if hasattr(event, key)])


def marks_of(events: list[e.AnyEvent]) -> list[Mark]:
    """Every event by its name and how often it has been there before."""
    seen: Counter[str] = Counter()
    marks = []
    for name in map(name_of, events):
        marks.append((name, seen[name]))
        seen[name] += 1
    return marks


def events_of(folder: Path) -> list[e.AnyEvent]:
    return [record.event for record in chain.read(folder / EVENTS).records]


# --- dying -----------------------------------------------------------------------------------------------------------


def dies_at(work: Callable[[], object], deaths: set[Death], done: Path) -> int:
    """Do `work` in a process that dies where `deaths` says, each death once, and return how it ended."""
    seen: Counter[str] = Counter()
    now: list[Mark] = []

    def die_if_due(written: bool) -> None:
        place = done / f"{sha256(repr(now[-1]).encode())}-{written}"
        if (now[-1], written) in deaths and not place.exists():
            place.touch()
            die()

    def mortal() -> None:
        append, write, load = RunLog.append, RunLog._write, RunLog._load

        def dying_load(log: RunLog, accept_loss: bool) -> None:
            seen.update(map(name_of, events_of(log.folder)))
            load(log, accept_loss)

        def dying_append(log: RunLog, event: e.Event) -> chain.Record:
            name = name_of(event)
            now.append((name, seen[name]))
            seen[name] += 1
            return append(log, event)

        def dying_write(log: RunLog, line: bytes, seq: int, digest: str) -> None:
            die_if_due(written=False)
            write(log, line, seq, digest)
            die_if_due(written=True)

        RunLog.append, RunLog._write, RunLog._load = dying_append, dying_write, dying_load  # type: ignore[method-assign]
        work()

    return in_child(mortal)


def walk(folder: Path, recording: Path, deaths: set[Death]) -> int:
    """A run that dies and is resumed until it lives to its end; how often it died."""
    bench, target, done = Bench(folder), make_target(folder), folder / "deaths"
    done.mkdir()
    died = 0
    while True:
        work = partial(bench.resume, RUN) if died else partial(bench.start, order_of(target, recording))
        ended = dies_at(work, deaths, done)
        if not os.WIFSIGNALED(ended):
            assert os.waitstatus_to_exitcode(ended) == 0, f"after {died} deaths it could not be resumed"
            return died
        assert os.WTERMSIG(ended) == signal.SIGKILL
        died += 1


def assert_same(folder: Path, expected: RunView, remote_branches: dict[str, str]) -> None:
    """Same end, same documents, nothing lost, nothing done twice, one push."""
    run = Bench(folder).workspace.find(RUN).path
    view = read_view(run)
    assert verify(run) == view.seq
    assert view.state is State.DONE and view.finished is not None and view.finished.outcome == "shipped"
    assert documents(view) == documents(expected)
    assert view.tree_sha256 == expected.tree_sha256 and view.verdict == expected.verdict
    assert view.frozen == expected.frozen and view.judged == expected.judged
    assert {n: q.answer_text for n, q in view.questions.items()} == {
        n: q.answer_text for n, q in expected.questions.items()
    }
    events = events_of(run)
    endings = Counter(
        event.dispatch
        for event in events
        if isinstance(event, e.DispatchFinished | e.DispatchFailed | e.SignalRaised) and event.dispatch
    )
    assert set(endings) == set(expected.dispatches) and set(endings.values()) == {1}
    asked = Counter(event.question for event in events if isinstance(event, e.QuestionAsked))
    assert set(asked.values()) == {1}
    assert sum(isinstance(event, e.Pushed) for event in events) == 1
    assert branches(folder / "tinymean.git") == remote_branches
    assert len(commits_on(folder / "tinymean.git", f"statsclaw/{RUN}")) == 2


def documents(view: RunView) -> dict[str, str]:
    return {name: artifact.sha256 for name, artifact in view.artifacts.items()}


# --- the walks -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def undisturbed(recorded: Path, tmp_path_factory: pytest.TempPathFactory):  # type: ignore[no-untyped-def]
    folder = tmp_path_factory.mktemp("undisturbed")
    bench = Bench(folder)
    view = bench.start(order_of(make_target(folder), recorded))
    assert view.state is State.DONE and view.pushed
    return view, marks_of(events_of(bench.workspace.find(RUN).path)), branches(folder / "tinymean.git")


SLICES = 12


def slow_but_for(kept: object, *values: object) -> list[object]:
    """One walk is among the fast tests, so that a break shows early; all of them are among the slow."""
    return [pytest.param(value, marks=[] if value == kept else [pytest.mark.slow]) for value in values]


@pytest.mark.parametrize("part", slow_but_for(0, *range(SLICES)))
def test_killed_at_any_boundary_a_run_ends_the_same(part, undisturbed, recorded, tmp_path):  # type: ignore[no-untyped-def]
    expected, marks, remote_branches = undisturbed
    assert len(marks) == expected.seq
    deaths = {(mark, written) for mark in marks[part::SLICES] for written in (False, True)}
    deaths.discard((marks[0], False))  # killed before the run had a first line: there is no run
    assert walk(tmp_path, recorded, deaths) == len(deaths)
    assert_same(tmp_path, expected, remote_branches)


#: With these the engine itself decides something about the work of a role.
DECIDING = (
    "comprehension_checked", "readings_compared", "contract_checked", "spec_frozen", "suite_checked", "criteria_judged",
    "review_computed",
)  # fmt: skip


@pytest.mark.parametrize("written", [False, True], ids=["before its line", "after its line"])
@pytest.mark.parametrize("kind", slow_but_for("criteria_judged", *DECIDING))
def test_killed_once_where_the_engine_decides_a_run_ends_the_same(kind, written, undisturbed, recorded, tmp_path):  # type: ignore[no-untyped-def]
    expected, marks, remote_branches = undisturbed
    mark = next(mark for mark in reversed(marks) if mark[0].startswith(f"['{kind}'"))
    assert walk(tmp_path, recorded, {(mark, written)}) == 1
    assert_same(tmp_path, expected, remote_branches)


@pytest.mark.slow
def test_a_work_that_was_handed_in_is_not_done_again(target, bench):  # type: ignore[no-untyped-def]
    """The engine dies after the builder has finished but before it is recorded: the builder is not run twice."""
    bench.barrier = "none"  # the tally lies outside the room
    tally = bench.folder / "tally"
    agent = bench.folder / "agent.sh"
    played = f"python3 {HERE / 'agent.py'} {HONEST}"
    agent.write_text(f'#!/bin/sh\necho "$STATSCLAW_ROLE-$STATSCLAW_ATTEMPT" >> {tally}\nexec {played}\n')
    agent.chmod(0o755)

    def work() -> None:
        append = RunLog.append

        def dying_append(log: RunLog, event: e.Event) -> chain.Record:
            if isinstance(event, e.DispatchFinished) and event.role == "builder":
                die()
            return append(log, event)

        RunLog.append = dying_append  # type: ignore[method-assign]
        bench.start(order_for(target, f"command:{agent}", run_id=RUN))

    assert os.WIFSIGNALED(in_child(work))
    assert read_view(bench.workspace.find(RUN).path).running
    view = bench.resume(RUN)
    assert view.state is State.DONE
    assert max(Counter(tally.read_text().split()).values()) == 1
