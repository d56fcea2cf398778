"""Numbers of things in words."""

from __future__ import annotations

from collections.abc import Iterable


def span(counts: Iterable[int]) -> str:
    """1,000, or 50 to 1,000 where they differ."""
    found = sorted({*counts})
    return " to ".join(f"{count:,}" for count in dict.fromkeys((found[0], found[-1])))
