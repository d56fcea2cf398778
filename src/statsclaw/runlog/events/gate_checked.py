from __future__ import annotations

from typing import Literal

from statsclaw.runlog.events.base import Event
from statsclaw.states import State


class GateChecked(Event):
    """What the gate before `state` still missed."""

    kind: Literal["gate_checked"] = "gate_checked"
    state: State
    blockers: tuple[str, ...]
