"""status.md: the run for a person, rendered from the fold."""

from __future__ import annotations

from statsclaw.runlog.fold import RunView
from statsclaw.templates import render


def render_status(run: RunView, run_id: str) -> str:
    outcome = run.finished.outcome if run.finished else None
    return render(
        "statsclaw.runlog",
        "status.md",
        run_id=run_id,
        state=f"{run.state or 'not started'}{f' ({outcome})' if outcome else ''}",
        directive=run.created.directive if run.created else "",
        states=run.states,
        missing=run.missing,
        dispatches=list(run.dispatches.values()),
        signals=run.signals,
        withdrawals=run.withdrawals,
        questions=list(run.questions.values()),
        artifacts=sorted(run.artifacts),
        seq=run.seq,
    )
