"""Where everything about an element fails because two authors read the contract differently, not because it is wrong.

An answer that has the form the interface allows, and expectations of another form: no number was ever compared, so
nothing is known about the package. Who has to mend it follows from what the interface says.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from statsclaw.verify.blind.comparing import Compared, expectation
from statsclaw.verify.blind.expressions import NoValue, evaluate, numbers, plain
from statsclaw.verify.blind.form import Forms
from statsclaw.verify.blind.inside.statsclaw_wire import Extra

if TYPE_CHECKING:
    from statsclaw.verify.blind.result import Result


@dataclass(frozen=True)
class Misfit:
    """`role`: who mends it. `reason`: one sentence in words of the interface."""

    element: str
    role: str
    reason: str


def first_misfit(result: Result, forms: Forms) -> Misfit | None:
    """What has to be mended first: the contract before what was written from it."""
    found = list(misfits(result, forms))
    return next((one for one in found if one.role == "planner"), found[0] if found else None)


def misfits(result: Result, forms: Forms) -> Iterator[Misfit]:
    """Elements of which no claim could be compared, always for the same reason."""
    found: dict[str, list[Misfit | None]] = {}
    for row in result.rows:
        for element, misfit in _looked_at(row, result, forms):
            found.setdefault(element, []).append(misfit)
    for rows in found.values():
        first = rows[0]
        if first is not None and all(row == first for row in rows):
            yield first


def _looked_at(row: Compared, result: Result, forms: Forms) -> Iterator[tuple[str, Misfit | None]]:
    """The element that a claim takes as it is, and why it could not be compared with what is expected."""
    node = row.claim.parts.get("observed")
    if row.claim.rule not in ("close", "same") or not (isinstance(node, Extra) and node.kind == "answer"):
        return
    call, path = result.questions.calls[node.value["call"]], tuple(node.value["path"])
    answer = result.heard.answers.given.get(call.id)
    if answer is None or answer.error is not None:
        return
    element = ".".join([call.element, *path])
    if row.passed or any(True for _ in forms.faults(call, answer)):
        yield element, None  # compared, or of another form than the interface says: that is the package's
        return
    criterion = result.judge.criteria[row.claim.criterion]
    try:
        observed = evaluate(node, result.heard.answers)
        expected = evaluate(expectation(row.claim, criterion), result.heard.answers)
    except NoValue:
        yield element, None
        return
    declared = forms.part(call, path)
    if isinstance(plain(observed), Extra) and plain(observed).kind == "method":
        text = f"{element} is a method, and the interface does not describe it as one: declare it under methods"
        yield element, Misfit(element, "planner", text)
    elif (one := _form(observed)) != (other := _form(expected)):
        says_shape = declared is not None and bool(declared.shape)
        if says_shape:
            text = f"the questions expect {other} of {element}; the package answers {one}, as the interface says"
        else:
            text = (
                f"the package answers {one} for {element}, the questions expect {other}, and the interface allows both"
            )
        yield element, Misfit(element, "tester" if says_shape else "planner", text)
    else:
        yield element, None


def _form(value: Any) -> str:
    """In words, the same for whatever can be compared with each other."""
    found = plain(value)
    if isinstance(found, str):
        return "a text"
    try:
        shape = numbers(found).shape
    except NoValue:
        return "something without numbers"
    if int(np.prod(shape)) == 1:
        return "one number"
    return "an array of the shape (" + ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"
