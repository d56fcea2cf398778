"""Two readings of one equation, and whether they agree."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Agreement:
    """`agrees` None: they could not be compared, for the reason in `note`. `different`: of `tried` inputs, how many."""

    ref: str
    function: str
    agrees: bool | None
    tried: int = 0
    largest_difference: float | None = None
    note: str = ""
    different: int = 0
