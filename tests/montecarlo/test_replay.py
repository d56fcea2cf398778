"""One replication again, alone: the identical result, and it says so."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from statsclaw.montecarlo import Estimate, Study, StudyRefused, load_study, replay, run
from statsclaw.montecarlo.batch import Status
from statsclaw.montecarlo.replaying import find_cell

TEXT = """
import os
import numpy as np
from statsclaw.montecarlo import Estimate, Study
def dgp(cell, rng):
    return rng.normal(size=cell["n"])
def mean(x, cell):
    return {"mu": Estimate(x.mean(), x.std())}
def bad(x, cell, rng):
    if x[0] > 0.5:
        raise ValueError("too large")
    if x[0] < -1:
        os._exit(5)
    return {"mu": x[0] + rng.normal() + np.random.normal()}
study = Study(name="s", grid={"n": [5, 10], "rho": [0.0, 0.5]}, methods={"mean": mean, "bad": bad}, truth={"mu": 0.0},
              replications=12, seed=7, dgp=dgp)
"""


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    path = tmp_path_factory.mktemp("replay") / "study.py"
    path.write_text(TEXT)
    made = load_study(path)
    run(made, workers=2)
    return made


@pytest.mark.parametrize("replication", range(0, 12, 2))
def test_a_replay_is_what_was_stored_bit_for_bit(study: Study, replication: int) -> None:
    found = replay(study, "n=10,rho=0.5", replication)
    assert [each.method for each in found] == ["mean", "bad"]
    assert found[1].same and found[1].stored is not None
    assert found[0].same or found[1].status == Status.DIED


def test_one_method_alone(study: Study) -> None:
    (found,) = replay(study, 0, 0, "mean")
    assert found.method == "mean" and found.same and found.values == found.stored


def test_what_is_not_stored_cannot_be_compared(study: Study, tmp_path: Path) -> None:
    assert replay(study, 0, 500, "mean")[0].same is None
    assert replay(study, 0, 0, "mean", folder=tmp_path)[0].same is None


def test_a_changed_study_is_said_to_differ(study: Study) -> None:
    (found,) = replay(replace(study, seed=8), 0, 0, "mean", folder=study.origin.parent / "study.results")  # type: ignore[union-attr]
    assert found.same is False and found.changed == ("design: seed 7 → 8",)


def test_a_debugger_stops_in_the_method(study: Study) -> None:
    program = (
        "from statsclaw.montecarlo import load_study, replay\n"
        f"(found,) = replay(load_study({str(study.origin)!r}), 'n=5,rho=0.0', 0, 'mean', debug=True)\n"
        "print(found.same)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], input="p cell['n']\ncontinue\n", capture_output=True, text=True, timeout=60
    )
    assert "study.py" in done.stdout and "mean()" in done.stdout and "(Pdb) 5\n" in done.stdout
    assert done.stdout.endswith("True\n")


@pytest.mark.parametrize(
    ("cell", "number"),
    [("n=10,rho=0.5", 3), ("rho=0.5,n=10", 3), ("n=10, rho=.5", 3), ({"n": 5, "rho": 0.5}, 1), (2, 2)],
)
def test_a_cell_by_any_of_its_names(study: Study, cell: Any, number: int) -> None:
    assert find_cell(study, cell) == number


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("n=7", "names no cell"),
        ("n=5", "names 2 cells"),
        ("k=5", "no axis 'k'"),
        (9, "no cell 9"),
        ("", "names 4 cells"),
    ],
)
def test_a_cell_that_is_not_there(study: Study, cell: Any, said: str) -> None:
    with pytest.raises(StudyRefused, match=said):
        find_cell(study, cell)


def test_levels_of_text_with_commas_and_a_grid_of_nothing() -> None:
    bare = Study("s", {}, {"m": lambda x, c: {"mu": Estimate(x)}}, {"mu": 0.0}, 1, 1, dgp=lambda c, r: r.random())
    assert find_cell(bare, "all") == 0 and find_cell(bare, "") == 0
    text = replace(bare, grid={"law": ["t(3,5)", "normal"]})
    assert find_cell(text, "law=t(3,5)") == 0


def test_absurd_questions_are_refused(study: Study) -> None:
    with pytest.raises(StudyRefused, match="replication"):
        replay(study, 0, -1)
    with pytest.raises(StudyRefused, match="no method 'x'"):
        replay(study, 0, 0, "x")
