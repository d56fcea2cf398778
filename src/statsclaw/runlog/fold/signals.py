"""Work that is sent back, what the role hears of it, and what comes back too often."""

from __future__ import annotations

from typing import assert_never

from statsclaw.runlog import events as e
from statsclaw.runlog.causes import FAILED, Cause
from statsclaw.runlog.fold.attempts import count
from statsclaw.runlog.fold.dispatches import close, give_up
from statsclaw.runlog.fold.run_rows import Artifact, Escalation, WorkOrder
from statsclaw.runlog.fold.state import RunState
from statsclaw.states import MAX_ATTEMPTS, Signal

SignalEvent = e.SignalRaised | e.OrderWithdrawn | e.ChannelOpened


def fold_signal(run: RunState, event: SignalEvent) -> None:
    match event:
        case e.SignalRaised():
            _raise(run, event)
        case e.OrderWithdrawn():
            _withdraw(run, event)
        case e.ChannelOpened():
            run.revealed.append(event)
            run.remarks[event.role] = WorkOrder(event.message, (event.message,))
        case _:
            assert_never(event)


def _raise(run: RunState, event: e.SignalRaised) -> None:
    run.signals.append((event, run.seq))
    if event.dispatch:
        close(run, event, "signalled").reason = f"{event.signal}: {event.message}"
    for name, digest in event.artifacts.items():
        run.artifacts[name] = Artifact(name, digest, event.raised_by, run.seq)
    if event.signal is Signal.HOLD and run.attempts[event.signal, event.cause] < MAX_ATTEMPTS:
        run.attempts[event.signal, event.cause] += 1
        run.escalations.append(
            Escalation("hold", event.raised_by, event.cause, event.message, event.options, event.default)
        )
        return
    told = event.message if event.told is None else event.told
    run.orders[event.route_to] = WorkOrder(told, event.about or (event.message,), event, run.seq)
    if Cause.parse(event.cause).kind.is_verification:
        run.blocks[event.route_to] += 1
    count(run, event.signal, event.cause, event.route_to, event.message)


def _withdraw(run: RunState, event: e.OrderWithdrawn) -> None:
    """The role is not asked any more, nor the person about it; what comes back later is counted anew."""
    if event.dispatch:
        give_up(run, event.dispatch, "withdrawn")
        run.dispatches[event.dispatch].reason = event.reason
    run.withdrawals.append(event)
    run.orders.pop(event.role, None)
    run.remarks.pop(event.role, None)
    run.attempts.pop((event.signal, event.cause), None)
    run.attempts.pop((FAILED, event.role), None)
    run.escalations = [due for due in run.escalations if due.role != event.role or due.topic == "breach"]
    for question in run.questions.values():
        asked = question.asked
        if asked.topic in ("hold", "escalation") and asked.about == event.role and question.answer is None:
            question.withdrawn = event.reason
