"""Texts of a log as a page may show them: nothing invisible in them, and none of them without end."""

from __future__ import annotations

from datetime import datetime

#: The longest text that is shown whole, and the longest in a cell of a table.
LONGEST, LONGEST_IN_A_CELL = 6_000, 400
_KEPT = "\n\t"


def clean(text: str) -> str:
    """`text` without control characters, marks that turn the direction of writing, and halves of characters."""
    unified = text.replace("\r\n", "\n").replace("\u00a0", " ")
    return "".join(char if char.isprintable() or char in _KEPT else "�" for char in unified)


def shortened(text: str, longest: int = LONGEST) -> str:
    """The beginning of `text`, and how much of it is left out."""
    if len(text) <= longest:
        return clean(text)
    return f"{clean(text[:longest])} … ({len(text) - longest:,} characters left out)"


def one_line(text: object, longest: int = LONGEST_IN_A_CELL) -> str:
    return shortened(" ".join(str(text).split()), longest)


def last_lines(text: str, lines: int = 15, longest: int = 2_000) -> str:
    """The end of an output, and how much stands before it."""
    whole = text.rstrip()
    tail = "\n".join(whole[-longest:].split("\n")[-lines:])
    before = len(whole) - len(tail)
    return (f"({before:,} characters left out) …\n" if before else "") + clean(tail)


def number(value: float | None, digits: int = 4) -> str:
    return "–" if value is None else f"{value:.{digits}g}"


def count(size: int, thing: str, things: str = "") -> str:
    return f"{size:,} {thing if size == 1 else things or thing + 's'}"


def moment(at: datetime | None) -> str:
    return f"{at:%Y-%m-%d %H:%M:%S} UTC" if at else "–"


def duration(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"
