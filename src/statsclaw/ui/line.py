"""A line for a person, and the filter that everything from a role goes through."""

from __future__ import annotations

from dataclasses import dataclass

from statsclaw.sandbox.printable import printable


@dataclass(frozen=True, slots=True)
class Line:
    label: str
    text: str
    style: str = ""


def plain(text: str, limit: int = 400) -> str:
    """One line of text, nothing in it that a terminal would obey; an ellipsis says that it was cut."""
    line = printable(" ".join(text.split()), limit + 1)
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"
