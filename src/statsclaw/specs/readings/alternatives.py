"""What is assumed, or would be decided, and what else could be meant: executed on the same inputs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from statsclaw.specs.comprehension import Comprehension, Definition, Otherwise
from statsclaw.specs.readings.compare import ENOUGH, compare, disagreements
from statsclaw.specs.readings.inputs import Call, calls_for
from statsclaw.specs.readings.outcomes import Outcomes, outcomes_of

_NAMES = ("what is assumed", "what is meant otherwise")
_LONGEST_EXAMPLE = 300


@dataclass(frozen=True, slots=True)
class Trial:
    """What a definition computes beside what else could be meant, and the inputs that both are given."""

    otherwise: Otherwise
    definition: Definition
    calls: tuple[Call, ...]


@dataclass(frozen=True, slots=True)
class Tried:
    """What was seen. `differs` None: nothing follows, for the reason in `note`. `example`: an input that shows it."""

    otherwise: Otherwise
    differs: bool | None
    inputs: int
    different: int = 0
    largest_difference: float | None = None
    example: str = ""
    note: str = ""


def trials_of(comprehension: Comprehension, seed: int) -> tuple[Trial, ...]:
    """Of every assumption that says what else could be meant, and of options that no person has taken or refused."""
    definitions = {row.function: row for row in comprehension.definitions}
    of_options = [
        row
        for choice in (*comprehension.open_choices, *comprehension.own_choices)
        for option in choice.options
        for row in option.alternatives
    ]
    return tuple(
        Trial(row, definition, tuple(calls_for([definition], seed)))
        for row in (*comprehension.alternatives, *of_options)
        if (definition := definitions[row.instead_of])
    )


def calls_as_assumed(trials: Sequence[Trial]) -> list[object]:
    """CALLS.json of the harness for the definitions."""
    return [call.as_json() for trial in trials for call in trial.calls]


def calls_otherwise(trials: Sequence[Trial]) -> list[object]:
    """CALLS.json of the harness for the alternatives: the same inputs, row by row."""
    return [call.as_json() | {"function": trial.otherwise.function} for trial in trials for call in trial.calls]


def tried_alternatives(trials: Sequence[Trial], as_assumed: Outcomes, otherwise: Outcomes) -> list[Tried]:
    """One row per trial. `as_assumed`, `otherwise`: what the harness wrote, decoded and not trusted."""
    count, found, start = sum(len(trial.calls) for trial in trials), [], 0
    for trial in trials:
        end = start + len(trial.calls)
        found.append(_tried(trial, _part(as_assumed, count, start, end), _part(otherwise, count, start, end)))
        start = end
    return found


def _part(written: Outcomes, count: int, start: int, end: int) -> Outcomes:
    return written[start:end] if isinstance(written, list) and len(written) == count else None


def _tried(trial: Trial, first: Outcomes, second: Outcomes) -> Tried:
    given = ([trial.definition], trial.calls, first, second)
    (seen,) = compare(*given, names=_NAMES)
    if seen.agrees is False and (why := _hardly_answers(trial, first, second)):
        return Tried(trial.otherwise, None, seen.tried, note=why)
    differs = None if seen.agrees is None else not seen.agrees
    example = ""
    if differs:
        (row,) = disagreements(*given)
        inputs = ", ".join(f"{name} = {json.dumps(value)}" for name, value in row.inputs.items())
        example = f"{inputs[:_LONGEST_EXAMPLE]}: {row.first} as defined, {row.second} otherwise"
    return Tried(
        trial.otherwise,
        differs,
        seen.tried,
        different=seen.different,
        largest_difference=seen.largest_difference,
        example=example,
        note=seen.note,
    )


def _hardly_answers(trial: Trial, first: Outcomes, second: Outcomes) -> str:
    """Why an alternative that gives hardly any number is a faulty function rather than another meaning; or nothing."""
    pairs = list(zip(outcomes_of(first, len(trial.calls)), outcomes_of(second, len(trial.calls)), strict=True))
    answered = [two for one, two in pairs if one.finite]
    numbers = sum(two.finite for two in answered)
    if numbers >= min(ENOUGH, len(answered)):
        return ""
    errors = sorted({two.error for two in answered if two.error})
    said = f" ({', '.join(errors[:3])})" if errors else ""
    return f"{_NAMES[1]} gives no number at {len(answered) - numbers} of {len(answered)} inputs{said}"
