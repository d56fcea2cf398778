"""How large what a definition computes is, on inputs of moderate size."""

from __future__ import annotations

from collections.abc import Sequence

from statsclaw.specs.comprehension import Definition
from statsclaw.specs.readings.inputs import Call
from statsclaw.specs.readings.outcomes import Outcomes, largest, outcomes_of


def largest_values(definitions: Sequence[Definition], calls: Sequence[Call], written: Outcomes) -> dict[str, float]:
    """Of each equation the largest magnitude that its definitions gave; those that gave no number are left out."""
    found: dict[str, float] = {}
    refs = {definition.function: definition.ref for definition in definitions}
    for call, outcome in zip(calls, outcomes_of(written, len(calls)), strict=True):
        if outcome.value is not None and (size := largest(outcome.value.numbers)) > 0.0:
            found[refs[call.function]] = max(size, found.get(refs[call.function], 0.0))
    return found
