"""What every event is: a frozen fact in the past tense, refusing unknown fields."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Fact(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Event(Fact):
    """A line of the log. Subclasses carry a literal `kind`."""

    kind: str
