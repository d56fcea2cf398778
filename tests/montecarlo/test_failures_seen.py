"""What fails is seen at once, and what was killed from outside is computed again."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from statsclaw.montecarlo import Store, load_study, replay, run
from statsclaw.montecarlo.batch import Status
from tests.montecarlo.test_mc_commands import mc

TEXT = """
import os, pathlib, signal, warnings
from statsclaw.montecarlo import Estimate, Study
HERE = pathlib.Path(__file__).parent
def dgp(cell, rng): return rng.normal(size=cell["n"])
def one(x, cell):
    return {"mu": x[0]}
def two(x, cell):
    BODY
    return {"mu": Estimate(x.mean(), 1.0)}
study = Study(name="s", grid={"n": [5, 10]}, methods={"one": one, "two": two}, truth={"TRUTH": 0.0}, replications=30,
              seed=7, dgp=dgp)
"""
SMALL = ("--workers", "1", "--quiet")


def study(folder: Path, body: str, truth: str = "mu") -> Path:
    path = folder / "study.py"
    path.write_text(TEXT.replace("BODY", body).replace("TRUTH", truth))
    return path


def test_a_worker_killed_from_outside_costs_nothing(tmp_path: Path) -> None:
    once = "flag = HERE / f'{x[0]}'\n    if x[0] > 1 and not flag.exists(): flag.touch(); os.kill(os.getpid(), 9)"
    store = run(load_study(study(tmp_path, once)), workers=2, replications=15)
    assert len(list(tmp_path.glob("[0-9].*"))) > 1
    assert not any(store.statuses(cell, method).any() for cell in range(2) for method in ("one", "two"))


def test_a_replication_that_kills_a_fresh_worker_too_is_a_failure_with_the_signals_name(tmp_path: Path) -> None:
    path = study(tmp_path, "if x[0] > 1.5: os.kill(os.getpid(), 9)\n    if x[0] < -1.5: os.kill(os.getpid(), 11)")
    made = load_study(path)
    store = run(made, workers=1, replications=15)
    texts = {text.text.splitlines()[0] for cell in range(2) for text in store.problems(cell, "two")}
    assert texts == {"killed by SIGKILL, perhaps out of memory", "killed by SIGSEGV, a segmentation fault"}
    assert not store.statuses(0, "one").any()
    (place,) = np.flatnonzero(store.statuses(0, "two") == Status.DIED)[:1].tolist()
    found = {each.method: each for each in replay(made, 0, place)}
    assert found["one"].status == Status.OK and found["one"].same and found["two"].status == Status.DIED


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="Rscript is not installed")
def test_an_r_process_killed_from_outside_costs_nothing(tmp_path: Path) -> None:
    (tmp_path / "study.R").write_text(
        "dgp <- function(cell) rnorm(3)\nmethods <- list(m = function(data, cell) {\n"
        "  flag <- paste0('flag', data[1])\n  if (data[1] > 1 && !file.exists(flag)) {\n"
        "    file.create(flag); tools::pskill(Sys.getpid(), 9); Sys.sleep(5) }\n"
        "  if (data[1] < -1.5) tools::pskill(Sys.getpid(), 9)\n  list(mu = data[1]) })\n"
    )
    (tmp_path / "study.toml").write_text(
        'name = "s"\nreplications = 12\nseed = 2\nmethods = ["m"]\nprogram = {r = "study.R"}\ntruth = {mu = 0.0}\n'
    )
    store = run(load_study(tmp_path / "study.toml"), workers=1)
    assert list(tmp_path.glob("flag*"))
    died = store.statuses(0, "m") == Status.DIED
    assert all("SIGKILL" in text.text for text in store.problems(0, "m"))
    assert (store.table(0, "m").usable("mu.estimate") > 1).any() and died.sum() == len(store.problems(0, "m"))


def test_failures_and_warnings_are_told_and_listed(tmp_path: Path) -> None:
    body = "if x[0] > 1: raise ValueError(f'{x[0]} is too large')\n    if x[0] < -1: warnings.warn('rather small')"
    path = study(tmp_path, body)
    ran = mc(tmp_path, "run", "study.py", "--workers", "1", "-r", "15")
    assert ran.returncode == 0 and "is too large (n=" in ran.stdout and "rather small" in ran.stdout
    store = Store.open(tmp_path / "study.results")
    count = sum(int((store.statuses(cell, "two") > 0).sum()) for cell in range(2))
    assert f"two: {count} failed; e.g. ValueError:" in ran.stdout
    again = mc(tmp_path, "run", "study.py", "--workers", "1", "-r", "15")
    assert f"30 replications, 0 of them now, {count} failures" in again.stdout
    listed = mc(tmp_path, "failures", "study.py")
    assert listed.returncode == 0 and f"two: {count} × exception: ValueError:" in listed.stdout
    assert "statsclaw mc replay study.py --cell n=" in listed.stdout
    rows = json.loads(mc(tmp_path, "failures", "study.py", "--json").stdout)
    assert [row["kind"] for row in rows] == ["exception", "warning"] and rows[0]["count"] == count
    assert sorted(rows[0]["cells"]["n=5"]) == np.flatnonzero(store.statuses(0, "two")).tolist()
    cells = json.loads(mc(tmp_path, "status", "study.py", "--json").stdout)["cells"]
    assert sum(cell["warnings"]["two"] for cell in cells) == rows[1]["count"]
    assert "two gave warnings in" in mc(tmp_path, "summary", "study.py").stdout
    assert path.exists()


def test_a_study_in_which_a_method_always_fails_is_stopped(tmp_path: Path) -> None:
    study(tmp_path, "raise ValueError('never')")
    ran = mc(tmp_path, "run", "study.py", *SMALL, "-r", "4000")
    assert ran.returncode == 5 and len(ran.stderr.splitlines()) == 1, ran
    assert "ValueError: never" in ran.stderr and "--go-on" in ran.stderr
    assert Store.open(tmp_path / "study.results").stored(0) < 4000
    assert mc(tmp_path, "run", "study.py", *SMALL, "--go-on").returncode == 0


def test_a_method_that_fails_in_one_cell_stops_nothing(tmp_path: Path) -> None:
    study(tmp_path, "if cell['n'] == 5: raise ValueError('not there')")
    assert mc(tmp_path, "run", "study.py", *SMALL).returncode == 0


def test_a_truth_that_nothing_is_about_is_refused(tmp_path: Path) -> None:
    study(tmp_path, "pass", truth="my")
    ran = mc(tmp_path, "run", "study.py", *SMALL)
    assert ran.returncode == 4 and "the truth names my, which no method returns" in ran.stderr, ran
    assert "mu" in ran.stderr and "n=5, replication 0" in ran.stderr


def test_a_truth_beside_others_that_no_method_returns_in_any_cell_is_refused(tmp_path: Path) -> None:
    """One that is returned in some cells only is meant."""
    path = study(tmp_path, "pass", truth='nu": 1.0, "mu')
    ran = mc(tmp_path, "run", "study.py", *SMALL, "-r", "4000")
    assert ran.returncode == 4 and len(ran.stderr.splitlines()) == 1, ran
    said = "the truth names nu, which no method returns in any cell: the methods return mu. what was computed is stored"
    assert said in ran.stderr and "--go-on" in ran.stderr
    assert Store.open(tmp_path / "study.results").stored(0) < 4000
    assert mc(tmp_path, "run", "study.py", *SMALL, "--go-on").returncode == 0
    path.write_text(
        path.read_text().replace("(x.mean(), 1.0)}", '(x.mean(), 1.0), **({"nu": 1.1} if len(x) > 5 else {})}')
    )
    assert mc(tmp_path, "run", "study.py", *SMALL, "--apart").returncode == 0


def test_a_negative_standard_error_is_no_result(tmp_path: Path) -> None:
    study(tmp_path, "if x[0] > 1: return {'mu': Estimate(x.mean(), -0.5)}")
    assert mc(tmp_path, "run", "study.py", *SMALL).returncode == 0
    (row,) = json.loads(mc(tmp_path, "failures", "study.py", "--json").stdout)
    assert row["headline"] == "mu.se is -0.5, below zero" and row["method"] == "two" and row["cells"]["n=5"]
