"""Kill -9 at every event boundary, before and after the line is written: a resumed run ends like an undisturbed one."""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from statsclaw.runlog import chain
from statsclaw.runlog import events as e
from statsclaw.runlog.log import RunLog, read_view
from statsclaw.states import State
from tests.support.runs import Bench, branches, commits_on, make_target, order_for

RUN = "walk-0001"


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def in_child(work: Callable[[], None]) -> int:
    """Run `work` in a forked process and return how that process ended."""
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os._exit(0)
    return os.waitpid(child, 0)[1]


def start_and_die(bench: Bench, target: Path, recording: Path, at: int, *, written: bool) -> int:
    order = order_for(target, "replay", recording=recording, run_id=RUN)

    def work() -> None:
        write = RunLog._write

        def dying_write(log: RunLog, line: bytes, seq: int, digest: str) -> None:
            if not written and log.last_seq + 1 == at:
                die()
            write(log, line, seq, digest)
            if written and log.last_seq + 1 == at:
                die()

        RunLog._write = dying_write  # type: ignore[method-assign]
        bench.start(order)

    return in_child(work)


@pytest.fixture(scope="module")
def undisturbed(recorded: Path, tmp_path_factory: pytest.TempPathFactory):  # type: ignore[no-untyped-def]
    folder = tmp_path_factory.mktemp("undisturbed")
    bench = Bench(folder)
    view = bench.start(order_for(make_target(folder), "replay", recording=recorded, run_id=RUN))
    assert view.state is State.DONE and view.pushed
    return view, branches(folder / "tinymean.git")


def events_of(bench: Bench) -> list[chain.Record]:
    return list(chain.read(bench.workspace.find(RUN).path / "events.jsonl").records)


# The walk is cut into slices so that a test runner can spread it over cores; together they cover every line.
SLICES = 12


@pytest.mark.parametrize("part", range(SLICES))
def test_killed_at_any_boundary_a_run_ends_the_same(part, undisturbed, recorded, tmp_path):  # type: ignore[no-untyped-def]
    expected, remote_branches = undisturbed
    walked = 0
    for at in range(1 + part, expected.seq + 1, SLICES):
        for written in (False, True):
            folder = tmp_path / f"{at}-{written}"
            folder.mkdir()
            bench, target = Bench(folder), make_target(folder)
            ended = start_and_die(bench, target, recorded, at, written=written)
            assert os.WIFSIGNALED(ended) and os.WTERMSIG(ended) == signal.SIGKILL
            walked += 1
            if at == 1 and not written:
                continue  # killed before the run had a first line: there is no run
            view = bench.resume(RUN)
            assert view.state is State.DONE and view.finished is not None and view.finished.outcome == "shipped"
            assert {n: a.sha256 for n, a in view.artifacts.items()} == {
                n: a.sha256 for n, a in expected.artifacts.items()
            }, f"killed at line {at}"
            assert view.tree_sha256 == expected.tree_sha256
            records = events_of(bench)
            endings = Counter(
                r.event.dispatch
                for r in records
                if isinstance(r.event, e.DispatchFinished | e.DispatchFailed | e.SignalRaised) and r.event.dispatch
            )
            assert set(endings) == set(expected.dispatches) and set(endings.values()) == {1}
            assert sum(isinstance(r.event, e.Pushed) for r in records) == 1
            assert branches(folder / "tinymean.git") == remote_branches
            assert len(commits_on(folder / "tinymean.git", f"statsclaw/{RUN}")) == 2
    assert walked > 0


def test_a_work_that_was_handed_in_is_not_done_again(target, bench):  # type: ignore[no-untyped-def]
    """The engine dies after the builder has finished but before it is recorded: the builder is not run twice."""
    bench.barrier = "none"  # the tally lies outside the room
    tally = bench.folder / "tally"
    agent = bench.folder / "agent.sh"
    support = Path(__file__).parent.parent / "support" / "agent.py"
    agent.write_text(f'#!/bin/sh\necho "$STATSCLAW_ROLE-$STATSCLAW_ATTEMPT" >> {tally}\nexec python3 {support}\n')
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
