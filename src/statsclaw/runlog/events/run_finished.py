from __future__ import annotations

from typing import Literal

from statsclaw.runlog.events.base import Event


class RunFinished(Event):
    """`outcome` is shipped, done (nothing was to be shipped) or stopped (by the person)."""

    kind: Literal["run_finished"] = "run_finished"
    outcome: Literal["shipped", "done", "stopped"]
    reason: str = ""
