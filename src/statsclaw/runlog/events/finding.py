from __future__ import annotations

from typing import Literal

from pydantic import Field

from statsclaw.runlog.events.base import Fact

Severity = Literal["error", "warning", "note"]


class Finding(Fact):
    """What a computed check has found. `key` is the same for the same finding, so that a person can override it."""

    check: str
    severity: Severity
    message: str = Field(max_length=4000)
    where: str = ""
    route_to: str = ""
    key: str = ""
