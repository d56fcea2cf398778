"""Can a claim fail? Tried by arithmetic: with meaningless answers, and with the stored ones moved a little.

No package is run for this. A function that sees answers is run on such answers too, each time in a fresh process, and
cannot know which are real.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from statsclaw.runlog.events.finding import Finding, Severity
from statsclaw.specs.test_spec import Criterion, TestSpec
from statsclaw.verify.blind.comparing import Judge, with_seen
from statsclaw.verify.blind.expressions import Answers, Array, NoValue, evaluate
from statsclaw.verify.blind.form import Forms
from statsclaw.verify.blind.inside import statsclaw_wire as wire
from statsclaw.verify.blind.inside.statsclaw_wire import Extra
from statsclaw.verify.blind.meaningless import NULLS, meaningless
from statsclaw.verify.blind.moving import MOVES, Leaf, Move, unit_of, with_moved
from statsclaw.verify.blind.questionnaire import ABOUT_CALLS, Call, Claim, Questionnaire

#: Runs the function of a claim on answers; what it returned. Called with the number of the claim.
See = Callable[[int, Claim, Answers], Any]
Twins = Mapping[int, tuple[int, ...]]

#: By how many tolerances numbers are moved: a few, and sizes that nobody can tell from one run to another.
_TOLERANCES = ((1.5, 2.0), (5.0, 10.0), (300.0, 1000.0))
#: Of what has no tolerance, by how much of its own size.
_SHARES = ((0.05, 0.1), (0.5, 1.0), (30.0, 100.0))
#: Between what is a few tolerances and what is another number altogether, one size in each of so many steps.
_STEPS = 6
#: Of many answers that a claim looks at, so many of the first and the last are moved alone.
_ALONE = 4
#: Of the larger sizes, so many are tried where each takes a process.
_SEEN = 2


@dataclass(frozen=True)
class Tried:
    """Claims that could not fail, by number, with the reason. `repeats`: it could, if answers did not repeat."""

    number: int
    claim: Claim
    reason: str
    repeats: bool = False


def passing_on_null(
    questions: Questionnaire, spec: TestSpec, judge: Judge, forms: Forms, see: See
) -> dict[str, tuple[str, ...]]:
    """Of every criterion the kinds of meaningless answers that meet it; all of them: it cannot fail."""
    claims: dict[str, list[int]] = {}
    for number, claim in enumerate(questions.claims):
        claims.setdefault(claim.criterion, []).append(number)
    met: dict[str, tuple[str, ...]] = {}
    for row in spec.criteria:
        if row.id not in claims:
            continue
        for kind in NULLS:
            answers = meaningless(questions.calls, forms, kind)
            if all(_met(number, questions.claims[number], judge, answers, see) for number in claims[row.id]):
                met[row.id] = (*met.get(row.id, ()), kind)
            else:
                met.setdefault(row.id, ())
                break  # one that fails is enough
    return met


def _met(number: int, claim: Claim, judge: Judge, answers: Answers, see: See) -> bool:
    if claim.rule == "repeatable":
        return True
    if claim.kind != "blind":
        judge = with_seen(judge, {number: see(number, claim, answers)})
    return judge.compare(number, claim, answers).passed


# --- moved answers ---------------------------------------------------------------------------------------------------


def unable_to_fail(questions: Questionnaire, judge: Judge, answers: Answers, see: See, secret: str) -> Iterator[Tried]:
    """Claims that are met by the answers, and still are when what they look at is moved by more than the tolerance.

    An exact comparison with numbers must notice by itself. Relations between answers, bounds and statements may be
    trivial in one case (one row has one order): of those, one claim of the criterion must notice.
    """
    drawn = random.Random(f"{secret} moved")
    twins = twins_among(questions.calls, answers)
    alone: Twins = {call.id: (call.id,) for call in questions.calls}
    repeated: dict[str, Tried] = {}
    deaf: dict[str, list[Tried]] = {}
    able: set[str] = set()
    for number, claim in enumerate(questions.claims):
        if claim.rule == "dialogue" or not judge.compare(number, claim, answers).passed:
            continue
        why = "" if claim.rule in _OURS else _why_deaf(number, claim, judge, answers, see, drawn, twins)
        if not why:
            able.add(claim.criterion)
        elif _asks_twice(claim, twins) and not _why_deaf(number, claim, judge, answers, see, drawn, alone):
            why = "it fails only where two answers to one question differ"
            repeated.setdefault(claim.criterion, Tried(number, claim, why, repeats=True))
        elif judge.criteria[claim.criterion].rule == "close" and not _has_answer(claim.parts.get("expected")):
            yield Tried(number, claim, why)
        else:
            deaf.setdefault(claim.criterion, []).append(Tried(number, claim, why))
    yield from (rows[0] for name, rows in deaf.items() if name not in able)
    yield from (row for name, row in repeated.items() if name not in able and name not in deaf)


def twins_among(calls: Sequence[Call], answers: Answers) -> Twins:
    """Of every call those that ask the same and were answered alike, itself among them: one question, one answer."""
    classes: dict[int, int] = {}
    known: dict[bytes, int] = {}
    for call in calls:
        asked = [call.what, call.function, list(call.arguments), dict(call.named), call.on, call.seed]
        answer = answers.given.get(call.id)
        key = wire.encode([_by_class(asked, classes), answer.value if answer else call.id])
        classes[call.id] = known.setdefault(key, call.id)
    members: dict[int, list[int]] = {}
    for number, own in classes.items():
        members.setdefault(own, []).append(number)
    return {number: tuple(members[own]) for number, own in classes.items()}


def _asks_twice(claim: Claim, twins: Twins) -> bool:
    used = set(claim.uses())
    return any(len(used.intersection(twins[call])) > 1 for call in used)


def _by_class(node: Any, classes: Mapping[int, int]) -> Any:
    if isinstance(node, Extra):
        value = node.value
        if node.kind in ("answer", "measured"):
            value = {**value, "call": classes.get(value["call"], value["call"])}
        return Extra(node.kind, value if node.kind in ("answer", "measured") else _by_class(value, classes))
    if isinstance(node, dict):
        return {name: _by_class(part, classes) for name, part in node.items()}
    return [_by_class(part, classes) for part in node] if isinstance(node, list | tuple) else node


#: Claims that the engine decides about a whole call, or by looking for numbers that are not finite.
_OURS = ABOUT_CALLS | {"finite"}


def _why_deaf(
    number: int, claim: Claim, judge: Judge, answers: Answers, see: See, drawn: random.Random, twins: Twins
) -> str:
    criterion = judge.criteria[claim.criterion]
    leaves = targets(claim, criterion, judge.calls, answers)
    if not leaves:
        measured = _has_kind(claim.parts.get("observed"), "measured")
        return "" if measured else "it looks at no answer"
    if trivially(claim):
        return ""
    sizes = _TOLERANCES if criterion.rule == "close" else _SHARES
    amounts = [drawn.uniform(*bounds) for bounds in sizes]
    amounts += _further(claim, criterion, leaves, answers, amounts[-1], drawn)
    if claim.kind != "blind":  # a process for each
        amounts = [*amounts[:2], *drawn.sample(amounts[2:], min(_SEEN, len(amounts) - 2))]
    try_one = partial(_tried_at, number, claim, criterion, judge, answers, leaves, see, twins)
    with ThreadPoolExecutor(1 if claim.kind == "blind" else 2) as pool:
        noticed = list(pool.map(try_one, range(1, len(amounts)), amounts[1:]))
    if all(noticed) if criterion.rule == "close" else any(noticed) or try_one(0, amounts[0]):
        return ""
    size = next((size for size, seen in zip(amounts[1:], noticed, strict=True) if not seen), amounts[-1])
    by = f"{size:.0f} tolerances" if criterion.rule == "close" else "its own size"
    return f"it is still met when what it looks at is moved by {by}"


def _tried_at(
    number: int, claim: Claim, criterion: Criterion, judge: Judge, answers: Answers, leaves: Sequence[Leaf],
    see: See, twins: Twins, at: int, size: float,
) -> bool:  # fmt: skip
    both = claim.kind == "blind" or at == 1
    return _noticed(number, claim, criterion, judge, answers, leaves, size, see, twins, both=both)


def _further(
    claim: Claim, criterion: Criterion, leaves: Sequence[Leaf], answers: Answers, largest: float, drawn: random.Random
) -> list[float]:
    """Sizes in tolerances from beyond the largest tried up to what the answer itself amounts to."""
    if criterion.rule != "close":
        return []
    reach = largest
    for call, path in leaves:
        try:
            values = np.abs(np.asarray(evaluate(_node_of(call, path), answers), dtype=float))
        except (NoValue, ValueError, TypeError):
            continue
        values = values[np.isfinite(values)]
        unit = unit_of(values, criterion)
        shares = values[(values > 0) & (unit > 0)] / np.broadcast_to(unit, values.shape)[(values > 0) & (unit > 0)]
        reach = max(reach, float(np.max(shares, initial=0.0)))
    edges = np.geomspace(largest, reach, _STEPS + 1) if reach > 2 * largest else np.empty(0)
    return [float(low * (high / low) ** drawn.random()) for low, high in pairwise(edges)]


def _node_of(call: int, path: tuple[str, ...]) -> Extra:
    return Extra("answer", {"call": call, "path": list(path)})


def trivially(claim: Claim) -> bool:
    """Answers as they are, against numbers: by our own comparison they fail as soon as they are moved."""
    observed, expected = claim.parts.get("observed"), claim.parts.get("expected")
    return claim.rule == "close" and _as_it_is(observed) and not _has_answer(expected)


def _as_it_is(node: Any) -> bool:
    if isinstance(node, list):
        return all(_as_it_is(part) for part in node)
    if not isinstance(node, Extra):
        return False
    if node.kind == "do":
        return node.value.get("name") == "part" and _as_it_is(node.value["of"][0])
    return node.kind == "answer" or (node.kind == "tuple" and _as_it_is(node.value))


def _has_answer(node: Any) -> bool:
    return _has_kind(node, "answer")


def _has_kind(node: Any, kind: str) -> bool:
    if isinstance(node, Extra):
        return node.kind == kind or _has_kind(node.value, kind)
    parts = node.values() if isinstance(node, dict) else node if isinstance(node, list | tuple) else ()
    return any(_has_kind(part, kind) for part in parts)


def targets(claim: Claim, criterion: Criterion, calls: Sequence[Call], answers: Answers) -> list[Leaf]:
    """What must be noticed when it moves: of what the claim looks at, what its criterion is of; or all of it."""
    found = list(dict.fromkeys(leaves_of([claim.parts.get(name) for name in ("observed", "expected", "arguments")])))
    own = [leaf for leaf in (leaf_of(criterion, calls[call], path) for call, path in found) if leaf is not None]
    return [(call, path) for call, path in own or found]


def leaves_of(node: Any) -> Iterator[Leaf]:
    if isinstance(node, Extra):
        if node.kind == "answer":
            yield int(node.value["call"]), tuple(node.value["path"])
        elif node.kind != "measured":
            yield from leaves_of(node.value)
    elif isinstance(node, dict | list | tuple):
        for part in node.values() if isinstance(node, dict) else node:
            yield from leaves_of(part)


def leaf_of(criterion: Criterion, call: Call, path: tuple[str, ...]) -> Leaf | None:
    """The leaf as far as the criterion is of it; None where it is of something else."""
    if criterion.of is None:
        return call.id, path
    function, field = element(criterion.of, call)
    if not function:
        return None
    if not field:
        return call.id, path
    if not path:
        return call.id, (field,)
    return (call.id, path) if path[0] == field else None


def element(of: str, call: Call) -> tuple[bool, str]:
    """Whether an element of the interface belongs to what a call returns, and which field of it."""
    parts = of.split(".")
    if call.function in parts:
        at = parts.index(call.function)
        return True, parts[at + 1] if len(parts) > at + 1 else ""
    return False, ""


def _noticed(
    number: int, claim: Claim, criterion: Criterion, judge: Judge, answers: Answers, leaves: Sequence[Leaf],
    size: float, see: See, twins: Twins, *, both: bool,
) -> bool:  # fmt: skip
    """Does the claim fail for one of the ways in which one of the leaves can be moved by that size?

    `both`: where it fails for a move, it must fail for the opposite one, if its criterion has a tolerance.
    """

    def fails(group: Sequence[Leaf], how: Move) -> bool:
        moved = answers
        for leaf in dict.fromkeys((twin, path) for call, path in group for twin in twins[call]):
            with suppress(NoValue):
                moved = with_moved(moved, leaf, partial(_by, how, criterion, size))
        return not _met(number, claim, judge, moved, see)

    for group in _groups(leaves):
        for how, opposite in MOVES:
            if fails(group, how):
                return opposite is None or not both or criterion.rule != "close" or fails(group, opposite)
            if opposite is not None and fails(group, opposite):
                return not both or criterion.rule != "close"
    return False


def _groups(leaves: Sequence[Leaf]) -> list[Sequence[Leaf]]:
    """All together, as a wrong package would move them, and some alone, where moving all of them cancels."""
    some = [*leaves[:_ALONE], *leaves[max(_ALONE, len(leaves) - _ALONE) :]]
    return [leaves, *([leaf] for leaf in some)] if len(leaves) > 1 else [leaves]


def _by(how: Move, criterion: Criterion, size: float, values: Array) -> Array:
    return how(values, criterion, size)


def finding(key: str, about: str, text: str, severity: Severity = "error", to: str = "tester") -> Finding:
    text = "".join(letter if letter.isprintable() else "�" for letter in " ".join(text.split()))
    return Finding(check="suite", severity=severity, message=text[:4000], where="", route_to=to, key=f"{key}:{about}")
