"""What a run has to do, derived from its workflow: stages of roles, the freeze and the verifications between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from statsclaw.intake.workflow import Workflow, workflow
from statsclaw.languages import can_be_asked
from statsclaw.profiles.profile import PathClass, load_profile
from statsclaw.roles.matrix import MATRIX, Role
from statsclaw.runlog.fold import RunView
from statsclaw.states import State


@dataclass(frozen=True, slots=True)
class Duty:
    """Something that must be done before `state` can be entered."""

    state: State
    what: Literal["stage", "understand", "agree", "freeze", "suite", "verify", "review"]
    roles: tuple[Role, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    workflow: Workflow
    duties: tuple[Duty, ...]

    @property
    def roles(self) -> tuple[Role, ...]:
        return self.workflow.roles


def plan_for(workflow: Workflow) -> Plan:
    """Whatever the workflow, the tree is verified before it is documented, and again before it is reviewed."""
    states = (State.SPEC_READY, State.PIPELINES_COMPLETE, State.DOCUMENTED, State.REVIEW_PASSED)
    duties: list[Duty] = []
    for state in states:
        if state is State.REVIEW_PASSED:
            duties.append(Duty(state, "verify"))
            if Role.REVIEWER in workflow.roles:
                duties.append(Duty(state, "review"))
        for number in sorted({number for number, _ in workflow.stages_before(state)}):
            duties.append(Duty(state, "stage", workflow.stages[number]))
            if Role.PLANNER in workflow.stages[number]:
                duties.append(Duty(state, "understand"))
        if state is State.SPEC_READY and duties:
            duties += [Duty(state, "agree"), Duty(state, "freeze")]
        if state is State.PIPELINES_COMPLETE:
            duties += [Duty(state, "suite"), Duty(state, "verify")]
    return Plan(workflow, tuple(duties))


def has_contract(plan: Plan) -> bool:
    """The workflow has a planner who writes specifications for a tester: criteria are frozen, and judged."""
    return Role.PLANNER in plan.roles and Role.TESTER in plan.roles


def cannot_be_judged(workflow_id: str, profile_id: str) -> str:
    """Frozen criteria need a worker that can be asked, which is there for some languages only."""
    roles = workflow(workflow_id).roles
    if can_be_asked(profile_id) or not {Role.PLANNER, Role.TESTER} <= set(roles):
        return ""
    name = load_profile(profile_id).name
    return f"workflow {workflow_id} judges frozen criteria, which {name} packages cannot answer yet"


def wants_ship(run: RunView, plan: Plan) -> bool:
    """Shipping was asked for or belongs to the workflow, nobody said no, and the remote takes pushes."""
    asked = (run.head.ship_requested or plan.workflow.ship) and not run.head.ship_refused
    return asked and run.head.credentials.can_ship and not run.head.local_only


def _read_already(run: RunView) -> bool:
    """The second reading was compared with the comprehension as it stands; only the specifications have changed."""
    document = run.artifact("comprehension.md")
    compared = run.readings
    return document is not None and compared is not None and compared.comprehension_sha256 == document.sha256


def due(run: RunView, plan: Plan, role: Role) -> bool:
    """A role is due until its work was taken, again when it was sent back, and when an earlier stage has changed."""
    taken = run.accepted.get(role)
    if taken is None or run.work_order(role):
        return True
    if role is Role.READER and _read_already(run):
        return False
    blind = PathClass.SOURCE not in MATRIX[role].sees  # what the builder changed is nothing it could see
    earlier: list[int] = []
    for duty in plan.duties:
        if role in duty.roles:
            break
        earlier += [run.accepted.get(other, 0) for other in duty.roles if not (blind and other is Role.BUILDER)]
    given = [name for name, artifact in run.artifacts.items() if artifact.producer != role]
    amended = [run.changed_at(name) for name in given if name in MATRIX[role].artifacts]
    return taken < max([*earlier, *amended], default=0)
