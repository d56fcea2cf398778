"""Worker processes: what dies, hangs or prints costs the replication it was in, and nothing else."""

from __future__ import annotations

import os
import signal
import textwrap
import time
from pathlib import Path

import pytest

from statsclaw.errors import MachineRefused
from statsclaw.montecarlo import Study, StudyRefused, load_study
from statsclaw.montecarlo.batch import Batch, Lost, Status, Task
from statsclaw.montecarlo.executors.local import LocalExecutor
from statsclaw.montecarlo.executors.starting import Starter

HEAD = """
import ctypes, os, signal, sys, time
import numpy as np
from statsclaw.montecarlo import Estimate, Study
def dgp(cell, rng):
    return rng.normal(size=4)
def fine(data, cell):
    return {"mu": Estimate(data.mean())}
"""
TAIL = """
study = Study(name="s", grid={"n": [1]}, methods=METHODS, truth={"mu": 0.0}, replications=100, seed=1, dgp=dgp,
              timeout=TIMEOUT)
"""


def made(folder: Path, body: str, methods: str = '{"bad": bad, "fine": fine}', timeout: float | None = None) -> Study:
    path = folder / "study.py"
    options = f"METHODS = {methods}\nTIMEOUT = {timeout}\n"
    path.write_text(HEAD + textwrap.dedent(body) + "\n" + options + TAIL)
    return load_study(path)


def outcomes(study: Study, tasks: list[Task], workers: int = 1) -> list[Batch | Lost]:
    executor = LocalExecutor(study, workers)
    found: list[Batch | Lost] = []
    try:
        for task in tasks:
            executor.submit(task)
        until = time.monotonic() + 60
        while len(found) < len(tasks) and time.monotonic() < until:
            found += executor.completed(0.5)
    finally:
        executor.close()
    return found


DEATHS = {
    "os._exit(3)": "ended itself with code 3",
    "ctypes.string_at(0)": "killed by SIGSEGV, a segmentation fault",
    "os.kill(os.getpid(), signal.SIGKILL)": "perhaps out of memory",
    "os.abort()": "SIGABRT",
}


@pytest.mark.parametrize(("act", "said"), DEATHS.items())
def test_a_worker_that_dies_is_lost_in_exactly_that_replication_and_method(tmp_path: Path, act: str, said: str) -> None:
    body = f"""
    N = [0]
    def bad(data, cell):
        N[0] += 1
        if N[0] == 4:
            {act}
        return {{"mu": 1.0}}
    """
    lost, rest = outcomes(made(tmp_path, body), [Task(0, 10, 6), Task(0, 16, 3)])
    assert isinstance(lost, Lost) and (lost.at, lost.method, lost.status) == (13, "bad", Status.DIED)
    assert said in lost.reason
    assert isinstance(rest, Batch) and rest.task == Task(0, 16, 3)


def test_a_segmentation_fault_comes_with_the_place_in_the_study(tmp_path: Path) -> None:
    (lost,) = outcomes(made(tmp_path, "def bad(data, cell): ctypes.string_at(0)"), [Task(0, 0, 1)])
    assert isinstance(lost, Lost) and "study.py" in lost.reason and "bad" in lost.reason


def test_data_that_kill_the_worker_are_no_methods_fault(tmp_path: Path) -> None:
    (lost,) = outcomes(made(tmp_path, "def dgp(cell, rng): os._exit(1)", '{"fine": fine}'), [Task(0, 5, 2)])
    assert isinstance(lost, Lost) and lost.method is None and lost.at == 5


def test_a_method_stuck_outside_python_is_killed_and_timed_out(tmp_path: Path) -> None:
    body = """
    def bad(data, cell):
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
        ctypes.CDLL(None).sleep(100)
    """
    (lost,) = outcomes(made(tmp_path, body, timeout=0.1), [Task(0, 0, 3)])
    assert isinstance(lost, Lost) and (lost.at, lost.method, lost.status) == (0, "bad", Status.TIMEOUT)


def test_a_slow_task_of_quick_replications_is_not_taken_for_stuck(tmp_path: Path) -> None:
    body = "def bad(data, cell): time.sleep(0.01); return 1.0"
    (batch,) = outcomes(made(tmp_path, body, timeout=0.05), [Task(0, 0, 300)])
    assert isinstance(batch, Batch) and not batch.methods["bad"].status.any()


@pytest.mark.parametrize("is_forked", [False, True])
def test_what_methods_print_goes_nowhere(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, is_forked: bool
) -> None:
    if is_forked:
        monkeypatch.setattr("statsclaw.montecarlo.executors.starting.recipe_for", lambda study: None)
    body = """
    def bad(data, cell):
        print("x" * 100_000)
        os.write(1, b"y" * 100_000)
        os.write(2, b"z" * 100_000)
        sys.stderr.write("e" * 100_000)
        return 1.0
    """
    (batch,) = outcomes(made(tmp_path, body), [Task(0, 0, 50)])
    assert isinstance(batch, Batch) and not batch.methods["bad"].status.any()
    assert capfd.readouterr() == ("", "")


def test_reading_standard_input_does_not_wait(tmp_path: Path) -> None:
    (batch,) = outcomes(made(tmp_path, "def bad(data, cell): return float(len(sys.stdin.read()))"), [Task(0, 0, 2)])
    assert isinstance(batch, Batch) and not batch.methods["bad"].status.any()


def test_workers_have_one_thread_and_one_order_of_sets(tmp_path: Path) -> None:
    body = """
    def bad(data, cell):
        return {"threads": float(os.environ["OPENBLAS_NUM_THREADS"]), "hash": float(hash("a") % 1000)}
    """
    study = made(tmp_path, body)
    one, other = (outcomes(study, [Task(0, 0, 1)])[0] for _ in range(2))
    assert isinstance(one, Batch) and isinstance(other, Batch)
    assert one.methods["bad"].columns["threads"].tolist() == [1.0]
    assert one.methods["bad"].columns["hash"].tolist() == other.methods["bad"].columns["hash"].tolist()


def test_a_study_that_loads_here_and_not_in_a_worker_is_refused(tmp_path: Path) -> None:
    study = made(tmp_path, "bad = fine")
    (tmp_path / "study.py").write_text("1 / 0")
    with pytest.raises(StudyRefused, match="ZeroDivisionError"):
        outcomes(study, [Task(0, 0, 1)])


def test_a_worker_that_cannot_start_is_said_once_and_not_tried_for_ever(tmp_path: Path) -> None:
    study = made(tmp_path, "bad = fine")
    (tmp_path / "study.py").write_text("import os; os._exit(9)")
    with pytest.raises(MachineRefused, match="while it started"):
        outcomes(study, [Task(0, 0, 1)])


def test_a_worker_killed_from_outside_is_replaced(tmp_path: Path) -> None:
    study = made(tmp_path, "def bad(data, cell): time.sleep(0.02); return 1.0")
    executor = LocalExecutor(study, 1)
    try:
        executor.submit(Task(0, 0, 100))
        while executor._workers[0].place[1] < 3:
            list(executor.completed(0.05))
        os.kill(executor._workers[0].started.process.pid, signal.SIGKILL)
        lost: list[Batch | Lost] = []
        while not lost:
            lost += executor.completed(1.0)
        assert isinstance(lost[0], Lost) and 3 <= lost[0].at < 100
        executor.submit(Task(0, 0, 2))
        found: list[Batch | Lost] = []
        while not found:
            found += executor.completed(1.0)
        assert isinstance(found[0], Batch)
    finally:
        executor.close(at_once=True)


def test_studies_of_this_session_reach_workers_pickled_or_by_fork(monkeypatch: pytest.MonkeyPatch) -> None:
    shift = 5.0
    study = Study(
        "s", {}, {"m": lambda data, cell: {"mu": data + shift}}, {"mu": 0.0}, 10, 1, dgp=lambda cell, rng: rng.random()
    )
    sent = outcomes(study, [Task(0, 0, 4)])[0]
    assert Starter.of(study).recipe is not None
    monkeypatch.setattr("statsclaw.montecarlo.executors.starting.recipe_for", lambda study: None)
    forked = outcomes(study, [Task(0, 0, 4)])[0]
    assert isinstance(sent, Batch) and isinstance(forked, Batch)
    values = sent.methods["m"].columns["mu.estimate"]
    assert values.tobytes() == forked.methods["m"].columns["mu.estimate"].tobytes() and (values > 5).all()


def test_a_forked_worker_that_dies_is_lost_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("statsclaw.montecarlo.executors.starting.recipe_for", lambda study: None)
    study = Study("s", {}, {"m": lambda data, cell: os._exit(4)}, {}, 10, 1, dgp=lambda cell, rng: rng.random())
    (lost,) = outcomes(study, [Task(0, 2, 4)])
    assert isinstance(lost, Lost) and lost.at == 2 and "code 4" in lost.reason


def test_workers_end_with_the_executor(tmp_path: Path) -> None:
    executor = LocalExecutor(made(tmp_path, "def bad(data, cell): time.sleep(60)"), 2)
    pids = [each.started.process.pid for each in executor._workers]
    executor.submit(Task(0, 0, 5))
    list(executor.completed(0.5))
    executor.close(at_once=True)
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_a_worker_killed_while_it_starts_is_replaced(tmp_path: Path) -> None:
    executor = LocalExecutor(made(tmp_path, "bad = fine"), 1)
    try:
        os.kill(executor._workers[0].started.process.pid, signal.SIGKILL)
        executor.submit(Task(0, 0, 3))
        found: list[Batch | Lost] = []
        while not found:
            found += executor.completed(1.0)
        assert isinstance(found[0], Batch)
    finally:
        executor.close(at_once=True)


def test_a_worker_without_work_is_not_taken_for_stuck(tmp_path: Path) -> None:
    executor = LocalExecutor(made(tmp_path, "bad = fine", timeout=0.05), 1)
    try:
        executor.submit(Task(0, 0, 3))
        found: list[Batch | Lost] = []
        while not found:
            found += executor.completed(1.0)
        first = executor._workers[0]
        assert not list(executor.completed(2.5))
        assert executor._workers == [first]
    finally:
        executor.close(at_once=True)
