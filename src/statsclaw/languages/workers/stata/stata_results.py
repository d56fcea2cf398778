"""Reads what results.do has written."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np


@dataclass
class Left:
    """`code`: the return code. `kinds`: of r(), e() and s() the values by name; a matrix with the names of its rows
    and columns. `columns`: the data in memory, arrays of numbers and lists of texts. `sample`: e(sample), if wanted."""

    code: int = 0
    kinds: dict[str, dict[str, Any]] = field(default_factory=lambda: {"r()": {}, "e()": {}, "s()": {}})
    columns: dict[str, Any] = field(default_factory=dict)
    sample: Any = None
    seconds: float = 0.0


def read_results(place: Path) -> Left | None:
    """None where it is not there or does not come to its end."""
    if not place.is_file():
        return None
    reader = _Reader(place.read_bytes())
    left = Left()
    try:
        while (record := reader.line()) != "end":
            _read(reader, record, left)
    except (ValueError, IndexError):
        return None
    return left


def _read(reader: _Reader, record: str, left: Left) -> None:
    what, _, kind = record.partition(" ")
    if what == "rc":
        left.code = int(reader.line())
    elif what == "seconds":
        found = reader.number()
        left.seconds = found if found > 0 else 0.0
    elif what == "number":
        name = reader.text()
        left.kinds[kind][name] = reader.number()
    elif what == "text":
        name = reader.text()
        left.kinds[kind][name] = reader.text()
    elif what == "matrix":
        name = reader.text()
        left.kinds[kind][name] = reader.matrix()
    elif what == "sample":
        left.sample = reader.numbers(reader.count())
    elif what == "column":
        name, count = reader.text(), reader.count()
        left.columns[name] = reader.numbers(count) if kind == "numbers" else [reader.text() for _ in range(count)]
    else:
        raise ValueError(record)


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def line(self) -> str:
        end = self.data.index(b"\n", self.at)
        found, self.at = self.data[self.at : end], end + 1
        return found.decode("utf-8", "replace").rstrip("\r")

    def count(self) -> int:
        return int(self.line())

    def text(self) -> str:
        size = self.count()
        found = self.data[self.at : self.at + size]
        self.at += size
        if self.line():
            raise ValueError("a text is longer than it says")
        return found.decode("utf-8", "replace")

    def number(self) -> float:
        return number_of(self.line())

    def numbers(self, count: int) -> np.ndarray[Any, Any]:
        return np.array([self.number() for _ in range(count)], dtype=float)

    def matrix(self) -> tuple[np.ndarray[Any, Any], list[str], list[str]]:
        rows, columns = self.count(), self.count()
        names = [list(self.stripe(count)) for count in (rows, columns)]
        return self.numbers(rows * columns).reshape(rows, columns), names[0], names[1]

    def stripe(self, count: int) -> Iterator[str]:
        """As Stata shows them: `equation:name`, without an equation the name alone."""
        for _ in range(count):
            equation, name = self.text(), self.text()
            yield f"{equation}:{name}" if equation and equation != "_" else name


def number_of(text: str) -> float:
    """Of the format %21x, `+1.8000000000000X+001`: the exponent is hexadecimal, too. Missing values are NaN."""
    text = text.strip()
    if text.startswith("."):
        return math.nan
    mantissa, _, exponent = text.partition("X")
    sign, digits = (mantissa[0], mantissa[1:]) if mantissa[0] in "+-" else ("", mantissa)
    return math.ldexp(float.fromhex(f"{sign}0x{digits}p0"), int(exponent, 16))
