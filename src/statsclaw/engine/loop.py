"""The loop. Read this first.

A run is a log. `next_step` looks at the fold of the log and says what to do; `drive` does it, which appends to the
log; and so on until nothing is left to do or a person is needed. Because nothing but the log decides, a run can be
killed anywhere and driven on by another process.

    states.py   the nine states in their order
    gates.py    what each state needs, as pure functions that name what is missing and the step that supplies it
    plan.py     how a workflow becomes a sequence of duties
    steps.py    the steps
    perform.py  how each step is done
"""

from __future__ import annotations

from collections.abc import Sequence

from statsclaw.engine.amending import take_changes
from statsclaw.engine.gates import GATES, not_applicable
from statsclaw.engine.people import settle_questions
from statsclaw.engine.perform import perform, pick_up_hand_ins, take_over
from statsclaw.engine.plan import Plan
from statsclaw.engine.run import Run
from statsclaw.engine.steps import Ask, Dispatch, Enter, Finish, Step, Sync, Wait
from statsclaw.engine.withdrawing import withdraw_needless
from statsclaw.runlog.dispatch_id import DispatchId
from statsclaw.runlog.events import GateChecked, RunFinished
from statsclaw.runlog.fold import RunView
from statsclaw.runlog.store import machine_errors
from statsclaw.states import NEXT, State
from statsclaw.workspace.sync import seal


def next_step(run: RunView, plan: Plan) -> Step:
    """What the log says is to be done now. Pure."""
    if run.finished is not None:
        return Finish(run.finished.outcome)
    if run.stop_requested:
        return Finish("stopped", "the person stopped the run") if run.synced else Sync()
    if run.escalations:
        return Ask("escalation")
    if run.open_questions:
        return Wait()
    if run.state is State.DONE:
        return Finish("shipped" if run.pushed else "done", _findings(run))
    state = NEXT[run.state]
    blockers = GATES[state](run, plan)
    if not blockers:
        reason = not_applicable(state, run, plan)
        return Enter(state, applicable=not reason, reason=reason)
    step = blockers[0].remedy
    if isinstance(step, Dispatch):
        at_work = {dispatch.role for dispatch in run.running}
        idle = tuple(role for role in step.roles if role not in at_work)
        return _held_up(run, idle) or (Dispatch(idle) if idle else Wait())
    return step


def _held_up(run: RunView, roles: Sequence[str]) -> Ask | None:
    """What only the person can clear before a role begins or goes on: a budget that is spent, a model out of reach."""
    resting = {dispatch.role: dispatch for dispatch in run.paused}
    for role in roles:
        rests = resting.get(role)
        name = rests.id if rests else str(DispatchId(role, run.attempt_number(role)))
        if run.over_budget(name, role):
            return Ask("budget", name)
        if rests and rests.paused and rests.paused.why == "model" and rests.paused.until is None:
            return Ask("model", name)
    return None


def drive(run: Run) -> RunView:
    """Take the run as far as it goes: to its end, or to a question that nobody answers now."""
    with machine_errors(run.folder.path):
        return _drive(run)


def _drive(run: Run) -> RunView:
    if run.resumed and run.view.finished is None:
        take_over(run)
    while True:
        pick_up_hand_ins(run)
        settle_questions(run)
        take_changes(run)
        withdraw_needless(run)
        step = next_step(run.view, run.plan)
        _record_gate(run)
        match step:
            case Wait():
                if not run.person.wait(run.view):
                    return run.view
            case Finish(outcome, reason):
                if run.view.finished is None:
                    run.log.append(RunFinished(outcome=outcome, reason=reason))
                    seal(run.workspace, run.folder, run.view)
                return run.view
            case _:
                perform(run, step)


def _record_gate(run: Run) -> None:
    """Say in the log what is missing, whenever that changes."""
    view = run.view
    if view.finished is not None or view.state is State.DONE:
        return
    state = NEXT[view.state]
    reasons = tuple(blocker.reason for blocker in GATES[state](view, run.plan))
    if reasons and reasons != view.missing:
        run.log.append(GateChecked(state=state, blockers=reasons))


def _findings(run: RunView) -> str:
    """What a run that is through has found, where that is not good news."""
    verification = run.verified.get(run.tree_sha256)
    found = [f"verification failed: {', '.join(verification.failed)}"] if verification and verification.failed else []
    if run.verdict == "STOP":
        found.append("the review says STOP")
    return "; ".join(found)
