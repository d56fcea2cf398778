"""How far a run has come: created, its states and gates, another process, its end."""

from __future__ import annotations

from datetime import datetime
from typing import assert_never

from statsclaw.runlog import events as e
from statsclaw.runlog.fold.state import RunState

ProgressEvent = e.RunCreated | e.StateEntered | e.GateChecked | e.RunResumed | e.LogRepaired | e.RunFinished


def fold_progress(run: RunState, event: ProgressEvent, at: datetime) -> None:
    match event:
        case e.RunCreated():
            run.created, run.created_at = event, at
            run.workflow, run.profile = event.workflow, event.profile
        case e.StateEntered():
            run.state, run.missing = event.state, ()
            run.states.append((event, at))
        case e.GateChecked():
            run.missing = event.blockers
        case e.RunResumed():
            run.resumed += 1
        case e.LogRepaired():
            pass  # the lines that were lost are not part of the state
        case e.RunFinished():
            run.finished = event
        case _:
            assert_never(event)
