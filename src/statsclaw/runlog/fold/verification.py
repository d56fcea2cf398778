"""What the engine has executed and judged: the questions themselves, evidence, criteria, the review."""

from __future__ import annotations

from typing import assert_never

from statsclaw.runlog import events as e
from statsclaw.runlog.fold.state import RunState

VerificationEvent = e.SuiteChecked | e.CommandExecuted | e.CriteriaJudged | e.VerificationFinished | e.ReviewComputed


def fold_verification(run: RunState, event: VerificationEvent) -> None:
    match event:
        case e.SuiteChecked():
            run.suite, run.suite_at = event, run.seq
            run.overlay.update({change.path: change for change in event.files})
        case e.CommandExecuted():
            run.evidence[event.tree_sha256, event.subject, event.phase, event.name] = event
        case e.CriteriaJudged():
            run.judged[event.tree_sha256, event.subject] = event
        case e.VerificationFinished():
            run.verified[event.tree_sha256] = event
            run.verified_at[event.tree_sha256] = run.seq
        case e.ReviewComputed():
            run.reviewed, run.reviewed_at = event, run.seq
        case _:
            assert_never(event)
