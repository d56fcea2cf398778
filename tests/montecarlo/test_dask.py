"""Studies on a Dask cluster: the same results as here, whatever becomes of its workers."""

from __future__ import annotations

import os
import re
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from statsclaw.errors import MachineRefused
from statsclaw.montecarlo.batch import Batch, Lost, Rows, Status, Task
from statsclaw.montecarlo.design import Study, StudyRefused
from statsclaw.montecarlo.executors import dask as dask_executor
from statsclaw.montecarlo.executors import dask_worker
from statsclaw.montecarlo.executors.dask import DaskExecutor, joined
from statsclaw.montecarlo.executors.local import LocalExecutor
from statsclaw.montecarlo.executors.parcel import parcel_of
from statsclaw.montecarlo.load import load_study
from statsclaw.montecarlo.streams import DATA, Stream, stream_key

pytest.importorskip("distributed", reason="Dask is not installed")
STUDY = """
import os, signal, time
import numpy as np
from helper import centre
from statsclaw.montecarlo.design import Estimate, Study

def dgp(cell, rng):
    return rng.normal(size=cell["n"])

def mean(data, cell, rng):
    time.sleep(0.02)
    return {"mu": Estimate(centre(data), rng.uniform())}

def fragile(data, cell):
    if data[0] > 1.2:
        os.kill(os.getpid(), signal.SIGSEGV)
    if data[0] < -1.2:
        raise ValueError("too small")
    return {"mu": float(np.median(data))}

def murderer(data, cell):
    if abs(data[0] - VICTIM) < 1e-12:
        os.kill(os.getppid(), signal.SIGKILL)
    return {"mu": 1.0}

VICTIM = 99.0
study = Study("d", {"n": [5, 9]}, {"mean": mean, "fragile": fragile, "murderer": murderer}, {"mu": 0.0}, 40, 5, dgp=dgp)
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "helper.py").write_text("def centre(x):\n    return x.mean()\n")
    (tmp_path / "study.py").write_text(STUDY)
    return tmp_path / "study.py"


Outcomes = list[Batch | Lost]


def outcomes(executor: Any, tasks: list[Task], during: Callable[[int], None] = lambda count: None) -> Outcomes:
    """What becomes of the tasks; a lost one is not tried again. `during` is told how many are complete."""
    found: Outcomes = []
    waiting, out, until = list(tasks), 0, time.monotonic() + 120
    while waiting or out:
        assert time.monotonic() < until, "the tasks do not end"
        while waiting and out < executor.capacity:
            executor.submit(waiting.pop(0))
            out += 1
        for outcome in executor.completed(0.5):
            found.append(outcome)
            out -= 1
            during(len(found))
    return sorted(found, key=lambda outcome: (outcome.task.cell, outcome.task.first))


def numbers(found: Outcomes) -> list[Any]:
    """Everything of the outcomes that must not depend on where they were computed."""
    return [
        (one.task, one.at, one.status, one.method)
        if isinstance(one, Lost)
        else (
            one.task,
            [
                (n, r.status.tobytes(), sorted((k, v.tobytes()) for k, v in r.columns.items()))
                for n, r in one.methods.items()
            ],
        )
        for one in found
    ]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """One that exists: made by somebody else."""
    import dask
    from distributed import LocalCluster

    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 1}),
        LocalCluster(n_workers=2, threads_per_worker=2, dashboard_address=None, silence_logs=50) as made,
    ):
        yield made


TASKS = [Task(cell, first, 5) for cell in (0, 1) for first in range(0, 20, 5)]


def test_the_results_are_those_of_local_workers_though_a_worker_is_killed(file: Path) -> None:
    study = load_study(file)
    local = LocalExecutor(study, 2)
    here = outcomes(local, TASKS)
    local.close()
    executor = DaskExecutor(study, workers=2)
    killed: list[int] = []

    def kill(count: int) -> None:
        if count == 2:
            killed.append(next(iter(executor._client.run(os.getpid).values())))
            os.kill(killed[0], signal.SIGKILL)

    there = outcomes(executor, TASKS, kill)
    executor.close()
    assert killed and numbers(there) == numbers(here)
    assert any(isinstance(one, Lost) and one.method == "fragile" for one in there)


def test_a_cluster_that_exists_is_used_and_left_as_it_was(file: Path, cluster: Any) -> None:
    study = load_study(file)
    executor = DaskExecutor(study, cluster.scheduler_address)
    assert executor.capacity == 4  # two processes, however many threads
    there = outcomes(executor, TASKS[:3])
    executor.close()
    again = DaskExecutor(study, cluster)
    assert numbers(outcomes(again, TASKS[:3])) == numbers(there)
    again.close()


@pytest.mark.slow
def test_a_replication_that_kills_dask_workers_is_found(file: Path, cluster: Any) -> None:
    victim = Stream(stream_key(5, {"n": 5}, DATA)).at(2).normal(size=5)[0]
    file.write_text(STUDY.replace("VICTIM = 99.0", f"VICTIM = {float(victim)!r}").replace("1.2", "99"))
    executor = DaskExecutor(load_study(file), cluster)
    found = outcomes(executor, [Task(0, 0, 4), Task(1, 0, 4)])
    executor.close()
    lost, fine = found
    assert isinstance(lost, Lost) and (lost.task, lost.at, lost.status) == (Task(0, 0, 4), 2, Status.DIED)
    assert isinstance(fine, Batch) and fine.methods["murderer"].status.tolist() == [0] * 4


def test_a_study_travels_with_its_files(file: Path, tmp_path: Path) -> None:
    parcel = parcel_of(load_study(file))
    assert {packed.place for packed in parcel.files} == {"study.py", "helper.py"}
    here = parcel.study(tmp_path / "unused")
    assert here.origin == file
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    moved = tmp_path / "gone"
    file.parent.joinpath("helper.py").rename(moved)
    there = parcel.study(scratch)
    assert (
        there.origin is not None
        and there.origin.is_relative_to(scratch)
        and there.methods.keys() == here.methods.keys()
    )


def test_a_program_travels_with_its_files(tmp_path: Path) -> None:
    home, scratch = tmp_path / "home", tmp_path / "scratch"
    for folder in (home / "bin", scratch):
        folder.mkdir(parents=True)
    (home / "bin" / "simulate").write_text("#!/bin/sh\n")
    (home / "bin" / "simulate").chmod(0o755)
    (tmp_path / "outside.csv").write_text("1")
    (home / "study.toml").write_text(
        'name = "x"\nreplications = 1\nseed = 0\nmethods = ["m"]\ntruth = {}\n'
        '[program]\ncommand = ["bin/simulate", "-v"]\nfiles = ["../outside.csv"]\n'
    )
    parcel = parcel_of(load_study(home / "study.toml"))
    shutil.rmtree(home)
    study = parcel.study(scratch)
    assert study.program is not None and study.origin is not None
    program = Path(study.program.argv[0])
    assert program.is_relative_to(scratch) and os.access(program, os.X_OK) and study.program.argv[1] == "-v"
    assert program.parent.parent == study.origin.parent
    assert [path.read_text() for path in study.program.files] == ["#!/bin/sh\n", "1"]


def test_functions_of_this_session_travel_too(cluster: Any) -> None:
    shift = 10.0
    study = Study(
        "s", {}, {"m": lambda data, cell: {"mu": data + shift}}, {"mu": 0.0}, 4, 1, dgp=lambda cell, rng: rng.normal()
    )
    executor = DaskExecutor(study, cluster)
    (batch,) = outcomes(executor, [Task(0, 0, 4)])
    executor.close()
    assert isinstance(batch, Batch) and (abs(batch.methods["m"].columns["mu.estimate"] - 10) < 6).all()


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="Rscript is not installed")
def test_r_runs_there(tmp_path: Path, cluster: Any) -> None:
    (tmp_path / "study.R").write_text(
        "dgp <- function(cell) rnorm(3)\nmethods <- list(m = function(data, cell) list(mu = mean(data)))\n"
    )
    (tmp_path / "study.toml").write_text(
        'name = "x"\nreplications = 4\nseed = 0\nmethods = ["m"]\ntruth = {mu = 0}\n[program]\nr = "study.R"\n'
    )
    study = load_study(tmp_path / "study.toml")
    local = LocalExecutor(study, 1)
    executor = DaskExecutor(study, cluster)
    tasks = [Task(0, 0, 2), Task(0, 2, 2)]
    assert numbers(outcomes(executor, tasks)) == numbers(outcomes(local, tasks))
    executor.close()
    local.close()


def test_other_versions_are_refused(file: Path, cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_worker, "versions", lambda: {"python": "2.7", "numpy": "1"})
    executor = DaskExecutor(load_study(file), cluster)
    executor.submit(Task(0, 0, 1))
    with pytest.raises(StudyRefused, match=r"instead of 2\.7, numpy .* instead of 1"):
        list(executor.completed(30))
    executor.close()


def test_a_study_that_cannot_be_loaded_there_is_one_line(tmp_path: Path, cluster: Any) -> None:
    (tmp_path / "study.R").write_text("dgp <- function(")
    (tmp_path / "study.toml").write_text(
        'name = "x"\nreplications = 4\nseed = 0\nmethods = ["m"]\ntruth = {mu = 0}\n[program]\nr = "study.R"\n'
    )
    executor = DaskExecutor(load_study(tmp_path / "study.toml"), cluster)
    executor.submit(Task(0, 0, 1))
    with pytest.raises(StudyRefused) as refused:
        list(executor.completed(30))
    executor.close()
    assert "\n" not in str(refused.value)


def test_no_scheduler_and_no_dask_are_one_line(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_executor, "_START_S", 0.5)
    for address in ("tcp://127.0.0.1:9", "nonsense://x", "a b"):
        with pytest.raises(MachineRefused, match="no Dask scheduler answers"):
            DaskExecutor(load_study(file), address)
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    with pytest.raises(MachineRefused) as refused:
        DaskExecutor(load_study(file))
    assert "statsclaw[dask]" in refused.value.line()


def test_parts_are_joined_in_their_order() -> None:
    def part(first: int, columns: dict[str, list[float]], problems: dict[int, str]) -> Batch:
        arrays = {name: np.array(values) for name, values in columns.items()}
        rows = Rows(np.array([0, 1], np.uint8), np.array([1.0, 2.0]), arrays, np.array([0, 3], np.uint16), problems)
        return Batch(Task(0, first, 2), {"m": rows}, ("said",), 1.5)

    whole = joined(Task(0, 4, 4), [part(6, {"b": [3, np.nan]}, {1: "y"}), part(4, {"a": [1, np.nan]}, {1: "x"})])
    rows = whole.methods["m"]
    assert whole.remarks == ("said",) and whole.elapsed == 3.0 and rows.problems == {1: "x", 3: "y"}
    np.testing.assert_array_equal(rows.columns["a"], [1, np.nan, np.nan, np.nan])
    np.testing.assert_array_equal(rows.columns["b"], [np.nan, np.nan, 3, np.nan])
    assert rows.status.tolist() == [0, 1, 0, 1] and rows.warnings.tolist() == [0, 3, 0, 3]


def test_the_documented_clusters_can_be_asked_for() -> None:
    jobqueue = pytest.importorskip("dask_jobqueue", reason="dask-jobqueue is not installed")
    text = (Path(__file__).parents[2] / "docs" / "how-to" / "run-a-study-on-a-cluster.md").read_text(encoding="utf-8")
    for kind, submits in (("SLURMCluster", "#SBATCH -n 1"), ("PBSCluster", "#PBS -l select=1:ncpus=10:mem=40gb")):
        call = re.search(rf"{kind}\(\n.*?\n *\)\n", text, flags=re.DOTALL)
        assert call is not None
        with eval(call[0].strip(), {kind: getattr(jobqueue, kind)}) as cluster:
            script = cluster.job_script()
            assert submits in script and "--nworkers 10" in script and "module load R" in script
            assert callable(cluster.wait_for_workers) and cluster.scheduler_address
