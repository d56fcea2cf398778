"""How each step is done. Every function ends by appending to the log what it did."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from statsclaw.backends.human import HumanBackend
from statsclaw.engine.breach import interface_of
from statsclaw.engine.dispatch import collect, dispatch_side_by_side
from statsclaw.engine.documents import write_document
from statsclaw.engine.gates import specifications
from statsclaw.engine.people import compose
from statsclaw.engine.run import Run
from statsclaw.engine.steps import Ask, Block, Commit, Dispatch, Enter, Freeze, Push, Step, Sync, Verify, Write
from statsclaw.engine.tools import registries_of, tools_for
from statsclaw.errors import GateClosed
from statsclaw.profiles.profile import PathClass
from statsclaw.roles.matrix import Role
from statsclaw.roles.view import without_criteria
from statsclaw.runlog.events import (
    ChannelOpened,
    CommandExecuted,
    CommitPrepared,
    DispatchInterrupted,
    FileChange,
    Pushed,
    RunResumed,
    SignalRaised,
    SpecFrozen,
    StateEntered,
    VerificationFinished,
    WorkspaceSynced,
)
from statsclaw.runlog.fold import RunView
from statsclaw.runlog.log import verify as verify_log
from statsclaw.runlog.store import sha256
from statsclaw.sandbox.tree import write_links, write_tree
from statsclaw.states import Signal
from statsclaw.verify.report import Report, failed_behaviours, failed_phases, failure_report
from statsclaw.verify.runner import Bench, verify_tree
from statsclaw.workspace.ship import keep_branch, make_commit, push
from statsclaw.workspace.sync import synchronise


def perform(run: Run, step: Step) -> None:
    match step:
        case Enter(state, applicable, reason):
            run.log.append(StateEntered(state=state, applicable=applicable, reason=reason))
        case Write(name):
            write_document(run, name)
        case Dispatch(roles):
            dispatch_side_by_side(run, roles)
        case Freeze():
            run.log.append(SpecFrozen(specs=specifications(run.view)))
        case Verify():
            verify(run)
        case Block(role):
            block(run, role)
        case Ask(topic):
            ask(run, topic)
        case Commit():
            commit(run)
        case Push():
            push_commit(run)
        case Sync():
            pushed, note = synchronise(run.workspace, run.folder, run.view, run.store, run.plan.workflow.title)
            run.log.append(WorkspaceSynced(pushed=pushed, note=run.scrub(note)))
        case _:
            raise GateClosed(type(step).__name__, ("it is not a step that can be performed",))


def ask(run: Run, topic: str) -> None:
    """Put the question; an answer that was there before it was asked is nobody's answer."""
    question = compose(run, topic)
    (run.folder.inbox / f"{question.question}.json").unlink(missing_ok=True)
    run.log.append(question)


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


# --- verification --------------------------------------------------------------------------------------------------


def verify(run: Run) -> None:
    """Everything on the tree as it stands; if it passes, the validation suite on the package as it was."""
    tree = run.view.tree_sha256
    evidence = []
    for executed in verify_tree(_bench(run), _lay_out(run, run.view.overlay), tree, "after"):
        run.log.append(executed)
        evidence.append(executed)
    failed = failed_phases(evidence) if evidence else ("nothing was executed",)
    failed = failed or _unexecuted(run, {executed.phase for executed in evidence})
    has_suite = any(executed.phase == "validation" for executed in evidence)
    if not failed and has_suite and run.view.head.base_commit and run.view.overlay:
        for executed in verify_tree(
            _bench(run), _lay_out(run, _suite_only(run)), tree, "before", ("build", "validation")
        ):
            run.log.append(executed)
    run.log.append(VerificationFinished(tree_sha256=tree, failed=failed))


def _unexecuted(run: Run, phases: set[str]) -> tuple[str, ...]:
    """The work of a role that no command of the profile has executed, whatever else has passed."""
    owed = {Role.TESTER: "validation", Role.SIMULATOR: "study"}
    missing = [phase for role, phase in owed.items() if role in run.plan.roles and phase not in phases]
    return tuple(f"{phase} was not executed" for phase in missing)


def _bench(run: Run) -> Bench:
    return Bench(
        folder=run.folder.verify,
        desk=run.folder.desk("verify"),
        cache=run.cache,
        profile=run.profile,
        store=run.store,
        barrier=run.barrier,
        tools=lambda python: tools_for(run, python or None),
        limits=run.limits,
        scrub=run.scrub,
        python=run.local.python,
        seed=seed_of(run.view),
        registries=registries_of(run),
        registry_env=run.registry_env,
    )


def seed_of(view: RunView) -> int:
    """The seed that suites and studies are given. After a BLOCK it is one that no report has described."""
    blocks = sum(signal.signal is Signal.BLOCK for signal, _ in view.signals)
    return int(sha256(f"{view.head.canary_seed} {blocks}".encode())[:8], 16) % 2**31


def _suite_only(run: Run) -> dict[str, FileChange]:
    return {p: c for p, c in run.view.overlay.items() if run.profile.classify(p) is PathClass.VALIDATION}


def _lay_out(run: Run, overlay: dict[str, FileChange]):  # type: ignore[no-untyped-def]
    profile = run.profile

    def lay_out(folder: Path, classes: frozenset[PathClass]) -> None:
        write_tree(run.target, overlay, run.store, folder, lambda path: profile.classify(path) in classes)
        if PathClass.SOURCE in classes:
            write_links(run.target, overlay, folder)

    return lay_out


def block(run: Run, role: Role) -> None:
    evidence = run.view.evidence_for(run.view.tree_sha256)
    concerned = [executed for executed in evidence if executed.fault_of == role] or [
        executed for executed in evidence if not executed.passed
    ]
    report = report_to(run, role, concerned, reveal=run.local.reveal)
    run.log.append(
        SignalRaised(
            signal=Signal.BLOCK,
            raised_by="verification",
            cause=concerned[0].phase,
            route_to=role,
            message=run.scrub(report.text),
            about=failed_behaviours(concerned),
            leak=report.leak,
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
        concerned = [c for c in run.view.evidence_for(run.view.tree_sha256) if not c.passed]
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
    changes = sorted(view.overlay.values(), key=lambda change: change.path)
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
        f"StatsClaw run {run.folder.id}, workflow {view.workflow}. Review: {view.review_verdict or 'none'}.",
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
