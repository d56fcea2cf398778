from __future__ import annotations

from datetime import datetime
from typing import Literal

from statsclaw.runlog.events.base import Event
from statsclaw.runlog.events.usage import Usage


class DispatchPaused(Event):
    """A role rests in the middle of its work; its room and its conversation are kept.

    `until`: when it goes on by itself. Without it the person is asked about the `budget` or the `model`.
    `usage`, `elapsed_s` and the transcript are of all its work so far.
    """

    kind: Literal["dispatch_paused"] = "dispatch_paused"
    dispatch: str
    role: str
    why: Literal["budget", "model", "person"]
    reason: str
    until: datetime | None = None
    usage: Usage = Usage()
    elapsed_s: float = 0.0
    transcript_sha256: str | None = None
