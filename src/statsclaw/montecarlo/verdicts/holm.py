"""Holm's correction: of all true hypotheses of a family, none is rejected but with the stated probability."""

from __future__ import annotations

from collections.abc import Sequence


def adjusted(errors: Sequence[float]) -> list[float]:
    """p-values that can be compared with the level of the family, in the order given (Holm 1979)."""
    order = sorted(range(len(errors)), key=lambda at: errors[at])
    found, highest = [1.0] * len(errors), 0.0
    for rank, at in enumerate(order):
        highest = max(highest, min(1.0, (len(errors) - rank) * errors[at]))
        found[at] = highest
    return found
