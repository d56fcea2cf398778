from __future__ import annotations

from typing import Literal

from statsclaw.runlog.events.base import Event


class RunResumed(Event):
    """Another process took over the run at this line."""

    kind: Literal["run_resumed"] = "run_resumed"
    verified_lines: int
