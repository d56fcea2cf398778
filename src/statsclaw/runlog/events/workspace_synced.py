from __future__ import annotations

from typing import Literal

from statsclaw.runlog.events.base import Event


class WorkspaceSynced(Event):
    """Log entry, changelog and hand-off are in the workspace; `pushed` if its remote has them too."""

    kind: Literal["workspace_synced"] = "workspace_synced"
    pushed: bool
    note: str = ""
