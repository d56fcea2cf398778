"""A questionnaire for a tiny package, and its specification, as the tests of shipped suites use them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from statsclaw.specs.interface import Interface
from statsclaw.specs.test_spec import TestSpec
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
    return Interface.model_validate({"package": "tiny", "functions": [{"name": "fit", "returns": returns}]})


def asked(folder: Path, questions: str) -> Questionnaire:
    """What an author's file asks; it runs alone, as in a run."""
    folder.mkdir(exist_ok=True)
    (folder / "ask_all.py").write_text(questions, encoding="utf-8")
    with (folder / "settings").open("wb") as file:
        wire.send(file, {"files": ["ask_all.py"], "seeds": {"S1": 1}, "seed": 2})
    command = [sys.executable, str(INSIDE / "ask_main.py"), "ask", str(folder), folder / "settings", folder / "out"]
    subprocess.run(list(map(str, command)), check=True, capture_output=True)
    return read_questionnaire((folder / "out").read_bytes())
