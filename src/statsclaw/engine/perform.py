"""How each step is done. Every function ends by appending to the log what it did."""

from __future__ import annotations

import re
from collections.abc import Sequence

from statsclaw.backends.human import HumanBackend
from statsclaw.engine.breach import APART, interface_of
from statsclaw.engine.contracts import contract_of, findings_text, refreeze_question
from statsclaw.engine.dispatch import collect
from statsclaw.engine.documents import write_document
from statsclaw.engine.gates import specifications
from statsclaw.engine.linting import lint_contract
from statsclaw.engine.people import compose, compose_choices
from statsclaw.engine.questions import check_judges
from statsclaw.engine.readings import compare_readings
from statsclaw.engine.reviewing import compute_review
from statsclaw.engine.run import Run
from statsclaw.engine.shipped import committed
from statsclaw.engine.steps import (
    Ask,
    Block,
    CheckSuite,
    Commit,
    Compare,
    Dispatch,
    Enter,
    Freeze,
    Lint,
    Push,
    Review,
    SendBack,
    Step,
    Sync,
    Understand,
    Verify,
    Write,
)
from statsclaw.engine.understanding import understand
from statsclaw.engine.verifying import bench_for, missed_in_study, verify
from statsclaw.engine.working import dispatch_side_by_side
from statsclaw.errors import GateClosed
from statsclaw.roles.matrix import Role
from statsclaw.roles.view import without_criteria
from statsclaw.runlog.causes import Cause, CauseKind
from statsclaw.runlog.events import (
    ChannelOpened,
    CommandExecuted,
    CommitPrepared,
    DispatchInterrupted,
    Pushed,
    RunResumed,
    SignalRaised,
    SpecFrozen,
    StateEntered,
    WorkspaceSynced,
)
from statsclaw.runlog.log import verify as verify_log
from statsclaw.states import Signal
from statsclaw.verify.criteria.judge import at_fault
from statsclaw.verify.report import Report, failed_behaviours, failure_report, redacted_words
from statsclaw.workspace.ship import keep_branch, make_commit, push
from statsclaw.workspace.sync import synchronise

_LINES = "\nLines are those of your documents in `../in/`, where the interface is put in."


def perform(run: Run, step: Step) -> None:
    match step:
        case Enter(state, applicable, reason):
            run.log.append(StateEntered(state=state, applicable=applicable, reason=reason))
        case Write(name):
            write_document(run, name)
        case Dispatch(roles):
            dispatch_side_by_side(run, roles)
        case Understand():
            run.log.append(understand(run))
        case Compare():
            run.log.append(compare_readings(run))
        case Lint():
            run.log.append(lint_contract(run))
        case SendBack(role, cause):
            send_back(run, role, cause)
        case CheckSuite():
            run.log.append(check_judges(run, bench_for(run, contract_of(run))))
        case Review():
            run.log.append(compute_review(run))
        case Freeze():
            run.log.append(SpecFrozen(specs=specifications(run.view)))
        case Verify():
            verify(run)
        case Block(role):
            block(run, role)
        case Ask(topic, about):
            ask(run, topic, about)
        case Commit():
            commit(run)
        case Push():
            push_commit(run)
        case Sync():
            pushed, note = synchronise(run.workspace, run.folder, run.view, run.store, run.plan.workflow.title)
            run.log.append(WorkspaceSynced(pushed=pushed, note=run.scrub(note)))
        case _:
            raise GateClosed(type(step).__name__, ("it is not a step that can be performed",))


def ask(run: Run, topic: str, about: str) -> None:
    """Put the question; an answer that was there before it was asked is nobody's answer."""
    if topic == "choices":
        questions = compose_choices(run.view)
    else:
        questions = [refreeze_question(run) if topic == "refreeze" else compose(run, topic, about)]
    for question in questions:
        (run.folder.inbox / f"{question.question}.json").unlink(missing_ok=True)
        run.log.append(question)


def send_back(run: Run, role: Role, cause: CauseKind) -> None:
    """What the engine's own checks found goes to whoever can mend it; the review's words, redacted, too."""
    view = run.view
    errors = [f for f in view.findings_of(cause) if f.severity == "error" and not view.stands(f)]
    errors = [f for f in errors if f.route_to == role] or errors
    message = run.scrub(findings_text(errors))[:3900] or "see checks.md"
    message += _LINES if cause is CauseKind.CONTRACT else ""
    heard = (
        redacted_words(message, interface_of(run), Signal.STOP) if cause is CauseKind.REVIEW and role in APART else None
    )
    run.log.append(
        SignalRaised(
            signal=Signal.STOP if cause is CauseKind.REVIEW else Signal.BLOCK,
            raised_by=cause,
            cause=str(Cause(cause, role)),
            route_to=role,
            message=message,
            told=heard.text if heard and not run.local.reveal else None,
            leak=heard.leak if heard else None,
            about=tuple(sorted(f.key for f in errors)),
        )
    )


def take_over(run: Run) -> None:
    """Another process had this run: keep what was handed in, start over what was interrupted."""
    run.log.append(RunResumed(verified_lines=run.log.last_seq))
    for dispatch in run.view.running:
        room = run.room(dispatch.id)
        waiting = dispatch.backend == HumanBackend.name and room.is_furnished
        if room.handed_in() is None and not waiting:
            room.clear()
            run.log.append(DispatchInterrupted(dispatch=dispatch.id, role=dispatch.role))


def pick_up_hand_ins(run: Run) -> None:
    for dispatch in [] if run.view.finished else run.view.running:
        result = run.room(dispatch.id).handed_in()
        if result is not None:
            collect(run, dispatch, result)


# --- sending work back ---------------------------------------------------------------------------------------------


def block(run: Run, role: Role) -> None:
    evidence = [*run.view.evidence_for(run.view.tree_sha256), *missed_in_study(run)]
    concerned = [executed for executed in evidence if executed.fault_of == role] or [
        executed for executed in evidence if not executed.passed
    ]
    if not concerned:
        _block_over_criteria(run, role)
        return
    report = report_to(run, role, concerned, reveal=run.local.reveal)
    run.log.append(
        SignalRaised(
            signal=Signal.BLOCK,
            raised_by="verification",
            cause=str(Cause(CauseKind.PHASE, concerned[0].phase)),
            route_to=role,
            message=run.scrub(report.text),
            about=failed_behaviours(concerned),
            leak=report.leak,
        )
    )


def _block_over_criteria(run: Run, role: Role) -> None:
    """Every command passed and a criterion did not: of what was not measured, only what it is about is told.

    Who owed an answer and gave none hears it in full: that is about its own work, in words of its own specification.
    """
    judged = run.view.judged.get((run.view.tree_sha256, "after"))
    missed = [row for row in judged.judgements if row.counts_as == "FAIL"] if judged else []
    missed = [row for row in missed if at_fault(row) == role] or missed
    message = "\n".join(f"{row.quantity}: {row.note}" for row in missed) or "verification failed"
    own = role is not Role.BUILDER and all(at_fault(row) == role for row in missed)
    heard = redacted_words(message, interface_of(run), Signal.BLOCK)
    run.log.append(
        SignalRaised(
            signal=Signal.BLOCK,
            raised_by="verification",
            cause=str(Cause(CauseKind.CRITERIA)),
            route_to=role,
            message=run.scrub(message)[:4000],
            told=None if own or run.local.reveal else heard.text,
            about=tuple(sorted(f"criterion: {row.id}" for row in missed)),
            leak=None if own else heard.leak,
        )
    )


def report_to(run: Run, role: Role, concerned: Sequence[CommandExecuted], *, reveal: bool) -> Report:
    """Composed from the words of the interface, which every specification holds, and of the directive."""
    interface = interface_of(run)
    words = [] if interface else re.findall(r"\w+", without_criteria(run.view.head.directive))
    own = [executed.model_copy(update={"fault_of": role}) for executed in concerned]
    return failure_report(own, role, run.store, interface=interface, public_words=words, reveal=reveal)


def open_channel(run: Run) -> None:
    """The person lets a role that was sent back see the failures in full, once and in the log."""
    for role in [Role(name) for name in run.view.orders if name in run.plan.roles]:
        concerned = [c for c in run.view.evidence_for(run.view.tree_sha256) if not c.passed] + missed_in_study(run)
        if concerned:
            report = report_to(run, role, concerned, reveal=True)
            run.log.append(ChannelOpened(role=role, message=run.scrub(report.text), leak=report.leak))


# --- shipping ------------------------------------------------------------------------------------------------------


def title_of(directive: str) -> str:
    return directive.strip().splitlines()[0][:72]


def branch_of(run: Run) -> str:
    return f"statsclaw/{run.folder.id}"


def commit(run: Run) -> None:
    view = run.view
    assert view.created_at is not None
    changes = committed(run)
    title = title_of(view.head.directive)
    made = make_commit(
        run.folder.target,
        view.head.base_commit,
        changes,
        run.store,
        message=f"{title}\n\nBuilt and verified by StatsClaw ({view.workflow}).\n\nStatsClaw-Run: {run.folder.id}\n"
        f"StatsClaw-Barrier: {run.barrier.kind} {run.barrier.version}".rstrip()
        + "\n",
        date=view.created_at,
        author=run.local.author,
    )
    keep_branch(run.folder.target, branch_of(run), made)
    run.log.append(CommitPrepared(branch=branch_of(run), commit=made, tree_sha256=view.tree_sha256, files=len(changes)))


def push_commit(run: Run) -> None:
    """The last look before something leaves the machine: same tree, same verdict, same permission."""
    view, prepared = run.view, run.view.commit
    verify_log(run.folder.path)
    if prepared is None or prepared.tree_sha256 != view.tree_sha256 or view.ship_authorised is not True:
        raise GateClosed("shipping", ("the commit is not the verified and authorised tree",))
    if run.local.remote_url is None or view.head.credentials.remote is None:
        raise GateClosed("shipping", ("the run has no remote",))
    result = push(
        run.folder.target,
        run.local.remote_url,
        prepared.branch,
        prepared.commit,
        run.local.base_branch,
        view.head.base_commit,
    )
    proposed = run.forge.propose(
        run.local.remote_url,
        prepared.branch,
        run.local.base_branch,
        title_of(view.head.directive),
        f"StatsClaw run {run.folder.id}, workflow {view.workflow}. Review: {view.verdict or 'none'}.",
    )
    run.log.append(
        Pushed(
            remote=view.head.credentials.remote,
            branch=prepared.branch,
            commit=prepared.commit,
            already_there=result.already_there,
            note="; ".join(part for part in (result.note, proposed) if part),
        )
    )
