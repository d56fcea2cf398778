"""What failed, or is of another version, is computed again where a person says so; what was there is kept aside."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from statsclaw.errors import InputRefused
from statsclaw.montecarlo import Store, load_study, run
from tests.montecarlo.test_mc_commands import mc
from tests.montecarlo.test_versions import install, needs_r

TEXT = """
import pathlib
from statsclaw.montecarlo import Criterion, Estimate, Study
HERE = pathlib.Path(__file__).parent
def dgp(cell, rng): return rng.normal(size=cell["n"])
def one(x, cell): return {"mu": Estimate(x.mean(), 1.0)}
def two(x, cell):
    TWO
    return {"mu": Estimate(x.mean(), 1.0)}
study = Study(name="s", grid={"n": [5, 10]}, methods={"one": one, "two": two}, truth={"mu": 0.0}, replications=60,
              seed=7, dgp=dgp)
"""
QUIET = ("--workers", "1", "--quiet")


def study(folder: Path, two: str = "pass") -> Path:
    path = folder / "study.py"
    path.write_text(TEXT.replace("TWO", two))
    return path


def values(store: Store, cell: int, method: str) -> list[float]:
    found: list[float] = store.table(cell, method).columns["mu.estimate"].tolist()
    return found


def test_what_failed_is_computed_again_and_nothing_else(tmp_path: Path) -> None:
    path = study(tmp_path, "if x[0] > 0.3 and not (HERE / 'mended').exists(): raise OSError('no licence')")
    ran = mc(tmp_path, "run", "study.py", "--workers", "1", "-r", "90")
    assert "no licence" in ran.stdout and "statsclaw mc run study.py --redo" in ran.stdout
    first = Store.open(tmp_path / "study.results")
    failed = [np.flatnonzero(first.statuses(cell, "two")) for cell in range(2)]
    count, kept = sum(map(len, failed)), [values(first, cell, "one") for cell in range(2)]
    (tmp_path / "mended").touch()
    again = mc(tmp_path, "run", "study.py", "--workers", "1")
    assert f"180 replications, 0 of them now, {count} failures" in again.stdout
    redone = mc(tmp_path, "run", "study.py", "--workers", "1", "--redo")  # 60 are planned: all 90 come back
    assert f"180 replications, {count} of them now." in redone.stdout
    assert f"{count} failed replications are computed again, on the same data" in redone.stdout
    store = Store.open(tmp_path / "study.results")
    whole = run(load_study(path), workers=1, replications=90, folder=tmp_path / "whole")
    for cell in range(2):
        assert values(store, cell, "one") == kept[cell] and store.completed(cell) == 90
        assert values(store, cell, "two") == values(whole, cell, "two")
    assert list((tmp_path / "study.results" / "aside" / "failures-1").glob("*.parquet"))
    assert "to compute all of it again, remove" in mc(tmp_path, "run", "study.py", "--workers", "1", "--redo").stdout


def test_redo_after_a_change_says_how_many_were_set_aside(tmp_path: Path) -> None:
    study(tmp_path)
    assert mc(tmp_path, "run", "study.py", *QUIET, "-r", "90").returncode == 0
    study(tmp_path, "x = x + 1")
    ran = mc(tmp_path, "run", "study.py", "--workers", "1", "--redo")
    assert "180 replications of an earlier version are set aside" in ran.stdout
    assert "up to 90 a cell; the study plans 60 a cell" in ran.stdout


def test_accept_with_redo_keeps_what_succeeded(tmp_path: Path) -> None:
    study(tmp_path, "if x[0] > 0.3: raise OSError('no licence')")
    assert mc(tmp_path, "run", "study.py", *QUIET).returncode == 0
    results = tmp_path / "study.results"
    count = sum(int((Store.open(results).statuses(cell, "two") > 0).sum()) for cell in range(2))
    study(tmp_path)
    ran = mc(tmp_path, "run", "study.py", "--workers", "1", "--redo", "--accept")
    assert f"120 replications, {count} of them now." in ran.stdout and "earlier version" in ran.stdout


def test_a_module_that_was_missing_and_has_come_is_a_change(tmp_path: Path) -> None:
    path = study(tmp_path, "import statsclaw_not_there_yet")
    run(load_study(path), workers=1)
    run(load_study(path), workers=1)  # still missing: no change
    folder = tmp_path / "late"
    folder.mkdir()
    (folder / "statsclaw_not_there_yet.py").write_text("")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        with pytest.raises(InputRefused, match="Python package statsclaw_not_there_yet: missing → "):
            run(load_study(path), workers=1)


@needs_r
def test_an_r_package_that_was_missing_is_a_change_when_it_is_installed_and_redo_cures_the_study(
    tmp_path: Path,
) -> None:
    library = tmp_path / "library"
    library.mkdir()
    (tmp_path / "study.R").write_text(
        f'.libPaths(c("{library}", .libPaths()))\ndgp <- function(cell) rnorm(5)\n'
        "methods <- list(m = function(data, cell) list(mu = mean(data)),\n"
        "  late = function(data, cell) list(mu = hlr::scaled(mean(data))))\n"
    )
    (tmp_path / "study.toml").write_text(
        'name = "s"\nreplications = 6\nseed = 1\nmethods = ["m", "late"]\ntruth = {mu = 0.0}\n'
        'program = {r = "study.R"}\ngrid = {n = [5]}\n'
    )
    assert mc(tmp_path, "run", "study.toml", "--go-on", *QUIET).returncode == 0
    record = json.loads((tmp_path / "study.results" / "study.json").read_text())["loaded"]
    assert record["R package hlr"]["version"] == "missing"
    assert mc(tmp_path, "run", "study.toml", "--go-on", *QUIET).returncode == 0

    install(tmp_path, "factor * x")
    refused = mc(tmp_path, "run", "study.toml", *QUIET)
    assert refused.returncode == 4 and "R package hlr: missing → 0.1.0 (" in refused.stderr, refused
    ran = mc(tmp_path, "run", "study.toml", "--redo", "--workers", "1")
    assert ran.returncode == 0 and "6 replications, 6 of them now." in ran.stdout, ran
    assert mc(tmp_path, "run", "study.toml", *QUIET).returncode == 0
    assert "failed" not in mc(tmp_path, "run", "study.toml", "--workers", "1").stdout
