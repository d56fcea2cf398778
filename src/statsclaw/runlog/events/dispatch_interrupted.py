from __future__ import annotations

from typing import Literal

from statsclaw.runlog.events.base import Event


class DispatchInterrupted(Event):
    """The engine died while the role worked; its room was discarded and the attempt starts over."""

    kind: Literal["dispatch_interrupted"] = "dispatch_interrupted"
    dispatch: str
    role: str
