"""What questions never vary, as facts for a reviewer: arguments that keep their default, inputs of equal numbers."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from statsclaw.runlog.events.finding import Finding
from statsclaw.specs.interface import Argument
from statsclaw.verify.blind.expressions import Array, NoValue, numbers
from statsclaw.verify.blind.form import Forms
from statsclaw.verify.blind.questionnaire import Call, Questionnaire
from statsclaw.verify.blind.trying import finding

#: From so many numbers on it says something that they are equal.
_SEVERAL = 3
_R_WORDS = {"NULL": None, "TRUE": True, "FALSE": False}


def never_varied(questions: Questionnaire, forms: Forms) -> Iterator[Finding]:
    """Of each function that is asked, the arguments that no claim about an answer gives another value."""
    kept: dict[str, dict[str, Argument]] = {}
    for call in _answered(questions):
        rows = _arguments(call, forms)
        left = kept.setdefault(call.function, {row.name: row for row in rows if row.default is not None})
        given = dict(zip([row.name for row in rows], call.arguments, strict=False)) | dict(call.named)
        for name in [name for name, row in left.items() if name in given and not _is_default(row, given[name])]:
            del left[name]
    for function, arguments in kept.items():
        if arguments:
            text = f"no question gives {', '.join(arguments)} of {function} another value than the default"
            yield finding("never-varied", function, text, severity="note")


def equal_inputs(questions: Questionnaire) -> Iterator[Finding]:
    """Scenarios in which all that is given to the package are sequences of equal numbers: many formulas agree there."""
    found: dict[str, list[bool]] = {}
    for call in _answered(questions):
        sizes = [part for value in (*call.arguments, *call.named.values()) if (part := _several(value)) is not None]
        found.setdefault(call.scenario, []).extend(bool(np.all(part == part.flat[0])) for part in sizes)
    for scenario, equal in found.items():
        if equal and all(equal):
            text = f"{scenario}: the numbers of every sequence that the package is given are equal"
            yield finding("equal-inputs", scenario, text, severity="note")


def _answered(questions: Questionnaire) -> Iterator[Call]:
    """Calls whose answers something is claimed about, directly or through a later call; errors are no answers."""
    wanted = {number for claim in questions.claims if claim.rule != "raises" for number in claim.uses()}
    for call in reversed(questions.calls):
        if call.id in wanted:
            wanted |= set(call.uses())
    return (call for call in questions.calls if call.id in wanted and call.what == "call")


def _arguments(call: Call, forms: Forms) -> Sequence[Argument]:
    declared = forms.declared(call)
    if declared is not None:
        return declared.arguments
    own = forms.classes.get(call.function) if call.on is None else None
    return own.arguments if own is not None else ()


def _is_default(row: Argument, value: Any) -> bool:
    """Whether what is given is the default; of a default that is no plain value nobody knows."""
    text = (row.default or "").strip()
    try:
        default = _R_WORDS[text] if text in _R_WORDS else ast.literal_eval(text.removesuffix("L"))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return False
    plain = value is None or isinstance(value, bool | int | float | str)
    return plain and isinstance(value, bool) == isinstance(default, bool) and bool(value == default)


def _several(value: Any) -> Array | None:
    try:
        found = numbers(value)
    except NoValue:
        return None
    return found if found.size >= _SEVERAL else None
