"""A study from start to end: the same results whatever happens on the way."""

from __future__ import annotations

import hashlib
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from statsclaw.errors import InputRefused, RunLocked
from statsclaw.montecarlo import Criterion, Estimate, Store, Study, StudyRefused, load_study, run
from statsclaw.montecarlo.batch import Batch, Lost, Rows, Status, Task
from statsclaw.montecarlo.events import BatchStored, Ended, Event, Extended, Remarked, Started, WorkerLost, as_json
from statsclaw.montecarlo.progress import Tally, duration, one_line
from statsclaw.montecarlo.schedule import Schedule

STUDY = """
import os, time
import numpy as np
from statsclaw.montecarlo import Estimate, Study
def dgp(cell, rng):
    return rng.normal(size=cell["n"])
def mean(x, cell):
    return {"mu": Estimate(x.mean(), x.std())}
def shaken(x, cell, rng):
    if x[0] > 1.5:
        raise ValueError("too large")
    time.sleep(SLEEP)
    return {"mu": Estimate(float(np.median(x)) + rng.normal()), "extra": rng.random()}
def careless(x, cell):
    x.sort()
    return {"mu": x[0] + np.random.normal()}
study = Study(name="s", grid={"n": [5, 20]}, methods={"mean": mean, "shaken": shaken, "careless": careless},
              truth={"mu": 0.0}, replications=150, seed=7, dgp=dgp)
"""


def write(folder: Path, sleep: float = 0.0, text: str = STUDY) -> Path:
    path = folder / "study.py"
    path.write_text(text.replace("SLEEP", str(sleep)))
    return path


def digest(store: Store, count: int) -> str:
    """Of everything but the time."""
    found = hashlib.sha256()
    for cell in range(2):
        assert store.completed(cell) == count
        for method in store.methods:
            found.update(store.statuses(cell, method).tobytes() + store.warnings(cell, method).tobytes())
            table = store.table(cell, method)
            for name in sorted(set(table.columns) - {"seconds"}):
                found.update(name.encode() + table.columns[name].tobytes())
            found.update(repr([(p.replication, p.status, p.text) for p in store.problems(cell, method)]).encode())
    return found.hexdigest()


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("reference")
    path = write(folder)
    return path, digest(run(load_study(path), workers=1, folder=folder / "one"), 150)


@pytest.mark.parametrize("workers", [0, 2, 5])
def test_results_are_the_same_for_any_number_of_workers(
    reference: tuple[Path, str], tmp_path: Path, workers: int
) -> None:
    store = run(load_study(reference[0]), workers=workers, folder=tmp_path)
    assert digest(store, 150) == reference[1]
    assert sum(store.statuses(0, "shaken") == Status.EXCEPTION) > 3


def test_results_are_the_same_when_replications_are_added_later(reference: tuple[Path, str], tmp_path: Path) -> None:
    study = load_study(reference[0])
    events: list[Event] = []
    for count in (1, 40, 150):
        store = run(study, workers=2, folder=tmp_path, replications=count, on_event=events.append)
    assert digest(store, 150) == reference[1]
    assert sum(event.count for event in events if isinstance(event, BatchStored)) == 300
    again: list[Event] = []
    run(study, workers=2, folder=tmp_path, on_event=again.append)
    assert [event.kind for event in again] == ["started", "ended"]


class Shuffled:
    """An executor that computes here, gives back in any order, and loses tasks like a dying worker."""

    capacity = 7

    def __init__(self, study: Study, seed: int) -> None:
        from statsclaw.montecarlo.python.runner import PythonRunner

        self._runner, self._rng, self._tasks = PythonRunner(study), random.Random(seed), list[Task]()
        self.lost: set[tuple[int, int]] = set()

    def submit(self, task: Task) -> None:
        self._tasks.append(task)

    def completed(self, timeout: float) -> Iterator[Batch | Lost]:
        task = self._tasks.pop(self._rng.randrange(len(self._tasks)))
        at = task.first + self._rng.randrange(task.count)
        if self._rng.random() < 0.2 and not task.without:
            self.lost.add((task.cell, at))
            yield Lost(task, at, Status.DIED, "gone", "shaken")
        else:
            yield self._runner.run(task, lambda replication: None)

    def close(self, *, at_once: bool = False) -> None:
        raise AssertionError("who made an executor closes it")


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_order_does_not_count_and_a_death_costs_one_replication_of_one_method(
    reference: tuple[Path, str], tmp_path: Path, seed: int
) -> None:
    study = load_study(reference[0])
    executor = Shuffled(study, seed)
    store = run(study, folder=tmp_path, executor=executor)
    whole = Store.open(reference[0].parent / "one")
    assert executor.lost
    for cell in range(2):
        assert store.completed(cell) == 150
        for method in store.methods:
            died = {at for place, at in executor.lost if place == cell} if method == "shaken" else set()
            status = store.statuses(cell, method)
            assert set(np.flatnonzero(status == Status.DIED).tolist()) == died
            kept = np.array([replication not in died for replication in range(150)])
            assert status[kept].tolist() == whole.statuses(cell, method)[kept].tolist()
            mine, theirs = (each.table(cell, method).columns["mu.estimate"][kept] for each in (store, whole))
            assert mine.tobytes() == theirs.tobytes()


def test_every_method_may_die_in_one_replication(tmp_path: Path) -> None:
    path = tmp_path / "study.py"
    path.write_text(
        "import os\nfrom statsclaw.montecarlo import Study\n"
        "def dgp(cell, rng): return rng.random()\n"
        "def one(x, cell):\n    if 0.4 < x < 0.6: os._exit(1)\n    return {'mu': x}\n"
        "def two(x, cell):\n    if 0.5 < x < 0.7: os._exit(2)\n    return {'mu': x}\n"
        "study = Study('s', {}, {'one': one, 'two': two}, {'mu': 0.5}, 12, 11, dgp=dgp)\n"
    )
    events: list[Event] = []
    study = load_study(path)
    store = run(study, workers=2, on_event=events.append)
    from statsclaw.montecarlo.streams import DATA, Stream, stream_key

    drawn = [Stream(stream_key(11, {}, DATA)).at(replication).random() for replication in range(12)]
    for method, (low, high) in {"one": (0.4, 0.6), "two": (0.5, 0.7)}.items():
        died = [low < x < high for x in drawn]
        assert (store.statuses(0, method) == Status.DIED).tolist() == died and any(died)
        fine = store.table(0, method).usable("mu.estimate").tolist()
        assert fine == [x for x, gone in zip(drawn, died, strict=True) if not gone]
    assert {event.method for event in events if isinstance(event, WorkerLost)} == {"one", "two"}
    assert "code 2" in store.problems(0, "two")[0].text


def start(path: Path, *options: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "statsclaw", "mc", "run", str(path), "--workers", "2", *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def wait_for_chunks(folder: Path, count: int, process: subprocess.Popen[str]) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until and process.poll() is None:
        if len(list(folder.glob("chunks/*.parquet"))) >= count:
            return
        time.sleep(0.01)
    raise AssertionError(f"no results: {process.stdout.read() if process.stdout else ''}")


def test_a_killed_run_goes_on_and_ends_the_same(reference: tuple[Path, str], tmp_path: Path) -> None:
    path = write(tmp_path, 0.004)
    results = tmp_path / "study.results"
    for count in (2, 4):
        process = start(path)
        wait_for_chunks(results, count, process)
        process.kill()
        process.wait()
    held = sum(Store.open(results).stored(cell) for cell in range(2))
    assert 0 < held < 300
    events: list[Event] = []
    store = run(load_study(path), workers=2, on_event=events.append)
    assert sum(event.count for event in events if isinstance(event, BatchStored)) == 300 - held
    quick = Store.open(reference[0].parent / "one")
    for cell in range(2):
        for method in store.methods:
            mine, theirs = (each.table(cell, method) for each in (store, quick))
            assert mine.failed.tolist() == theirs.failed.tolist()
            for name in ("mu.estimate",):
                assert mine.columns[name].tobytes() == theirs.columns[name].tobytes()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_stops_cleanly_and_says_how_to_go_on(tmp_path: Path, number: int) -> None:
    path = write(tmp_path, 0.02)
    process = start(path)
    wait_for_chunks(tmp_path / "study.results", 2, process)
    process.send_signal(number)
    said, _ = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "stopped at" in said and "Go on with: statsclaw mc run" in said
    assert "Traceback" not in said and "statsclaw resume" not in said
    held = Store.open(tmp_path / "study.results")
    assert held.stored(0) > 0 and not held.notes


def test_two_runs_of_one_study_refuse_each_other(tmp_path: Path) -> None:
    path = write(tmp_path, 0.05)
    process = start(path)
    try:
        wait_for_chunks(tmp_path / "study.results", 1, process)
        with pytest.raises(RunLocked, match=f"process {process.pid}"):
            run(load_study(path))
    finally:
        process.kill()
        process.wait()


def test_workers_end_when_the_run_is_killed(tmp_path: Path) -> None:
    path = write(tmp_path, 0.05)
    process = start(path)
    wait_for_chunks(tmp_path / "study.results", 1, process)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    assert len(children) == 2
    process.kill()
    process.wait()
    until = time.monotonic() + 10
    while time.monotonic() < until and any(_lives(int(pid)) for pid in children):
        time.sleep(0.01)
    assert not any(_lives(int(pid)) for pid in children)


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_changed_study_is_refused_with_one_line_or_kept_apart(tmp_path: Path) -> None:
    path = write(tmp_path)
    run(load_study(path), workers=0, replications=3)
    path.write_text(path.read_text().replace("x.mean()", "x.mean() * 2"))
    with pytest.raises(InputRefused, match=r"code: study\.py"):
        run(load_study(path), workers=0, replications=3)
    apart = run(load_study(path), workers=0, replications=3, apart=True)
    assert apart.folder.parent == tmp_path / "study.results"
    old = Store.open(tmp_path / "study.results").table(0, "mean").columns["mu.estimate"]
    assert (apart.table(0, "mean").columns["mu.estimate"] == 2 * old).all()


def simple(**change: Any) -> Study:
    methods = {"m": lambda x, cell: {"mu": Estimate(x, 1.0)}}
    study = Study("in memory", {}, methods, {"mu": 0.0}, 20, 1, dgp=lambda cell, rng: rng.normal())
    return replace(study, **change)


def test_a_sequential_run_asks_for_more_until_it_is_decided(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def undecided(study: Study, results: Any) -> dict[int, int]:
        asked.append(results.completed(0))
        return {0: 30} if results.completed(0) < 100 else {}

    monkeypatch.setattr("statsclaw.montecarlo.verdicts.judge.undecided_cells", undecided)
    events: list[Event] = []
    store = run(simple(cap=70), workers=0, folder=tmp_path, sequential=True, on_event=events.append)
    assert asked == [20, 50, 70] and store.completed(0) == 70
    assert [event.cells for event in events if isinstance(event, Extended)] == [{0: 30}, {0: 20}]
    run(simple(cap=200), workers=0, folder=tmp_path, sequential=True)
    assert asked[3:] == [70, 100] and Store.open(tmp_path).completed(0) == 100


def test_a_sequential_run_decides_a_real_criterion(tmp_path: Path) -> None:
    criteria = [Criterion("bias", "bias", "m", "mu", low=-0.25, high=0.25)]
    store = run(simple(cap=5000, criteria=criteria), workers=0, folder=tmp_path, sequential=True)
    assert 20 < store.completed(0) <= 5000


def test_a_study_of_this_session_is_kept_under_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(simple(), workers=1).folder == Path("in-memory.results")
    assert run(simple(), workers=1).completed(0) == 20


def test_a_script_may_run_its_study_without_ceremony(tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    path.write_text(
        STUDY.replace("SLEEP", "0") + "from statsclaw.montecarlo import run\nprint(run(study).completed(1))\n"
    )
    done = subprocess.run([sys.executable, str(path)], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("150\n", "")


@pytest.mark.parametrize("cells", [200, pytest.param(2000, marks=pytest.mark.slow)])
def test_a_large_grid(tmp_path: Path, cells: int) -> None:
    study = simple(grid={"a": range(cells // 50), "b": range(50)}, replications=2)
    store = run(study, workers=0, folder=tmp_path)
    assert all(store.completed(cell) == 2 for cell in range(cells))


def test_methods_without_any_quantity_and_without_success(tmp_path: Path) -> None:
    def fails(data: Any, cell: Any) -> Any:
        raise ValueError

    store = run(simple(methods={"none": lambda x, c: {}, "fails": fails}), workers=0, folder=tmp_path)
    assert store.columns("none") == () and store.columns("fails") == ()
    assert not store.table(0, "none").failed.any() and store.table(0, "fails").failed.all()
    assert np.isnan(store.table(0, "fails", ["mu.estimate"]).columns["mu.estimate"]).all()


def test_one_replication_and_absurd_numbers_of_workers(tmp_path: Path) -> None:
    assert run(simple(replications=1), workers=2, folder=tmp_path).completed(0) == 1
    with pytest.raises(StudyRefused, match="workers"):
        run(simple(), workers=-1, folder=tmp_path)
    with pytest.raises(StudyRefused, match="replications"):
        run(simple(), replications=0, folder=tmp_path)


def test_remarks_are_told_once(tmp_path: Path) -> None:
    events: list[Event] = []
    run(simple(dgp=lambda cell, rng: 1.0, replications=500), workers=2, folder=tmp_path, on_event=events.append)
    assert len([event for event in events if isinstance(event, Remarked)]) == 1


def test_events_are_json_lines() -> None:
    for event in (
        Started("s", "f", ("n=1",), ("m",), (5,), (0,)),
        BatchStored(0, 0, 5, 0.1, {"m": 1}, 0),
        WorkerLost(0, 3, None, "DIED", "gone\nfar"),
        Extended({0: 5}),
        Ended(False, 5, 0.1),
    ):
        text = as_json(event)
        assert "\n" not in text and f'"kind": "{event.kind}"' in text


def batch_of(task: Task, each_s: float) -> Batch:
    nothing = Rows(np.zeros(task.count, np.uint8), np.zeros(task.count), {}, np.zeros(task.count, np.uint16))
    return Batch(task, {"m": nothing}, (), each_s * task.count)


def test_tasks_start_small_grow_and_end_small() -> None:
    schedule = Schedule(4)
    schedule.add(0, [(0, 10_000)])
    sizes, out = [], [schedule.next_task() for _ in range(4)]
    covered: list[int] = []
    while out:
        task = out.pop(0)
        assert task is not None
        covered += range(task.first, task.first + task.count)
        sizes.append(task.count)
        schedule.learn(batch_of(task, 0.001))
        if (following := schedule.next_task()) is not None:
            out.append(following)
    assert sorted(covered) == list(range(10_000))
    assert sizes[:4] == [1] * 4 and max(sizes) in range(200, 500) and sizes[-1] <= 60


def test_slow_replications_are_tasks_of_their_own_and_what_was_lost_comes_first() -> None:
    schedule = Schedule(2)
    schedule.add(1, [(0, 5)])
    task = schedule.next_task()
    assert task == Task(1, 0, 1)
    schedule.learn(batch_of(task, 10.0))
    schedule.put_back(Task(1, 0, 1, ("m",)))
    assert [schedule.next_task() for _ in range(3)] == [Task(1, 0, 1, ("m",)), Task(1, 1, 1), Task(1, 2, 1)]


def test_where_a_run_stands() -> None:
    now = [0.0]
    tally = Tally(lambda: now[0])
    tally.take(Started("s", "f", ("n=1", "n=2"), ("m",), (100, 100), (50, 0)))
    assert tally.eta() is None and tally.done == 50 and tally.planned == 200
    now[0] = 5.0
    tally.take(BatchStored(0, 50, 25, 5.0, {"m": 3}, 0))  # 0.2 s each, one at a time
    assert tally.per_second == 5.0 and tally.failures == 3
    assert tally.eta([tally.cells[0]]) == pytest.approx(5.0) and tally.eta() == pytest.approx(25.0)
    assert one_line(tally) == "75 of 200 replications (38 %), 3 failures, 5 replications/s, 25 s left"
    assert [duration(s) for s in (None, 3.2, 75, 7300)] == ["–", "3 s", "1 min 15 s", "2 h 01 min"]


@pytest.mark.slow
def test_kill_after_kill_at_any_moment_loses_nothing_and_changes_nothing(
    reference: tuple[Path, str], tmp_path: Path
) -> None:
    path = write(tmp_path, 0.004)
    results = tmp_path / "study.results"
    rng = random.Random(5)
    before = 0
    for _ in range(25):
        process = start(path)
        time.sleep(rng.uniform(0.5, 2.5))
        process.kill()
        process.wait()
        if (results / "study.json").exists():
            held = sum(Store.open(results).stored(cell) for cell in range(2))
            assert held >= before
            before = held
    store = run(load_study(path), workers=2)
    quick = Store.open(reference[0].parent / "one")
    for cell in range(2):
        assert store.completed(cell) == 150
        for method in store.methods:
            mine, theirs = (each.table(cell, method).columns["mu.estimate"] for each in (store, quick))
            assert mine.tobytes() == theirs.tobytes()
