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


def levels(errors: Sequence[float], error: float) -> list[float]:
    """At which error each of the p-values was judged: it is rejected if it is no larger than this.

    Of m hypotheses the i-th rejected one had error / (m + 1 − i), all that were left error / (m − number rejected).
    """
    order = sorted(range(len(errors)), key=lambda at: errors[at])
    found, left, going = [error] * len(errors), len(errors), True
    for at in order:
        found[at] = error / left
        going = going and errors[at] <= found[at]
        left -= going
    return found
