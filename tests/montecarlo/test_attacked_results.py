"""Found by an attacker: results shown under wrong names, damage that nobody named, mistakes found too late."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from statsclaw.errors import InputRefused
from statsclaw.montecarlo import Criterion, Estimate, Store, Study, StudyRefused, run
from statsclaw.montecarlo.validate import validate, validate_criteria
from statsclaw.ui.cli import app

STUDY = """
from statsclaw.montecarlo import Criterion, Estimate, Study
def dgp(cell, rng):
    return rng.normal(1.0, 2.0, size=cell["n"])
def mean(data, cell):
    return {"mu": Estimate(data.mean(), data.std() / len(data) ** 0.5)}
study = Study("s", {"n": [10, 100]}, {"mean": mean}, {"mu": 1.0}, 40, 1, dgp=dgp,
    criteria=[Criterion("C", "empse", "mean", "mu", high=0.4, cells={"n": [100]})])
"""


@pytest.fixture
def study(tmp_path: Path) -> Path:
    path = tmp_path / "study.py"
    path.write_text(STUDY)
    assert call("run", path, "--workers", "1", "--quiet")[0] == 0
    return path


def call(*words: object) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["mc", *map(str, words)])
    if isinstance(done.exception, InputRefused):  # one line and status 4 in statsclaw.ui.cli.main
        return 4, f"{done.output}{done.exception} {done.exception.todo}"
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output


def changed(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


@pytest.mark.parametrize(("old", "new"), [('{"mu": 1.0}', '{"mu": 5.0}'), ("40, 1,", "40, 2,")])
@pytest.mark.parametrize("command", ["summary", "verdict", "figures"])
def test_results_of_another_design_are_not_shown_under_the_names_of_this_one(study, command, old, new):
    changed(study, old, new)
    code, said = call(command, study)
    assert code == 4 and "results of another study" in said.replace("\n", " ")
    code, said = call("status", study)
    assert code == 0 and "changed since" in said and not re.search(r"n=\d+ +40 ", said)


def test_what_was_kept_apart_is_what_is_shown_afterwards(study):
    changed(study, "[10, 100]", "[1000]")
    changed(study, 'cells={"n": [100]}', "cells={}")
    assert call("run", study, "--workers", "1", "--quiet", "--apart")[0] == 0
    code, said = call("summary", study)
    assert code == 0 and "apart-" in said and re.search(r"EmpSE.*\nmean +\S+ \S+ +0\.0", said), "of n = 1000"


@pytest.mark.parametrize("new", ["[100, 10]", "[5, 10, 100]"])
def test_levels_that_came_or_moved_leave_every_result_with_its_cell(study, new):
    before = re.sub(r"(?m)^\d+,", "", call("summary", study, "--format", "csv")[1]).splitlines()
    changed(study, "[10, 100]", new)
    code, said = call("summary", study, "--format", "csv")
    assert code == 0 and {*before} <= {*re.sub(r"(?m)^\d+,", "", said).splitlines()}


@pytest.mark.parametrize("command", ["summary", "verdict", "figures"])
def test_results_of_changed_code_are_refused_with_the_ways_out(study, command):
    changed(study, "data.std()", "2 * data.std()")
    code, said = call(command, study)
    assert code == 4 and "code: study.py" in said and all(way in said for way in ("--apart", "--redo", "--accept"))


def test_a_name_and_criteria_may_change(study):
    changed(study, 'Study("s"', 'Study("another name"')
    changed(study, "high=0.4", "high=0.5")
    assert call("run", study, "--workers", "1", "--quiet")[0] == 0
    assert "changed" not in call("summary", study)[1]


def test_a_damaged_page_is_named_and_its_replications_are_computed_again(study):
    (whole,) = (study.parent / "study.results" / "chunks").glob("cell000001*")
    before = Store.open(whole.parent.parent).table(1, "mean").columns["mu.estimate"].tolist()
    data = bytearray(whole.read_bytes())
    for place in range(60, 120):
        data[place] ^= 0xFF
    whole.write_bytes(data)
    code, said = call("summary", study)
    assert code == 0 and f"note: {whole.name} is not read" in said
    code, said = call("run", study, "--workers", "1")
    assert code == 0 and "40 of them now" in said and "was set aside" in said
    assert Store.open(whole.parent.parent).table(1, "mean").columns["mu.estimate"].tolist() == before


def test_five_is_not_five_point_zero(tmp_path):
    made = Study(
        "s", {"n": [5]}, {"m": lambda d, c: {"mu": Estimate(d)}}, {"mu": 0.0}, 3, 1, dgp=lambda c, g: g.normal()
    )
    run(made, folder=tmp_path / "r", workers=0)
    other = Study("s", {"n": [5.0]}, made.methods, {"mu": 0.0}, 3, 1, dgp=made.dgp)
    with pytest.raises(Exception, match="another study"):
        run(other, folder=tmp_path / "r", workers=0)
    assert Store.open(tmp_path / "r").completed(0) == 3


def criterion(**parts: object) -> Study:
    made = Criterion(**{"id": "C", "metric": "coverage", "method": "m", "parameter": "mu", "low": 0.9} | parts)  # type: ignore[arg-type]
    return Study("s", {"n": [5, 9]}, {"m": lambda d, c: {}}, {"mu": 0.0}, 3, 1, dgp=lambda c, g: 0, criteria=[made])


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"metric": "covrage"}, "no metric"),
        ({"low": None}, "no bound"),
        ({"parameter": None}, "of a parameter"),
        ({"metric": "relative_precision"}, "reference"),
        ({"low": 90, "high": 99}, "0.95"),
        ({"metric": "empse", "low": None, "high": -1.0}, "never in that band"),
        ({"faults": ["SE × 0..9"]}, "no fault"),
        ({"faults": [3]}, "faults"),
        ({"cells": None}, "cells"),
        ({"parameter": ["mu"]}, "names must be texts"),
        ({"metric": "rate", "axis": "n", "cells": {"n": [5]}, "of": "rmse"}, "level"),
    ],
)
def test_a_criterion_that_cannot_be_judged_is_refused_before_anything_runs(parts, said):
    with pytest.raises(StudyRefused, match=said):
        validate_criteria(validate(criterion(**parts)))


@pytest.mark.parametrize("criteria", [None, 3, "C", Criterion("C", "bias", "m", "mu", low=0.0)])
def test_criteria_that_are_no_list(criteria):
    with pytest.raises(StudyRefused, match="list of Criterion"):
        validate(Study("s", {}, {"m": lambda d, c: {}}, {"mu": 0.0}, 3, 1, dgp=lambda c, g: 0, criteria=criteria))


@pytest.mark.parametrize(
    "grid",
    [{"n": {"10", "100"}}, {"n": {"a": 1}}, {"n": ["1", 1]}, {"n": ["a\nb"]}],
    ids=["set", "dict", "alike", "line"],
)
def test_levels_without_an_order_or_a_name_of_their_own_are_refused(grid):
    with pytest.raises(StudyRefused):
        validate(Study("s", grid, {"m": lambda d, c: {}}, {"mu": 0.0}, 3, 1, dgp=lambda c, g: 0))


def test_a_truth_beyond_all_numbers_is_refused():
    with pytest.raises(StudyRefused, match="not a finite number"):
        validate(Study("s", {}, {"m": lambda d, c: {}}, {"mu": 10**400}, 3, 1, dgp=lambda c, g: 0))


@pytest.mark.parametrize("words", [("new", "."), ("new", ""), ("new", "a.txt"), ("new", "/proc/x.py")])
def test_places_where_no_study_can_be_written(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert call(*words)[0] == 4 and not list(tmp_path.iterdir())


def test_a_file_given_as_a_folder_is_refused_and_kept(study):
    for words in (("run", study, "--out", study), ("figures", study, "--folder", study)):
        code, said = call(*words)
        assert code == 4 and "is not a folder" in said and "remove" not in said
    assert call("replay", study, "--cell", "n=10", "--rep", 10**23)[0] == 2
