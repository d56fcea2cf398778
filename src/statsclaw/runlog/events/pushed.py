from __future__ import annotations

from typing import Literal

from statsclaw.runlog.events.base import Event


class Pushed(Event):
    """`already_there` is true when a process that died had pushed it before."""

    kind: Literal["pushed"] = "pushed"
    remote: str
    branch: str
    commit: str
    already_there: bool
    note: str = ""
