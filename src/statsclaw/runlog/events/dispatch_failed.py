from __future__ import annotations

from typing import Literal

from statsclaw.runlog.events.base import Event
from statsclaw.runlog.events.usage import Usage


class DispatchFailed(Event):
    """Nothing of this dispatch was taken. `refused` names what it tried to write outside its surface."""

    kind: Literal["dispatch_failed"] = "dispatch_failed"
    dispatch: str
    role: str
    reason: str
    refused: tuple[str, ...] = ()
    usage: Usage = Usage()
    elapsed_s: float = 0.0
    transcript_sha256: str | None = None
