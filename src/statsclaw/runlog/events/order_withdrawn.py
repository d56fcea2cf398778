from __future__ import annotations

from typing import Literal

from statsclaw.runlog.events.base import Event
from statsclaw.states import Signal


class OrderWithdrawn(Event):
    """A person's decision has made needless what `role` was sent back for. `dispatch`: its work on it, if any."""

    kind: Literal["order_withdrawn"] = "order_withdrawn"
    role: str
    signal: Signal
    cause: str
    dispatch: str = ""
    reason: str
