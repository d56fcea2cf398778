from __future__ import annotations

from pydantic import Field

from statsclaw.runlog.events.base import Fact

#: More than any run could use; sums of such numbers still print.
_MOST = 10**12


class Usage(Fact):
    """What a dispatch cost."""

    input_tokens: int = Field(0, ge=0, le=_MOST)
    cached_tokens: int = Field(0, ge=0, le=_MOST)
    output_tokens: int = Field(0, ge=0, le=_MOST)
    cost_usd: float = Field(0.0, ge=0, le=_MOST, allow_inf_nan=False)

    def __add__(self, other: Usage) -> Usage:
        return Usage.model_validate({name: min(_MOST, value + getattr(other, name)) for name, value in self})

    def __sub__(self, other: Usage) -> Usage:
        return Usage.model_validate({name: max(0, value - getattr(other, name)) for name, value in self})

    def at_least(self, other: Usage) -> Usage:
        """The larger of each."""
        return Usage.model_validate({name: max(value, getattr(other, name)) for name, value in self})

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens
