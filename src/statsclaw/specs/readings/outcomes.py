"""What the harness wrote, read with suspicion: the code it ran could have written anything in its place."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

#: OUT.json as decoded; any shape is possible.
Outcomes = object

#: Not an answer of the function but a failure to answer: nothing follows about the reading.
TECHNICAL: Mapping[str, str] = MappingProxyType(
    {
        "Late": "takes longer than five seconds for one input",
        "Gone": "ends its own process",
        "TooMuch": "returns more than anybody can read",
        "TooLarge": "returns more than a million numbers",
        "NotNumbers": "returns something other than numbers",
        "Replaced": "lacks the function, or replaces it after its definition",
        "NotTried": "could not be tried on every input in the time there is",
        "NotLoaded": "cannot be loaded",
        "Unsteady": "gives different values for the same input",
        "Unreadable": "left nothing that can be read",
    }
)

_MOST_NUMBERS = 1_000_000
_DEEPEST = 4
_SHOWN = 8
_SPECIAL = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


@dataclass(frozen=True, slots=True)
class Array:
    """Numbers with their shape, () for a single one. Lengths of one are left out: a number is a vector of one."""

    shape: tuple[int, ...]
    numbers: tuple[float, ...]

    @property
    def finite(self) -> bool:
        return all(map(math.isfinite, self.numbers))

    def __str__(self) -> str:
        if not self.shape:
            return f"{self.numbers[0]:.10g}"
        shown = ", ".join(f"{number:.10g}" for number in self.numbers[:_SHOWN])
        shape = " × ".join(map(str, self.shape))
        return f"[{shown}{', …' if len(self.numbers) > _SHOWN else ''}] ({shape})"


@dataclass(frozen=True, slots=True)
class Outcome:
    """One call. `value` None: there was an error, of the class `error`."""

    value: Array | None = None
    nudged: Array | None = None
    error: str = ""

    @property
    def finite(self) -> bool:
        return self.value is not None and self.value.finite

    def described(self) -> str:
        return str(self.value) if self.value is not None else f"error: {self.error}"


def outcomes_of(written: Outcomes, count: int) -> list[Outcome]:
    """Exactly `count` outcomes, whatever was written."""
    if not isinstance(written, list) or len(written) != count:
        return [Outcome(error="Unreadable")] * count
    return [_outcome(row) for row in written]


def array(value: object) -> Array | None:
    """None for anything but a rectangle of numbers of bounded size."""
    try:
        shape, numbers = _read(value, 0)
    except (ValueError, OverflowError):
        return None
    return Array(tuple(length for length in shape if length != 1), tuple(numbers))


def largest(numbers: Iterable[float]) -> float:
    """The largest magnitude among the finite ones; 0 if there is none."""
    return max((abs(number) for number in numbers if math.isfinite(number)), default=0.0)


def _outcome(row: object) -> Outcome:
    if not isinstance(row, dict):
        return Outcome(error="Unreadable")
    if row.get("unsteady") is True:
        return Outcome(error="Unsteady")
    error = row.get("error")
    if isinstance(error, str):
        return Outcome(error=error[:60] if error.isidentifier() else "Exception")
    value = array(row.get("value"))
    return Outcome(value, array(row.get("nudged"))) if value is not None else Outcome(error="NotNumbers")


def _read(value: object, depth: int) -> tuple[tuple[int, ...], list[float]]:
    if isinstance(value, str) and value in _SPECIAL:
        return (), [_SPECIAL[value]]
    if isinstance(value, int | float):
        return (), [float(value)]
    if not isinstance(value, list) or depth >= _DEEPEST or len(value) > _MOST_NUMBERS:
        raise ValueError
    inner: tuple[int, ...] | None = None
    numbers: list[float] = []
    for part in value:
        shape, found = _read(part, depth + 1)
        if (inner is not None and shape != inner) or len(numbers) + len(found) > _MOST_NUMBERS:
            raise ValueError
        inner = shape
        numbers += found
    return (len(value), *(inner or ())), numbers
