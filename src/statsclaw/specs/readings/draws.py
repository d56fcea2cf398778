"""One value of one argument: random, small whole numbers, or at an edge of what the argument may be."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from statsclaw.specs.comprehension import Variable

Nested = int | float | list["Nested"]
Pattern = Literal[
    "random",
    "whole numbers",
    "zeros",
    "ones",
    "equal values",
    "ties",
    "negative",
    "tens",
    "hundreds",
    "thousands",
    "ten thousands",
    "hundred thousands",
    "large",
    "tiny",
    "near-singular",
    "lowest",
    "highest",
    "edge",
]
#: From where a difference begins one sees whether it is one of rounding.
LARGER: Mapping[Pattern, float] = {
    "tens": 1e1,
    "hundreds": 1e2,
    "thousands": 1e3,
    "ten thousands": 1e4,
    "hundred thousands": 1e5,
}
#: Where floating-point arithmetic itself may fail, so that two correct programs may differ.
EXTREME: frozenset[Pattern] = frozenset({"large", "tiny", "near-singular", *LARGER})

_SCALE = {"large": 1e6, "tiny": 1e-6, **LARGER}
_FARTHEST_WHOLE = 10_000
_NEAR = 1e-6
_NUDGE = 1e-10


@dataclass(frozen=True, slots=True)
class Wanted:
    """`below`: whole numbers without a bound of their own stay below it. `edge`: the value of the pattern "edge"."""

    pattern: Pattern
    below: int | None = None
    edge: float = 0.0


def draw(variable: Variable, shape: tuple[int, ...], wanted: Wanted, rng: random.Random) -> Nested:
    """A valid value. Matrices of real numbers have full rank at every pattern: a singular one tests arithmetic only."""
    if variable.kind == "posdef":
        return _positive_definite(shape[0], wanted.pattern, rng)
    if len(shape) == 2 and variable.kind in ("real", "positive") and min(shape) > 1 and wanted.pattern != "edge":
        return _full_rank(variable, shape, wanted, rng)
    return _filled(variable, shape, wanted, rng)


def _filled(variable: Variable, shape: tuple[int, ...], wanted: Wanted, rng: random.Random) -> Nested:
    if shape:
        return [_filled(variable, shape[1:], wanted, rng) for _ in range(shape[0])]
    return _one(variable, wanted, rng)


def _one(variable: Variable, wanted: Wanted, rng: random.Random) -> int | float:
    if variable.kind == "binary":
        return {"zeros": 0, "ones": 1, "lowest": 0, "highest": 1}.get(wanted.pattern, rng.randint(0, 1))
    if variable.kind == "integer":
        return _whole(variable, wanted, rng)
    if wanted.pattern == "edge":
        return float(wanted.edge)
    if variable.kind == "probability":
        return _probability(variable, wanted.pattern, rng)
    return _inside(variable, _real(variable, wanted.pattern, rng))


def whole_range(variable: Variable, below: int | None) -> tuple[int, int]:
    """Without bounds: from 0 to 8, and below every length of the same call."""
    high = None if variable.high is None else int(variable.high)
    low = int(variable.low) if variable.low is not None else min(0, high if high is not None else 0)
    top = low + 8 if high is None else high
    return low, max(low, top if below is None else min(top, below - 1))


def _whole(variable: Variable, wanted: Wanted, rng: random.Random) -> int:
    low, high = whole_range(variable, wanted.below)
    if wanted.pattern == "edge":
        return int(wanted.edge)
    if wanted.pattern in ("lowest", "zeros"):
        return low
    if wanted.pattern == "highest":
        return min(high, max(low, _FARTHEST_WHOLE))
    if wanted.pattern == "ones":
        return min(max(1, low), high)
    near = min(high, low + (4 if wanted.pattern in ("whole numbers", "ties") else 20))
    return rng.randint(low, near)


def _probability(variable: Variable, pattern: Pattern, rng: random.Random) -> float:
    low = max(variable.low if variable.low is not None else _NEAR, 0.0)
    high = min(variable.high if variable.high is not None else 1 - _NEAR, 1.0)
    if pattern in ("zeros", "lowest"):
        return low
    if pattern in ("ones", "highest"):
        return high
    if pattern in ("whole numbers", "ties", "equal values"):
        chosen = 0.5 if pattern == "equal values" else rng.choice((0.25, 0.5, 0.75))
        return min(max(chosen, low), high)
    return low + (high - low) * rng.uniform(0.02, 0.98)


def _real(variable: Variable, pattern: Pattern, rng: random.Random) -> float:
    positive = variable.kind == "positive"
    if pattern == "lowest" and variable.low is not None:
        return variable.low
    if pattern == "highest" and variable.high is not None:
        return variable.high
    if pattern == "zeros" and not positive:
        return 0.0
    if pattern == "ones":
        return 1.0
    if pattern == "equal values":
        return 2.0
    if pattern in ("whole numbers", "ties"):
        return float(rng.choice((1, 2, 3) if positive else (-1, 0, 1, 2)))
    return _drawn(variable, pattern, rng) * _SCALE.get(pattern, 1.0)


def _drawn(variable: Variable, pattern: Pattern, rng: random.Random) -> float:
    """Of moderate size: far out, two correct programs differ because one of them rounds to nothing."""
    if variable.low is not None and variable.high is not None:
        return rng.uniform(variable.low, variable.high)
    number = max(-4.0, min(4.0, rng.gauss(0, 0.4 if len(variable.dimension) > 1 else 1.0)))
    if variable.kind == "positive":
        number = max(0.05, abs(number))
    elif pattern == "negative":
        number = -abs(number)
    if variable.low is not None:
        return variable.low + abs(number)
    return number if variable.high is None else variable.high - abs(number)


def _inside(variable: Variable, number: float) -> float:
    number = number if variable.low is None else max(number, variable.low)
    number = number if variable.high is None else min(number, variable.high)
    return max(number, 1e-12) if variable.kind == "positive" else number


def _full_rank(variable: Variable, shape: tuple[int, ...], wanted: Wanted, rng: random.Random) -> Nested:
    pattern: Pattern = wanted.pattern if wanted.pattern in ("whole numbers", "large", "tiny") else "random"
    made: Nested = 0.0
    for attempt in range(40):
        if attempt == 20 and pattern == "whole numbers":
            pattern = "random"
        rows = [[_one(variable, Wanted(pattern), rng) for _ in range(shape[1])] for _ in range(shape[0])]
        if pattern == "whole numbers" and variable.kind == "real" and variable.low is None and variable.high is None:
            rows = [[float(rng.choice((-1, 0, 1))) for _ in row] for row in rows]
        made = [list(row) for row in rows]
        if well_conditioned(rows):
            break
    return made


def well_conditioned(rows: list[list[int | float]]) -> bool:
    """By elimination: the smallest pivot is at least a hundredth of the largest."""
    work = [[float(number) for number in row] for row in rows]
    if len(work) < len(work[0]):
        work = [list(column) for column in zip(*work, strict=True)]
    pivots: list[float] = []
    for column in range(len(work[0])):
        best = max(range(column, len(work)), key=lambda row: abs(work[row][column]))
        work[column], work[best] = work[best], work[column]
        pivot = work[column][column]
        pivots.append(abs(pivot))
        if pivot == 0.0:
            return False
        for row in range(column + 1, len(work)):
            factor = work[row][column] / pivot
            work[row] = [a - factor * b for a, b in zip(work[row], work[column], strict=True)]
    return min(pivots) >= 0.01 * max(pivots)


def _positive_definite(size: int, pattern: Pattern, rng: random.Random) -> Nested:
    if pattern in ("zeros", "ones", "equal values", "lowest", "highest"):
        return [[float(i == j) for j in range(size)] for i in range(size)]
    if pattern in ("whole numbers", "ties"):
        return [[1.0 + (1.0 + i) * (i == j) for j in range(size)] for i in range(size)]
    if pattern == "near-singular":
        return [[1.0 + 1e-4 * (1.0 + i) * (i == j) for j in range(size)] for i in range(size)]
    factor = [[rng.gauss(0, 1) for _ in range(size)] for _ in range(size)]
    scale = _SCALE.get(pattern, 1.0)
    made = [[sum(a * b for a, b in zip(factor[i], factor[j], strict=True)) for j in range(size)] for i in range(size)]
    return [[scale * (made[max(i, j)][min(i, j)] + 0.5 * (i == j)) for j in range(size)] for i in range(size)]


def nudged(variable: Variable, value: Nested, rng: random.Random) -> Nested:
    """The same value, off by one part in ten billion; whole numbers stay, matrices stay symmetric."""
    if variable.kind in ("integer", "binary"):
        return value
    if variable.kind == "posdef" and isinstance(value, list):
        return [
            [part * (1 + _NUDGE * rng.random() * (i == j)) for j, part in enumerate(row)]  # type: ignore[operator]
            for i, row in enumerate(value)
            if isinstance(row, list)
        ]
    if isinstance(value, list):
        return [nudged(variable, part, rng) for part in value]
    moved = value * (1 + _NUDGE * rng.uniform(-1, 1)) if value else _NUDGE * rng.uniform(-1, 1)
    if variable.kind == "probability":
        moved = min(max(moved, 0.0), 1.0)
    return _inside(variable, moved)
