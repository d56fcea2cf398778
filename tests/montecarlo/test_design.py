"""What a study may be; everything absurd is refused with one sentence."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from statsclaw.errors import InputRefused
from statsclaw.montecarlo import Criterion, Estimate, Program, Study, StudyRefused, load_study
from statsclaw.montecarlo.storage.identity import describe, differences, identity_of
from statsclaw.montecarlo.validate import validate


def dgp(cell: Any, rng: Any) -> Any:
    return rng.normal(size=cell["n"])


def mean(data: Any, cell: Any) -> Any:
    return {"mu": Estimate(data.mean())}


GOOD = Study(
    name="good",
    grid={"n": [10, 20], "rho": [0.0, 0.5]},
    methods={"mean": mean},
    truth={"mu": 0.0},
    replications=10,
    seed=1,
    dgp=dgp,
    criteria=[Criterion("c", "coverage", "mean", "mu", low=0.9, high=0.99, cells={"n": [10]})],
)


def test_a_good_study_is_itself() -> None:
    assert validate(GOOD) is GOOD
    assert validate(replace(GOOD, grid={}, criteria=()))
    assert validate(replace(GOOD, truth={}, criteria=()))


ABSURD: list[tuple[dict[str, Any], str]] = [
    ({"name": ""}, "name"),
    ({"name": "a\nb"}, "name"),
    ({"grid": {"n": []}}, "no levels"),
    ({"grid": {"n": 50}}, "list of levels"),
    ({"grid": {"n": "abc"}}, "list of levels"),
    ({"grid": {"n": [10, 10]}}, "twice"),
    ({"grid": {"n": [1, 1.0]}}, "twice"),
    ({"grid": {"n": [1, True]}}, "twice"),
    ({"grid": {"n": [float("nan")]}}, "not finite"),
    ({"grid": {"n": [float("inf")]}}, "not finite"),
    ({"grid": {"n": [None]}}, "must be a number"),
    ({"grid": {"n": [(1, 2)]}}, "must be a number"),
    ({"grid": {"a=b": [1]}}, "without '='"),
    ({"grid": [1, 2]}, "mapping"),
    ({"grid": {"n": range(1000), "m": range(1000), "k": [1, 2]}}, "cells"),
    ({"methods": {}}, "no methods"),
    ({"methods": "mean"}, "no methods"),
    ({"methods": {"a/b": mean}}, "without '/'"),
    ({"methods": {"": mean}}, "needs a name"),
    ({"methods": {"mean": 3}}, "not a function"),
    ({"methods": ["mean"]}, "mapping"),
    ({"methods": {"mean": lambda data: {}}}, "must take"),
    ({"methods": {"mean": lambda a, b, c, d: {}}}, "must take"),
    ({"dgp": None}, "no data-generating process"),
    ({"dgp": lambda cell: 1}, "must take"),
    ({"program": Program("r", ("x.R",))}, "not both"),
    ({"replications": 0}, "at least 1"),
    ({"replications": -5}, "at least 1"),
    ({"replications": 10.0}, "at least 1"),
    ({"replications": True}, "at least 1"),
    ({"replications": 10**15}, "more than can be run"),
    ({"seed": -1}, "seed"),
    ({"seed": 2**64}, "seed"),
    ({"seed": 1.5}, "seed"),
    ({"seed": None}, "seed"),
    ({"level": 0.5}, "level"),
    ({"level": 1.0}, "level"),
    ({"level": 95}, "level"),
    ({"level": float("nan")}, "level"),
    ({"timeout": 0}, "timeout"),
    ({"timeout": float("inf")}, "timeout"),
    ({"cap": 5}, "cap"),
    ({"truth": {"mu": float("nan")}}, "not a finite number"),
    ({"truth": {"mu": float("inf")}}, "not a finite number"),
    ({"truth": {"mu": "1"}}, "not a finite number"),
    ({"truth": {"mu": None}}, "not a finite number"),
    ({"truth": {"seconds": 1.0}}, "uses that name"),
    ({"truth": 3}, "truth"),
    ({"truth": lambda cell: {"mu": 1 / 0}}, "ZeroDivisionError"),
    ({"truth": lambda cell: 5}, "cannot be computed"),
    ({"criteria": ["coverage"]}, "Criterion"),
]
BAD_CRITERIA: list[tuple[dict[str, Any], str]] = [
    ({"id": ""}, "id"),
    ({"method": "median"}, "no method 'median'"),
    ({"reference": "median"}, "no reference 'median'"),
    ({"parameter": "sigma"}, "no parameter 'sigma'"),
    ({"axis": "k"}, "no axis 'k'"),
    ({"cells": {"k": [1]}}, "no axis 'k'"),
    ({"cells": {"n": [11]}}, "no level 11"),
    ({"cells": {"n": "10"}}, "no level '10'"),
    ({"cells": {"n": {10}}}, "lists of levels, such as"),
    ({"cells": {"n": []}}, "no cell"),
    ({"low": 0.99, "high": 0.9}, "above"),
    ({"low": float("nan")}, "not a number"),
    ({"unit": "furlong"}, "unit"),
]


@pytest.mark.parametrize(("change", "said"), ABSURD)
def test_everything_absurd_is_refused_with_one_sentence(change: dict[str, Any], said: str) -> None:
    with pytest.raises(StudyRefused, match=said) as refusal:
        validate(replace(GOOD, **change))
    assert "\n" not in str(refusal.value) and isinstance(refusal.value, InputRefused)


@pytest.mark.parametrize(("change", "said"), BAD_CRITERIA)
def test_a_criterion_about_something_that_is_not_there_is_refused(change: dict[str, Any], said: str) -> None:
    with pytest.raises(StudyRefused, match=said):
        validate(replace(GOOD, criteria=[replace(GOOD.criteria[0], **change)]))


def test_two_criteria_with_one_id_are_refused() -> None:
    with pytest.raises(StudyRefused, match="two criteria"):
        validate(replace(GOOD, criteria=[GOOD.criteria[0]] * 2))


def test_levels_from_numpy_are_the_same_cells() -> None:
    twin = replace(GOOD, grid={"n": np.array([10, 20]), "rho": np.array([0.0, 0.5])})
    assert twin.cells() == GOOD.cells() and twin.design_sha256 == GOOD.design_sha256
    assert all(type(level) in (int, float) for cell in twin.cells() for level in cell.values())


def write(folder: Path, text: str, name: str = "study.py") -> Path:
    path = folder / name
    path.write_text(text)
    return path


STUDY = """
# a comment
from statsclaw.montecarlo import Criterion, Estimate, Study
import scipy.special
from helper import size
R = 100
CRITERIA = [Criterion("c", "bias", "mean", "mu", low=-1, high=1)]
def dgp(cell, rng):
    return rng.normal(size=size)
def mean(data, cell):
    return {"mu": Estimate(data.mean())}
study = Study(name="s", grid={}, methods={"mean": mean}, truth={"mu": 0.0}, replications=R, seed=1, dgp=dgp,
              criteria=CRITERIA)
if __name__ == "__main__":
    print("hello")
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path, "size = 5\n", "helper.py")
    write(tmp_path, STUDY)
    return tmp_path


def changes(folder: Path, before: str, after: str, name: str = "study.py") -> list[str]:
    kept = describe(load_study(folder / "study.py"))
    path = folder / name
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after))
    now = describe(load_study(folder / "study.py"))
    assert (identity_of(kept) == identity_of(now)) == (kept == now)
    return differences(kept, now)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("# a comment", "# another"),
        ("R = 100", "R = 250"),
        ("low=-1", "low=-2"),
        ('print("hello")', 'print("goodbye")'),
        ("replications=R", "replications=77, cap=1000"),
    ],
)
def test_what_results_do_not_depend_on_may_change(folder: Path, before: str, after: str) -> None:
    assert changes(folder, before, after) == []


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("data.mean()", "data.mean() + 0", "code: study.py"),
        ("seed=1", "seed=2", "design: seed 1 → 2"),
        ("import scipy.special", "import pandas", "environment: pandas"),
        ('{"mu": 0.0}', '{"mu": 0.5}', "design: truth"),
    ],
)
def test_what_results_depend_on_is_named_when_it_changes(folder: Path, before: str, after: str, said: str) -> None:
    assert any(text.startswith(said) for text in changes(folder, before, after))


def test_replications_may_change_where_they_have_no_name(folder: Path) -> None:
    text = STUDY.partition("study = ")[0]
    write(folder, text + "study = Study('s', {}, {'mean': mean}, {'mu': 0.0}, 100, 1, dgp)")
    assert changes(folder, "100, 1", "250, 1") == []
    assert changes(folder, "250, 1", "250, 2") == ["design: seed 1 → 2"]


def test_the_environment_is_what_the_study_imports_and_what_everything_rests_on(folder: Path) -> None:
    write(folder, STUDY.replace("import scipy.special", "import yaml"))
    found = describe(load_study(folder / "study.py"))["environment"]
    assert set(found) == {"python", "platform", "streams", "numpy", "scipy", "PyYAML"}


def test_a_module_beside_the_study_belongs_to_it(folder: Path) -> None:
    assert changes(folder, "size = 5", "size = 6", "helper.py") == ["code: helper.py"]


def test_a_module_beside_the_study_is_its_own_and_not_another_studys(folder: Path) -> None:
    other = folder / "other"
    other.mkdir()
    write(other, "size = 8\n", "helper.py")
    write(other, STUDY)
    rng = np.random.default_rng(1)
    sizes = [load_study(place / "study.py").dgp({}, rng).size for place in (folder, other, folder)]  # type: ignore[misc]
    assert sizes == [5, 8, 5]


def test_functions_without_a_file_are_known_by_their_code() -> None:
    def made(shift: float) -> Study:
        space: dict[str, Any] = {"Estimate": Estimate}
        exec(f"def m(d, c): return helper(d)\ndef helper(d): return {{'mu': {shift}}}", space)
        return replace(GOOD, methods={"mean": space["m"]})

    one, same, other = (describe(made(shift))["code"]["method mean"] for shift in (1.0, 1.0, 2.0))
    assert one == same != other


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = 1", "defines no study"),
        ("study = 5", "defines no study"),
        ("1 / 0", r"ZeroDivisionError.*line 1"),
        ("\n\nthis is no python", "line 3"),
        ("import sys; sys.exit(3)", "SystemExit"),
        ("import not_there", "not_there"),
        ("from statsclaw.montecarlo import Study\nstudy = Study('s', {}, {}, {}, 1, 1)", "no methods"),
    ],
)
def test_a_file_that_is_no_study_is_refused_with_one_sentence(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(StudyRefused, match=said) as refusal:
        load_study(write(tmp_path, text))
    assert "Traceback" not in refusal.value.line()


def test_a_file_that_is_not_there_or_of_another_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StudyRefused, match="there is no study file"):
        load_study(tmp_path / "no.py")
    with pytest.raises(StudyRefused, match="neither"):
        load_study(write(tmp_path, "", "study.txt"))


def test_a_study_file_that_runs_itself_is_refused_when_it_is_loaded(tmp_path: Path) -> None:
    text = STUDY.replace("from helper import size", "size = 5") + "\nfrom statsclaw.montecarlo import run\nrun(study)"
    with pytest.raises(StudyRefused, match="runs itself"):
        load_study(write(tmp_path, text))


def test_a_cell_by_its_number_is_that_of_the_list() -> None:
    for grid in ({"n": [1, 2, 3], "rho": [0.0, 0.5], "kind": ["a", "b"]}, {}):
        study = Study("s", grid, ["m"], {"mu": 0.0}, 1, 1)
        assert [list(study.cell(number).items()) for number in range(len(study.cells()))] == [
            list(cell.items()) for cell in study.cells()
        ]
