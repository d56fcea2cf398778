"""Prose taken apart into statements: sentences and rows of tables, each with its line, and the numbers in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_LONGEST_DOCUMENT = 2_000_000
_LONGEST_STATEMENT = 2000
#: Fences without a language, or with one of these, hold what a program printed; others hold code.
_PRINTED = frozenset({"", "text", "console", "output"})
_END = re.compile(r"[.!?;](?=\s|$)")
NUMBER = r"[-+−]?\d{1,3}(?:,\d{3}){1,4}(?![\d,.]\d)|[-+−]?\d{1,15}(?:\.\d{1,20})?(?:[eE][-+]?\d{1,3})?"


@dataclass(frozen=True, slots=True)
class Statement:
    """`heads`: for a row of a table, the heading of each of its columns; `cells` then are its columns."""

    line: int
    text: str
    heads: tuple[str, ...] = ()
    cells: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Stated:
    """A number as somebody wrote it: `half` is half a unit of its last digit."""

    text: str
    value: float
    half: float

    def agrees(self, value: float) -> bool:
        return abs(self.value - value) <= self.half * (1 + 1e-9) + 1e-12 * abs(value)


def stated(text: str, *, percent: bool = False) -> Stated:
    """`text` is what NUMBER found; a percentage is the share that it says."""
    plain = text.replace("−", "-").replace(",", "")
    mantissa, _, exponent = plain.lower().partition("e")
    digits = len(mantissa.partition(".")[2]) - int(exponent or 0) + (2 if percent else 0)
    value = float(plain) / (100 if percent else 1)
    return Stated(text + (" %" if percent else ""), value, 0.5 * 10.0 ** -min(max(digits, -300), 300))


def statements(text: str) -> Iterator[Statement]:
    """Every sentence and every row of a table; code in fences is left out, printed output in fences is not."""
    paragraph: list[tuple[int, str]] = []
    heads: tuple[str, ...] = ()
    fence: str | None = None
    for number, line in enumerate(text[:_LONGEST_DOCUMENT].split("\n"), start=1):
        plain = line.strip()
        if plain.startswith("```"):
            fence = plain.strip("`").strip().lower() if fence is None else None
            yield from _sentences(paragraph)
            paragraph, heads = [], ()
        elif fence is not None:
            if fence in _PRINTED and plain:
                yield Statement(number, plain[:_LONGEST_STATEMENT])
        elif plain.startswith("|"):
            yield from _sentences(paragraph)
            paragraph = []
            cells = tuple(part.strip() for part in plain[:_LONGEST_STATEMENT].strip("|").split("|"))
            if not heads:
                heads = cells
            elif set(plain) - set("|-: "):
                yield Statement(number, plain[:_LONGEST_STATEMENT], heads, cells)
        else:
            heads = ()
            if not plain or plain.startswith(("#", "- ", "* ", "+ ", ">")) or re.match(r"\d{1,3}[.)] ", plain):
                yield from _sentences(paragraph)
                paragraph = []
            if plain:
                paragraph.append((number, plain))
    yield from _sentences(paragraph)


def _sentences(paragraph: list[tuple[int, str]]) -> Iterator[Statement]:
    start: int | None = None
    pieces: list[str] = []
    for number, line in paragraph:
        rest = line
        while rest:
            end = _END.search(rest)
            piece, rest = (rest[: end.start()], rest[end.end() :].strip()) if end else (rest, "")
            start = number if start is None else start
            pieces.append(piece)
            if end:
                yield Statement(start, " ".join(pieces)[:_LONGEST_STATEMENT])
                start, pieces = None, []
    if pieces:
        yield Statement(start or 1, " ".join(pieces)[:_LONGEST_STATEMENT])
