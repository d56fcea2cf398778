"""Questions made in this process, without an author's file, for tests of what becomes of them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from statsclaw.specs.interface import Interface
from statsclaw.specs.test_spec import Criterion
from statsclaw.verify.blind import inside
from statsclaw.verify.blind.comparing import Compared, Judge
from statsclaw.verify.blind.expressions import Answered, Answers, Condition
from statsclaw.verify.blind.form import Forms
from statsclaw.verify.blind.inside import statsclaw_wire as wire
from statsclaw.verify.blind.inside.statsclaw_wire import Extra
from statsclaw.verify.blind.questionnaire import Questionnaire, read_questionnaire

INTERFACE = Interface.model_validate(
    {
        "package": "tiny",
        "functions": [
            {
                "name": "fit",
                "arguments": [{"name": "y"}, {"name": "X"}, {"name": "rng", "default": "None"}],
                "returns": {
                    "type": "object",
                    "class_name": "Fit",
                    "fields": [
                        {"name": "coef", "type": "array", "shape": ["cols(X)"]},
                        {"name": "draws", "type": "array"},
                        {"name": "loglik", "type": "number"},
                        {"name": "steps", "type": "integer"},
                        {"name": "converged", "type": "boolean"},
                        {"name": "summary", "type": "text"},
                    ],
                },
                "raises": [
                    {"when": "no rows", "error": "ValueError", "message": "no rows"},
                    {"when": "rank", "error": "ValueError", "message": "rank"},
                ],
            },
            {"name": "mean", "arguments": [{"name": "x"}], "returns": {"type": "number"}},
        ],
    }
)


def ask_module() -> ModuleType:
    """The author's module with an empty book. In a sandbox it finds its neighbour by the bare name."""
    sys.modules["statsclaw_wire"] = wire
    folder = str(Path(inside.__file__).parent)
    sys.path.insert(0, folder)
    sys.modules.pop("statsclaw_ask", None)
    try:
        return import_module("statsclaw_ask")
    finally:
        sys.path.remove(folder)


def questionnaire(write: Callable[[Any], None]) -> Questionnaire:
    """What an author asks and claims in one scenario S1."""
    ask = ask_module()
    ask.BOOK.scenario, ask.BOOK.case, ask.BOOK.file = "S1", "a_case", "ask_it.py"
    write(ask)
    data = wire.encode({"calls": ask.BOOK.calls, "claims": ask.BOOK.claims})
    return read_questionnaire(len(data).to_bytes(8, "little") + data)


def criterion(rule: str = "close", **parts: Any) -> Criterion:
    needs: dict[str, dict[str, Any]] = {
        "close": {"tolerance": {"absolute": 1e-8, "relative": 1e-6}, "scale": 1.0},
        "at most": {"high": 1.0},
        "between": {"low": 0.0, "high": 1.0},
        "raises": {"error": "ValueError", "message": "no rows"},
        "warns": {"error": "RuntimeWarning", "message": "slow"},
        "holds": {"kind": "structure"},
    }
    row = {"id": "C1", "quantity": "it", "scenarios": ["S1"], "rule": rule, "source": "planner"} | needs[rule] | parts
    return Criterion.model_validate(row)


def fit(**fields: Any) -> Extra:
    """What a worker hands over of an honest fit, with these fields changed."""
    usual: dict[str, Any] = {
        "coef": np.array([0.5, -1.25]),
        "draws": np.linspace(0.0, 1.0, 40).reshape(20, 2),
        "loglik": -3.5,
        "steps": 4,
        "converged": True,
        "summary": "two coefficients",
    }
    return Extra("object", {"classes": ["Fit", "object"], "fields": usual | fields, "missing": []})


def answers(*values: Any) -> Answers:
    """In the order of the calls; an Answered is taken as it is, a Condition as an error."""
    rows = [
        value
        if isinstance(value, Answered)
        else Answered(n, error=value)
        if isinstance(value, Condition)
        else Answered(n, value)
        for n, value in enumerate(values)
    ]
    return Answers({row.id: row for row in rows})


def compared(questions: Questionnaire, row: Criterion, given: Answers, **more: Any) -> list[Compared]:
    judge = Judge({row.id: row}, questions.calls, Forms(INTERFACE, "python"), **more)
    return [judge.compare(number, claim, given) for number, claim in enumerate(questions.claims)]
