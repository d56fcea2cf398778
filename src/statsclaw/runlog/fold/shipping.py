"""What has left the run: the commit, the push, the workspace."""

from __future__ import annotations

from typing import assert_never

from statsclaw.runlog import events as e
from statsclaw.runlog.fold.state import RunState

ShippingEvent = e.CommitPrepared | e.Pushed | e.WorkspaceSynced


def fold_shipping(run: RunState, event: ShippingEvent) -> None:
    match event:
        case e.CommitPrepared():
            run.commit = event
        case e.Pushed():
            run.pushed = event
        case e.WorkspaceSynced():
            run.synced = event
        case _:
            assert_never(event)
