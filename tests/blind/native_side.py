"""A questionnaire for a tiny package, and its specification, as the tests of shipped suites use them."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from statsclaw.specs.interface import Interface
from statsclaw.specs.test_spec import TestSpec
from statsclaw.verify.blind.answering import read_answer, request_for
from statsclaw.verify.blind.comparing import Judge
from statsclaw.verify.blind.expressions import Answered, Answers
from statsclaw.verify.blind.form import Forms
from statsclaw.verify.blind.inside import statsclaw_wire as wire
from statsclaw.verify.blind.questionnaire import Questionnaire, read_questionnaire

INSIDE = Path(wire.__file__).parent

#: id, rule, and what belongs to the rule
CRITERIA: list[dict[str, Any]] = [
    {"id": "NEAR", "rule": "close", "tolerance": {"absolute": 1e-9, "relative": 1e-9}},
    {"id": "DIGITS", "rule": "close", "tolerance": {"lre": 9}},
    {"id": "HIGH", "rule": "at most", "high": 3.0},
    {"id": "LOW", "rule": "at least", "low": 1.0},
    {"id": "INSIDE", "rule": "between", "low": 1.0, "high": 3.0},
    {"id": "ERROR", "rule": "raises", "error": "ValueError", "message": "two numbers"},
    {"id": "WARNING", "rule": "warns", "error": "UserWarning", "message": "few"},
    *({"id": name, "rule": "holds", "kind": "structure"} for name in (
        "SAME", "CONTAINS", "LESS", "BETWEEN", "FINITE", "UNTOUCHED", "REPEATABLE", "SILENT", "RETURNS", "SEEN", "TALK",
    )),
    {"id": "TIME", "rule": "at most", "high": 9.0, "kind": "structure", "decided_by": "timing"},
]  # fmt: skip


def specification(**errors: str) -> TestSpec:
    """`errors`: other classes of errors and warnings, by criterion."""
    rows = [{"quantity": "something", "source": "a text", "scenarios": ["S1"]} | row for row in CRITERIA]
    rows = [row | ({"error": errors[row["id"]]} if row["id"] in errors else {}) for row in rows]
    scenario = {"id": "S1", "behaviour": "all of it", "exercises": ["fit"], "inputs": "drawn", "seed": 1}
    return TestSpec.model_validate({"scenarios": [scenario], "criteria": rows})


def interface() -> Interface:
    fields = [{"name": name, "type": kind} for name, kind in (("mean", "number"), ("cov", "array"), ("draws", "array"))]
    returns = {"type": "object", "class_name": "Fit", "fields": fields}
    others = ("kinds", "described", "few", "draw", "many", "table", "bump")
    functions = [{"name": "fit", "returns": returns}, *({"name": name, "returns": {"type": "any"}} for name in others)]
    predict = {"name": "predict", "returns": {"type": "array"}}
    classes = [{"name": "Fit", "fields": fields, "methods": [predict]}]
    return Interface.model_validate({"package": "tiny", "functions": functions, "classes": classes})


def asked(folder: Path, questions: str) -> Questionnaire:
    """What an author's file asks; it runs alone, as in a run."""
    folder.mkdir(exist_ok=True)
    (folder / "ask_all.py").write_text(questions, encoding="utf-8")
    with (folder / "settings").open("wb") as file:
        wire.send(file, {"files": ["ask_all.py"], "seeds": {"S1": 1}, "seed": 2})
    command = [sys.executable, str(INSIDE / "ask_main.py"), "ask", str(folder), folder / "settings", folder / "out"]
    subprocess.run(list(map(str, command)), check=True, capture_output=True)
    return read_questionnaire((folder / "out").read_bytes())


def judged(language: str, questions: Questionnaire, tests: TestSpec, site: Path) -> set[str]:
    """Cases with criteria that the judge fails, asking the package in `site`: what the shipped suite must say too."""
    program = [sys.executable, "-I", "-B", INSIDE / "worker.py"]
    program = program if language == "python" else ["Rscript", "--vanilla", INSIDE / "worker.R"]
    forms = Forms(interface(), language)
    given, again = ({row.id: row for row in _answers(program, questions, forms, site)} for _ in range(2))
    judge = Judge({row.id: row for row in tests.criteria}, questions.calls, forms)
    rows = [judge.compare(n, claim, Answers(given, again)) for n, claim in enumerate(questions.claims)]
    seen = ("observe", "dialogue")
    return {f"{row.claim.case}-{row.claim.criterion}" for row in rows if not row.passed and row.claim.rule not in seen}


def _answers(program: list[Any], questions: Questionnaire, forms: Forms, site: Path) -> Iterator[Answered]:
    with tempfile.TemporaryDirectory() as folder:
        requests, answers = Path(folder) / "requests", Path(folder) / "answers"
        with requests.open("wb") as file:
            for call in questions.calls:
                wire.send(file, request_for(call, forms, "salt"))
        command = [*map(str, program), str(requests), str(answers), str(site), "tiny"]
        subprocess.run(command, check=True, capture_output=True)
        with answers.open("rb") as file:
            for call in questions.calls:
                yield read_answer(wire.receive(file), call.id)
