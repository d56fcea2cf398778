"""Answers against what was claimed of them, by the frozen rule. The only place where the two meet."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from statsclaw.runlog.events.command_executed import Observation
from statsclaw.specs.test_spec import Criterion, Rule, Tolerance
from statsclaw.verify.blind.expressions import (
    Answered,
    Answers,
    Array,
    Condition,
    NoValue,
    evaluate,
    fields_of,
    is_names,
    leaves_in,
    numbers,
    plain,
    reals,
    spread,
)
from statsclaw.verify.blind.form import Forms
from statsclaw.verify.blind.inside import statsclaw_wire as wire
from statsclaw.verify.blind.inside.statsclaw_wire import Extra
from statsclaw.verify.blind.questionnaire import Call, Claim
from statsclaw.verify.criteria.observed import ASKED

_LONGEST_REASON = 400
_MOST_DIGITS = 15.0
_ADDRESS = re.compile(r"(<\w+:| at) 0x[0-9a-fA-F]{6,16}>")


@dataclass(frozen=True, slots=True)
class Compared:
    """What became of a claim. `pair`: the element that missed most; `largest`: the one of the largest expectation.

    `found`: the error or warning that came; `wanted`: class and message that were to come, where not the frozen ones;
    `raised`: an error of the package where an answer was expected.
    """

    claim: Claim
    passed: bool
    reason: str = ""
    size: int = 1
    pair: tuple[float, float | None] | None = None
    largest: tuple[float, float | None] | None = None
    found: Condition | None = None
    wanted: tuple[str, str] | None = None
    raised: Condition | None = None
    excess: float = 0.0

    def observations(self, rule: Rule) -> list[Observation]:
        """As evidence for the criterion, whose rule is given."""
        row = Observation(
            criterion=self.claim.criterion,
            test=self.claim.name,
            scenarios=(self.claim.scenario,),
            rule=ASKED[rule],
            size=self.size,
            said=self.reason[:1000],
        )
        if rule in ("raises", "warns"):
            said = self.found.message if self.found else self.reason
            name = self.found.name if self.found else ""
            error, message = self.wanted or (None, None)
            update = {"error_class": name, "said": said[:1000], "asked_error": error, "asked_message": message}
            return [row.model_copy(update=update)]
        if ASKED[rule] == "holds":
            return [row.model_copy(update={"held": self.passed})]
        if self.pair is None:
            return [row.model_copy(update={"held": self.passed, "size": 0 if not self.passed else self.size})]
        pairs = [self.pair] if self.largest in (None, self.pair) else [self.largest or self.pair, self.pair]
        return [row.model_copy(update=_numbers(pair, self.passed or pair is not self.pair)) for pair in pairs]


def _numbers(pair: tuple[float, float | None], met: bool) -> dict[str, object]:
    """`met`: where one of the two is not finite, whether they agree if they are the same."""
    observed, expected = pair
    if not math.isfinite(observed) or (expected is not None and not math.isfinite(expected)):
        same = expected is not None and _same_number(observed, expected)
        said = f"{observed!r}" + ("" if expected is None else f" against {expected!r}")
        return {"held": same and met, "said": said}
    return {"observed": observed, "expected": expected}


def _same_number(left: float, right: float) -> bool:
    return left == right or (math.isnan(left) and math.isnan(right))


@dataclass(frozen=True)
class Judge:
    """Compares claims with answers. `seen`: what functions that see answers returned, by the number of the claim.

    `base`: what the package answered as it was before.
    """

    criteria: Mapping[str, Criterion]
    calls: Sequence[Call]
    forms: Forms | None = None
    seen: Mapping[int, Any] = field(default_factory=dict)
    base: Answers | None = None

    def compare(self, number: int, claim: Claim, answers: Answers) -> Compared:
        criterion = self.criteria[claim.criterion]
        try:
            if claim.kind != "blind":
                return self._seen(claim, criterion, self.seen.get(number))
            return getattr(self, f"_{claim.rule}")(claim, criterion, answers)  # type: ignore[no-any-return]
        except NoValue as nothing:
            return Compared(claim, False, str(nothing)[:_LONGEST_REASON], 0, raised=_raised(claim, answers))
        except (MemoryError, RecursionError) as error:
            return Compared(claim, False, f"it is too large to be compared: {error}"[:_LONGEST_REASON], 0)

    # --- numbers

    def _close(self, claim: Claim, criterion: Criterion, answers: Answers) -> Compared:
        observed, expected = (
            evaluate(claim.parts.get("observed"), answers),
            evaluate(expectation(claim, criterion), answers),
        )
        return close_to(claim, criterion, observed, expected, finite=self._must_be_finite(claim))

    def _must_be_finite(self, claim: Claim) -> bool:
        """Two answers do not agree by being no numbers, unless the interface says of both that they may be none."""
        if not any(True for _ in leaves_in(claim.parts.get("expected"))):
            return False
        leaves = leaves_in([claim.parts.get("observed"), claim.parts.get("expected")])
        forms = self.forms
        return forms is None or not all(forms.may_be_missing(self.calls[call], path) for call, path in leaves)

    def _value(self, claim: Claim, criterion: Criterion, answers: Answers) -> Compared:
        return within(claim, criterion, evaluate(claim.parts.get("observed"), answers))

    # --- conditions

    def _raises(self, claim: Claim, criterion: Criterion, answers: Answers) -> Compared:
        found = answers.of(claim.parts["call"]).error
        return self._condition(claim, criterion, [found] if found else [], "nothing was raised")

    def _warns(self, claim: Claim, criterion: Criterion, answers: Answers) -> Compared:
        answer = answers.of(claim.parts["call"])
        if answer.error is not None:
            return Compared(claim, False, "it raised an error", found=answer.error, raised=answer.error)
        found = self._condition(claim, criterion, answer.warnings, "there was no warning")
        if found.passed and criterion.times is not None:
            came = sum(row.classes[:1] == found.found.classes[:1] for row in answer.warnings) if found.found else 0
            if came != criterion.times:
                return replace(found, passed=False, found=None, reason=f"the warning came {came} times")
        return found

    def _condition(self, claim: Claim, criterion: Criterion, came: Sequence[Condition], nothing: str) -> Compared:
        """Python: exactly that class. R: a condition that has that class, as for whoever catches it."""
        if self.forms is not None and self.forms.spoken.values.by_any_class:
            error = str(claim.parts.get("error") or criterion.error or "")
            came = [_seen_as(error, row) for row in came]
        return _condition(claim, criterion, came, _wanted(claim), nothing)

    # --- statements

    def _same(self, claim: Claim, criterion: Criterion, answers: Answers) -> Compared:
        observed, expected = (evaluate(claim.parts.get(name), answers) for name in ("observed", "expected"))
        if isinstance(expected, str) and is_names(claim.parts.get("observed")):
            expected = [expected]  # names are a list; in R one text is a vector of one
        return _statement(claim, identical(observed, expected), "it is something else")

    def _contains(self, claim: Claim, criterion: Criterion, answers: Answers) -> Compared:
        text = plain(evaluate(claim.parts.get("observed"), answers))
        text = text.tolist() if isinstance(text, np.ndarray) else text
        held = isinstance(text, str | list) and str(claim.parts.get("expected")) in text
        return _statement(claim, held, "the text does not occur in it")

    def _less(self, claim: Claim, criterion: Criterion, answers: Answers) -> Compared:
        left, right = spread(*(reals(evaluate(claim.parts.get(name), answers)) for name in ("observed", "expected")))
        return _statement(claim, _everywhere(left < right), "it is not less")

    def _between(self, claim: Claim, criterion: Criterion, answers: Answers) -> Compared:
        values = reals(evaluate(claim.parts.get("observed"), answers))
        bounds = evaluate(claim.parts.get("expected"), answers)
        if not isinstance(bounds, list | np.ndarray) or len(bounds) != 2:
            raise NoValue("there are not two bounds")
        low, values, high = spread(numbers(bounds[0]), values, numbers(bounds[1]))
        return _statement(claim, _everywhere((low <= values) & (values <= high)), "it lies beyond the bounds")

    def _finite(self, claim: Claim, criterion: Criterion, answers: Answers) -> Compared:
        values = all_numbers(evaluate(claim.parts.get("observed"), answers))
        return _statement(claim, _everywhere(np.isfinite(values)), "it is not finite")

    def _untouched(self, claim: Claim, criterion: Criterion, answers: Answers) -> Compared:
        call = claim.parts["call"]
        if not self._is_refused_as_declared(call, answers):
            answers.value(call)  # a call that fails has shown nothing
        changed = sorted({place for answer in answers.all_of(call) for place in answer.changed})
        return _statement(claim, not changed, f"argument {', '.join(changed)} was changed")

    def _is_refused_as_declared(self, call: int, answers: Answers) -> bool:
        """A call that is refused by a condition of the interface leaves its arguments alone, too."""
        error = answers.of(call).error
        declared = self.forms.declared(self.calls[call]) if self.forms is not None else None
        return error is not None and declared is not None and declared.refuses(error.classes, error.message)

    def _repeatable(self, claim: Claim, criterion: Criterion, answers: Answers) -> Compared:
        call = claim.parts["call"]
        again = answers.again.get(call)
        if again is None:
            raise NoValue("it was not asked again")
        return _statement(claim, same_answer(answers.of(call), again), "asked again, it answers something else")

    def _unchanged(self, claim: Claim, criterion: Criterion, answers: Answers) -> Compared:
        if self.base is None:
            raise NoValue("the package as it was has not been asked")
        new, old = answers.of(claim.parts["call"]), self.base.of(claim.parts["call"])
        fault = other_than_before(new, old, criterion.tolerance)
        return Compared(
            claim, not fault, fault[:_LONGEST_REASON], raised=new.error if fault and not old.error else None
        )

    def _silent(self, claim: Claim, criterion: Criterion, answers: Answers) -> Compared:
        for answer in answers.all_of(claim.parts["call"]):
            if answer.error is not None:
                return Compared(claim, False, f"it raised {answer.error.name}", raised=answer.error)
            if answer.warnings:
                return _statement(claim, False, f"it warned: {answer.warnings[0].message}")
            if answer.printed.strip():
                return _statement(claim, False, f"it printed: {answer.printed.strip()}")
        return _statement(claim, True, "")

    def _returns(self, claim: Claim, criterion: Criterion, answers: Answers) -> Compared:
        number = claim.parts["call"]
        answer = answers.of(number)
        if answer.error is not None:
            return Compared(claim, False, f"it raised {answer.error.name}", raised=answer.error)
        faults = list(self.forms.faults(self.calls[number], answer)) if self.forms else []
        return _statement(claim, not faults, f"{faults[0][0]}: {faults[0][1]}" if faults else "")

    # --- what was seen

    def _seen(self, claim: Claim, criterion: Criterion, seen: Any) -> Compared:
        if not isinstance(seen, dict) or "returned" not in seen:
            why = seen.get("problem", "") if isinstance(seen, dict) else "it was not looked at"
            return Compared(claim, False, f"the function failed: {why}"[:_LONGEST_REASON], 0)
        found = seen["returned"]
        if claim.rule == "dialogue" and isinstance(found, dict):
            found = found.get(claim.criterion)
        if criterion.rule == "close":
            pair = plain(found)
            if not isinstance(pair, list) or len(pair) != 2:
                raise NoValue("the function did not return what was observed and what was expected")
            return close_to(claim, criterion, *pair)
        if criterion.rule == "equals":
            pair = plain(found)
            held = isinstance(pair, list) and len(pair) == 2 and identical(*pair)
            return _statement(claim, held, "it is something else")
        if criterion.rule == "holds":
            return _statement(claim, plain(found) is True or identical(plain(found), True), "it does not hold")
        return within(claim, criterion, found)


def expectation(claim: Claim, criterion: Criterion) -> Any:
    """What a claim expects; where it leaves that out, what the source prints."""
    if claim.parts.get("expected") is not None or criterion.expected is None:
        return claim.parts.get("expected")
    return np.asarray(criterion.expected, dtype=float)


def _raised(claim: Claim, answers: Answers) -> Condition | None:
    """The package's own error, where it is why there is nothing to compare."""
    for call in claim.uses():
        answer = answers.given.get(call)
        if answer is not None and answer.error is not None:
            return answer.error
    return None


def _everywhere(held: Any) -> bool:
    values = np.asarray(held)
    return bool(values.size) and bool(values.all())


def _statement(claim: Claim, held: bool, otherwise: str) -> Compared:
    return Compared(claim, held, "" if held else otherwise[:_LONGEST_REASON])


# --- close and within ------------------------------------------------------------------------------------------------


def close_to(claim: Claim, criterion: Criterion, observed: Any, expected: Any, *, finite: bool = False) -> Compared:
    """Every element within the frozen tolerance; shapes must agree, but for a single number in an array of one.

    `finite`: what is no number agrees with nothing, and infinities agree beside finite numbers only.
    """
    left, right = paired(observed, expected)
    excess = excesses(criterion.tolerance or Tolerance(), left, right)
    if finite:
        good = np.isfinite(left)
        excess = np.where(good | (np.isinf(left) & good.any()), excess, math.inf)
    worst = int(np.argmax(np.where(np.isnan(excess), math.inf, excess)))
    far = int(np.argmax(np.where(np.isfinite(right), np.abs(right), -1.0)))
    pair, largest = (float(left[worst]), float(right[worst])), (float(left[far]), float(right[far]))
    passed = bool(excess[worst] <= 0)
    reason = "" if passed else f"{pair[0]!r} where {pair[1]!r} is expected"
    if not passed and _same_number(*pair):
        reason = f"both answers are {pair[0]!r}, and the interface does not say that they may be (missing: true)"
    return Compared(claim, passed, reason, len(left), pair, largest, excess=float(excess[worst]))


def paired(observed: Any, expected: Any) -> tuple[Array, Array]:
    left, right = numbers_of_all(observed), numbers_of_all(expected)
    if isinstance(left, list) != isinstance(right, list):
        raise NoValue("several parts are compared with one")
    if isinstance(left, list):
        if len(left) != len(right):
            raise NoValue(f"{len(left)} parts are compared with {len(right)}")
        pairs = [paired(one, other) for one, other in zip(left, right, strict=True)]
        return np.concatenate([one for one, _ in pairs]), np.concatenate([other for _, other in pairs])
    if left.shape != right.shape and not left.size == right.size == 1:
        raise NoValue(f"its shape is {left.shape}, and {right.shape} is expected")
    if not left.size:
        raise NoValue("there is nothing to compare")
    flat = left.reshape(-1), right.reshape(-1)
    if any(part.dtype.kind == "c" for part in flat):
        return tuple(np.concatenate([part.real, np.imag(part)]) for part in flat)  # type: ignore[return-value]
    return flat


def numbers_of_all(value: Any) -> Any:
    """An array where it can be one, otherwise a list of such. A list of single numbers is a vector of them."""
    found = plain(value)
    if isinstance(found, list):
        found = [_single(part) for part in found]
        try:
            return numbers(found)
        except NoValue:
            if not any(isinstance(plain(part), list | np.ndarray) for part in found):
                raise
            return [numbers_of_all(part) for part in found]
    return numbers(found)


def _single(value: Any) -> Any:
    """R has no single numbers: one with a name is a vector of one."""
    found = plain(value)
    return found.reshape(()) if isinstance(found, np.ndarray) and found.shape == (1,) else value


def all_numbers(value: Any) -> Array:
    """Of an object all the numbers in its fields, of a list those of its parts; of anything else itself."""
    if isinstance(value, list):
        return np.concatenate([np.empty(0), *(all_numbers(part).reshape(-1) for part in value)])
    if not (isinstance(value, Extra) and value.kind == "object"):
        return numbers(value)
    found = [np.empty(0)]
    for part in value.value["fields"].values():
        with suppress(NoValue):
            found.append(numbers(part).reshape(-1))
    return np.concatenate(found)


def excesses(tolerance: Tolerance, observed: Array, expected: Array) -> Array:
    """By how much each element is beyond the tolerance; not above 0 where it is within."""
    with np.errstate(all="ignore"):
        same = (observed == expected) | (np.isnan(observed) & np.isnan(expected))
        gap = np.abs(observed - expected)
        if tolerance.lre is not None:
            scale = np.where(expected == 0, 1.0, np.abs(expected))
            found = tolerance.lre - np.minimum(_MOST_DIGITS, -np.log10(gap / scale))
        else:
            found = gap - tolerance.absolute - tolerance.relative * np.abs(expected)
        finite = np.isfinite(observed) & np.isfinite(expected)
        return np.where(same, -math.inf, np.where(finite, found, math.inf))


def within(claim: Claim, criterion: Criterion, value: Any) -> Compared:
    values = reals(value).reshape(-1)
    if not values.size:
        raise NoValue("there is nothing to compare")
    low = -math.inf if criterion.low is None else criterion.low
    high = math.inf if criterion.high is None else criterion.high
    excess = np.where(np.isfinite(values), np.maximum(low - values, values - high), math.inf)
    worst = int(np.argmax(excess))
    passed = bool(excess[worst] <= 0)
    reason = "" if passed else f"{float(values[worst])!r} is beyond the bound"
    return Compared(claim, passed, reason, len(values), (float(values[worst]), None), excess=float(excess[worst]))


# --- conditions ------------------------------------------------------------------------------------------------------


def _wanted(claim: Claim) -> tuple[str, str] | None:
    """Another error than the frozen one; that the interface names it is looked at before anybody is asked."""
    error, message = claim.parts.get("error"), claim.parts.get("message")
    return None if error is None and message is None else (str(error or ""), str(message or ""))


def _seen_as(error: str, condition: Condition) -> Condition:
    if error not in condition.classes:
        return condition
    return Condition((error, *(name for name in condition.classes if name != error)), condition.message)


def _condition(
    claim: Claim, criterion: Criterion, came: Sequence[Condition], wanted: tuple[str, str] | None, nothing: str
) -> Compared:
    error, message = wanted or (criterion.error or "", criterion.message)
    error = error or criterion.error or ""
    fitting = [row for row in came if (not error or row.name == error) and message in row.message]
    asked = (error, message) if wanted else None
    if fitting:
        return Compared(claim, True, found=fitting[0], wanted=asked)
    if not came:
        return Compared(claim, False, nothing, wanted=asked)
    reason = f"{came[0].name} came where {error} is asked"
    reason = f"the message does not hold {message!r}" if came[0].name == error else reason
    return Compared(claim, False, reason, found=came[0], wanted=asked, raised=came[0])


# --- sameness --------------------------------------------------------------------------------------------------------


def identical(left: Any, right: Any) -> bool:
    """Exactly equal. A single number equals an array of it alone; a list of numbers equals an array of them."""
    left, right = plain(left), plain(right)
    if isinstance(left, dict) and isinstance(right, dict):
        return list(left) == list(right) and all(identical(left[key], right[key]) for key in left)
    if isinstance(left, Extra) or isinstance(right, Extra):
        return isinstance(left, Extra) and isinstance(right, Extra) and wire.encode(left) == wire.encode(right)
    if left is None or right is None or isinstance(left, str) or isinstance(right, str):
        return type(left) is type(right) and bool(left == right)
    try:
        one, other = numbers(left), numbers(right)
    except NoValue:
        one, other = (part.tolist() if isinstance(part, np.ndarray) else part for part in (left, right))
        if not isinstance(one, list) or not isinstance(other, list):
            return False
        return len(one) == len(other) and all(map(identical, one, other))
    if one.shape != other.shape and not one.size == other.size == 1:
        return False
    one, other = one.reshape(-1), other.reshape(-1)
    return bool(((one == other) | ((one != one) & (other != other))).all())


def same_answer(one: Answered, other: Answered) -> bool:
    """Bit for bit, with errors, warnings and which arguments were changed.

    Not what was measured, nor addresses that a text names; nor what was printed, which a library may do once a process.
    """

    def content(answer: Answered) -> bytes:
        value = _without_addresses(answer.value) if isinstance(answer.value, str) else answer.value
        error = [list(answer.error.classes), _without_addresses(answer.error.message)] if answer.error else None
        warned = [[list(row.classes), _without_addresses(row.message)] for row in answer.warnings]
        return wire.encode([value, error, warned, sorted(answer.changed)])

    return content(one) == content(other)


def other_than_before(new: Answered, old: Answered, tolerance: Tolerance | None) -> str:
    """What of an answer is no longer as it was; "" where all that was there still is. More may have come."""

    def said(rows: Sequence[Condition]) -> list[tuple[str, str]]:
        return [(row.name, _without_addresses(row.message)) for row in rows]

    if (new.error is None) != (old.error is None) or (
        new.error and old.error and said([new.error]) != said([old.error])
    ):
        return f"{_ending(new)} where it {_ending(old)} before"
    if said(new.warnings) != said(old.warnings):
        return "it warns of something else than before"
    if any(isinstance(row.value, Extra) and row.value.kind == "opaque" for row in (new, old)):
        return "it answers with something that cannot be compared"
    return "" if new.error else _other_part("", new.value, old.value, tolerance)


def _ending(answer: Answered) -> str:
    return f"raises {answer.error.name}: {answer.error.message[:80]}" if answer.error else "answers"


def _other_part(name: str, new: Any, old: Any, tolerance: Tolerance | None) -> str:
    parts, before = fields_of(new), fields_of(old)
    if before is not None:
        if parts is None:
            return f"{name or 'the answer'} has no parts any more"
        faults = (
            _other_part(f"{name}.{key}".lstrip("."), parts[key], part, tolerance)
            if key in parts
            else f"{key} is not there any more"
            for key, part in before.items()
        )
        return next(filter(None, faults), "")
    if tolerance is not None:
        with suppress(NoValue):
            left, right = paired(new, old)
            return "" if bool((excesses(tolerance, left, right) <= 0).all()) else f"{name or 'the answer'} is another"
    if isinstance(plain(new), str) and isinstance(plain(old), str):
        new, old = _without_addresses(plain(new)), _without_addresses(plain(old))
    return "" if identical(new, old) else f"{name or 'the answer'} is another"


def _without_addresses(text: str) -> str:
    """R prints a formula with its environment, Python an object without a text of its own, by their addresses."""
    return _ADDRESS.sub(r"\1 0x…>", text)


def with_seen(judge: Judge, seen: Mapping[int, Any]) -> Judge:
    return replace(judge, seen=seen)
