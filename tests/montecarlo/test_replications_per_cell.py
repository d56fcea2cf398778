"""Cells may have their own number of replications, and everything that counts them does."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from statsclaw.montecarlo import Criterion, Estimate, Study, StudyRefused, load_study, run
from statsclaw.montecarlo.verdicts.judge import judge_study
from statsclaw.montecarlo.verdicts.plan import plan_study, render_plan
from statsclaw.montecarlo.verdicts.sequential import looks
from tests.montecarlo.test_mc_commands import mc

TEXT = """
from statsclaw.montecarlo import Criterion, Estimate, Study
def dgp(cell, rng): return rng.normal(size=cell["n"])
def mean(x, cell):
    se = x.std(ddof=1) / len(x) ** 0.5
    return {"mu": Estimate(x.mean(), se, x.mean() - 2.2 * se, x.mean() + 2.2 * se)}
HELPER
study = Study(name="s", grid={"n": [10, 40], "k": ["a", "b"]}, methods={"mean": mean}, truth={"mu": 0.0},
              replications=COUNT, seed=7, dgp=dgp, criteria=[
    Criterion("C", "coverage", "mean", "mu", low=0.8, high=0.999)], cap=400)
"""
TOML = """
name = "t"
methods = ["m"]
seed = 3
cap = 400
truth = { mu = 0.0 }
[replications]
"n=10" = 200
"n=40" = 60
[grid]
n = [10, 40]
[program]
command = ["true"]
"""


def write(folder: Path, count: str, helper: str = "") -> Path:
    (folder / "study.py").write_text(TEXT.replace("COUNT", count).replace("HELPER", helper))
    return folder / "study.py"


def planned(folder: Path) -> list[tuple[str, int, int, int]]:
    rows = json.loads(mc(folder, "status", "study.py", "--json").stdout)["cells"]
    return [(row["cell"], row["planned"], row["done"], row["left"]) for row in rows]


def study_of(replications: object, **more: object) -> Study:
    def method(x: np.ndarray, cell: object) -> dict[str, object]:
        return {"mu": Estimate(x.mean())}

    return Study(
        "s", {"n": [10, 40]}, {"m": method}, {"mu": 0.0}, replications, 1,  # type: ignore[arg-type]
        dgp=lambda cell, rng: rng.normal(size=cell["n"]), **more,  # type: ignore[arg-type]
    )  # fmt: skip


def test_a_function_of_the_cell_says_how_many(tmp_path: Path) -> None:
    """Run, status, resume, verdict, summary, table, export; --replications says it for all cells."""
    write(tmp_path, 'lambda cell: 4000 // cell["n"] // (1 + (cell["k"] == "b"))')
    ran = mc(tmp_path, "run", "study.py", "-w", "1")
    assert ran.stdout.startswith("s: 4 cells × 50 to 400 replications × 1 method\n"), ran
    assert "done: 750 replications" in ran.stdout
    full = [("n=10,k=a", 400, 400, 0), ("n=10,k=b", 200, 200, 0), ("n=40,k=a", 100, 100, 0), ("n=40,k=b", 50, 50, 0)]
    assert planned(tmp_path) == full
    cells = json.loads(mc(tmp_path, "verdict", "study.py", "--json").stdout)["criteria"][0]["cells"]
    assert [cell["replications"] for cell in cells] == [400, 200, 100, 50]
    assert "50 to 400 replications in each cell" in mc(tmp_path, "table", "study.py").stdout
    assert "750 rows" in mc(tmp_path, "export", "study.py").stdout
    write(tmp_path, '{"all": 200, "n=10,k=a": 400, "n=40,k=b": 100}')
    assert [row[3] for row in planned(tmp_path)] == [0, 0, 100, 50]
    assert (
        "Not complete: 100 to 400 replications a cell are planned; 2 of 4 cells have fewer"
        in mc(tmp_path, "summary", "study.py").stdout
    )
    assert "150 of them now" in mc(tmp_path, "run", "study.py", "-w", "1").stdout
    assert mc(tmp_path, "run", "study.py", "-w", "1", "-r", "210").stdout.startswith("s: 4 cells × 210 replications")
    assert [row[2] for row in planned(tmp_path)] == [400, 210, 210, 210]


def test_a_change_of_the_numbers_leaves_results_as_they_are(tmp_path: Path) -> None:
    write(tmp_path, "30")
    assert mc(tmp_path, "run", "study.py", "-w", "1", "-q").returncode == 0
    write(tmp_path, "planned", 'def planned(cell): return {10: 40, 40: 35}[cell["n"]]')
    assert mc(tmp_path, "run", "study.py", "-w", "1", "-q").returncode == 0
    assert [row[2] for row in planned(tmp_path)] == [40, 40, 35, 35]


def test_a_table_names_cells_by_some_of_their_levels() -> None:
    grid = {"n": [10, 40], "rho": [0.0, 0.5]}
    table = {"all": 100, "n=40": 50, "n=40,rho=0": 75}
    study = replace(study_of(table), grid=grid)
    assert study.planned == (100, 100, 75, 50)
    assert replace(study_of(np.int64(7)), grid=grid).planned == (7,) * 4
    assert replace(study_of(lambda cell: np.int64(cell["n"])), grid=grid).planned == (10, 10, 40, 40)


@pytest.mark.parametrize(
    ("replications", "said"),
    [
        ({"n=10": 5}, "no row of replications fits the cell n=40; one that is called all is for every other"),
        ({"all": 5, "n=11": 6}, "replications: no cell is called n=11"),
        ({"all": 5, "m=10": 6}, "replications: no cell is called m=10"),
        ({"n=10": 5, "n=10.0": 6, "n=40": 7}, "two rows of replications fit the cell n=10 alike"),
        ({"n=10": 5, "n=40": 0}, "replications must be a whole number of at least 1, not 0 (in the cell n=40)"),
        (lambda cell: cell["n"] / 3, "replications must be a whole number of at least 1, not 3.3333333333333335"),
        (lambda cell: cell["rho"], "the replications cannot be computed in the cell n=10: KeyError: 'rho'"),
        ("50", "replications must be a whole number, a table of cells or a function of the cell, not '50'"),
        (0, "replications must be a whole number of at least 1, not 0"),
    ],
)  # fmt: skip
def test_numbers_that_do_not_fit_the_cells_are_refused(replications: object, said: str, tmp_path: Path) -> None:
    with pytest.raises(StudyRefused) as refused:
        run(study_of(replications), folder=tmp_path / "out", workers=0)
    assert str(refused.value).startswith(said)


def test_a_study_file_has_a_table(tmp_path: Path) -> None:
    (tmp_path / "t.toml").write_text(TOML)
    assert load_study(tmp_path / "t.toml").planned == (200, 60)
    (tmp_path / "t.toml").write_text(TOML.replace('"n=40" = 60\n', ""))
    with pytest.raises(StudyRefused, match=r"t\.toml: no row of replications fits the cell n=40"):
        load_study(tmp_path / "t.toml")
    (tmp_path / "t.toml").write_text(TOML.replace("seed = 3", "seed = 3\nreplications = 0.5").partition("[repl")[0])
    with pytest.raises(StudyRefused, match=r"t\.toml, line 5: replications must be a whole number, or a table"):
        load_study(tmp_path / "t.toml")
    (tmp_path / "t.toml").write_text(TOML.replace('"n=40" = 60', '"n=40" = "many"'))
    with pytest.raises(StudyRefused, match=r"t\.toml, line \d+: replications.n=40"):
        load_study(tmp_path / "t.toml")


def test_each_cell_is_looked_at_when_its_own_replications_are_there(tmp_path: Path) -> None:
    study = study_of({"n=10": 40, "n=40": 30}, cap=100)
    assert looks(study, 0) == (40, 80, 100) and looks(study, 1) == (30, 60, 100)
    with pytest.raises(StudyRefused, match="the cap must be a whole number of at least the 40 replications"):
        run(replace(study, cap=35), folder=tmp_path / "no", workers=0)
    within = Criterion("B", "bias", "m", "mu", low=-0.08, high=0.08)
    study = replace(study, criteria=[within])
    results = run(study, folder=tmp_path / "out", workers=0, sequential=True)
    (found,) = judge_study(study, results)
    assert [cell.decided for cell in found.cells] == ["UNDECIDED", "PASS"] and found.cap == 100
    assert [cell.replications for cell in found.cells] == [100, 30 if results.completed(1) == 30 else 60]
    once = replace(study, cap=None, replications={"n=10": 400, "n=40": 300})
    assert [looks(once, cell) for cell in (0, 1)] == [(400, 800, 1600), (300, 600, 1200)]


def test_a_plan_takes_each_cell_at_its_own_number() -> None:
    criterion = Criterion("C", "coverage", "m", "mu", low=0.93, high=0.97)
    both = study_of({"n=10": 500, "n=40": 2000}, criteria=[criterion])
    alone = [plan_study(replace(both, replications=count, grid={"n": [10]})).rows for count in (500, 2000)]
    plan = plan_study(both)
    assert plan.rows[0].literal_pass == pytest.approx(alone[0][0].literal_pass * alone[1][0].literal_pass)
    assert render_plan(plan).startswith("s: R = 500 to 2,000 per cell")


def test_criteria_over_cells_want_the_same_number_in_each(tmp_path: Path) -> None:
    rate = Criterion("R", "rate", "m", "mu", low=-0.7, high=-0.3, axis="n")
    with pytest.raises(StudyRefused, match="R: rate is over cells with 40 and 30 replications") as refused:
        run(study_of({"n=10": 40, "n=40": 30}, criteria=[rate]), folder=tmp_path / "out", workers=0)
    assert refused.value.todo == "give the cells along n the same number"
    same = study_of({"k=a": 40, "k=b": 30}, criteria=[rate])
    same = replace(same, grid={"n": [10, 40], "k": ["a", "b"]})
    run(same, folder=tmp_path / "out", workers=0)


def test_a_study_whose_functions_are_sent_to_workers_may_have_one(tmp_path: Path) -> None:
    path = write(tmp_path, 'lambda cell: cell["n"]')
    study = load_study(path)
    assert run(replace(study, name="other"), folder=tmp_path / "a", workers=1).completed(2) == 40
    assert run(study_of(lambda cell: cell["n"]), folder=tmp_path / "b", workers=1).completed(0) == 10
