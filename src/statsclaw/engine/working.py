"""Roles at work side by side: each in its room, with its bridge, in one stretch or with rests between them."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.resources import files

from statsclaw.backends.protocol import Backend, Conversing
from statsclaw.backends.task import Task
from statsclaw.engine.breach import commit_messages
from statsclaw.engine.dispatch import can_go_on, inspect, models_of, start_dispatch, take_up_dispatch
from statsclaw.engine.handing_in import check_hand_in
from statsclaw.engine.pausing import GRACE_S, Patience, Pause, pause_after
from statsclaw.engine.run import Run
from statsclaw.engine.spending import metered, settled
from statsclaw.engine.tools import tools_for
from statsclaw.roles.matrix import Role
from statsclaw.runlog.events import DispatchInterrupted, DispatchPaused, DispatchResumed, NetworkUse, Sandbox, Usage
from statsclaw.runlog.fold import DispatchView, Live, Overdrawn
from statsclaw.sandbox.bridge import Bridge
from statsclaw.sandbox.confinement import Confinement
from statsclaw.sandbox.enclosure import Enclosure
from statsclaw.sandbox.handin import HandIn
from statsclaw.sandbox.meter import Trouble
from statsclaw.sandbox.network import with_network
from statsclaw.sandbox.process import end_all, end_leftover, without_middle
from statsclaw.sandbox.readings import Readings
from statsclaw.sandbox.room import Room

#: How often a result that cannot be taken is sent back to the conversation it came from.
_MENDED_AT_MOST = 2
_MEND, _GO_ON = (files("statsclaw.backends").joinpath(n).read_text(encoding="utf-8") for n in ("mend.md", "go_on.md"))
_LOOK_EVERY_S = 0.5


@dataclass
class Seat:
    """A role at its work. `so_far`: what it came back with when it rested last."""

    role: Role
    backend: Backend
    task: Task
    room: Room
    confinement: Confinement
    so_far: HandIn | None = None
    wait_until: datetime | None = None
    sandbox: Sandbox | None = None
    patience: Patience = field(default_factory=Patience)
    over: Overdrawn | None = None
    over_since: float = 0.0
    refused: bool = False
    bridge: Bridge | None = None

    @property
    def dispatch(self) -> str:
        return f"{self.role}-{self.task.attempt}"


@dataclass(frozen=True)
class Stretch:
    """How a piece of work ended, and what was heard of the model at last."""

    result: HandIn | None
    trouble: Trouble | None = None
    answered: bool = False
    spent: Live = field(default_factory=lambda: Live(Usage(), 0.0))


def dispatch_side_by_side(run: Run, roles: Sequence[Role]) -> None:
    """Start every role, or let it go on where it rested; let them work in parallel, and take in what each hands in."""
    backends = {role: run.backend(role) for role in roles}  # refuse before anything starts
    tools = tools_for(run)
    resting = {dispatch.role: dispatch for dispatch in run.view.paused}
    seats = []
    for role in roles:
        rests = resting.get(role)
        if rests and not can_go_on(run, rests, backends[role]):
            run.log.append(DispatchInterrupted(dispatch=rests.id, role=role))
            rests = None
        seats.append(_seat(run, role, backends[role], tools, rests))

    stopping = threading.Event()
    with ThreadPoolExecutor(max_workers=len(seats)) as pool:
        futures = [pool.submit(_work, run, seat, stopping) for seat in seats]
        try:
            _look_after(run, seats, futures)
        except BaseException:  # nobody looks after the others any more: none may rest, none may begin
            stopping.set()
            while wait(futures, timeout=_LOOK_EVERY_S).not_done:
                end_all()
            raise


def _seat(run: Run, role: Role, backend: Backend, tools: Enclosure, rests: DispatchView | None) -> Seat:
    taken_up = take_up_dispatch(run, rests, backend, tools) if rests else None
    if rests is None or taken_up is None:
        return Seat(role, backend, *start_dispatch(run, role, backend, tools))
    task, room, confinement, sandbox = taken_up
    until = rests.paused.until if rests.paused else None
    return Seat(role, backend, task, room, confinement, so_far=room.rested(), wait_until=until, sandbox=sandbox)


def _look_after(run: Run, seats: Sequence[Seat], futures: Sequence[Future[None]]) -> None:
    """End whoever goes on although a budget is spent; raise what a role's thread raised."""
    while True:
        done, pending = wait(futures, timeout=_LOOK_EVERY_S, return_when=FIRST_EXCEPTION)
        for future in done:
            future.result()
        if not pending:
            return
        for seat in seats:
            over = run.view.budgets and _overdrawn(run, seat)
            late = over and (seat.refused or time.monotonic() - seat.over_since > GRACE_S)
            if late or (seat.bridge and seat.bridge.hopeless):
                end_leftover(seat.room.desk / "pid")


def _overdrawn(run: Run, seat: Seat) -> str:
    """Why no model may be asked any more; empty while something of every budget is left."""
    over = run.view.over_budget(seat.dispatch, seat.role, run.meters.live())
    if over and not seat.over:
        seat.over, seat.over_since = over, time.monotonic()
    return f"the budget is spent: {over.spent}" if over else ""


def _work(run: Run, seat: Seat, stopping: threading.Event) -> None:
    """Until the role hands in, rests for the person, or everything is stopped."""
    while True:
        if seat.so_far and not _rested(run, seat, stopping):
            return
        seat.over, seat.refused = None, False
        stretch = _stretch(run, seat, stopping)
        result = _as_it_ended(run, seat, stretch)
        if result is None:
            return
        if stopping.is_set() and result.failure:
            _rest(run, seat, result, Pause("person", "it was interrupted", datetime.now(UTC)))
            return
        if stretch.answered:
            anew = not isinstance(seat.backend, Conversing)
            seat.patience = Patience(rests=seat.patience.rests, paid_again=seat.patience.paid_again + anew)
        pause = pause_after(result, seat.over, stretch.trouble, seat.patience, datetime.now(UTC))
        if pause is None:
            run.meters.settle(seat.dispatch, stretch.spent)
            seat.room.hand_in(result)
            return
        _rest(run, seat, result, pause)
        if pause.until is None:
            return


def _as_it_ended(run: Run, seat: Seat, stretch: Stretch) -> HandIn | None:
    """A program that was let down by its model may end as if nothing were, without what it owes: then it failed."""
    result = stretch.result
    if result is None or result.failure or result.signal or not (seat.refused or stretch.trouble):
        return result
    missing = inspect(run, run.view.dispatches[seat.dispatch], result).missing
    if not missing:
        return result
    failure = f"it ended before it had handed in: {', '.join(missing)}"
    return result.model_copy(update={"failure": failure, "broken_off": result.session})


def _rest(run: Run, seat: Seat, result: HandIn, pause: Pause) -> None:
    """Keep everything first, so that a process that is killed while it waits has lost nothing."""
    seat.room.rest(result)
    seat.so_far, seat.wait_until = result, pause.until
    run.meters.forget(seat.dispatch)
    run.log.append(
        DispatchPaused(
            dispatch=seat.dispatch,
            role=seat.role,
            why=pause.why,
            reason=pause.reason,
            until=pause.until,
            usage=result.usage,
            elapsed_s=result.elapsed_s,
            transcript_sha256=run.store.put_text(run.scrub(result.transcript)) if result.transcript else None,
        )
    )


def _rested(run: Run, seat: Seat, stopping: threading.Event) -> bool:
    """Wait as long as it takes; False if everything is stopped first."""
    if seat.wait_until is not None:
        wait_s = max(0.0, (seat.wait_until - datetime.now(UTC)).total_seconds())
        seat.patience = seat.patience.after(wait_s)
        if stopping.wait(wait_s):
            return False
    if run.view.dispatches[seat.dispatch].status == "paused":
        run.log.append(DispatchResumed(dispatch=seat.dispatch, role=seat.role, sandbox=seat.sandbox))
        seat.sandbox = None
    return True


def _stretch(run: Run, seat: Seat, stopping: threading.Event) -> Stretch:
    """One piece of work, with all that came before it added."""
    begun, backend, task, room = time.monotonic(), seat.backend, seat.task, seat.room
    earlier = seat.so_far or HandIn()

    def may_ask() -> str:
        reason = _overdrawn(run, seat) if run.view.budgets else ""
        seat.refused = seat.refused or bool(reason)
        return reason

    endpoints = models_of(run, backend)
    providers = [row.name for row in endpoints]
    with (
        Readings(room.inbox) as readings,
        with_network(seat.confinement, endpoints, may_ask=may_ask) as (connected, bridge),
        run.meters.counting(seat.dispatch, bridge, providers),
    ):
        seat.bridge = bridge
        if earlier.broken_off and isinstance(backend, Conversing):
            last = HandIn(session=earlier.broken_off)
            result: HandIn | None = backend.go_on(task, room, connected, last, _GO_ON.format(why=earlier.failure))
        else:
            result = backend.run(task, room, connected)
        for _ in range(_MENDED_AT_MOST):
            wrong = _wrong_with(run, task, result)
            if not wrong or stopping.is_set() or result is None or not isinstance(backend, Conversing):
                break
            message = _MEND.format(complaints="\n".join(f"- {row}" for row in wrong))
            again = backend.go_on(task, room, connected, result, run.scrub(message))
            result = again.model_copy(update={"note": f"sent back to its conversation: {'; '.join(wrong)}"[:1000]})
    seat.bridge = None
    if result is None:
        return Stretch(None)
    if result.failure and bridge and bridge.hopeless:
        failure = f"its model refuses what it is asked, again and again (status {bridge.hopeless}): {result.failure}"
        result = result.model_copy(update={"failure": failure})
    use = bridge.use if bridge else NetworkUse()
    trouble = bridge.trouble if bridge else None
    spent = Live(settled(result.usage, metered(use, providers)), time.monotonic() - begun)
    seen: dict[str, object] = {
        "elapsed_s": round(earlier.elapsed_s + spent.seconds, 3),
        "usage": earlier.usage + spent.usage,
        "transcript": _one_after_the_other(earlier.transcript, result.transcript, run.limits.kept_output_bytes),
    }
    if backend.executes:
        opened = tuple(sorted({*readings.opened, *(earlier.opened or ())})) if readings.complete else None
        seen |= {"opened": opened, "commits": commit_messages(seat.confinement, room)}
        seen |= {"network": earlier.network + use}
    answered = bool(use.models)
    return Stretch(result.model_copy(update=seen), trouble, answered, spent)


def _one_after_the_other(earlier: str, later: str, most: int) -> str:
    """Of many rests no more is kept than of one: the beginning and the end."""
    text = "\n".join(part for part in (earlier, later) if part)
    return without_middle(text.encode(errors="replace"), most).decode(errors="replace")


def _wrong_with(run: Run, task: Task, result: HandIn | None) -> list[str]:
    """Of a conversation that can be gone on with: why what it handed in could not be taken."""
    if result is None or not result.session:
        return []
    if result.failure:
        return [result.failure]
    return check_hand_in(run, run.view.dispatches[f"{task.role}-{task.attempt}"], result).complaints
