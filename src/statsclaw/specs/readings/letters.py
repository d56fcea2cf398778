"""The letters of dimensions: how long `n` and `k` are in one call of a definition."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence

from statsclaw.specs.comprehension import Definition, Variable

SMALLEST, LARGEST = 2, 8
_MOST_NUMBERS = 4096
_PART = re.compile(r"(\w{1,31})(?: ?([+-]) ?(\d{1,6}))?")


def split(dimension: str) -> tuple[str | None, int]:
    """`n - 1` as ("n", -1); `3` as (None, 3)."""
    found = _PART.fullmatch(dimension)
    if found is None:
        return None, 0
    base, sign, number = found[1], found[2], int(found[3] or 0)
    offset = -number if sign == "-" else number
    return (None, int(base) + offset) if base.isdigit() else (base, offset)


def shape(dimension: Sequence[str], sizes: Mapping[str, int]) -> tuple[int, ...]:
    parts = [split(part) for part in dimension]
    return tuple(offset if letter is None else sizes.get(letter, SMALLEST) + offset for letter, offset in parts)


def letters_of(definition: Definition) -> list[str]:
    """Every letter of the arguments, each once, in the order of its first use."""
    found = (split(part)[0] for variable in definition.arguments for part in variable.dimension)
    return list(dict.fromkeys(letter for letter in found if letter is not None))


def length_argument(variable: Variable, letters: Sequence[str]) -> bool:
    """A whole number called like a letter is the length itself."""
    return variable.kind == "integer" and not variable.dimension and variable.name in letters


def draw_sizes(definition: Definition, rng: random.Random, *, smallest: bool = False) -> dict[str, int] | None:
    """A length for every letter; None if no input of a sensible size can be drawn.

    The first letter of [n, k] is longer than the second, and other whole numbers of the definition (lags, degrees)
    fit below every length, as far as that can be had at once.
    """
    letters = letters_of(definition)
    sizes: dict[str, int] = {}
    for letter in letters:
        low, high = _range(definition, letter, letters)
        sizes[letter] = low if smallest else rng.randint(low, high)
    pairs = [_pair(variable) for variable in definition.arguments if variable.kind != "posdef"]
    for _ in range(len(letters)):
        for pair in pairs:
            if pair is not None and sizes[pair[0]] <= sizes[pair[1]]:
                sizes[pair[0]] = min(sizes[pair[1]] + 1, LARGEST + 4)
    return sizes if _sensible(definition, sizes) else None


def _range(definition: Definition, letter: str, letters: Sequence[str]) -> tuple[int, int]:
    low, high = SMALLEST, LARGEST
    for variable in definition.arguments:
        if length_argument(variable, letters) and variable.name == letter:
            low = max(low, int(variable.low or 0))
            high = min(high, int(variable.high)) if variable.high is not None else high
        elif variable.kind == "integer" and not variable.dimension and 0 < (variable.low or 0) <= LARGEST * 2:
            low = max(low, int(variable.low or 0) + 2)
        offsets = [offset for name, offset in map(split, variable.dimension) if name == letter]
        low = max([low, *(1 - offset for offset in offsets)])
    return low, max(high, low + 2) if high == LARGEST else max(high, low)


def _pair(variable: Variable) -> tuple[str, str] | None:
    if len(variable.dimension) != 2:
        return None
    first, second = (split(part)[0] for part in variable.dimension)
    return (first, second) if first is not None and second is not None and first != second else None


def _sensible(definition: Definition, sizes: Mapping[str, int]) -> bool:
    count = 0
    for variable in definition.arguments:
        numbers = 1
        for length in shape(variable.dimension, sizes):
            numbers *= length
            if not 1 <= length <= _MOST_NUMBERS or numbers > _MOST_NUMBERS:
                return False
        count += numbers
    return count <= _MOST_NUMBERS
