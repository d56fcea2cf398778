"""What was tried against shipped suites: code in names and values, files that runners load, values that are none."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from statsclaw.git import git
from statsclaw.verify.blind import native
from statsclaw.verify.blind.native import native_suite
from statsclaw.verify.blind.questionnaire import Misread, Questionnaire
from tests.blind import test_native, test_native_r
from tests.blind.native_side import asked, interface, specification
from tests.corpus.cheats import Edit, Fault, play

BASE = """
import numpy as np
import statsclaw_ask as ask
from statsclaw_wire import Extra

@ask.scenario("S1")
def case():
    fit = ask.call("fit", np.array([1.0, 2.0, 4.0]))
    ask.close("NEAR", fit.mean, 7 / 3)
"""
DATA = {"python": "tests/validation/questions.json", "r": "tests/testthat/validation-questions.json"}
needs_testthat = pytest.mark.skipif(not test_native_r.has_testthat(), reason="Rscript or testthat is not installed")
both = pytest.mark.parametrize("language", ["python", pytest.param("r", marks=needs_testthat)])


def questionnaire(folder: Path, lines: str) -> Questionnaire:
    return asked(folder / "asked", BASE + lines)


def suite(folder: Path, language: str, lines: str) -> dict[str, str]:
    tests = test_native_r.TESTS if language == "r" else specification()
    return native_suite(language, questionnaire(folder, lines), tests, interface())


def in_a_clone(folder: Path, language: str, made: dict[str, str]) -> dict[str, str]:
    """What pytest or testthat says of each test."""
    side = test_native_r if language == "r" else test_native
    (folder / "clone").mkdir()
    found = side.outcomes(folder / "clone", made, side.PACKAGE)
    return {name.replace(" ", "-"): outcome for name, outcome in found.items()}


# --- what is called ---------------------------------------------------------------------------------------------------

#: Calls that end in a file `mark`, past the interface.
PAST = {
    "python": "    ask.call(ask.call('__builtins__.get', 'exec'), '__call__', \"open('{mark}', 'w')\", {{}})\n",
    "r": "    word = ask.call(fit.mean, 'ifelse', yes='touch {mark}', no='')\n    ask.call(word, 'system')\n",
}


@both
def test_what_the_interface_does_not_declare_is_not_shipped(tmp_path: Path, language: str) -> None:
    lines = PAST[language].format(mark=tmp_path / "mark") + "    ask.returns('RETURNS', ask.call('secret'))\n"
    made = suite(tmp_path, language, lines)
    data = json.loads(made[DATA[language]])
    assert [row["function"] for row in data["calls"]] == ["fit"]
    assert data["claims"][1]["left_out"] == "the interface does not declare what it calls"
    found = in_a_clone(tmp_path, language, made)
    assert found["case-NEAR"] == "PASSED" and not (tmp_path / "mark").exists()


@both
def test_a_runner_calls_nothing_that_its_data_do_not_declare(
    tmp_path: Path, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where somebody has put the calls into the data."""
    monkeypatch.setattr(native, "_undeclared", lambda suite: ())
    lines = PAST[language].format(mark=tmp_path / "mark")
    lines += (
        "    ask.returns('RETURNS', ask.call(fit, 'mean'))\n    ask.returns('FINITE', ask.call(fit, 'predict', 1.0))\n"
    )
    made = suite(tmp_path, language, lines)
    assert len(json.loads(made[DATA[language]])["calls"]) == 5
    found = in_a_clone(tmp_path, language, made)
    assert found == {"case-NEAR": "PASSED", "case-RETURNS": "FAILED", "case-FINITE": "PASSED"}
    assert not (tmp_path / "mark").exists()


@both
def test_only_declared_fields_of_an_object_are_reached(tmp_path: Path, language: str) -> None:
    node = "Extra('answer', {'call': 0, 'path': ['%s']})"
    lines = f"    ask.same('SAME', ask.call('kinds', {node % '__class__'}), ['type'])\n"
    lines += f"    ask.returns('FINITE', ask.call('kinds', {node % 'undeclared'}))\n"
    lines += f"    ask.returns('RETURNS', ask.call('kinds', {node % 'mean'}))\n"
    found = in_a_clone(tmp_path, language, suite(tmp_path, language, lines))
    assert found == {
        "case-NEAR": "PASSED", "case-SAME": "FAILED", "case-FINITE": "FAILED", "case-RETURNS": "PASSED",
    }  # fmt: skip


# --- what is written --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "calculation",
    [
        "'length', fit.mean, **{\"x = file.create('mark'), y\": 1}",
        "'length', fit.mean, x=1",
        "'length', fit.mean, fit.mean",
        "'mean', fit.mean, axis='x'",
        "'part', fit.cov, at=[{'slice': [0, 'x', 1]}]",
        "'eval', fit.mean",
    ],
)
def test_a_calculation_that_not_all_understand_is_not_read(tmp_path: Path, calculation: str) -> None:
    with pytest.raises(Misread):
        questionnaire(tmp_path, f"    ask.close('NEAR', fit.mean * ask._do({calculation}), 7 / 3)\n")


@needs_testthat
@pytest.mark.parametrize("text", ["file.create('{}')", "y ~ x; file.create('{}')"])
def test_no_formula_is_executed_when_it_is_read(tmp_path: Path, text: str) -> None:
    lines = f"    ask.call('bump', Extra('formula', {text.format(tmp_path / 'mark')!r}))\n"
    found = in_a_clone(tmp_path, "r", suite(tmp_path, "r", lines))
    assert found == {"case-NEAR": "PASSED"} and not (tmp_path / "mark").exists()


@both
@pytest.mark.parametrize("text", ["a\0b", "\ud800", "\U0001f600", "'); file.create('mark'); c('", '\\"'])
def test_no_text_ends_or_changes_a_suite(tmp_path: Path, language: str, text: str) -> None:
    lines = f"    ask.same('SAME', ask.text(fit) != {text!a}, True)\n    ask.call('kinds', **{{{text!a}: 1}})\n"
    found = in_a_clone(tmp_path, language, suite(tmp_path, language, lines))
    assert found == {"case-NEAR": "PASSED", "case-SAME": "PASSED"}


@pytest.mark.parametrize("value", ["Extra('integer', 'zz')", "Extra('nonsense', 1)"])
def test_a_value_that_is_not_what_it_says_goes_back_to_the_tester(tmp_path: Path, value: str) -> None:
    place, first = "tests/validation/ask_tinymean.py", "import statsclaw_ask as ask\n"
    edits = (
        Edit(place, f'ask.call("interval", {value})\n    ask.raises("C5"', 'ask.raises("C5"'),
        Edit(place, f"{first}from statsclaw_wire import Extra\n", first),
    )
    caught, _ = play(Fault("", "tester", edits, "", ""), tmp_path)
    assert caught is not None and (caught.by, caught.to) == ("suite check", "tester")


# --- which files ship -------------------------------------------------------------------------------------------------

HOOK = """import pytest


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    made = yield
    made.get_result().outcome = "passed"
"""


def test_no_file_of_tester_or_builder_decides_what_the_shipped_program_says(tmp_path: Path) -> None:
    tester, builder = '    hand_in("audit-notes.md", "Suite", "Not tested")', '    hand_in("implementation.md",'
    files = {"conftest.py": HOOK, "numpy.py": "raise ModuleNotFoundError\n", "pytest.ini": "[pytest]\n"}
    lines = "".join(f'    write("tests/validation/{name}", {text!r})\n' for name, text in files.items())
    edits = (
        Edit("agent.py", f"{lines}{tester}", tester),
        Edit("agent.py", f'    write("tests/conftest.py", {HOOK!r})\n{builder}', builder),
    )
    caught, view = play(Fault("", "", edits, "", ""), tmp_path)
    assert caught is None and view is not None and view.commit is not None
    clone = tmp_path / "clone"
    git("clone", "--quiet", "--branch", view.commit.branch, str(tmp_path / "tinymean.git"), str(clone))
    there = {path.name for path in (clone / "tests" / "validation").iterdir()}
    asked = {"ask_tinymean.py.source", *(f"{name}.source" for name in files)}
    assert there == {"questions.json", "test_validation.py", *asked}

    package = clone / "src" / "tinymean" / "__init__.py"
    text = package.read_text()
    assert run_in(clone, "-P", "tests/validation/test_validation.py") == 0
    package.write_text(text.replace("/ (len(x) - 1) / len(x)", "/ len(x) / len(x)"))
    assert run_in(clone, "-P", "tests/validation/test_validation.py") == 1
    assert run_in(clone, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests") == 0  # hooks of the builder
    (clone / "tests" / "conftest.py").unlink()
    assert run_in(clone, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests") == 1


def run_in(clone: Path, *command: str) -> int:
    environment = os.environ | {"PYTHONPATH": str(clone / "src")}
    return subprocess.run([sys.executable, *command], cwd=clone, env=environment, capture_output=True).returncode
