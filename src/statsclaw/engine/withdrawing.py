"""What a person decides can make needless what a role was sent back for: then the role is not waited for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import assert_never

from statsclaw.backends.human import HumanBackend
from statsclaw.engine.run import Run
from statsclaw.roles.matrix import MATRIX, Role
from statsclaw.runlog.causes import Cause, CauseKind
from statsclaw.runlog.events import OrderWithdrawn, SignalRaised
from statsclaw.runlog.fold import RunView, WorkOrder
from statsclaw.specs.contract import SIM_SPEC, TEST_SPEC

#: By which documents the phases of a verification judge, and its criteria.
_JUDGED_BY = MappingProxyType({"validation": {TEST_SPEC}, "study": {SIM_SPEC}, "criteria": {TEST_SPEC, SIM_SPEC}})


def needless(run: RunView) -> list[OrderWithdrawn]:
    """The orders whose reason a person has taken away since they were given. Pure."""
    under_way = {dispatch.role: dispatch.id for dispatch in (*run.running, *run.paused)}
    found = []
    for role, order in run.orders.items():
        if order.signal is not None and (reason := _overridden(run, order.signal) or _amended(run, order, role)):
            found.append(
                OrderWithdrawn(
                    role=role,
                    signal=order.signal.signal,
                    cause=order.signal.cause,
                    dispatch=under_way.get(role, ""),
                    reason=reason,
                )
            )
    return found


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """`kept`: where the work lies that a person had begun."""

    event: OrderWithdrawn
    kept: Path | None = None


def withdraw_needless(run: Run) -> list[Withdrawn]:
    """Take back what nobody needs any more. Work that was handed in already is not: it is looked at as ever."""
    done = []
    for event in needless(run.view):
        if event.dispatch and run.room(event.dispatch).handed_in() is not None:
            continue
        run.log.append(event)
        done.append(Withdrawn(event, _put_away(run, event.dispatch) if event.dispatch else None))
    return done


def _put_away(run: Run, dispatch: str) -> Path | None:
    """Of a person everything is kept; a program's room goes, as after every dispatch."""
    room, kept = run.room(dispatch), None
    if run.view.dispatches[dispatch].backend == HumanBackend.name and room.folder.is_dir():
        kept = run.folder.room(f"{dispatch}-taken-back-{run.view.seq}")
        room.folder.rename(kept)
    room.clear()
    return kept


def _overridden(run: RunView, signal: SignalRaised) -> str:
    """Every error that it was about stands, by the person's decision."""
    found = run.findings_of(Cause.parse(signal.cause).kind)
    errors = [f for f in found if f.severity == "error" and f.key in signal.about]
    return "the person lets stand what was found" if errors and all(map(run.stands, errors)) else ""


def _amended(run: RunView, order: WorkOrder, role: str) -> str:
    """What is judged is another since, so that the engine has to look again before anybody mends anything."""
    later = {event.document for event, seq in run.amendments if seq > order.seq}
    signal = order.signal
    if not later or signal is None:
        return ""
    return "the person has amended what is judged" if _concerns(Cause.parse(signal.cause), later, role) else ""


def _concerns(cause: Cause, amended: set[str], role: str) -> bool:
    match cause.kind:
        case CauseKind.CONTRACT:
            return True
        case CauseKind.SUITE:
            return not amended.isdisjoint(MATRIX[Role(role)].artifacts)
        case CauseKind.PHASE | CauseKind.CRITERIA:
            return not amended.isdisjoint(_JUDGED_BY.get(str(cause), ()))
        case CauseKind.ROLE | CauseKind.REVIEW:
            return False
        case _:
            assert_never(cause.kind)
