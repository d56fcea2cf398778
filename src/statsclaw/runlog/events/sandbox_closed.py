from __future__ import annotations

from typing import Literal

from statsclaw.runlog.events.base import Event
from statsclaw.runlog.events.isolation_breached import Trace
from statsclaw.runlog.events.sandbox import NetworkUse


class SandboxClosed(Event):
    """What was seen of a program from outside: documents it opened, its network, why it was ended if it was.

    `scratch`: what it left in its temporary folder for its own next attempt, path and hash.
    """

    kind: Literal["sandbox_closed"] = "sandbox_closed"
    dispatch: str
    opened: tuple[str, ...] | None = None
    network: NetworkUse = NetworkUse()
    ended_by: str = ""
    suspicions: tuple[Trace, ...] = ()
    scratch: dict[str, str] = {}
