"""Truths that depend on the data, grids with gaps, one stream for all cells."""

from __future__ import annotations

import csv
import math
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from statsclaw.errors import InputRefused
from statsclaw.montecarlo import Criterion, Estimate, Program, Study, StudyRefused, run
from statsclaw.montecarlo.batch import Status
from statsclaw.montecarlo.exporting.files import export
from statsclaw.montecarlo.exporting.rows import Replications
from statsclaw.montecarlo.load import load_study
from statsclaw.montecarlo.metrics.summary import summarise
from statsclaw.montecarlo.validate import validate
from statsclaw.montecarlo.verdicts.judge import judge_study

needs_r = pytest.mark.skipif(shutil.which("Rscript") is None, reason="Rscript is not installed")


def draw(cell: Any, rng: np.random.Generator) -> Any:
    """Every unit has an effect of its own; a random half is treated."""
    effects = rng.normal(1.0, 2.0, size=cell["n"])
    baseline = rng.normal(size=cell["n"])
    treated = rng.permutation(cell["n"]) < cell["n"] // 2
    return {"y": baseline + effects * treated, "treated": treated, "effects": effects}


def difference(data: Any, cell: Any) -> Any:
    one, other = data["y"][data["treated"]], data["y"][~data["treated"]]
    value = one.mean() - other.mean()
    se = math.sqrt(one.var(ddof=1) / len(one) + other.var(ddof=1) / len(other))
    return {name: Estimate(value, se, value - 1.96 * se, value + 1.96 * se) for name in ("sate", "pate")}


def study(**more: Any) -> Study:
    settings: dict[str, Any] = {
        "name": "effects",
        "grid": {"n": [40]},
        "methods": {"difference": difference},
        "truth": {"sate": lambda data, cell: data["effects"].mean(), "pate": 1.0},
        "replications": 400,
        "seed": 5,
        "dgp": draw,
    }
    return Study(**{**settings, **more})


def test_what_is_recorded_is_the_distance_from_the_truth_of_the_replication(tmp_path: Path) -> None:
    found = run(study(), folder=tmp_path / "r", workers=0).table(0, "difference").columns
    assert np.allclose(found["sate.estimate"] + found["sate.truth"], found["pate.estimate"])
    assert np.allclose(found["sate.high"] + found["sate.truth"], found["pate.high"])
    assert np.array_equal(found["sate.se"], found["pate.se"])
    assert found["sate.truth"].std() > 0.2


@pytest.mark.parametrize("wide", [False, True])
def test_exported_columns_have_names_of_their_own_and_the_truth_fits_the_estimate(tmp_path: Path, wide: bool) -> None:
    asked = study(replications=50)
    results = run(asked, folder=tmp_path / "r", workers=0)
    file = tmp_path / "r.csv"
    export(Replications(asked, results, wide=wide), file, "csv")
    with file.open(newline="") as lines:
        rows = list(csv.reader(lines))
    names = rows[0]
    assert len({*names}) == len(names), names
    told = [dict(zip(names, row, strict=True)) for row in rows[1:]]
    prefix = "sate." if wide else ""
    mine = told if wide else [row for row in told if row["parameter"] == "sate"]
    errors = np.array([float(row[f"{prefix}estimate"]) - float(row[f"{prefix}truth"]) for row in mine])
    assert np.array_equal(errors, results.table(0, "difference").columns["sate.estimate"])
    drawn = np.array([float(row[f"{prefix}drawn_truth"]) for row in mine])
    assert np.array_equal(drawn, results.table(0, "difference").columns["sate.truth"])
    if not wide:
        assert {row["truth"] for row in told if row["parameter"] == "pate"} == {"1"}


def test_metrics_and_verdicts_are_about_each_replications_own_truth(tmp_path: Path) -> None:
    of = study(criteria=[Criterion("C1", "coverage", "difference", "sate", low=0.9)])
    results = run(of, folder=tmp_path / "r", workers=0)
    found = results.table(0, "difference").columns
    own = found["pate.estimate"] - found["sate.truth"]  # by hand, from what was recorded about the other parameter
    inside = (found["pate.low"] <= found["sate.truth"]) & (found["sate.truth"] <= found["pate.high"])
    summary = summarise(of, results)
    row = {metric: summary.find(metric, parameter="sate") for metric in ("bias", "rmse", "empse", "coverage")}
    assert row["bias"].value == pytest.approx(own.mean())  # type: ignore[union-attr]
    assert row["rmse"].value == pytest.approx(math.sqrt((own**2).mean()))  # type: ignore[union-attr]
    assert row["empse"].value == pytest.approx(own.std(ddof=1))  # type: ignore[union-attr]
    assert row["coverage"].value == pytest.approx(inside.mean())  # type: ignore[union-attr]
    # Neyman's variance counts the spread of the effects, which a sample's own average does not have
    population = summary.find("coverage", parameter="pate")
    assert population is not None and row["coverage"].value > population.value  # type: ignore[union-attr]
    assert [verdict.criterion.id for verdict in judge_study(of, results)] == ["C1"]


def test_a_truth_that_is_no_number_is_a_failure_of_the_data(tmp_path: Path) -> None:
    of = study(truth={"sate": lambda data, cell: math.nan, "pate": 1.0}, replications=3)
    results = run(of, folder=tmp_path / "r", workers=0)
    assert set(results.statuses(0, "difference").tolist()) == {Status.NO_DATA}


def test_a_command_cannot_say_such_a_truth(tmp_path: Path) -> None:
    file = tmp_path / "p"
    file.write_text("")
    of = study(dgp=None, methods=("m",), program=Program("command", (str(file),), (file,)))
    with pytest.raises(StudyRefused, match="a command in another language cannot say it"):
        validate(of)


@needs_r
def test_in_r_the_function_truth_says_it(tmp_path: Path) -> None:
    (tmp_path / "s.R").write_text(
        "dgp <- function(cell) rnorm(cell$n)\n"
        "methods <- list(m = function(data, cell) list(mu = list(estimate = mean(data) + 0.5), own = mean(data)))\n"
        "truth <- function(data, cell) list(mu = mean(data))\n"
    )
    (tmp_path / "s.toml").write_text(
        'name = "own mean"\nreplications = 5\nseed = 3\nmethods = ["m"]\ntruth = {mu = "data"}\n'
        '[program]\nr = "s.R"\n[grid]\nn = [20]\n'
    )
    found = run(load_study(tmp_path / "s.toml"), workers=1).table(0, "m").columns
    assert np.allclose(found["mu.estimate"], 0.5)
    assert np.array_equal(found["mu.truth"], found["own"])


@needs_r
def test_in_r_a_missing_function_truth_is_said(tmp_path: Path) -> None:
    (tmp_path / "s.R").write_text("dgp <- function(cell) rnorm(9)\nmethods <- list(m = function(data) mean(data))\n")
    of = study(dgp=None, methods=("m",), grid={}, replications=2, program=Program("r", (str(tmp_path / "s.R"),)))
    of = Study(**{**{name: getattr(of, name) for name in of.__slots__}, "truth": {"sate": lambda data, cell: 0.0}})
    results = run(of, folder=tmp_path / "r", workers=1)
    assert "there is no function truth(data, cell)" in str(results.problems(0, "m"))


def test_cells_that_are_left_out_are_no_cells(tmp_path: Path) -> None:
    of = study(grid={"n": [10, 20, 40], "p": [1, 2]}, leave_out=[{"n": 10, "p": [1, 2]}, {"n": 40, "p": 2}])
    assert [(cell["n"], cell["p"]) for cell in of.cells()] == [(20, 1), (20, 2), (40, 1)]
    assert [of.cell(number) for number in range(3)] == of.cells()
    whole = study(grid={"n": [10, 20, 40], "p": [1, 2]}, replications=3)
    gaps = study(grid={"n": [10, 20, 40], "p": [1, 2]}, replications=3, leave_out={"n": 10})
    full, part = run(whole, folder=tmp_path / "a", workers=0), run(gaps, folder=tmp_path / "b", workers=0)
    same = full.table(2, "difference").columns["pate.estimate"], part.table(0, "difference").columns["pate.estimate"]
    assert np.array_equal(*same)  # a cell is what it is, wherever it stands


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ([{"m": 1}], "the grid has no axis 'm'"),
        ([{"n": 41}], "axis n has no level 41"),
        ([{"n": 40}], "leaves no cell"),
        ([{}], "needs combinations"),
        ("n", "must be a list"),
    ],
)
def test_what_cannot_be_left_out_is_refused(row: Any, said: str) -> None:
    with pytest.raises(StudyRefused, match=said):
        validate(study(leave_out=row))


def test_with_common_random_numbers_all_cells_see_the_same_draws(tmp_path: Path) -> None:
    def shifted(cell: Any, rng: np.random.Generator) -> Any:
        return rng.normal(size=30) + cell["shift"]

    def mean(data: Any, cell: Any) -> Any:
        return {"mu": data.mean()}

    settings: dict[str, Any] = {"grid": {"shift": [0, 8]}, "methods": {"mean": mean}, "dgp": shifted}
    settings |= {"truth": lambda cell: {"mu": float(cell["shift"])}, "replications": 4}
    common = run(study(**settings, common_random_numbers=True), folder=tmp_path / "a", workers=0)
    apart = run(study(**settings), folder=tmp_path / "b", workers=0)
    first, second = (common.table(cell, "mean").columns["mu.estimate"] for cell in (0, 1))
    assert np.allclose(second - first, 8)
    assert not np.allclose(
        apart.table(1, "mean").columns["mu.estimate"] - 8, apart.table(0, "mean").columns["mu.estimate"]
    )


def test_results_of_studies_without_these_keep_their_identity() -> None:
    assert study(truth={"sate": 0.0, "pate": 1.0}).described().keys() == {
        "seed", "grid", "methods", "truth", "level", "timeout",
    }  # fmt: skip
    changed = study(leave_out=[]), study(common_random_numbers=True), study(grid={"n": [40, 50]}, leave_out={"n": 50})
    assert len({each.design_sha256 for each in changed}) == 3


def test_how_a_truth_follows_from_the_data_belongs_to_the_results(tmp_path: Path) -> None:
    text = """
import numpy as np
from statsclaw.montecarlo import Study
study = Study("s", {}, {"m": lambda data, cell: data.mean()}, {"mu": lambda data, cell: float(data[0])}, 5, 1,
              lambda cell, rng: rng.normal(size=4))
"""
    file = tmp_path / "study.py"
    file.write_text(text)
    run(load_study(file), workers=0)
    file.write_text(text.replace("data[0]", "data[1]"))
    with pytest.raises(InputRefused, match=r"code: study\.py"):
        run(load_study(file), workers=0)


def test_leaving_out_a_cell_extends_what_is_stored_in_place(tmp_path: Path) -> None:
    grid = {"n": [10, 20], "p": [1, 2]}
    first = run(study(grid=grid, replications=3, leave_out=[{"n": 10, "p": 2}]), folder=tmp_path / "r", workers=0)
    before = first.table(2, "difference").columns["pate.estimate"]  # n=20,p=2
    second = run(study(grid=grid, replications=3), folder=tmp_path / "r", workers=0)
    assert np.array_equal(second.table(3, "difference").columns["pate.estimate"], before)
    assert second.completed(1) == 3
