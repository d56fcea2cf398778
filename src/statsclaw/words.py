"""Words of messages: numbers of things, and the name that was meant."""

from __future__ import annotations

from collections.abc import Iterable


def span(counts: Iterable[int]) -> str:
    """1,000, or 50 to 1,000 where they differ."""
    found = sorted({*counts})
    return " to ".join(f"{count:,}" for count in dict.fromkeys((found[0], found[-1])))


def or_else(name: str, known: Iterable[str]) -> str:
    """What is added to "there is no …": the nearest name that there is, or all of them."""
    from difflib import get_close_matches

    names = sorted(known)
    near = get_close_matches(name, names, 1)
    return f": did you mean {near[0]!r}?" if near else f"; known are {', '.join(names)}"
