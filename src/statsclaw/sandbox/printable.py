"""Text of others, for a terminal. It imports nothing, so that every command can afford it."""

from __future__ import annotations


def printable(text: str, limit: int = 300) -> str:
    """`text` with nothing in it that a terminal would obey."""
    return "".join(c if c.isprintable() else "�" for c in text[:limit])


def printable_lines(text: str) -> list[str]:
    """The lines of a document, none of which a terminal would obey."""
    return [printable(line, len(line)) for line in text.split("\n")]
