"""Words of messages: numbers of things, the name that was meant, words of others on one line."""

from __future__ import annotations

from collections.abc import Iterable


def span(counts: Iterable[int]) -> str:
    """1,000, or 50 to 1,000 where they differ."""
    found = sorted({*counts})
    return " to ".join(f"{count:,}" for count in dict.fromkeys((found[0], found[-1])))


def one_line(text: str, longest: int | None = None) -> str:
    """`text` on one line, with nothing in it that a terminal would obey; an ellipsis says that it was cut."""
    line = "".join(char if char.isprintable() else "�" for char in " ".join(text.split()))
    return line if longest is None or len(line) <= longest else line[: longest - 1].rstrip() + "…"


def or_else(name: str, known: Iterable[str]) -> str:
    """What is added to "there is no …": the nearest name that there is, or all of them."""
    from difflib import get_close_matches

    names = sorted(known)
    near = get_close_matches(name, names, 1)
    return f": did you mean {near[0]!r}?" if near else f"; known are {', '.join(names)}"
