"""Roles at work: begun, at rest, handed in, failed; and what they may spend."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import assert_never

from statsclaw.runlog import events as e
from statsclaw.runlog.causes import FAILED, Breach
from statsclaw.runlog.fold.attempts import count
from statsclaw.runlog.fold.run_rows import EACH_DISPATCH, Artifact, DispatchStatus, DispatchView, Escalation, WorkOrder
from statsclaw.runlog.fold.state import RunState

Ending = e.DispatchFinished | e.DispatchFailed | e.SignalRaised | e.IsolationBreached

DispatchEvent = (
    e.DispatchStarted
    | e.DispatchPaused
    | e.DispatchResumed
    | e.DispatchFinished
    | e.DispatchFailed
    | e.DispatchInterrupted
    | e.SandboxClosed
    | e.IsolationBreached
    | e.BudgetSet
)


def fold_dispatch(run: RunState, event: DispatchEvent, at: datetime) -> None:
    match event:
        case e.DispatchStarted():
            run.dispatches[event.dispatch] = DispatchView(
                event.dispatch, event.role, event.attempt, event.backend, event, at
            )
        case e.DispatchFinished():
            _take(run, event)
        case e.DispatchFailed():
            close(run, event, "failed").reason = event.reason
            told = f"Your last attempt could not be taken: {event.reason}"
            run.remarks[event.role] = WorkOrder(told, (FAILED,))
            count(run, FAILED, event.role, event.role, told)
        case e.DispatchPaused():
            dispatch = run.dispatches[event.dispatch]
            dispatch.status, dispatch.paused, dispatch.reason = "paused", event, event.reason
            dispatch.usage, dispatch.elapsed_s = event.usage, event.elapsed_s
            dispatch.transcript_sha256 = event.transcript_sha256
        case e.DispatchResumed():
            dispatch = run.dispatches[event.dispatch]
            dispatch.status, dispatch.reason, dispatch.went_on_at = "running", "", at
        case e.DispatchInterrupted():
            give_up(run, event.dispatch, "interrupted")
        case e.SandboxClosed():
            run.dispatches[event.dispatch].closed = event
        case e.IsolationBreached():
            close(run, event, "failed").reason = "isolation breached"
            run.breaches.append(event)
            run.remarks[event.role] = WorkOrder("Your last attempt could not be taken.", (FAILED,))
            about = str(Breach(event.dispatch))
            run.escalations.append(Escalation("breach", event.role, about, _breach_text(event)))
        case e.BudgetSet():
            _set_budget(run, event)
        case _:
            assert_never(event)


def _take(run: RunState, event: e.DispatchFinished) -> None:
    """What was handed in is part of the run from now on."""
    close(run, event, "finished").finished = event
    run.accepted[event.role] = run.seq
    run.review_verdict = event.verdict or run.review_verdict
    run.orders.pop(event.role, None)
    run.remarks.pop(event.role, None)
    run.overlay.update({change.path: change for change in event.files})
    for name, digest in event.artifacts.items():
        run.artifacts[name] = Artifact(name, digest, event.role, run.seq)


def _set_budget(run: RunState, event: e.BudgetSet) -> None:
    run.budgets[event.scope] = event
    renewed = [event.scope] if event.scope != EACH_DISPATCH else list(run.dispatches)
    for name in renewed:
        run.granted.pop(name, None)
    for question in run.questions.values():  # if it is spent as well, that is another question
        if question.asked.topic == "budget" and not question.answer and question.asked.cause in renewed:
            question.withdrawn = "another budget was set"


def close(run: RunState, event: Ending, status: DispatchStatus) -> DispatchView:
    dispatch = run.dispatches[event.dispatch or ""]
    dispatch.status, dispatch.elapsed_s, dispatch.usage = status, event.elapsed_s, event.usage
    dispatch.transcript_sha256 = event.transcript_sha256
    return dispatch


def give_up(run: RunState, name: str, status: DispatchStatus) -> None:
    """The attempt does not count; what it has spent does."""
    dispatch = run.dispatches[name]
    dispatch.status = status
    if dispatch.elapsed_s:  # it rested before: what it did then is known, and will not come again
        run.abandoned.append(replace(dispatch))
    dispatch.usage, dispatch.elapsed_s = e.Usage(), 0.0
    run.granted.pop(dispatch.id, None)


def _breach_text(event: e.IsolationBreached) -> str:
    """What the person is told; the role is told nothing of it."""
    rows = [f"{t.where}: {t.sign} of {t.of}: {t.evidence}" for t in event.traces if t.severity == "breach"]
    more = f" (and {len(rows) - 3} more)" if len(rows) > 3 else ""
    return f"The {event.role} handed in what it could not know. {'; '.join(rows[:3])}{more}"
