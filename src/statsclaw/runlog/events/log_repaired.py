from __future__ import annotations

from typing import Literal

from statsclaw.runlog.events.base import Event


class LogRepaired(Event):
    """A line that was being written when the process died was cut off and kept aside."""

    kind: Literal["log_repaired"] = "log_repaired"
    cut_bytes: int
    lost_lines: int
    kept_as: str
