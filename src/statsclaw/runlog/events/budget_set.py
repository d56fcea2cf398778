from __future__ import annotations

from typing import Literal

from pydantic import Field

from statsclaw.runlog.events.base import Event
from statsclaw.runlog.events.usage import Usage


class BudgetSet(Event):
    """The person wants no more than this spent before being asked again; 0: as much as it takes.

    `scope`: empty for the run, `dispatch` for every dispatch, or a role. `hours` are those in which roles were at work,
    added up over roles that worked side by side.
    """

    kind: Literal["budget_set"] = "budget_set"
    scope: str = Field("", max_length=40)
    usd: float = Field(0.0, ge=0, le=1e9, allow_inf_nan=False)
    tokens: int = Field(0, ge=0, le=10**15)
    hours: float = Field(0.0, ge=0, le=1e6, allow_inf_nan=False)

    def spent(self, usage: Usage, seconds: float) -> str:
        """What has been used up, in words; empty while there is something left."""
        tokens = usage.tokens + usage.cached_tokens
        rows = [
            (usage.cost_usd, self.usd, f"${usage.cost_usd:.2f} of ${self.usd:.2f}"),
            (tokens, self.tokens, f"{tokens:,} of {self.tokens:,} tokens"),
            (seconds / 3600, self.hours, f"{seconds / 3600:.2f} of {self.hours:.2f} hours"),
        ]
        return ", ".join(text for used, allowed, text in rows if allowed and used >= allowed)
