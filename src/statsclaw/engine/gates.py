"""The gate before each state: a pure function of the run that lists what is missing and the step that supplies it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from statsclaw.artifacts.catalogue import needed_for, owed_by
from statsclaw.engine.plan import Duty, Plan, cannot_be_judged, due, has_contract, wants_ship
from statsclaw.engine.steps import (
    Ask,
    Block,
    CheckSuite,
    Commit,
    Compare,
    Dispatch,
    Freeze,
    Lint,
    Push,
    Review,
    SendBack,
    Step,
    Sync,
    Understand,
    Verify,
    Wait,
    Write,
)
from statsclaw.roles.matrix import Role
from statsclaw.runlog.causes import CauseKind
from statsclaw.runlog.fold import RunView
from statsclaw.runlog.replies import Reply
from statsclaw.states import State
from statsclaw.verify.criteria.judge import at_fault


@dataclass(frozen=True, slots=True)
class Blocker:
    """What keeps the gate closed, and what to do about it."""

    reason: str
    remedy: Step


Gate = Callable[[RunView, Plan], list[Blocker]]
_ORDER = tuple(State)

#: How often the builder is sent back over a criterion before the person is asked about the criterion itself.
DOUBT_AFTER = 1


def credentials_verified(run: RunView, plan: Plan) -> list[Blocker]:
    return _documents(run, plan, State.CREDENTIALS_VERIFIED)


def new(run: RunView, plan: Plan) -> list[Blocker]:
    """Open when it is known what is to be done, by which workflow, in which language."""
    if run.workflow is None:
        return [Blocker("no workflow was chosen", Ask("workflow"))]
    if run.profile is None:
        return [Blocker("the language of the target is not known", Ask("profile"))]
    if has_contract(plan) and (why := cannot_be_judged(run.workflow, run.profile)):
        return [Blocker(why, Ask("workflow"))]
    return _documents(run, plan, State.NEW)


def planned(run: RunView, plan: Plan) -> list[Blocker]:
    return _documents(run, plan, State.PLANNED)


def spec_ready(run: RunView, plan: Plan) -> list[Blocker]:
    return _unfinished(run, plan, State.SPEC_READY)


def pipelines_complete(run: RunView, plan: Plan) -> list[Blocker]:
    return _unfinished(run, plan, State.PIPELINES_COMPLETE)


def documented(run: RunView, plan: Plan) -> list[Blocker]:
    return _unfinished(run, plan, State.DOCUMENTED)


def review_passed(run: RunView, plan: Plan) -> list[Blocker]:
    return _unfinished(run, plan, State.REVIEW_PASSED)


def ready_to_ship(run: RunView, plan: Plan) -> list[Blocker]:
    """Open when the person allowed the push, or said that there is to be none."""
    blockers = _unfinished(run, plan, State.REVIEW_PASSED)
    if not blockers and fit_to_ship(run, plan) and run.ship_authorised is None:
        blockers = [Blocker("nobody has authorised the push", Ask("ship"))]
    return blockers


def done(run: RunView, plan: Plan) -> list[Blocker]:
    """Open when what was to be shipped is shipped, what was verified is what was shipped, and the workspace knows."""
    if blockers := ready_to_ship(run, plan):
        return blockers  # something has changed since
    if run.overlay and verified(run) and (run.commit is None or run.commit.tree_sha256 != run.tree_sha256):
        return [Blocker("there is no commit of the verified tree", Commit())]
    if may_ship(run, plan) and run.commit is not None:
        if run.pushed is None or run.pushed.commit != run.commit.commit:
            return [Blocker("the commit is not on the remote", Push())]
        if run.artifact("shipper.md") is None:
            return [Blocker("shipper.md is missing", Write("shipper.md"))]
    if run.synced is None:
        return [Blocker("the workspace is not up to date", Sync())]
    return []


GATES: Mapping[State, Gate] = MappingProxyType(
    {
        State.CREDENTIALS_VERIFIED: credentials_verified,
        State.NEW: new,
        State.PLANNED: planned,
        State.SPEC_READY: spec_ready,
        State.PIPELINES_COMPLETE: pipelines_complete,
        State.DOCUMENTED: documented,
        State.REVIEW_PASSED: review_passed,
        State.READY_TO_SHIP: ready_to_ship,
        State.DONE: done,
    }
)


def verified(run: RunView) -> bool:
    """The tree as it stands was verified, and nothing failed."""
    verification = run.verified.get(run.tree_sha256)
    return verification is not None and not verification.failed


def fit_to_ship(run: RunView, plan: Plan) -> bool:
    """What was checked has passed, and so has the review where there is one."""
    reviewed = Role.REVIEWER not in plan.roles or run.verdict in ("PASS", "PASS WITH NOTE")
    return bool(run.overlay) and wants_ship(run, plan) and verified(run) and reviewed


def may_ship(run: RunView, plan: Plan) -> bool:
    return fit_to_ship(run, plan) and run.ship_authorised is True


def not_applicable(state: State, run: RunView, plan: Plan) -> str:
    """Why the run passes through `state` without having anything to do there, or nothing."""
    if state in (State.SPEC_READY, State.DOCUMENTED, State.REVIEW_PASSED):
        role = {State.SPEC_READY: Role.PLANNER, State.DOCUMENTED: Role.SCRIBER, State.REVIEW_PASSED: Role.REVIEWER}[
            state
        ]
        return "" if role in plan.roles else f"the workflow has no {role}"
    if state is State.READY_TO_SHIP and not may_ship(run, plan):
        if not (run.head.ship_requested or plan.workflow.ship):
            return "shipping was not asked for"
        if run.head.ship_refused:
            return "the directive says not to push"
        if not wants_ship(run, plan):
            return "local only"
        if fit_to_ship(run, plan):
            return "the person declined"
        return "nothing was changed" if verified(run) and not run.overlay else "verification or review did not pass"
    return ""


# --- what several gates share ------------------------------------------------------------------------------------


def _documents(run: RunView, plan: Plan, state: State) -> list[Blocker]:
    kinds = [kind for kind in needed_for(state, plan.roles) if run.artifact(kind.name) is None]
    return [Blocker(f"{kind.name} is missing", Write(kind.name)) for kind in kinds]


def _unfinished(run: RunView, plan: Plan, until: State) -> list[Blocker]:
    """The first duty up to `until` that is not done. Work sent back makes an earlier duty unfinished again."""
    for duty in plan.duties:
        if _ORDER.index(duty.state) > _ORDER.index(until):
            break
        if blockers := _of_duty(run, plan, duty):
            return blockers
    return []


def _of_duty(run: RunView, plan: Plan, duty: Duty) -> list[Blocker]:
    if duty.what in _DUTIES:
        return _DUTIES[duty.what](run, plan)
    if duty.roles == (Role.READER,):
        if run.understood is not None and not run.understood.definitions:
            return []  # there is nothing to define
        if _outdated(run, "questions.md", "comprehension.md"):
            return [Blocker("questions.md does not fit the comprehension", Write("questions.md"))]
    if Role.PLANNER in duty.roles and not due(run, plan, Role.PLANNER) and (first := _understanding(run, plan)):
        return first  # with choices open, the specifications come after the answers
    owing = {role: _owing(run, plan, role) for role in duty.roles}
    late = tuple(role for role, reason in owing.items() if reason)
    return [Blocker(owing[role], Dispatch(late)) for role in late]


def _owing(run: RunView, plan: Plan, role: Role) -> str:
    if due(run, plan, role):
        return f"{role} has not handed in"
    missing = [kind.name for kind in owed_by(role, plan.roles) if run.artifact(kind.name) is None]
    return f"{', '.join(missing)} of the {role} is missing" if missing else ""


def specifications(run: RunView) -> dict[str, str]:
    return {name: a.sha256 for name, a in run.artifacts.items() if a.producer == Role.PLANNER}


def _outdated(run: RunView, document: str, source: str) -> bool:
    """The engine's own document is missing, or older than what it describes."""
    there, of = run.artifact(document), run.artifact(source)
    return of is not None and (there is None or there.seq < of.seq)


def _understanding(run: RunView, plan: Plan) -> list[Blocker]:
    """Open when the engine has read the comprehension and the person has decided what it leaves open."""
    document = run.artifact("comprehension.md")
    if document is None:
        return []
    if run.understood is None or run.understood.sha256 != document.sha256:
        return [Blocker("comprehension.md has not been checked against the sources", Understand())]
    if run.open_choices:
        return [Blocker(f"{len(run.open_choices)} choices are nobody's decision yet", Ask("choices"))]
    return []


def _agreement(run: RunView, plan: Plan) -> list[Blocker]:
    """Open when two readings were compared, a person settled what differs, and a person approved what they read."""
    document, reading = run.artifact("comprehension.md"), run.artifact("reading.md")
    if document is None or run.understood is None:
        return []
    if Role.READER in plan.roles and run.understood.definitions and reading is not None:
        compared = run.readings
        pair = (document.sha256, reading.sha256)
        if compared is None or (compared.comprehension_sha256, compared.reading_sha256) != pair:
            return [Blocker("the two readings have not been compared", Compare())]
        if compared.unsettled and pair not in run.readings_settled:
            return [Blocker(f"the readings do not agree on {len(compared.unsettled)} equations", Ask("readings"))]
    if run.approved(document.sha256) is None:
        return [Blocker("nobody has approved the comprehension as it stands", Ask("comprehension"))]
    return []


def _freezing(run: RunView, plan: Plan) -> list[Blocker]:
    """Open when the specifications are linted, every error mended or accepted by a person, and frozen by hash."""
    specs = specifications(run)
    if has_contract(plan):
        if run.checked is None or run.checked.specs != specs:
            return [Blocker("the specifications have not been checked", Lint())]
        if errors := [f for f in run.checked.findings if f.severity == "error" and not run.stands(f)]:
            reason = f"the specifications have {len(errors)} errors"
            return [Blocker(reason, SendBack(Role.PLANNER, CauseKind.CONTRACT))]
        for name in ("contract.md", "oracles.md"):
            if any(_outdated(run, name, spec) for spec in specs):
                return [Blocker(f"{name} does not describe what was agreed", Write(name))]
        if _changes_what_is_judged(run, specs) and run.refreeze_approved(specs) is None:
            reason = "what is judged has changed after the freeze, and no person has agreed"
            return [Blocker(reason, Ask("refreeze"))]
    return [] if run.frozen == specs else [Blocker("the specifications are not frozen", Freeze())]


def _changes_what_is_judged(run: RunView, specs: dict[str, str]) -> bool:
    """The planner has handed in another test or simulation specification than the one that was frozen."""
    return any(name in run.frozen and run.frozen[name] != specs.get(name) for name in ("test-spec.md", "sim-spec.md"))


def _suite(run: RunView, plan: Plan) -> list[Blocker]:
    """Open when tests and study have been seen to be able to fail."""
    if not has_contract(plan):
        return []
    if run.suite is None or run.suite.judges_sha256 != run.judges_sha256:
        return [Blocker("tests and study have not been checked", CheckSuite())]
    for role in (Role.TESTER, Role.SIMULATOR, Role.PLANNER):
        errors = [f for f in run.suite.findings if f.severity == "error" and _author(f.route_to) is role]
        if [f for f in errors if not run.stands(f)] and role in plan.roles:
            return [Blocker(f"the work of the {role} cannot judge anybody yet", SendBack(role, CauseKind.SUITE))]
    return []


def _author(named: str) -> Role:
    """Who mends what was found in questions or study: never whoever built the package."""
    return Role(named) if named in (Role.SIMULATOR, Role.PLANNER) else Role.TESTER


def _review(run: RunView, plan: Plan) -> list[Blocker]:
    """Open when the seven checks are computed on the run as it stands and nobody has anything to mend."""
    if run.reviewed is None or run.reviewed.of != run.review_basis:
        return [Blocker("the checks of the review are not computed", Review())]
    role = run.reviewed.route_to
    if run.reviewed.verdict == "STOP" and role in plan.roles:
        return [Blocker("the checks of the review say STOP", SendBack(Role(role), CauseKind.REVIEW))]
    written = run.artifact("checks.md")
    if written is None or written.seq < run.reviewed_at:
        return [Blocker("checks.md does not say what was computed", Write("checks.md"))]
    return []


def _verification(run: RunView, plan: Plan) -> list[Blocker]:
    tree = run.tree_sha256
    verification = run.verified.get(tree)
    amended = max((run.changed_at(name) for name in ("test-spec.md", "sim-spec.md")), default=0)
    stale = verification is not None and (
        (bool(verification.failed) and run.verified_at[tree] < max(run.accepted.values(), default=0))
        or run.verified_at[tree] < amended
    )
    if verification is None or stale:  # work handed in again is looked at again, even if it is the same
        return [Blocker("the tree as it stands is not verified", Verify())]
    if verification.failed and _to_be_amended(run):
        return [Blocker("the person says that a criterion is wrong: `statsclaw amend` changes it", Wait())]
    if verification.failed and _criterion_in_doubt(run):
        return [Blocker("a criterion may itself be wrong", Ask("criterion"))]
    if verification.failed and (role := responsible(run, plan)):
        failed = ", ".join(verification.failed)
        return [Blocker(f"verification failed ({failed})", Block(role))]
    audit = run.artifact("audit.md")
    if audit is None or audit.seq < run.verified_at[tree]:
        return [Blocker("audit.md does not describe this tree", Write("audit.md"))]
    return []


def _to_be_amended(run: RunView) -> bool:
    """The person has said that the criterion in doubt is wrong; the amendment is theirs, and not there yet."""
    judged = run.judged.get((run.tree_sha256, "after"))
    amended = max((seq for _, seq in run.amendments), default=0)
    return judged is not None and any(
        q.asked.topic == "criterion"
        and q.asked.cause == judged.in_doubt
        and q.reply is Reply.CRITERION_IS_WRONG
        and q.answered_at > amended
        for q in run.questions.values()
    )


def _criterion_in_doubt(run: RunView) -> bool:
    """It fails while every exact check passes, and the builder has been sent back before: nobody was asked yet."""
    judged = run.judged.get((run.tree_sha256, "after"))
    if judged is None or not judged.in_doubt or sum(run.blocks.values()) < DOUBT_AFTER:
        return False
    return not any(q.asked.topic == "criterion" and q.asked.cause == judged.in_doubt for q in run.questions.values())


_DUTIES: Mapping[str, Gate] = MappingProxyType(
    {
        "understand": _understanding,
        "agree": _agreement,
        "freeze": _freezing,
        "suite": _suite,
        "verify": _verification,
        "review": _review,
    }
)


def responsible(run: RunView, plan: Plan) -> Role | None:
    """The role of this workflow that has to mend a failed verification. None: nobody here can, it is a finding."""
    faults = [c.fault_of for c in run.evidence_for(run.tree_sha256) if c.fault_of]
    judged = run.judged.get((run.tree_sha256, "after"))
    missed = [j for j in judged.judgements if j.counts_as == "FAIL"] if judged is not None else []
    owing = {at_fault(j) for j in missed}
    faults += [role for role in (Role.BUILDER, Role.TESTER, Role.SIMULATOR) if role in owing]
    writers = [Role(fault) for fault in faults if fault in plan.roles]
    documented_at = run.accepted.get(Role.SCRIBER, 0)
    good_before = any(
        not v.failed and run.verified_at[tree] > max((run.accepted.get(role, 0) for role in writers), default=0)
        for tree, v in run.verified.items()
    )
    if documented_at and good_before:
        return Role.SCRIBER
    return writers[0] if writers else None
