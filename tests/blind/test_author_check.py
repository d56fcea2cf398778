"""What an author is told by `ask_main.py check`, in the own room, before anything is handed in."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from statsclaw.specs.test_spec import TestSpec
from statsclaw.verify.blind.form import Forms
from statsclaw.verify.blind.rooms import asking_kit
from tests.blind.made import INTERFACE
from tests.blind.r_side import needs_r
from tests.blind.test_ask_r import program

IN_PYTHON = """
import statsclaw_ask as ask


@ask.scenario("S1")
def fitted(rng):
    fit = ask.call("fit", [1.0, 2.0], [[1.0], [1.0]], rng=None)
    ask.close("C1", fit.coef, [1.5])
    ask.close("C1", ask.call(fit, "contrast", [1.0]), 1.0)
    ask.close("C1", ask.call("fitted_values", [1.0]), [1.0])
    ask.close("C1", ask.call("mean", [1.0], weights=[1.0]), 1.0)
    ask.close("C1", ask.call("mean", [1.0], [2.0]), 1.0)
    ask.raises("C2", ask.call("mean", [1.0], trim=0.9))
"""

IN_R = """
scenario("S1", fitted = function() {
  fit <- ask("fit", c(1, 2), matrix(1, 2), rng = NULL)
  claim_close("C1", fit$coef, 1.5)
  claim_close("C1", ask(fit, "contrast", 1), 1)
  claim_close("C1", ask("fitted_values", 1), 1)
  claim_close("C1", ask("mean", 1, weights = 1), 1)
  claim_close("C1", ask("mean", 1, 2), 1)
  claim_raises("C2", ask("mean", 1, trim = 0.9))
})
"""

TESTS = TestSpec.model_validate({
    "scenarios": [{"id": "S1", "behaviour": "a fit", "exercises": ["fit"], "inputs": "two rows"}],
    "criteria": [
        {
            "id": "C1", "quantity": "coefficients", "of": "fit.coef", "scenarios": ["S1"], "rule": "close",
            "tolerance": {"absolute": 1e-10}, "source": "planner",
        },
        {
            "id": "C2", "quantity": "a refusal", "of": "mean", "scenarios": ["S1"], "rule": "raises",
            "error": "ValueError", "source": "planner",
        },
    ],
})  # fmt: skip


def said(folder: Path, language: str, code: str, forms: Forms | None) -> list[str]:
    for name, text in asking_kit(TESTS, "", forms=forms).items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "tests").mkdir()
    (folder / "tests" / f"ask_fit.{language}").write_text(code, encoding="utf-8")
    first = program(language)[:-1]
    command = [*first, str(folder / f"ask_main.{language}"), "check", str(folder / "tests")]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


@pytest.mark.parametrize(("language", "code"), [("py", IN_PYTHON), pytest.param("R", IN_R, marks=needs_r)])
def test_what_the_interface_does_not_name_is_told_before_it_is_handed_in(
    tmp_path: Path, language: str, code: str
) -> None:
    first, *rest = said(tmp_path, language, code, Forms(INTERFACE, "r" if language == "R" else "python"))
    assert first == "1 files, 6 calls, 6 claims"
    assert rest == ["not in the interface: 2 arguments of mean, fitted_values, weights of mean"]


@pytest.mark.parametrize(("language", "code"), [("py", IN_PYTHON), pytest.param("R", IN_R, marks=needs_r)])
def test_without_an_interface_nothing_is_said_of_it(tmp_path: Path, language: str, code: str) -> None:
    assert len(said(tmp_path, language, code, None)) == 1
