from __future__ import annotations

from typing import Literal

from statsclaw.runlog.events.base import Event
from statsclaw.runlog.events.sandbox import Sandbox


class DispatchResumed(Event):
    """A role that rested goes on in the same room. `sandbox`: what it can see now, where it is a new one."""

    kind: Literal["dispatch_resumed"] = "dispatch_resumed"
    dispatch: str
    role: str
    sandbox: Sandbox | None = None
