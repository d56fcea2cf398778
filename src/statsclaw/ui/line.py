"""A line for a person, and the filter that everything from a role goes through."""

from __future__ import annotations

from dataclasses import dataclass

from statsclaw.words import one_line


@dataclass(frozen=True, slots=True)
class Line:
    label: str
    text: str
    style: str = ""


def plain(text: str, limit: int = 400) -> str:
    """One line of text, nothing in it that a terminal would obey; an ellipsis says that it was cut."""
    return one_line(text, limit)
