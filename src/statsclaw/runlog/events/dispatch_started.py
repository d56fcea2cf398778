from __future__ import annotations

from typing import Literal

from statsclaw.runlog.events.base import Event
from statsclaw.runlog.events.sandbox import Sandbox


class DispatchStarted(Event):
    """One role, one view, one backend, one attempt. `task_sha256` is the key of a recording.

    `goes_on`: with the conversation of its last attempt, not in a new one.
    """

    kind: Literal["dispatch_started"] = "dispatch_started"
    dispatch: str
    role: str
    attempt: int
    backend: str
    task_sha256: str
    prompt_sha256: str
    view_sha256: str
    barrier: str
    sandbox: Sandbox | None = None
    goes_on: bool = False
