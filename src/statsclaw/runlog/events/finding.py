from __future__ import annotations

from typing import Literal

from pydantic import Field

from statsclaw.runlog.events.base import Fact
from statsclaw.runlog.store import sha256

Severity = Literal["error", "warning", "note"]


class Finding(Fact):
    """What a computed check has found. `key` is the same for the same finding, so that a person can override it."""

    check: str
    severity: Severity
    message: str = Field(max_length=4000)
    where: str = ""
    route_to: str = ""
    key: str = ""

    def keyed(self) -> Finding:
        """With a key of its own where it has none: every finding can be named, so that a person can let it stand."""
        return (
            self if self.key else self.model_copy(update={"key": f"{self.check}:{sha256(self.message.encode())[:8]}"})
        )

    @property
    def rule(self) -> str:
        """The rule that it breaks: its key, or the part of it before the first colon."""
        return self.key.partition(":")[0]

    @property
    def subject(self) -> str:
        """What breaks the rule: the rest of its key."""
        return self.key.partition(":")[2]
