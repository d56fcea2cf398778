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
from itertools import pairwise, takewhile
from typing import Any

import numpy as np

from statsclaw.runlog import findings
from statsclaw.runlog.events.finding import Finding, Severity
from statsclaw.specs.test_spec import Criterion, TestSpec
from statsclaw.verify.blind.comparing import Judge, with_seen
from statsclaw.verify.blind.expressions import Answers, Array, NoValue, evaluate, leaves_in
from statsclaw.verify.blind.form import Forms
from statsclaw.verify.blind.inside import statsclaw_wire as wire
from statsclaw.verify.blind.inside.statsclaw_wire import Extra
from statsclaw.verify.blind.meaningless import NULLS, meaningless
from statsclaw.verify.blind.moving import MOVES, Leaf, Move, spoilt, unit_of, with_moved
from statsclaw.verify.blind.questionnaire import ABOUT_CALLS, Call, Claim, Questionnaire
from statsclaw.verify.blind.respelling import bound

_CHECK = "suite"
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
    """Claims that could not fail, by number, with the reason. `repeats`: it could, if answers did not repeat.

    `remembers`: a function of the package that answers by what it was asked before, and may have undone the trial.
    """

    number: int
    claim: Claim
    reason: str
    repeats: bool = False
    remembers: str = ""


def passing_on_null(
    questions: Questionnaire, spec: TestSpec, judge: Judge, forms: Forms, see: See, at_once: int = 1
) -> dict[str, tuple[str, ...]]:
    """Of every criterion the kinds of meaningless answers that meet it; all of them: it cannot fail.

    `at_once`: so many at the same time, as a function that sees answers takes a process.
    """
    claims: dict[str, list[int]] = {}
    for number, claim in enumerate(questions.claims):
        claims.setdefault(claim.criterion, []).append(number)
    answers = {kind: meaningless(questions.calls, forms, kind) for kind in NULLS}

    def meeting(criterion: str) -> tuple[str, ...]:
        def is_met(kind: str) -> bool:
            return all(_met(n, questions.claims[n], judge, answers[kind], see) for n in claims[criterion])

        return tuple(takewhile(is_met, NULLS))  # one that fails is enough

    names = [row.id for row in spec.criteria if row.id in claims]
    with ThreadPoolExecutor(at_once) as pool:
        return dict(zip(names, pool.map(meeting, names), strict=True))


def _met(number: int, claim: Claim, judge: Judge, answers: Answers, see: See) -> bool:
    if claim.rule == "repeatable":
        return True
    if claim.kind != "blind":
        judge = with_seen(judge, {number: see(number, claim, answers)})
    return judge.compare(number, claim, answers).passed


# --- moved answers ---------------------------------------------------------------------------------------------------


def unable_to_fail(
    questions: Questionnaire, judge: Judge, answers: Answers, see: See, secret: str, at_once: int = 1
) -> Iterator[Tried]:
    """Claims that are met by the answers, and still are when what they look at is moved by more than the tolerance.

    An exact comparison with numbers must notice by itself. Relations between answers, bounds and statements may be
    trivial in one case (one row has one order): of those, one claim of the criterion must notice.
    """
    drawn = random.Random(f"{secret} moved")
    twins = twins_among(questions.calls, answers, judge.forms)
    alone: Twins = {call.id: (call.id,) for call in questions.calls}
    claims: dict[str, list[tuple[int, Claim, list[float]]]] = {}
    for number, claim in enumerate(questions.claims):
        if claim.rule != "dialogue" and judge.compare(number, claim, answers).passed:
            amounts = _amounts(claim, judge, answers, drawn)
            claims.setdefault(claim.criterion, []).append((number, claim, amounts))

    def of_criterion(name: str) -> list[Tried]:
        """What of a criterion cannot fail. Relations, bounds and statements are tried until one notices."""
        found: list[Tried] = []
        deaf: list[Tried] = []
        able = False
        for number, claim, amounts in sorted(claims[name], key=lambda row: row[1].kind != "blind"):
            exact = judge.criteria[name].rule == "close" and not _has_answer(claim.parts.get("expected"))
            exact = exact and not only_form(claim.parts.get("observed"))
            if able and not exact:
                continue
            why = "" if claim.rule in _OURS else _why_deaf(number, claim, judge, answers, see, amounts, twins)
            if not why:
                able = able or _is_about(claim, judge)
            elif _asks_twice(claim, twins) and not _why_deaf(number, claim, judge, answers, see, amounts, alone):
                why = "it fails only where two answers to one question differ"
                deaf.append(Tried(number, claim, why, repeats=True))
            else:
                (found if exact else deaf).append(Tried(number, claim, why))
        really = [row for row in deaf if not row.repeats] or deaf
        return found if able else [*found, *really[:1]]

    with ThreadPoolExecutor(at_once) as pool:  # a function that sees takes a process each time
        for rows in pool.map(of_criterion, claims):
            yield from rows


def _is_about(claim: Claim, judge: Judge) -> bool:
    """Whether a claim looks at what its criterion is of; one about something else does not make up for it."""
    criterion = judge.criteria[claim.criterion]
    if criterion.rule != "close" or criterion.of is None:
        return True
    nodes = [claim.parts.get(name) for name in ("observed", "expected", "arguments")]
    return any(leaf_of(criterion, judge.calls[call], path) is not None for call, path in leaves_in(nodes))


def twins_among(calls: Sequence[Call], answers: Answers, forms: Forms | None) -> Twins:
    """Of every call those that ask the same and were answered alike, itself among them: one question, one answer."""
    classes: dict[int, int] = {}
    known: dict[bytes, int] = {}
    for call in calls:
        given = bound(call, forms) if forms is not None else None
        words = given if given is not None else [list(call.arguments), dict(call.named)]
        asked = [call.what, call.function, words, call.on, call.seed]
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


#: What looks at the form of an answer and not at its numbers.
FORM = frozenset({"length", "shape", "names"})
#: Claims that the engine decides about a whole call, or by looking for numbers that are not finite.
_OURS = ABOUT_CALLS | {"finite"}


def _amounts(claim: Claim, judge: Judge, answers: Answers, drawn: random.Random) -> list[float]:
    """By how much what a claim looks at is moved, in tolerances or in its own size."""
    criterion = judge.criteria[claim.criterion]
    amounts = [drawn.uniform(*bounds) for bounds in (_TOLERANCES if criterion.rule == "close" else _SHARES)]
    leaves = targets(claim, criterion, judge.calls, answers)
    amounts += _further(claim, criterion, leaves, answers, amounts[-1], drawn)
    if claim.kind != "blind":  # a process for each
        amounts = [*amounts[:2], *drawn.sample(amounts[2:], min(_SEEN, len(amounts) - 2))]
    return amounts


def _why_deaf(
    number: int, claim: Claim, judge: Judge, answers: Answers, see: See, amounts: Sequence[float], twins: Twins
) -> str:
    criterion = judge.criteria[claim.criterion]
    leaves = targets(claim, criterion, judge.calls, answers)
    if not leaves:
        measured = _has_kind(claim.parts.get("observed"), "measured") and criterion.rule != "close"
        return "" if measured else "it looks at no answer"
    if trivially(claim) or (criterion.rule != "close" and _names_elements(claim)):
        return ""
    try_one = partial(_tried_at, number, claim, criterion, judge, answers, leaves, see, twins)
    if criterion.rule != "close":
        noticed = any(try_one(at, size) for at, size in [*enumerate(amounts)][1:]) or try_one(0, amounts[0])
        return "" if noticed else "it is still met when what it looks at is moved by its own size"
    overlooked = next((size for at, size in [*enumerate(amounts)][1:] if not try_one(at, size)), None)
    if overlooked is None:
        return ""
    return f"it is still met when what it looks at is moved by {overlooked:.0f} tolerances"


def _names_elements(claim: Claim) -> bool:
    """Names of elements against names that were written down: moving numbers moves no name."""
    expected = claim.parts.get("expected")
    written = expected is not None and not any(True for _ in leaves_in(expected))
    return written and _are_names(claim.parts.get("observed"))


def _are_names(node: Any) -> bool:
    if isinstance(node, list | tuple):
        return bool(node) and all(map(_are_names, node))
    return isinstance(node, Extra) and node.kind == "do" and node.value.get("name") == "names"


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


def only_form(node: Any) -> bool:
    """Whether a node looks at lengths, shapes and names of answers alone: those stay when numbers are moved."""
    if isinstance(node, Extra):
        if node.kind == "do" and node.value.get("name") in FORM:
            return True
        return node.kind != "answer" and only_form(node.value)
    parts = node.values() if isinstance(node, dict) else node if isinstance(node, list | tuple) else ()
    held = [part for part in parts if _has_answer(part)]
    return bool(held) and all(map(only_form, held))


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
    found = list(dict.fromkeys(leaves_in([claim.parts.get(name) for name in ("observed", "expected", "arguments")])))
    own = [leaf for leaf in (leaf_of(criterion, calls[call], path) for call, path in found) if leaf is not None]
    return [(call, path) for call, path in own or found]


def leaf_of(criterion: Criterion, call: Call, path: tuple[str, ...]) -> Leaf | None:
    """The leaf as far as the criterion is of it; None where it is of something else."""
    if criterion.of is None:
        return call.id, path
    below = element(criterion.of, call)
    if below is None:
        return None
    steps = tuple(".".join(path).split(".")) if path else ()  # names in R may hold dots
    if steps[: len(below)] == below:
        return call.id, path
    return (call.id, below) if below[: len(steps)] == steps else None


def element(of: str, call: Call) -> tuple[str, ...] | None:
    """The way from what a call returns to an element of the interface; None where that belongs to something else."""
    parts = tuple(of.split("."))
    if of == call.element or of.startswith(f"{call.element}."):
        return parts[len(call.element.split(".")) :]
    if call.function in parts:
        return parts[parts.index(call.function) + 1 :]
    return None


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
            if how is spoilt and claim.rule in ("less", "between"):
                continue  # what is no number is no bound; `finite` is the word for that
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


def finding(
    key: str, about: str, text: str, severity: Severity = "error", to: str = "tester", where: str = ""
) -> Finding:
    """`where`: the file and line that its author wrote."""
    return findings.finding(_CHECK, severity, text, where, to, f"{key}:{about}", longest=4_000)
