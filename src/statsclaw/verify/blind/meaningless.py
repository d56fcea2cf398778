"""Meaningless answers: of the types and shapes of the interface, with values that mean nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from statsclaw.specs.interface import Value
from statsclaw.verify.blind.expressions import Answered, Answers, Array
from statsclaw.verify.blind.form import Forms, shape_of
from statsclaw.verify.blind.inside.statsclaw_wire import Extra
from statsclaw.verify.blind.questionnaire import Call

NULLS = ("noise", "large", "ramp", "zeros")
_UNDECLARED = (60, 2)


def meaningless(calls: Sequence[Call], forms: Forms, kind: str, seed: int = 0) -> Answers:
    """An answer to every call with the types and shapes of the interface and values that mean nothing."""
    rng = np.random.default_rng([seed, NULLS.index(kind)])
    return Answers({call.id: _answered(call, forms, kind, rng) for call in calls})


def _answered(call: Call, forms: Forms, kind: str, rng: np.random.Generator) -> Answered:
    value = _null(call, forms, kind, rng)
    seconds, peak = rng.uniform(0.5, 2.0, 2) * (1e-3, 1e6)
    return Answered(call.id, value, seconds=float(seconds), peak=float(peak))


def _null(call: Call, forms: Forms, kind: str, rng: np.random.Generator) -> Any:
    returned = forms.returned(call)
    if call.what in ("exports", "signature"):
        return []
    if call.what == "text" or returned is None:
        return "meaningless" if call.what == "text" else float(_values((), kind, rng))
    return _null_value(returned, call, forms, kind, rng)


def _null_value(wanted: Value, call: Call, forms: Forms, kind: str, rng: np.random.Generator) -> Any:
    match wanted.type:
        case "number" | "any":
            return float(_values((), kind, rng))
        case "integer":
            return int(rng.integers(1000, 9999)) if kind != "zeros" else 0
        case "boolean":
            return bool(rng.integers(2))
        case "text":
            return "meaningless"
        case "none":
            return None
        case "figure":
            fields: dict[str, Any] = {"rendered": False, "layers": 0, "kinds": [], "title": "meaningless"}
            return Extra("object", {"classes": ["figure"], "fields": fields, "missing": []})
        case "object" if not wanted.fields:
            return float(_values((), kind, rng))
        case "table" if wanted.fields:
            rows = (_shape(wanted, call, forms) or _UNDECLARED)[:1]
            return Extra(
                "table", {"columns": {part.name: _values(rows, kind, rng) for part in wanted.fields}, "index": None}
            )
        case "object" | "list" if wanted.fields:
            fields = {part.name: _null_value(part, call, forms, kind, rng) for part in wanted.fields}
            if wanted.type == "list":
                return fields
            return Extra("object", {"classes": [wanted.class_name or "object"], "fields": fields, "missing": []})
        case _:
            shape = _shape(wanted, call, forms)
            return _values(shape if shape is not None else _UNDECLARED, kind, rng)


def _shape(wanted: Value, call: Call, forms: Forms) -> tuple[int, ...] | None:
    declared = forms.declared(call)
    return shape_of(wanted.shape, declared.arguments if declared is not None else (), call)


def _values(shape: tuple[int, ...], kind: str, rng: np.random.Generator) -> Array:
    noise = rng.standard_normal(shape)
    if kind == "zeros":
        return np.zeros(shape)
    if kind == "ramp":
        size = int(np.prod(shape)) if shape else 1
        return np.asarray(np.linspace(1.0, 100.0 + size, size).reshape(shape) + 0.1 * noise)
    return np.asarray(noise * (1.0 if kind == "noise" else 1e3))
