"""Do the claims of a criterion look at what it is about, and at all of it?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from statsclaw.runlog.events.finding import Finding
from statsclaw.specs.test_spec import Criterion, TestSpec
from statsclaw.verify.blind.expressions import Answered, Answers, Array, NoValue, evaluate
from statsclaw.verify.blind.form import Forms
from statsclaw.verify.blind.inside.statsclaw_wire import Extra
from statsclaw.verify.blind.moving import with_moved
from statsclaw.verify.blind.questionnaire import Call, Claim, Questionnaire
from statsclaw.verify.blind.trying import element, finding, leaf_of, leaves_of


def overlooked(questions: Questionnaire, spec: TestSpec, forms: Forms, answers: Answers) -> Iterator[Finding]:
    """Criteria of whose element no claim looks at anything, or never at all of it though its shape is declared."""
    for criterion in spec.criteria:
        claims = [claim for claim in questions.claims if claim.criterion == criterion.id]
        if criterion.of is None or not claims or criterion.decided_by == "check":
            continue
        touched = {call for claim in claims for call in claim.uses()}
        touched |= {
            call
            for number in touched
            if questions.calls[number].what == "text"
            for call in questions.calls[number].uses()
        }  # what is seen of an answer is the answer's
        own = [call for call in questions.calls if call.id in touched and element(criterion.of, call)[0]]
        elsewhere = criterion.rule == "close" and not any(_looks_at(criterion, row, questions.calls) for row in claims)
        if (not own or elsewhere) and any(claim.rule != "dialogue" for claim in claims):
            text = f"{criterion.id} is of {criterion.of}, and none of its claims looks at what that returns"
            yield finding("overlooked", criterion.id, text)
        elif criterion.rule == "close" and (missing := _unseen(criterion, claims, own, forms, answers)):
            text = (
                f"{criterion.id} is of {criterion.of}, and its claims look at {missing} of it. "
                'Look at all of it, or say why a part is enough: close(…, part="…").'
            )
            yield finding("only-a-part", criterion.id, text)


def _looks_at(criterion: Criterion, claim: Claim, calls: Sequence[Call]) -> bool:
    """Whether a claim looks at the very field that its criterion is of, or is given the whole answer."""
    nodes = [claim.parts.get(name) for name in ("observed", "expected", "arguments")]
    found = any(leaf_of(criterion, calls[call], path) is not None for call, path in leaves_of(nodes))
    return found or claim.rule == "dialogue" or any(calls[call].what == "text" for call in claim.uses())


def _unseen(criterion: Criterion, claims: Sequence[Claim], own: Sequence[Call], forms: Forms, answers: Answers) -> str:
    """How much of the element is looked at in the call that is looked at most; "" where that is all of it."""
    if any(claim.parts.get("part") or claim.kind != "blind" for claim in claims):
        return ""
    best = (0, 0)
    for call in own:
        _, field = element(criterion.of or "", call)
        if not _declared_shape(call, field, forms) or answers.given.get(call.id, Answered(-1)).value is None:
            return ""
        try:
            whole = np.asarray(evaluate(_leaf_node(call.id, field), answers))
        except NoValue:
            return ""
        numbered = with_moved(answers, (call.id, (field,) if field else ()), _numbered)
        seen: set[float] = set()
        for claim in claims:
            seen |= _looked_at(claim.parts.get("observed"), call.id, field, numbered)
            seen |= _looked_at(claim.parts.get("expected"), call.id, field, numbered)
        if len(seen) >= whole.size:
            return ""
        best = max(best, (len(seen), int(whole.size)))
    return f"{best[0]} of {best[1]} elements" if own else ""


def _declared_shape(call: Call, field: str, forms: Forms) -> bool:
    declared = forms.declared(call)
    if declared is None:
        return False
    rows = [row for row in declared.returns.fields if row.name == field]
    return bool(rows[0].shape if rows else declared.returns.shape)


def _leaf_node(call: int, field: str) -> Extra:
    return Extra("answer", {"call": call, "path": [field] if field else []})


def _numbered(values: Array) -> Array:
    return np.arange(1.0, values.size + 1.0).reshape(values.shape)


def _looked_at(node: Any, call: int, field: str, numbered: Answers) -> set[float]:
    """The numbers of the elements that a node takes from the answer, whatever it then does with them."""
    if isinstance(node, Extra) and node.kind == "do":
        if node.value.get("name") == "part":
            return _ids(node, call, field, numbered)
        return {n for part in node.value.get("of") or [] for n in _looked_at(part, call, field, numbered)}
    if isinstance(node, Extra) and node.kind == "answer":
        return _ids(node, call, field, numbered)
    parts = node.value if isinstance(node, Extra) else node
    parts = parts.values() if isinstance(parts, dict) else parts if isinstance(parts, list | tuple) else ()
    return {n for part in parts for n in _looked_at(part, call, field, numbered)}


def _ids(node: Extra, call: int, field: str, numbered: Answers) -> set[float]:
    inner = node
    while inner.kind == "do":
        inner = inner.value["of"][0]
        if not isinstance(inner, Extra) or (inner.kind == "do" and inner.value.get("name") != "part"):
            return _looked_at(inner, call, field, numbered)
    if inner.kind != "answer" or inner.value["call"] != call or inner.value["path"] != ([field] if field else []):
        return set()
    try:
        return {float(x) for x in np.asarray(evaluate(node, numbered), dtype=float).reshape(-1)}
    except (NoValue, ValueError, TypeError):
        return set()
