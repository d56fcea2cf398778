from __future__ import annotations

from typing import Literal

from statsclaw.runlog.events.base import Event
from statsclaw.states import State


class StateEntered(Event):
    """The gate before `state` was open. A state without roles in this workflow is passed, and says so."""

    kind: Literal["state_entered"] = "state_entered"
    state: State
    applicable: bool = True
    reason: str = ""
