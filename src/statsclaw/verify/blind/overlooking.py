"""Do the claims of a criterion look at what it is about, and at all of it?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from statsclaw.runlog.events.finding import Finding
from statsclaw.specs.test_spec import Criterion, TestSpec
from statsclaw.verify.blind.expressions import Answered, Answers, Array, NoValue, evaluate, leaves_in, numbers
from statsclaw.verify.blind.form import Forms
from statsclaw.verify.blind.inside.statsclaw_wire import Extra
from statsclaw.verify.blind.moving import Leaf, with_moved
from statsclaw.verify.blind.questionnaire import Call, Claim, Questionnaire
from statsclaw.verify.blind.result import Result
from statsclaw.verify.blind.trying import FORM, element, finding, leaf_of, trivially

#: Of many parts that a claim mentions, so many of the first and the last are moved.
_SOME = 4


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
        own = [call for call in questions.calls if call.id in touched and element(criterion.of, call) is not None]
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


def only_zeros(result: Result) -> Iterator[tuple[str, str]]:
    """Criteria of numbers with a size, whose claims expect nothing that has a size: many formulas give that."""
    for name, claims in _of_numbers(result).items():
        scale = result.judge.criteria[name].scale
        expected = [claim.parts.get("expected") for _, claim in claims]
        if scale and all(not list(leaves_in(node)) and _has_no_size(node, scale) for node in expected):
            yield (
                name,
                "every number that its claims expect is 0, NaN or next to nothing: many wrong formulas give that",
            )


def without_effect(result: Result) -> Iterator[tuple[str, str]]:
    """Parts of answers that a claim mentions, and that may be any number: it is met all the same."""
    for name, claims in _of_numbers(result).items():
        told: dict[str, None] = {}
        for number, claim in claims:
            if trivially(claim):
                continue
            leaves = [*dict.fromkeys(leaves_in(_values_in(claim.parts.get("observed"))))]
            for call, path in [*leaves[:_SOME], *leaves[_SOME:][-_SOME:]]:
                if _has_no_effect(result, number, claim, (call, path)):
                    told.setdefault(".".join([result.questions.calls[call].function, *path]))
        if told:
            yield name, f"it mentions {', '.join(told)} and is met whatever that is"


def _of_numbers(result: Result) -> dict[str, list[tuple[int, Claim]]]:
    """Of every criterion about numbers its claims that are met, if all of them are of the rule close."""
    found: dict[str, list[tuple[int, Claim]]] = {}
    for number, claim in enumerate(result.questions.claims):
        criterion = result.judge.criteria.get(claim.criterion)
        if criterion is not None and criterion.rule == "close":
            found.setdefault(claim.criterion, []).append((number, claim))
    met = {row.claim.criterion for row in result.rows} - {row.claim.criterion for row in result.rows if not row.passed}
    return {name: rows for name, rows in found.items() if name in met and all(c.rule == "close" for _, c in rows)}


def _has_no_size(node: Any, scale: float) -> bool:
    try:
        values = evaluate(node, Answers({}))
        parts = values if isinstance(values, list) else [values]
        return all(not bool(np.any(np.abs(numbers(part)) > 1e-12 * scale)) for part in parts)
    except NoValue:
        return False


def _values_in(node: Any) -> Any:
    """A node without what looks only at the form of an answer."""
    if isinstance(node, Extra) and node.kind == "do":
        return [] if node.value.get("name") in FORM else [_values_in(part) for part in node.value["of"]]
    return [_values_in(part) for part in node] if isinstance(node, list) else node


def _has_no_effect(result: Result, number: int, claim: Claim, leaf: Leaf) -> bool:
    """Moved by its own size, up and down, it leaves what is compared as it is."""
    answers = result.heard.answers
    for shift in (0.7, -0.4):
        try:
            moved = with_moved(answers, leaf, partial(_own_size, shift))
        except NoValue:
            return False
        if not result.judge.compare(number, claim, moved).passed:
            return False
    return True


def _own_size(shift: float, values: Array) -> Array:
    return np.asarray(values + shift * np.maximum(np.abs(values), 1.0))


def _looks_at(criterion: Criterion, claim: Claim, calls: Sequence[Call]) -> bool:
    """Whether a claim looks at the very field that its criterion is of, or is given the whole answer."""
    nodes = [claim.parts.get(name) for name in ("observed", "expected", "arguments")]
    found = any(leaf_of(criterion, calls[call], path) is not None for call, path in leaves_in(nodes))
    return found or claim.rule == "dialogue" or any(calls[call].what == "text" for call in claim.uses())


def _unseen(criterion: Criterion, claims: Sequence[Claim], own: Sequence[Call], forms: Forms, answers: Answers) -> str:
    """How much of the element is looked at in the call that is looked at most; "" where that is all of it."""
    if any(claim.parts.get("part") or claim.kind != "blind" for claim in claims):
        return ""
    best = (0, 0)
    for call in own:
        path = element(criterion.of or "", call) or ()
        part = forms.part(call, path)
        if part is None or not part.shape or answers.given.get(call.id, Answered(-1)).value is None:
            return ""
        try:
            whole = np.asarray(evaluate(_leaf_node(call.id, path), answers))
        except NoValue:
            return ""
        numbered = with_moved(answers, (call.id, path), _numbered)
        seen: set[float] = set()
        for claim in claims:
            seen |= _looked_at(claim.parts.get("observed"), call.id, path, numbered)
            seen |= _looked_at(claim.parts.get("expected"), call.id, path, numbered)
        if len(seen) >= whole.size:
            return ""
        best = max(best, (len(seen), int(whole.size)))
    return f"{best[0]} of {best[1]} elements" if own else ""


def _leaf_node(call: int, path: tuple[str, ...]) -> Extra:
    return Extra("answer", {"call": call, "path": list(path)})


def _numbered(values: Array) -> Array:
    return np.arange(1.0, values.size + 1.0).reshape(values.shape)


def _looked_at(node: Any, call: int, path: tuple[str, ...], numbered: Answers) -> set[float]:
    """The numbers of the elements that a node takes from the answer, whatever it then does with them."""
    if isinstance(node, Extra) and node.kind == "do":
        if node.value.get("name") == "part":
            return _ids(node, call, path, numbered)
        return {n for part in node.value.get("of") or [] for n in _looked_at(part, call, path, numbered)}
    if isinstance(node, Extra) and node.kind == "answer":
        return _ids(node, call, path, numbered)
    parts = node.value if isinstance(node, Extra) else node
    parts = parts.values() if isinstance(parts, dict) else parts if isinstance(parts, list | tuple) else ()
    return {n for part in parts for n in _looked_at(part, call, path, numbered)}


def _ids(node: Extra, call: int, path: tuple[str, ...], numbered: Answers) -> set[float]:
    inner = node
    while inner.kind == "do":
        inner = inner.value["of"][0]
        if not isinstance(inner, Extra) or (inner.kind == "do" and inner.value.get("name") != "part"):
            return _looked_at(inner, call, path, numbered)
    if inner.kind != "answer" or inner.value["call"] != call or ".".join(inner.value["path"]) != ".".join(path):
        return set()
    try:
        return {float(x) for x in np.asarray(evaluate(node, numbered), dtype=float).reshape(-1)}
    except (NoValue, ValueError, TypeError):
        return set()
