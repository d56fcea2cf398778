"""Two readings, evaluated on the same inputs: where they agree, where they differ, and the simplest input showing it.

How much two numbers may differ: 1e-8 of the largest of both numbers and of the real-valued inputs, so that digits
lost where large inputs cancel are no disagreement; 1e-3 at inputs of extreme scale. A number that is not larger than
a thousand times that allowance proves nothing, and readings agree only where enough numbers prove something. An
error, NaN and infinities count alike as "no number": what one library refuses the other answers with NaN. Readings
that differ at large inputs only agree, if the difference begins where one of them loses its digits.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from statsclaw.specs.comprehension import Definition
from statsclaw.specs.readings.agreement import Agreement
from statsclaw.specs.readings.disagreement import Disagreement
from statsclaw.specs.readings.draws import LARGER
from statsclaw.specs.readings.inputs import Call
from statsclaw.specs.readings.outcomes import TECHNICAL, Outcome, Outcomes, array, largest, outcomes_of
from statsclaw.specs.readings.render import render_agreements, render_disagreement

__all__ = ["Disagreement", "compare", "disagreements", "render_agreements", "render_disagreement"]

_EXTREME_RTOL = 1e-3
_OF_THE_LARGEST = 1e-10
_PROVES = 1e-3
#: So many inputs must prove something before readings are said to agree.
ENOUGH = 5
_WILD, _MOVED = 1e6, 1e-4
_ANOTHER = 0.1
#: Of all inputs, so many may be left out because rounding decides there.
_LEFT_OUT = 0.1


@dataclass(frozen=True, slots=True)
class _Compared:
    """One input. `same` None: it proves nothing, for the reason in `why` or by `rounding`."""

    call: Call
    first: Outcome
    second: Outcome
    same: bool | None
    difference: float | None = None
    why: str = ""
    rounding: bool = False
    lost: bool = False


def compare(
    definitions: Sequence[Definition],
    calls: Sequence[Call],
    first: Outcomes,
    second: Outcomes,
    *,
    rtol: float = 1e-8,
    names: tuple[str, str] = ("the first reading", "the second reading"),
) -> list[Agreement]:
    """One row per definition. `first`, `second`: what the harness wrote for `calls`, decoded and not trusted.

    `names`: what notes call the two.
    """
    return [_judged(d, rows) for d, rows in _rows(definitions, calls, first, second, rtol, names)]


def disagreements(
    definitions: Sequence[Definition], calls: Sequence[Call], first: Outcomes, second: Outcomes, *, rtol: float = 1e-8
) -> list[Disagreement]:
    """The simplest input of every definition on which the readings differ."""
    found: list[Disagreement] = []
    for definition, rows in _rows(definitions, calls, first, second, rtol, ("", "")):
        if different := [row for row in rows if row.same is False]:
            row = min(different, key=_complexity)
            values = row.first.described(), row.second.described()
            found.append(
                Disagreement(definition.place, definition.function, definition.quantity, row.call.arguments, *values)
            )
    return found


def _rows(
    definitions: Sequence[Definition],
    calls: Sequence[Call],
    first: Outcomes,
    second: Outcomes,
    rtol: float,
    names: tuple[str, str],
) -> list[tuple[Definition, list[_Compared]]]:
    pairs = list(zip(calls, outcomes_of(first, len(calls)), outcomes_of(second, len(calls)), strict=True))
    found = []
    for d in definitions:
        rows = [_at(d, call, one, two, rtol, names) for call, one, two in pairs if call.function == d.function]
        found.append((d, _without_lost_digits(d, rows)))
    return found


def _without_lost_digits(definition: Definition, rows: list[_Compared]) -> list[_Compared]:
    """Differences at large inputs only, not before a value is another at almost the same input, are no disagreement."""
    different = [row for row in rows if row.same is False]
    proven = sum(row.same is True for row in rows)
    if not different or proven < ENOUGH or not all(row.call.kind in ("large", *LARGER) for row in different):
        return rows
    begins = min(_input_size(definition, row.call) for row in different)
    if not any(_moves(row) for row in rows if row.call.kind in LARGER and _input_size(definition, row.call) <= begins):
        return rows
    return [replace(row, same=None, difference=None, lost=True) if row.same is False else row for row in rows]


def _moves(row: _Compared) -> bool:
    """One of the readings is another at almost the same input: none of its digits means anything."""
    for outcome in (row.first, row.second):
        if outcome.value is not None and outcome.nudged is not None and outcome.value.shape == outcome.nudged.shape:
            moved = largest(a - b for a, b in zip(outcome.value.numbers, outcome.nudged.numbers, strict=True))
            if moved > _ANOTHER * largest(outcome.value.numbers):
                return True
    return False


def _judged(definition: Definition, rows: Sequence[_Compared]) -> Agreement:
    difference = max((row.difference for row in rows if row.difference is not None), default=None)
    agrees, note = _verdict(rows)
    different = sum(row.same is False for row in rows)
    return Agreement(definition.place, definition.function, agrees, len(rows), difference, note, different)


def _verdict(rows: Sequence[_Compared]) -> tuple[bool | None, str]:
    if not rows:
        return None, "no input of a sensible size can be drawn from its arguments"
    if different := sum(row.same is False for row in rows):
        return False, f"they differ at {different} of {len(rows)} inputs"
    unclear = next((row.why for row in rows if row.why and not row.call.extreme), "")
    if unclear:
        return None, unclear
    proven = sum(row.same is True for row in rows)
    if proven < min(ENOUGH, len(rows)):
        errors = sorted({o.error for row in rows for o in (row.first, row.second) if o.error})
        said = f" ({', '.join(errors[:3])})" if errors else ""
        return None, f"only {proven} of {len(rows)} inputs give a number that could tell readings apart{said}"
    rounding = sum(row.rounding for row in rows)
    if rounding > _LEFT_OUT * len(rows):
        return None, f"at {rounding} of {len(rows)} inputs the values hang on the last digits of the input"
    left = sum(bool(row.why) for row in rows)
    notes = [f"at {left} inputs of extreme scale not both give numbers"] if left else []
    lost = sum(row.lost for row in rows)
    notes += [f"at {lost} large inputs they differ, one having lost its digits"] if lost else []
    notes += [f"{rounding} inputs were left out because rounding decides there"] if rounding else []
    return True, "; ".join(notes)


def _at(
    definition: Definition, call: Call, first: Outcome, second: Outcome, rtol: float, names: tuple[str, str]
) -> _Compared:
    for name, outcome in zip(names, (first, second), strict=True):
        if outcome.error in TECHNICAL:
            return _Compared(call, first, second, None, why=f"{name} {TECHNICAL[outcome.error]}")
    if first.finite is not second.finite:
        if call.extreme:
            return _Compared(call, first, second, None, why="not both give numbers")
        return _different(definition, call, first, second, None)
    if first.value is None or second.value is None:
        return _Compared(call, first, second, None)
    if first.value.shape != second.value.shape:
        return _Compared(call, first, second, False)
    return _numbers(definition, call, first, second, rtol)


def _numbers(definition: Definition, call: Call, first: Outcome, second: Outcome, rtol: float) -> _Compared:
    assert first.value is not None and second.value is not None
    inputs = _input_size(definition, call)
    outputs = largest((*first.value.numbers, *second.value.numbers))
    rtol = max(rtol, _EXTREME_RTOL) if call.extreme else rtol
    same, proves, worst = True, False, 0.0
    for a, b in zip(first.value.numbers, second.value.numbers, strict=True):
        if not (math.isfinite(a) and math.isfinite(b)):
            same = same and not (math.isfinite(a) or math.isfinite(b) or a == -b)
            continue
        size = max(abs(a), abs(b))
        allowed = max(rtol * max(inputs, size), _OF_THE_LARGEST * outputs)
        same = same and abs(a - b) <= allowed
        proves = proves or (allowed <= _PROVES * size and not call.extreme)
        worst = max(worst, abs(a - b) / max(inputs, size, 1e-300))
    if not same:
        return _different(definition, call, first, second, worst)
    return _Compared(call, first, second, True if proves else None, worst)


def _different(
    definition: Definition, call: Call, first: Outcome, second: Outcome, difference: float | None
) -> _Compared:
    rounding = _wild(definition, call, first, second)
    return _Compared(call, first, second, None if rounding else False, difference, rounding=rounding)


def _wild(definition: Definition, call: Call, first: Outcome, second: Outcome) -> bool:
    """The value is huge here and another at almost the same input: a matter of rounding, not of reading."""
    huge = _WILD * max(1.0, _input_size(definition, call))
    for outcome in (first, second):
        if outcome.value is not None and outcome.nudged is not None and outcome.value.shape == outcome.nudged.shape:
            pairs = list(zip(outcome.value.numbers, outcome.nudged.numbers, strict=True))
            size = max(largest(outcome.value.numbers), largest(outcome.nudged.numbers))
            moved = largest(a - b for a, b in pairs)
            if size > huge and moved > _MOVED * size:
                return True
    return False


def _input_size(definition: Definition, call: Call) -> float:
    """Of what can cancel: real numbers, not counts and probabilities."""
    values = [call.arguments.get(v.name, 0.0) for v in definition.arguments if v.kind in ("real", "positive", "posdef")]
    return largest(number for value in values if (found := array(value)) for number in found.numbers)


def _complexity(row: _Compared) -> tuple[bool, int, int, str]:
    """Numbers before errors, few before many, short before long."""
    text = json.dumps(dict(row.call.arguments), sort_keys=True)
    count = sum(len(found.numbers) for value in row.call.arguments.values() if (found := array(value)))
    return not (row.first.finite and row.second.finite), count, len(text), text
