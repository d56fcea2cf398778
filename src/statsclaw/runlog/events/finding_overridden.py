from __future__ import annotations

from typing import Literal

from pydantic import Field

from statsclaw.runlog.events.base import Event


class FindingOverridden(Event):
    """A person lets a finding stand. It is shown in the review for ever."""

    kind: Literal["finding_overridden"] = "finding_overridden"
    key: str
    message: str = Field(max_length=4000)
    why: str = Field(min_length=1, max_length=2000)
