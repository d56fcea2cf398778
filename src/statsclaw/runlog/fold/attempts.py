"""How often the same came back."""

from __future__ import annotations

from statsclaw.runlog.causes import CameBack, Cause
from statsclaw.runlog.fold.run_rows import Escalation
from statsclaw.runlog.fold.state import RunState
from statsclaw.states import MAX_ATTEMPTS


def count(run: RunState, signal: str, cause: str, role: str, message: str) -> None:
    """Three retries, then the person."""
    run.attempts[signal, cause] += 1
    if run.attempts[signal, cause] > MAX_ATTEMPTS:
        about = str(CameBack(signal, Cause.parse(cause)))
        run.escalations.append(Escalation("escalation", role, about, message))
