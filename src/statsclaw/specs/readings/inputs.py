"""What both readings are asked: random valid inputs, and inputs at the edges of what an argument may be."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from statsclaw.specs.comprehension import Definition, Variable
from statsclaw.specs.readings.draws import EXTREME, LARGER, Nested, Pattern, Wanted, draw, nudged
from statsclaw.specs.readings.letters import draw_sizes, length_argument, letters_of, shape

_MOST_CALLS = 150
_EVERYWHERE: tuple[Pattern, ...] = ("zeros", "ones", "equal values", "ties", "negative", "large", "tiny")
_ONE_AT_A_TIME: tuple[Pattern, ...] = ("lowest", "highest", "zeros", "equal values", "ties", "negative")


@dataclass(frozen=True, slots=True)
class Call:
    """One input of one function. `nudged`: almost the same input, to see how much hangs on the last digits."""

    function: str
    arguments: Mapping[str, Nested]
    nudged: Mapping[str, Nested]
    kind: str = "random"

    @property
    def extreme(self) -> bool:
        return self.kind in EXTREME

    def as_json(self) -> dict[str, object]:
        """One entry of the harness's CALLS.json, which is a list of these."""
        return {"function": self.function, "arguments": dict(self.arguments), "nudged": dict(self.nudged)}


def calls_for(definitions: Sequence[Definition], seed: int, tries: int = 40) -> list[Call]:
    """The same calls for the same definitions and seed. A definition without sensible inputs gets none."""
    return [call for definition in definitions for call in _calls_of(definition, seed, tries)]


def _calls_of(definition: Definition, seed: int, tries: int) -> list[Call]:
    rng = random.Random(f"{seed}:{definition.function}")
    found: dict[str, Call] = {}
    for kind, wanted, only, smallest in _plan(definition, tries):
        sizes = draw_sizes(definition, rng, smallest=smallest)
        if sizes is None:
            continue
        values = {
            v.name: _value(definition, v, sizes, wanted if only in (None, v.name) else Wanted("random"), rng)
            for v in definition.arguments
        }
        moved = {v.name: nudged(v, values[v.name], rng) for v in definition.arguments}
        call = Call(definition.function, values, moved, kind)
        found.setdefault(json.dumps(values, sort_keys=True), call)
        if len(found) >= _MOST_CALLS:
            break
    return list(found.values())


def _plan(definition: Definition, tries: int) -> Iterator[tuple[str, Wanted, str | None, bool]]:
    """What to try, as (kind, pattern, the one argument it is for or None for all, shortest lengths or any)."""
    whole = max(1, tries // 3)
    for number in range(tries):
        pattern: Pattern = "whole numbers" if number < whole else "random"
        yield "random", Wanted(pattern), None, number <= whole
    for argument in definition.arguments:
        for value in argument.edges:
            if not argument.dimension or argument.kind != "posdef":
                yield "edge", Wanted("edge", edge=value), argument.name, False
    for pattern in _EVERYWHERE:
        yield pattern, Wanted(pattern), None, False
    if any(argument.kind == "posdef" for argument in definition.arguments):
        yield "near-singular", Wanted("near-singular"), None, False
    for pattern in _ONE_AT_A_TIME:
        for argument in definition.arguments:
            yield pattern, Wanted(pattern), argument.name, False
    for pattern in LARGER:
        yield pattern, Wanted(pattern), None, False


def _value(
    definition: Definition, variable: Variable, sizes: Mapping[str, int], wanted: Wanted, rng: random.Random
) -> Nested:
    letters = letters_of(definition)
    if length_argument(variable, letters):
        return sizes[variable.name]
    if variable.kind == "integer" and not variable.dimension and letters:
        wanted = Wanted(wanted.pattern, min(sizes.values()), wanted.edge)
    return draw(variable, shape(variable.dimension, sizes), wanted, rng)
