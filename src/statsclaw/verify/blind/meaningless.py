"""Meaningless answers: of the types and shapes of the interface, with values that mean nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from statsclaw.verify.blind.expressions import Answered, Answers, Array
from statsclaw.verify.blind.form import Forms, shape_of
from statsclaw.verify.blind.inside.statsclaw_wire import Extra
from statsclaw.verify.blind.questionnaire import Call

NULLS = ("noise", "large", "ramp", "zeros")
_UNDECLARED = (60, 2)


def meaningless(calls: Sequence[Call], forms: Forms, kind: str, seed: int = 0) -> Answers:
    """An answer to every call with the types and shapes of the interface and values that mean nothing."""
    rng = np.random.default_rng([seed, NULLS.index(kind)])
    return Answers({call.id: Answered(call.id, _null(call, forms, kind, rng)) for call in calls})


def _null(call: Call, forms: Forms, kind: str, rng: np.random.Generator) -> Any:
    declared = forms.declared(call)
    if call.what in ("exports", "signature"):
        return []
    if call.what == "text" or declared is None:
        return "meaningless" if call.what == "text" else float(_values((), kind, rng))
    returned = declared.returns
    if returned.type == "object":
        fields = {
            row.name: _null_value(row.type, shape_of(row.shape, declared.arguments, call), kind, rng)
            for row in returned.fields
        }
        return Extra("object", {"classes": [returned.class_name or "object"], "fields": fields, "missing": []})
    return _null_value(returned.type, shape_of(returned.shape, declared.arguments, call), kind, rng)


def _null_value(type_: str, shape: tuple[int, ...] | None, kind: str, rng: np.random.Generator) -> Any:
    match type_:
        case "number" | "any" | "object":
            return float(_values((), kind, rng))
        case "integer":
            return int(rng.integers(1000, 9999)) if kind != "zeros" else 0
        case "boolean":
            return bool(rng.integers(2))
        case "text":
            return "meaningless"
        case "none":
            return None
        case _:
            return _values(shape if shape is not None else _UNDECLARED, kind, rng)


def _values(shape: tuple[int, ...], kind: str, rng: np.random.Generator) -> Array:
    noise = rng.standard_normal(shape)
    if kind == "zeros":
        return np.zeros(shape)
    if kind == "ramp":
        size = int(np.prod(shape)) if shape else 1
        return np.asarray(np.linspace(1.0, 100.0 + size, size).reshape(shape) + 0.1 * noise)
    return np.asarray(noise * (1.0 if kind == "noise" else 1e3))
