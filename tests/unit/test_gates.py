"""Gates are pure functions of the log: what they need follows from the roles, and nothing gets past them."""

from __future__ import annotations

import copy
import hashlib
import json
import shutil
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statsclaw.artifacts.catalogue import needed_for, owed_by
from statsclaw.engine import loop
from statsclaw.engine.dispatch import why_nothing_is_taken
from statsclaw.engine.gates import GATES, fit_to_ship, not_applicable, specifications, verified
from statsclaw.engine.loop import next_step
from statsclaw.engine.people import Unattended, compose, leave_answer
from statsclaw.engine.plan import Plan, due, has_contract, plan_for
from statsclaw.engine.steps import (
    Ask,
    Block,
    CheckSuite,
    Commit,
    Compare,
    Dispatch,
    Enter,
    Finish,
    Freeze,
    Lint,
    Push,
    Review,
    SendBack,
    Sync,
    Understand,
    Verify,
    Wait,
    Write,
)
from statsclaw.errors import InputRefused
from statsclaw.git import git, git_text, own_environment
from statsclaw.intake.workflow import all_workflows, workflow
from statsclaw.languages.registry import language
from statsclaw.profiles import profile
from statsclaw.profiles.profile import add_languages, load_profile
from statsclaw.roles.matrix import MATRIX, Role
from statsclaw.runlog import chain
from statsclaw.runlog import events as e
from statsclaw.runlog.events.criteria_judged import Reason
from statsclaw.runlog.fold import RunView, specs_digest
from statsclaw.runlog.log import EVENTS
from statsclaw.runlog.replies import Reply
from statsclaw.runlog.store import ContentStore
from statsclaw.states import MAX_ATTEMPTS, NEXT, VERDICTS, Signal, State
from statsclaw.ui.exit_codes import NOT_PASSED, OK, WAITING, exit_code_of
from tests.support.runs import HONEST, Bench, branches, make_target, order_for

WORKFLOWS = tuple(all_workflows())
NO_SHIP = "Build the mean estimator of these notes, with a simulation study."
NOW = datetime(2026, 1, 1, tzinfo=UTC)
AGENT = Path(__file__).parent.parent / "support" / "agent.py"
STAGES = (State.SPEC_READY, State.PIPELINES_COMPLETE, State.DOCUMENTED, State.REVIEW_PASSED)

#: What a tester hands in where nothing was specified, and so no criterion is frozen.
PLAIN_SUITE = """
from tinymean import mean

def test_mean_of_constants():
    assert abs(mean([3.0, 3.0, 3.0]) - 3.0) < 1e-12
"""
PLAIN_TESTER = f"""
if role == 'tester' and not pathlib.Path(os.environ['STATSCLAW_IN'], 'test-spec.md').exists():
    pathlib.Path('tests/validation').mkdir(parents=True, exist_ok=True)
    pathlib.Path('tests/validation/test_tinymean.py').write_text({PLAIN_SUITE!r})
    (out / 'audit-notes.md').write_text('# Notes\\n\\n## Suite\\n\\nOne test.\\n\\n## Not tested\\n\\nThe rest.\\n')
    over()
"""


def scripted(folder: Path, code: str, honest: Path = HONEST) -> str:
    """A backend that runs `code` (which may end with `over()`) and then does what the honest agent does."""
    script = folder / f"agent-{hashlib.sha256(code.encode()).hexdigest()[:8]}.py"
    script.write_text(
        "import io, json, os, pathlib, runpy, sys\n"
        "role, attempt = os.environ['STATSCLAW_ROLE'], int(os.environ['STATSCLAW_ATTEMPT'])\n"
        "out = pathlib.Path(os.environ['STATSCLAW_OUT'])\n"
        "def over(**ending):\n    print(json.dumps(ending))\n    sys.exit(0)\n"
        f"{code}\n{PLAIN_TESTER}\nsys.argv = ['agent', {str(honest)!r}, '--no-hold']\n"
        "sys.stdin = io.StringIO(sys.stdin.read().partition('## What to hand in')[2].partition('\\n## ')[0])\n"
        f"runpy.run_path({str(AGENT)!r})\n"
    )
    return f"command:{sys.executable} -I -S {script} {AGENT} {honest}"  # what is named is shown


def no_study(folder: Path) -> tuple[Path, Path]:
    """The honest documents, and the notes, for a workflow without a study: nothing is demanded that only one shows."""
    honest = folder / "honest"
    shutil.copytree(HONEST, honest)
    notes, comprehension = honest / "sources" / "notes.md", honest / "out" / "comprehension.md"
    before = notes.read_text()
    notes.write_text("".join(line for line in before.splitlines(keepends=True) if "**A2**" not in line))
    old, new = (hashlib.sha256(text.encode()).hexdigest() for text in (before, notes.read_text()))
    comprehension.write_text(comprehension.read_text().replace(old, new))
    return honest, notes


# --- a run as a list of events, made without touching a disk ---------------------------------------------------------


#: What is offered to a person, first the answer that goes on; of other topics the options mean nothing to the engine.
OFFERED: dict[str, tuple[Reply, ...]] = {
    "escalation": (Reply.TRY_AGAIN, Reply.STOP_RUN, Reply.ACCEPT),
    "breach": (Reply.START_OVER, Reply.STOP_RUN),
    "ship": (Reply.PUSH, Reply.KEEP),
    "readings": (Reply.FIRST_IS_RIGHT, Reply.SECOND_IS_RIGHT, Reply.NEITHER_IS_RIGHT),
    "comprehension": (Reply.APPROVE, Reply.SEND_BACK),
    "refreeze": (Reply.AGREE, Reply.SEND_BACK),
    "criterion": (Reply.PACKAGE_IS_WRONG, Reply.STOP_RUN, Reply.CRITERION_IS_WRONG),
    "budget": (Reply.GO_ON, Reply.STOP_RUN),
    "model": (Reply.ASK_AGAIN, Reply.STOP_RUN),
}


class Told:
    """A run that is told what happened."""

    def __init__(
        self, workflow_id: str, *, ship: bool = False, can_ship: bool = True, absent: Iterable[Role] = ()
    ) -> None:
        self.view = RunView()
        self.plan = plan_for(workflow(workflow_id).without(frozenset(absent)))
        self.steps: list[tuple[State | None, object]] = []
        self.tell(
            e.RunCreated(
                run_id="r-0001",
                statsclaw_version="0",
                directive="fix",
                target="t",
                base_commit="b" * 40,
                profile="python",
                workflow=workflow_id,
                credentials=e.Credentials(remote="r" if can_ship else None, how="tried", can_ship=can_ship),
                ship_requested=ship,
            )
        )

    def tell(self, *events: e.Event) -> None:
        for event in events:
            seq = self.view.seq + 1
            self.view.apply(chain.Record(seq, NOW, "", "", event))  # type: ignore[arg-type]

    def start(self, role: str) -> str:
        name = f"{role}-{self.view.attempt_number(role)}"
        self.tell(
            e.DispatchStarted(
                dispatch=name,
                role=role,
                attempt=self.view.attempt_number(role),
                backend="x",
                task_sha256="",
                prompt_sha256="",
                view_sha256="",
                barrier="none",
            )
        )
        return name

    def finish(self, role: Role, *, without: str = "", only: str = "", like: str = "", **other: str) -> None:
        """Hand in everything owed: new, or `like` in an earlier dispatch; `other`: documents with another content."""
        name = self.start(role)
        owed = [k.name for k in owed_by(role, self.plan.roles) if k.name != without and only in ("", k.name)]
        documents = {name_of: f"{name_of}@{like or name}" for name_of in owed} | other
        verdict = "PASS" if role is Role.REVIEWER else ""
        files = (e.FileChange(path=f"{role}.txt", sha256=like or name),) if MATRIX[role].writes else ()
        self.tell(e.DispatchFinished(dispatch=name, role=role, artifacts=documents, files=files, verdict=verdict))

    def understood(self, choices: tuple[e.OpenChoice, ...] = (), *, definitions: int = 4) -> None:
        self.tell(
            e.ComprehensionChecked(
                sha256=self.view.artifacts["comprehension.md"].sha256,
                equations=4,
                accounted=4,
                symbols=7,
                definitions=definitions,
                choices=choices,
            )
        )

    def compared(self, *agrees: bool | None) -> None:
        found = self.view.artifacts
        rows = tuple(e.ReadingRow(ref=f"({n})", function=f"f{n}", agrees=row) for n, row in enumerate(agrees))
        self.tell(
            e.ReadingsCompared(
                comprehension_sha256=found["comprehension.md"].sha256,
                reading_sha256=found["reading.md"].sha256,
                rows=rows,
            )
        )

    def checked(self, *findings: e.Finding) -> None:
        self.tell(e.ContractChecked(specs=specifications(self.view), findings=findings))

    def suite(self, *findings: e.Finding) -> None:
        self.tell(e.SuiteChecked(judges_sha256=self.view.judges_sha256, findings=findings))

    def verified(self, *failed: str, in_doubt: str = "") -> None:
        tree = self.view.tree_sha256
        if has_contract(self.plan):
            verdict = "FAIL" if failed else "PASS"
            row = e.Judgement(id=in_doubt or "C1", quantity="q", rule="close", verdict=verdict, literal=verdict)
            self.tell(e.CriteriaJudged(tree_sha256=tree, judgements=(row,), in_doubt=in_doubt))
        self.tell(e.VerificationFinished(tree_sha256=tree, failed=failed))

    def reviewed(self, verdict: str = "PASS", route_to: str = "") -> None:
        self.tell(e.ReviewComputed(of=self.view.review_basis, verdict=verdict, route_to=route_to))  # type: ignore[arg-type]

    def question(self, topic: str, cause: str = "", about: str = "planner", options: int = 3) -> str:
        """Put a question that the engine would put; the name of it."""
        name = f"q{len(self.view.questions) + 1}"
        replies = OFFERED.get(topic, (None,) * options)
        offered = tuple(e.Option(label=f"option {n}", reply=reply) for n, reply in enumerate(replies))
        self.tell(
            e.QuestionAsked(
                question=name,
                topic=topic,  # type: ignore[arg-type]
                asked_by="leader",
                text=f"{topic}?",
                options=offered,
                about=about,
                cause=cause,
            )
        )
        return name

    def answered(self, name: str, choice: int | Reply | None = 0, text: str = "") -> None:
        choice = self.view.questions[name].asked.choice_of(choice) if isinstance(choice, Reply) else choice
        self.tell(e.QuestionAnswered(question=name, choice=choice, text=text, by="prompt"))

    def next(self) -> object:
        return next_step(self.view, self.plan)

    def signal(self, signal: Signal, role: str, *, cause: str = "", to: str = "", message: str = "m") -> None:
        dispatch = self.start(role) if role in [*Role] else None
        self.tell(
            e.SignalRaised(
                signal=signal,
                raised_by=role,
                cause=cause or role,
                route_to=to or role,
                message=message,
                dispatch=dispatch,
            )
        )

    def ask(self, topic: str = "escalation") -> e.QuestionAsked:
        due = self.view.escalations[0]
        asked = e.QuestionAsked(
            question=f"q{len(self.view.questions) + 1}",
            topic=topic,  # type: ignore[arg-type]
            asked_by="leader",
            text=due.text,
            options=tuple(e.Option(label="option", reply=reply) for reply in OFFERED.get(topic, (None, None))[:2]),
            about=due.role,
            cause=due.cause,
        )
        self.tell(asked)
        return asked

    def do(self, step: object, *, without: str = "") -> None:
        """What the engine would record after the step."""
        view = self.view
        match step:
            case Enter(state, applicable, reason):
                self.tell(e.StateEntered(state=state, applicable=applicable, reason=reason))
            case Write(name):
                self.tell(e.ArtifactWritten(name=name, sha256="x"))
            case Dispatch(roles):
                for role in roles:
                    self.finish(role, without=without)
            case Understand():
                self.understood()
            case Compare():
                self.compared(True, True)
            case Ask("comprehension"):
                self.answered(self.question("comprehension", view.artifacts["comprehension.md"].sha256))
            case Lint():
                self.checked()
            case Ask("refreeze"):
                self.answered(self.question("refreeze", specs_digest(specifications(view))))
            case Freeze():
                self.tell(
                    e.SpecFrozen(specs={n: a.sha256 for n, a in view.artifacts.items() if a.producer == "planner"})
                )
            case CheckSuite():
                self.suite()
            case Verify():
                self.verified()
            case Review():
                self.reviewed()
            case SendBack(role, cause):
                signal = Signal.STOP if cause == "review" else Signal.BLOCK
                self.signal(signal, cause, cause=cause if cause != "suite" else f"suite/{role}", to=role)
            case Block(role):
                self.signal(Signal.BLOCK, "verification", cause="validation", to=role)
            case Ask("ship"):
                self.answered(self.question("ship", self.view.ship_basis, about=""))
            case Commit():
                self.tell(e.CommitPrepared(branch="b", commit="c", tree_sha256=view.tree_sha256, files=0))
            case Push():
                self.tell(e.Pushed(remote="r", branch="b", commit="c", already_there=False))
            case Sync():
                self.tell(e.WorkspaceSynced(pushed=False))
            case _:
                raise AssertionError(f"unexpected step {step}")

    def walk(self, until: State | type | None = None) -> None:
        """Do what is to be done, up to the state's gate or to a kind of step."""
        while True:
            step = next_step(self.view, self.plan)
            if isinstance(step, Finish) or (isinstance(step, Enter) and step.state is until):
                return
            if isinstance(until, type) and isinstance(step, until):
                return
            self.steps.append((self.view.state, step))
            self.do(step)

    def enter(self, state: State) -> None:
        self.walk(until=state)
        self.do(self.next())
        assert self.view.state is state


#: What the engine writes about a contract, where there is one.
OF_CONTRACT = {"contract.md", "oracles.md"}


def documents_up_to(state: State, plan: Plan) -> set[str]:
    reached = list(State)[: list(State).index(state) + 1]
    found = {kind.name for one in reached for kind in needed_for(one, plan.roles)}
    return found if has_contract(plan) else found - OF_CONTRACT


# --- what a gate needs -----------------------------------------------------------------------------------------------


def test_there_are_ten_workflows() -> None:
    assert len(WORKFLOWS) == 10 and sorted(w.number for w in all_workflows().values()) == list(range(1, 11))


@pytest.mark.parametrize("name", WORKFLOWS)
def test_a_state_is_entered_with_exactly_the_documents_that_its_roles_owe(name: str) -> None:
    told = Told(name)
    for state in list(State)[:-1]:
        told.walk(until=state)
        assert set(told.view.artifacts) == documents_up_to(state, told.plan), state
        told.do(next_step(told.view, told.plan))
        assert told.view.state is state


@pytest.mark.parametrize("name", WORKFLOWS)
def test_the_documents_of_a_workflow_are_those_of_its_roles_and_no_others(name: str) -> None:
    roles = set(workflow(name).roles)
    expected = {"credentials.md", "request.md", "impact.md", "audit.md"}
    if Role.PLANNER in roles:
        expected |= {"references.md", "comprehension.md"}
        specs = {
            Role.BUILDER: {"spec.md"},
            Role.TESTER: {"interface.md", "test-spec.md", "contract.md", "oracles.md"},
            Role.SIMULATOR: {"sim-spec.md"},
            Role.READER: {"questions.md"},
        }
        expected |= {document for role in roles & set(specs) for document in specs[role]}
    own = {
        Role.READER: {"reading.md"},
        Role.BUILDER: {"implementation.md"},
        Role.TESTER: {"audit-notes.md"},
        Role.SIMULATOR: {"simulation.md"},
        Role.SCRIBER: {"ARCHITECTURE.md", "log-entry.md", "docs.md"},
        Role.REVIEWER: {"checks.md", "review.md"},
    }
    expected |= {document for role in roles for document in own.get(role, set())}
    expected |= {"shipper.md"} if workflow(name).ship else set()
    told = Told(name)
    told.walk()
    assert set(told.view.artifacts) == expected
    assert told.view.state is State.DONE


@pytest.mark.parametrize("name", WORKFLOWS)
def test_every_role_works_in_its_place_and_the_tree_is_verified_before_it_is_documented_and_reviewed(name: str) -> None:
    told = Told(name)
    told.walk()
    dispatched = [step.roles for _, step in told.steps if isinstance(step, Dispatch)]
    assert dispatched == [tuple(stage) for stage in workflow(name).stages]
    where = {role: before for before, step in told.steps if isinstance(step, Dispatch) for role in step.roles}
    for role, before in where.items():
        place = {Role.SCRIBER: State.PIPELINES_COMPLETE, Role.REVIEWER: State.DOCUMENTED}
        place |= dict.fromkeys((Role.PLANNER, Role.READER), State.PLANNED)
        assert before is place.get(role, State.SPEC_READY)
    kinds = [type(step) for _, step in told.steps]
    assert kinds.index(Verify) < kinds.index(Enter, kinds.index(Verify))
    assert isinstance(dict(reversed(told.steps))[State.PLANNED], Dispatch | Enter)
    assert (Freeze in kinds) is (Role.PLANNER in workflow(name).roles)


@pytest.mark.parametrize("name", WORKFLOWS)
def test_understanding_is_agreed_before_the_freeze_and_judges_are_checked_before_they_judge(name: str) -> None:
    told = Told(name)
    told.walk()
    roles, states = workflow(name).roles, dict.fromkeys(state for state, _ in told.steps)
    steps = {state: [step for at, step in told.steps if at is state] for state in states}
    planned, ready = Role.PLANNER in roles, State.SPEC_READY
    agreed = [s for s in steps[State.PLANNED] if not isinstance(s, Dispatch | Write | Enter)]
    assert agreed == [
        *([Understand()] if planned else []),
        *([Compare()] if Role.READER in roles else []),
        *([Ask("comprehension")] if planned else []),
        *([Lint()] if has_contract(told.plan) else []),
        *([Freeze()] if planned else []),
    ]
    judged = [s for s in steps[ready] if isinstance(s, CheckSuite | Verify)]
    assert judged == [*([CheckSuite()] if has_contract(told.plan) else []), Verify()]
    review = [s for s in steps.get(State.DOCUMENTED, []) if isinstance(s, Review | Dispatch)]
    assert review == ([Review(), Dispatch((Role.REVIEWER,))] if Role.REVIEWER in roles else [])


@pytest.mark.parametrize("name", WORKFLOWS)
def test_a_state_without_roles_is_passed_as_not_applicable_and_says_why(name: str) -> None:
    told = Told(name)
    told.walk()
    entered = {event.state: event for event, _ in told.view.states}
    assert list(entered) == list(State)
    roles = workflow(name).roles
    for state, role in {
        State.SPEC_READY: Role.PLANNER,
        State.DOCUMENTED: Role.SCRIBER,
        State.REVIEW_PASSED: Role.REVIEWER,
    }.items():
        assert entered[state].applicable is (role in roles)
        assert entered[state].reason == ("" if role in roles else f"the workflow has no {role}")
    ship = entered[State.READY_TO_SHIP]
    if workflow(name).ship:
        assert ship.applicable and told.view.pushed
    else:
        assert not ship.applicable and ship.reason == "shipping was not asked for"


@pytest.mark.parametrize("name", [w for w in WORKFLOWS if workflow(w).roles])
def test_without_any_one_of_its_documents_a_gate_of_the_engine_stays_closed(name: str) -> None:
    for state in (State.CREDENTIALS_VERIFIED, State.NEW, State.PLANNED, *STAGES):
        told = Told(name)
        told.walk(until=state)
        for kind in needed_for(state, told.plan.roles):
            if kind.producer != "engine" or kind.name not in documents_up_to(state, told.plan):
                continue
            lame = copy.deepcopy(told.view)
            del lame.artifacts[kind.name]
            blockers = GATES[state](lame, told.plan)
            assert [blocker.remedy for blocker in blockers] == [Write(kind.name)]
            assert kind.name in blockers[0].reason


@pytest.mark.parametrize("name", [w for w in WORKFLOWS if workflow(w).roles])
def test_work_that_was_taken_without_a_document_it_owes_does_not_open_the_gate(name: str) -> None:
    for role in workflow(name).roles:
        for kind in owed_by(role, workflow(name).roles):
            told = Told(name)
            while not (isinstance(step := next_step(told.view, told.plan), Dispatch) and role in step.roles):
                told.do(step)
            told.do(step, without=kind.name)
            while not isinstance(step := next_step(told.view, told.plan), Dispatch | Enter):
                told.do(step)
            assert step != Enter(kind.state), f"{kind.state} was entered without {kind.name}"
            assert isinstance(step, Dispatch) and role in step.roles, f"{role} was not asked for {kind.name}"


@pytest.mark.parametrize("name", WORKFLOWS)
def test_a_gate_asks_for_the_missing_role_by_name(name: str) -> None:
    told = Told(name)
    for stage in workflow(name).stages:
        while not isinstance(step := next_step(told.view, told.plan), Dispatch):
            told.do(step)
        assert step.roles == tuple(stage)
        blockers = GATES[NEXT[told.view.state]](told.view, told.plan)
        assert [blocker.reason for blocker in blockers] == [f"{role} has not handed in" for role in stage]
        told.do(step)


def test_a_role_that_is_at_work_is_waited_for_and_not_sent_twice() -> None:
    told = Told("full")
    told.walk(until=State.SPEC_READY)
    told.do(next_step(told.view, told.plan))
    told.start("builder")
    assert next_step(told.view, told.plan) == Dispatch((Role.TESTER, Role.SIMULATOR))
    told.start("tester")
    told.start("simulator")
    assert next_step(told.view, told.plan) == Wait()


def test_specifications_that_changed_are_frozen_again_and_everybody_after_them_works_again() -> None:
    told = Told("fix-and-ship")
    told.walk(until=State.REVIEW_PASSED)
    told.signal(Signal.STOP, "reviewer", to="planner")
    asked_again = []
    while not isinstance(step := next_step(told.view, told.plan), Enter):
        asked_again.append(step)
        told.do(step)
    assert [s for s in asked_again if isinstance(s, Dispatch | Freeze)] == [
        Dispatch((Role.PLANNER,)),
        Freeze(),
        Dispatch((Role.BUILDER, Role.TESTER)),
        Dispatch((Role.SCRIBER,)),
        Dispatch((Role.REVIEWER,)),
    ]


def test_gates_look_and_do_not_touch_and_the_log_holds_what_they_said(recorded: Path) -> None:
    """Every prefix of a real log: asked twice, the same answer; and the next line is what the answer was."""
    records = chain.read(recorded / EVENTS).records
    plan, view, matched = plan_for(workflow("full")), RunView(), Counter[str]()
    for record, following in pairwise(records):
        view.apply(record)
        before = copy.deepcopy(view)
        step = next_step(view, plan)
        assert step == next_step(view, plan) and view == before
        expected = {
            e.ArtifactWritten: lambda x: Write(x.name),
            e.StateEntered: lambda x: Enter(x.state, x.applicable, x.reason),
            e.ComprehensionChecked: lambda _: Understand(),
            e.ReadingsCompared: lambda _: Compare(),
            e.QuestionAsked: lambda x: Ask({"choice": "choices"}.get(x.topic, x.topic)),
            e.ContractChecked: lambda _: Lint(),
            e.SpecFrozen: lambda _: Freeze(),
            e.SuiteChecked: lambda _: CheckSuite(),
            e.VerificationFinished: lambda _: Verify(),
            e.ReviewComputed: lambda _: Review(),
            e.CommitPrepared: lambda _: Commit(),
            e.Pushed: lambda _: Push(),
            e.WorkspaceSynced: lambda _: Sync(),
            e.RunFinished: lambda x: Finish(x.outcome, x.reason),
        }.get(type(following.event))  # type: ignore[arg-type]
        if expected:
            assert step == expected(following.event), f"line {following.seq}"
            matched[type(step).__name__] += 1
        if isinstance(following.event, e.DispatchStarted):
            assert isinstance(step, Dispatch) and following.event.role in step.roles
        if isinstance(following.event, e.SignalRaised) and not following.event.dispatch:
            assert step == Block(Role(following.event.route_to))
    once = ("Compare", "Lint", "Freeze", "CheckSuite", "Review", "Commit", "Push", "Sync", "Finish")
    assert matched == {"Write": 11, "Enter": 9, "Understand": 2, "Ask": 3, "Verify": 3} | dict.fromkeys(once, 1)


def test_the_loop_can_be_read_in_one_sitting() -> None:
    assert len(Path(loop.__file__).read_text(encoding="utf-8").splitlines()) < 200


@pytest.mark.parametrize("name", [w for w in WORKFLOWS if workflow(w).repeats])
def test_a_workflow_that_only_repeats_others_is_not_a_run(name: str, bench: Bench, target: Path) -> None:
    with pytest.raises(InputRefused):
        bench.start(order_for(target, workflow=name))
    assert list(bench.workspace.runs()) == []


def test_the_person_is_not_offered_a_workflow_that_cannot_be_a_run(bench: Bench, target: Path) -> None:
    view = bench.start(order_for(target, workflow=None, directive="hm"), person=Unattended())
    (question,) = view.open_questions
    assert question.topic == "workflow"
    assert [o.label for o in question.options if workflow(o.label).repeats] == []


# --- understanding: choices, readings, approval, freeze ---------------------------------------------------------------


def choice(name: str) -> e.OpenChoice:
    options = (e.Option(label="refuse"), e.Option(label="go on"))
    return e.OpenChoice(id=name, question=f"{name}?", options=options, default=0, changes="results")


def error(key: str, route_to: str = "", severity: str = "error") -> e.Finding:
    return e.Finding(check="lint", severity=severity, message=f"{key} is wrong", route_to=route_to, key=key)  # type: ignore[arg-type]


def named(told: Told, document: str) -> str:
    return told.view.artifacts[document].sha256


def reasons(told: Told) -> list[str]:
    return [blocker.reason for blocker in GATES[NEXT[told.view.state]](told.view, told.plan)]


@pytest.mark.parametrize("handed_in", ["comprehension.md", ""], ids=["comprehension alone", "everything"])
@pytest.mark.parametrize("name", ["full", "fix-and-ship", "docs"])
def test_choices_that_nobody_has_made_are_asked_in_one_batch_and_nobody_goes_on(name: str, handed_in: str) -> None:
    told = Told(name)
    told.walk(until=Dispatch)
    told.finish(Role.PLANNER, only=handed_in)
    assert told.next() == Understand()
    told.understood((choice("few"), choice("missing")))
    assert told.next() == Ask("choices") and reasons(told) == ["2 choices are nobody's decision yet"]
    sha256 = named(told, "comprehension.md")
    first, second = (told.question("choice", f"{sha256}/{which}") for which in ("few", "missing"))
    assert told.next() == Wait()
    told.answered(second, 1)
    assert told.next() == Wait() and told.view.work_order("planner") is None, "one answer of two is not enough"
    told.answered(first, None, "as in the paper")
    assert told.next() == Dispatch((Role.PLANNER,)), "who left it open writes it down"
    order = told.view.work_order("planner")
    assert order is not None and "as in the paper" in order.text
    told.finish(Role.PLANNER)
    assert told.next() == Understand(), "another comprehension is read anew"
    told.understood((choice("other"),))
    assert told.next() == Ask("choices"), "a new choice is a new question"
    told.answered(told.question("choice", f"{named(told, 'comprehension.md')}/other"))
    told.finish(Role.PLANNER)
    told.walk(until=State.SPEC_READY)
    assert [d.role for d in told.view.dispatches.values()].count("planner") == 3


def test_the_second_reader_reads_only_what_there_is_to_define_and_only_where_there_is_one() -> None:
    nothing, alone = Told("full"), Told("full", absent=[Role.READER])
    nothing.walk(until=Understand)
    nothing.understood(definitions=0)
    for told in (nothing, alone):
        told.walk(until=State.SPEC_READY)
        assert not {"questions.md", "reading.md"} & set(told.view.artifacts) and told.view.readings is None
        assert Ask("comprehension") in [step for _, step in told.steps], "a person still has to approve it"


@pytest.mark.parametrize("agrees", [(True, False), (None, True), (False, None)], ids=str)
def test_readings_that_differ_or_could_not_be_compared_are_put_to_the_person(agrees: tuple[bool | None, ...]) -> None:
    told = Told("full")
    told.walk(until=Compare)
    told.compared(*agrees)
    unsettled = sum(row is not True for row in agrees)
    assert told.next() == Ask("readings")
    assert reasons(told) == [f"the readings do not agree on {unsettled} equations"]
    cause = f"{named(told, 'comprehension.md')}/{named(told, 'reading.md')}"
    settled = copy.deepcopy(told)
    settled.answered(settled.question("readings", cause))
    assert settled.next() == Ask("comprehension"), "settled, and still to be approved"
    for number in (1, 2, None):
        corrected = copy.deepcopy(told)
        corrected.answered(corrected.question("readings", cause), number, "the divisor is n - 1")
        assert corrected.next() == Dispatch((Role.PLANNER,)), "whatever is not the first reading goes to the planner"
        order = corrected.view.work_order("planner")
        assert order is not None and "the divisor is n - 1" in order.text
        corrected.finish(Role.PLANNER)
        corrected.walk(until=Compare)
        corrected.compared(True, False)
        assert corrected.next() == Ask("readings"), "another pair of readings is another question"


def test_that_two_readings_differ_is_settled_for_these_two_and_for_no_others() -> None:
    told = Told("full")
    told.walk(until=Compare)
    told.compared(False)
    told.answered(told.question("readings", f"{named(told, 'comprehension.md')}/{named(told, 'reading.md')}"))
    told.enter(State.SPEC_READY)
    told.signal(Signal.STOP, "review", to="reader")
    assert told.next() == Dispatch((Role.READER,))
    told.finish(Role.READER)
    assert told.next() == Compare(), "a third reading was never compared"
    told.compared(False)
    assert told.next() == Ask("readings")


@pytest.mark.parametrize("name", [w for w in WORKFLOWS if Role.PLANNER in workflow(w).roles])
def test_a_comprehension_that_changes_after_its_approval_has_to_be_approved_again(name: str) -> None:
    told = Told(name)
    told.enter(State.SPEC_READY)
    first = named(told, "comprehension.md")
    told.signal(Signal.STOP, "reviewer", to="planner")
    told.finish(Role.PLANNER)
    told.steps.clear()
    told.walk(until=Ask)
    assert told.next() == Ask("comprehension") and named(told, "comprehension.md") != first
    assert reasons(told) == ["nobody has approved the comprehension as it stands"]
    assert not {Freeze(), Verify()} & {step for _, step in told.steps}
    assert told.view.approved(first) is not None, "what was approved stays approved"
    stale = copy.deepcopy(told)
    stale.answered(stale.question("comprehension", first))
    assert stale.next() == Ask("comprehension"), "an approval of another text is none of this one"
    told.do(told.next())
    told.walk(until=State.PIPELINES_COMPLETE)


def test_a_comprehension_that_is_handed_in_again_as_it_was_stays_approved() -> None:
    told = Told("full")
    told.enter(State.SPEC_READY)
    told.signal(Signal.STOP, "reviewer", to="planner")
    told.finish(Role.PLANNER, **{"comprehension.md": named(told, "comprehension.md")})
    told.steps.clear()
    told.walk(until=State.PIPELINES_COMPLETE)
    assert Ask("comprehension") not in [step for _, step in told.steps]
    assert [s for _, s in told.steps if isinstance(s, Lint | Freeze)] == [Lint(), Freeze()], "the others are new"


@pytest.mark.parametrize("number", [1, None], ids=["send back", "words alone"])
def test_a_comprehension_that_is_not_approved_goes_back_with_the_words_of_the_person(number: int | None) -> None:
    told = Told("docs")
    told.walk(until=Ask)
    told.answered(told.question("comprehension", named(told, "comprehension.md")), number, "(2) is not a variance")
    assert told.next() == Dispatch((Role.PLANNER,)) and told.view.approved(named(told, "comprehension.md")) is None
    order = told.view.work_order("planner")
    assert order is not None and "(2) is not a variance" in order.text


def test_errors_of_the_lint_go_to_the_planner_and_to_nobody_else_until_a_person_lets_them_stand() -> None:
    told = Told("full")
    told.walk(until=Lint)
    told.checked(error("narrow"), error("leak"), error("long", severity="warning"))
    assert told.next() == SendBack(Role.PLANNER, "contract") and reasons(told) == ["the specifications have 2 errors"]
    sent = copy.deepcopy(told)
    sent.do(sent.next())
    assert sent.next() == Dispatch((Role.PLANNER,)) and sent.view.attempts == {("BLOCK", "contract"): 1}
    sent.finish(Role.PLANNER)
    sent.walk(until=Lint)
    sent.checked(error("long", severity="warning"))
    assert sent.next() == Write("contract.md"), "a warning closes no gate"
    told.tell(e.FindingOverridden(key="narrow", message=error("narrow").message, why="it is known"))
    assert reasons(told) == ["the specifications have 1 errors"], "one of two is not both"
    told.tell(e.FindingOverridden(key="leak", message=error("leak").message, why="it is known"))
    assert told.next() == Write("contract.md")
    told.walk(until=State.SPEC_READY)
    assert told.view.frozen == specifications(told.view)


def test_an_override_is_of_one_finding_and_does_not_open_the_gate_to_another() -> None:
    told = Told("full")
    told.walk(until=Lint)
    told.checked(error("narrow"))
    told.tell(e.FindingOverridden(key="narrow", message=error("narrow").message, why="it is known"))
    told.enter(State.SPEC_READY)
    told.signal(Signal.STOP, "reviewer", to="planner")
    told.finish(Role.PLANNER)
    told.walk(until=Lint)
    told.checked(error("narrow"), error("leak"))
    assert told.next() == SendBack(Role.PLANNER, "contract")


def test_a_lint_that_keeps_coming_back_is_put_to_the_person_who_may_accept_it() -> None:
    told = Told("full")
    told.walk(until=Lint)
    for _ in range(MAX_ATTEMPTS + 1):
        told.checked(error("narrow"))
        assert told.next() == SendBack(Role.PLANNER, "contract")
        told.do(told.next())
        if told.view.escalations:
            break
        told.finish(Role.PLANNER)
        told.walk(until=Lint)
    assert told.next() == Ask("escalation") and told.view.attempts["BLOCK", "contract"] == MAX_ATTEMPTS + 1
    due_now = told.view.escalations[0]
    name = told.question("escalation", due_now.cause, due_now.role)
    again, accepted = copy.deepcopy(told), told
    again.answered(name, 0)
    assert again.next() == Dispatch((Role.PLANNER,))
    accepted.answered(name, Reply.ACCEPT, "the bound is from the paper")
    assert [over.why for (key, _), over in accepted.view.overrides.items() if key == "narrow"] == [
        "the bound is from the paper"
    ]
    assert accepted.next() == Write("contract.md"), "what was accepted is written down with its reason"


@pytest.mark.parametrize("document", ["comprehension.md", "interface.md", "spec.md", "test-spec.md", "sim-spec.md"])
def test_a_specification_that_changes_after_the_freeze_closes_every_later_gate(document: str) -> None:
    for state in (*STAGES[1:], State.READY_TO_SHIP):
        told = Told("full", ship=True)
        told.walk(until=state)
        kept = {name: sha256 for name, sha256 in specifications(told.view).items() if name != document}
        told.signal(Signal.STOP, "reviewer", to="planner")
        told.finish(Role.PLANNER, **kept)
        assert {n for n, h in specifications(told.view).items() if told.view.frozen[n] != h} == {document}
        told.steps.clear()
        told.walk(until=state)
        steps = [step for _, step in told.steps]
        frozen, built = steps.index(Freeze()), steps.index(Dispatch((Role.BUILDER, Role.TESTER, Role.SIMULATOR)))
        assert steps.index(Lint()) < frozen < built < steps.index(CheckSuite()) < steps.index(Verify())
        assert (Ask("comprehension") in steps) is (document == "comprehension.md")
        assert (Ask("refreeze") in steps[:frozen]) is (document in JUDGED_BY), "a person agrees to another judge"


def test_what_is_judged_changes_after_the_freeze_only_if_a_person_agrees_to_exactly_that() -> None:
    told = Told("full")
    told.enter(State.SPEC_READY)
    frozen = dict(told.view.frozen)
    told.signal(Signal.STOP, "reviewer", to="planner")
    told.finish(Role.PLANNER, **{name: sha256 for name, sha256 in frozen.items() if name != "test-spec.md"})
    told.walk(until=Ask)
    assert told.next() == Ask("refreeze") and told.view.frozen == frozen
    assert reasons(told) == ["what is judged has changed after the freeze, and no person has agreed"]
    other = copy.deepcopy(told)
    other.answered(other.question("refreeze", specs_digest(frozen)))
    assert other.next() == Ask("refreeze"), "agreed to something else"
    for number in (1, None):
        refused = copy.deepcopy(told)
        name = refused.question("refreeze", specs_digest(specifications(refused.view)))
        refused.answered(name, number, "the tolerance stays")
        assert refused.next() == Dispatch((Role.PLANNER,)) and refused.view.frozen == frozen
        order = refused.view.work_order("planner")
        assert order is not None and "the tolerance stays" in order.text
        refused.finish(Role.PLANNER, **frozen)
        refused.walk(until=State.PIPELINES_COMPLETE)
        assert Ask("refreeze") not in [step for at, step in refused.steps if at is State.SPEC_READY]
    told.do(told.next())
    assert told.next() == Freeze()


#: What a tester and a simulator judge by.
JUDGED_BY = ("test-spec.md", "sim-spec.md")


def amend(told: Told, document: str) -> None:
    before = named(told, document)
    told.tell(
        e.SpecAmended(
            document=document,
            what="C1.high",
            before="1",
            after="2",
            why="the paper says so",
            before_sha256=before,
            after_sha256=f"{before}, amended",
        )
    )


@pytest.mark.parametrize(
    ("document", "role"), [("test-spec.md", Role.TESTER), ("sim-spec.md", Role.SIMULATOR)], ids=["tester", "simulator"]
)
@pytest.mark.parametrize("state", [*STAGES[1:], State.READY_TO_SHIP])
def test_an_amendment_makes_exactly_the_roles_that_see_the_document_due_and_the_verification_stale(
    state: State, document: str, role: Role
) -> None:
    told = Told("full", ship=True)
    told.walk(until=state)
    assert isinstance(told.next(), Enter) and verified(told.view)
    before = [r for r in told.plan.roles if due(told.view, told.plan, r)]
    amend(told, document)
    assert [r for r in told.plan.roles if due(told.view, told.plan, r) and r not in before] == [role]
    told.steps.clear()
    told.walk(until=Dispatch)
    assert [step for _, step in told.steps] == [Write("contract.md"), Write("oracles.md")], "what was agreed is told"
    assert told.next() == Dispatch((role,)) and reasons(told) == [f"{role} has not handed in"]
    told.finish(role, like=f"{role}-1")  # the same again: the tree is the same, and was verified by another criterion
    told.steps.clear()
    told.walk(until=state)
    steps = [step for _, step in told.steps]
    assert steps[:2] == [CheckSuite(), Verify()], "who judges is looked at again, and judges again"
    dispatched = [step.roles for step in steps if isinstance(step, Dispatch)]
    later = [(Role.SCRIBER,), (Role.REVIEWER,)][: max(0, STAGES.index(state) - 1) if state in STAGES else 2]
    assert dispatched == later, "what was written about the old criterion is written again"
    again = [s for s in steps if isinstance(s, Lint | Freeze | Understand | Compare | Ask)]
    assert again in ([], [Ask("ship")]), "the person has spoken; a permission to push was about something else"


def test_an_amendment_is_frozen_with_the_rest_and_both_versions_stay_known() -> None:
    told = Told("full")
    told.enter(State.SPEC_READY)
    before = named(told, "test-spec.md")
    amend(told, "test-spec.md")
    after = named(told, "test-spec.md")
    assert told.view.frozen == specifications(told.view) and told.view.frozen["test-spec.md"] == after != before
    assert {before, after} <= told.view.named
    told.walk(until=State.PIPELINES_COMPLETE)
    assert Lint() not in [step for at, step in told.steps if at is State.SPEC_READY]


def test_a_permission_that_was_asked_for_before_an_amendment_is_asked_for_again_after_it() -> None:
    told = Told("full", ship=True)
    told.enter(State.REVIEW_PASSED)
    assert told.next() == Ask("ship")
    name = told.question("ship", told.view.ship_basis, about="")
    amend(told, "test-spec.md")
    told.answered(name)
    told.steps.clear()
    told.walk()
    steps = [step for _, step in told.steps]
    assert Ask("ship") in steps[steps.index(Verify()) : steps.index(Push())], (
        "asked about what passed by other criteria"
    )


def test_an_amendment_between_the_permission_and_the_push_is_judged_before_anything_leaves() -> None:
    told = Told("full", ship=True)
    told.enter(State.READY_TO_SHIP)
    amend(told, "test-spec.md")
    told.steps.clear()
    told.walk()
    steps = [step for _, step in told.steps]
    assert steps.index(Verify()) < steps.index(Commit()) < steps.index(Push())


# --- judges before they judge, criteria, review ----------------------------------------------------------------------


@pytest.mark.parametrize("role", [Role.TESTER, Role.SIMULATOR, Role.PLANNER])
def test_errors_of_suite_and_study_go_to_their_author_and_never_to_the_builder(role: Role) -> None:
    told = Told("full")
    told.walk(until=CheckSuite)
    told.suite(error("vacuous", role), error("long", role, "warning"))
    assert told.next() == SendBack(role, "suite")
    assert reasons(told) == [f"the work of the {role} cannot judge anybody yet"]
    accepted = copy.deepcopy(told)
    accepted.tell(e.FindingOverridden(key="vacuous", message=error("vacuous").message, why="it is known"))
    assert accepted.next() == Verify()
    told.do(told.next())
    assert told.next() == Dispatch((role,)) and told.view.attempts == {("BLOCK", f"suite/{role}"): 1}
    assert not due(told.view, told.plan, Role.BUILDER) and told.view.blocks == {}
    if role is not Role.PLANNER:
        told.finish(role)
        assert told.next() == CheckSuite(), "what was mended is looked at before it judges"
        told.suite()
        assert told.next() == Verify()


def test_a_suite_that_is_handed_in_as_it_was_is_the_same_error_and_becomes_a_question_at_last() -> None:
    told = Told("full")
    told.walk(until=CheckSuite)
    told.suite(error("vacuous", Role.TESTER), error("seed", Role.SIMULATOR))
    for _ in range(MAX_ATTEMPTS):
        assert told.next() == SendBack(Role.TESTER, "suite"), "one author after the other"
        told.do(told.next())
        told.finish(Role.TESTER, like="tester-1")
    told.do(told.next())
    assert told.next() == Ask("escalation") and told.view.escalations[0].cause == "BLOCK/suite/tester"
    assert told.view.verified == {} and told.view.attempt_number("builder") == 2


@pytest.mark.parametrize("route_to", [*Role, "", "nobody"])
def test_whatever_is_found_in_suite_or_study_the_builder_is_not_sent_back_for_it(route_to: str) -> None:
    told = Told("full")
    told.walk(until=CheckSuite)
    told.suite(error("x", route_to))
    step = told.next()
    if route_to in ("", Role.TESTER, Role.SIMULATOR, Role.PLANNER):
        assert step == SendBack(Role(route_to or Role.TESTER), "suite"), "nobody's error is the tester's"
    else:
        assert step == SendBack(Role.TESTER, "suite"), "whoever is named, the suite is its author's"


@pytest.mark.parametrize(
    "role", [Role.PLANNER, Role.READER, Role.BUILDER, Role.TESTER, Role.SIMULATOR, Role.SCRIBER], ids=str
)
def test_a_computed_stop_goes_to_the_role_it_names_before_anybody_is_asked_to_review(role: Role) -> None:
    told = Told("full")
    told.walk(until=Review)
    told.reviewed("STOP", role)
    assert told.next() == SendBack(role, "review") and reasons(told) == ["the checks of the review say STOP"]
    told.do(told.next())
    assert told.next() == Dispatch((role,)) and told.view.attempts == {("STOP", "review"): 1}
    assert [r for r in told.plan.roles if due(told.view, told.plan, r)] == [role, Role.REVIEWER]
    told.finish(role)
    told.steps.clear()
    told.walk(until=State.REVIEW_PASSED)
    steps = [step for _, step in told.steps]
    assert steps[-3:] == [Review(), Write("checks.md"), Dispatch((Role.REVIEWER,))], "the run is another one now"


def test_checks_are_computed_again_whenever_what_they_look_at_has_changed() -> None:
    told = Told("full", ship=True)
    told.walk(until=State.READY_TO_SHIP)
    assert told.view.reviewed is not None and told.view.reviewed.of == told.view.review_basis
    for change in (
        e.ArtifactWritten(name="audit.md", sha256="another"),
        e.FindingOverridden(key="k", message="m", why="w"),
    ):
        other = copy.deepcopy(told)
        other.tell(change)
        assert other.next() == Review(), change.kind
    amend(told, "test-spec.md")
    told.walk(until=Review)
    assert told.next() == Review()


@pytest.mark.parametrize("said", VERDICTS)
@pytest.mark.parametrize("computed", VERDICTS)
def test_the_verdict_is_the_worse_of_what_was_computed_and_what_the_reviewer_says(computed: str, said: str) -> None:
    told = Told("fix-and-ship")
    told.walk(until=Review)
    told.reviewed(computed)
    told.do(Write("checks.md"))
    assert told.view.verdict == "", "nobody has reviewed it yet"
    name = told.start("reviewer")
    told.tell(e.DispatchFinished(dispatch=name, role="reviewer", artifacts={"review.md": "r"}, files=(), verdict=said))
    assert told.view.verdict == max(computed, said, key=VERDICTS.index)
    assert fit_to_ship(told.view, told.plan) is ("STOP" not in (computed, said))
    if "STOP" in (computed, said):
        told.walk()
        assert told.view.pushed is None and told.view.commit is not None, "kept on this machine, and nowhere else"
        ready = {event.state: event for event, _ in told.view.states}[State.READY_TO_SHIP]
        assert (ready.applicable, ready.reason) == (False, "verification or review did not pass")
        assert told.next() == Finish("done", "the review says STOP"), "the end of the run says so too"


def test_a_computed_stop_that_nobody_of_the_workflow_can_mend_is_the_result_whatever_the_reviewer_says() -> None:
    for name, route_to in (("review", "builder"), ("docs", "tester"), ("fix-and-ship", "")):
        told = Told(name, ship=True)
        told.walk(until=Review)
        told.reviewed("STOP", route_to)
        told.walk()
        assert told.view.review_verdict == "PASS" and told.view.verdict == "STOP"
        assert told.next() == Finish("done", "the review says STOP") and told.view.pushed is None


def failing(told: Told, in_doubt: str = "M1") -> None:
    """Verified as failing, by a criterion in doubt."""
    assert told.next() == Verify()
    told.verified("criteria M1", in_doubt=in_doubt)


def test_a_criterion_in_doubt_is_put_to_the_person_after_one_block_and_only_once() -> None:
    told = Told("full")
    told.walk(until=Verify)
    failing(told)
    assert told.next() == Block(Role.BUILDER), "the first time, the builder looks again"
    told.do(told.next())
    told.finish(Role.BUILDER)
    failing(told)
    assert told.next() == Ask("criterion") and reasons(told) == ["a criterion may itself be wrong"]
    name = told.question("criterion", "M1", about="builder")
    assert told.next() == Wait()
    stopped = copy.deepcopy(told)
    stopped.answered(name, Reply.STOP_RUN)
    assert stopped.next() == Sync(), "stopped, and kept"
    told.answered(name, 0, "the interval is far too narrow")
    assert told.next() == Block(Role.BUILDER)
    assert told.view.answers_for("builder") == [], "what was said about the criterion is not for the builder"
    told.do(told.next())
    told.finish(Role.BUILDER)
    failing(told)
    assert told.next() == Block(Role.BUILDER), "the person was asked, and is not asked again"
    other = copy.deepcopy(told)
    other.do(other.next())
    other.finish(Role.BUILDER)
    failing(other, "M2")
    assert other.next() == Ask("criterion"), "another criterion is another question"


def test_a_criterion_that_is_in_no_doubt_is_no_question_to_the_person() -> None:
    told = Told("full")
    told.walk(until=Verify)
    for _ in range(MAX_ATTEMPTS):
        failing(told, "")
        assert told.next() == Block(Role.BUILDER)
        told.do(told.next())
        told.finish(Role.BUILDER)
    failing(told, "")
    assert told.next() == Block(Role.BUILDER)
    told.do(told.next())
    assert told.next() == Ask("escalation"), "three retries, then the person"


def test_blocks_of_the_lint_or_the_suite_do_not_count_as_blocks_over_a_criterion() -> None:
    told = Told("full")
    told.walk(until=Lint)
    told.checked(error("narrow"))
    told.do(told.next())
    told.walk(until=CheckSuite)
    told.suite(error("vacuous", Role.TESTER))
    told.do(told.next())
    told.walk(until=Verify)
    failing(told)
    assert told.next() == Block(Role.BUILDER)


def test_an_amended_criterion_is_judged_again_before_anybody_is_blamed_by_it() -> None:
    told = Told("full")
    told.walk(until=Verify)
    failing(told)
    told.do(told.next())
    told.finish(Role.BUILDER)
    failing(told)
    name = told.question("criterion", "M1", about="builder")
    told.answered(name, Reply.CRITERION_IS_WRONG)
    assert told.next() == Wait(), "the amendment is the person's to make"
    assert reasons(told) == ["the person says that a criterion is wrong: `statsclaw amend` changes it"]
    amend(told, "sim-spec.md")
    told.walk(until=Dispatch)
    assert told.next() == Dispatch((Role.SIMULATOR,))
    told.finish(Role.SIMULATOR, like="simulator-1")
    told.walk(until=Verify)
    told.verified()
    told.walk(until=State.PIPELINES_COMPLETE)


def test_a_criterion_that_is_missed_after_its_amendment_is_not_waited_for_without_a_question() -> None:
    told = Told("full")
    told.walk(until=Verify)
    failing(told)
    told.do(told.next())
    told.finish(Role.BUILDER)
    failing(told)
    told.answered(told.question("criterion", "M1", about="builder"), Reply.CRITERION_IS_WRONG)
    amend(told, "sim-spec.md")
    told.walk(until=Verify)
    failing(told)
    assert isinstance(told.next(), Ask | Block), "nobody is asked, and nobody works"


# --- signals: counted per cause, three at most, then the person -----------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.sampled_from([("BLOCK", "validation"), ("BLOCK", "study"), ("STOP", "reviewer"), ("FAILED", "builder")]),
        max_size=20,
    )
)
def test_the_person_is_asked_when_one_cause_came_more_than_three_times_and_never_before(
    raised: list[tuple[str, str]],
) -> None:
    told, count = Told("full"), Counter[tuple[str, str]]()
    for signal, cause in raised:
        if signal == "FAILED":
            told.tell(e.DispatchFailed(dispatch=told.start(cause), role=cause, reason="crashed"))
        else:
            raiser = "reviewer" if signal == "STOP" else "verification"
            told.signal(Signal(signal), raiser, cause=cause, to="builder")
        count[signal, cause] += 1
        if count[signal, cause] > MAX_ATTEMPTS:
            assert isinstance(next_step(told.view, told.plan), Ask)
            assert told.view.escalations[0].cause == f"{signal}/{cause}"
            asked = told.ask()
            assert next_step(told.view, told.plan) == Wait()
            told.tell(e.QuestionAnswered(question=asked.question, choice=0, by="prompt"))
            count[signal, cause] = told.view.attempts[signal, cause]
        assert not told.view.escalations
        assert told.view.attempts[signal, cause] == count[signal, cause]


def test_what_a_role_was_sent_back_for_is_not_forgotten_when_its_next_attempt_crashes() -> None:
    told = Told("full")
    told.signal(
        Signal.BLOCK, "verification", cause="validation", to="builder", message="the mean of constants is wrong"
    )
    told.tell(e.DispatchFailed(dispatch=told.start("builder"), role="builder", reason="exit status 1"))
    order = told.view.work_order("builder")
    assert order is not None and "exit status 1" in order.text and "the mean of constants is wrong" in order.text


def test_what_a_role_was_sent_back_for_is_not_forgotten_when_it_asks_the_person_first() -> None:
    told = Told("full")
    told.signal(
        Signal.BLOCK, "verification", cause="validation", to="builder", message="the mean of constants is wrong"
    )
    told.signal(Signal.HOLD, "builder", message="which divisor?")
    asked = told.ask("hold")
    told.tell(e.QuestionAnswered(question=asked.question, choice=0, by="prompt"))
    order = told.view.work_order("builder")
    assert order is not None and "the mean of constants is wrong" in order.text


def attempts_of(view: RunView, role: str) -> int:
    return sum(dispatch.role == role for dispatch in view.dispatches.values())


def answer(bench: Bench, run_id: str, choice: int, text: str = "") -> RunView:
    """Answer the open question through the inbox and go on."""
    folder = bench.workspace.find(run_id)
    records = chain.read(folder.path / EVENTS).records
    asked = [r.event for r in records if isinstance(r.event, e.QuestionAsked)][-1]
    leave_answer(folder.inbox, e.QuestionAnswered(question=asked.question, choice=choice, text=text, by="answer"))
    return bench.resume(run_id)


ALWAYS_WRONG = "if role == 'builder': os.environ['STATSCLAW_ATTEMPT'] = '1'"
MENDED = "if role == 'builder': os.environ['STATSCLAW_ATTEMPT'] = '2'"


@pytest.fixture(scope="module")
def never_mended(tmp_path_factory: pytest.TempPathFactory) -> tuple[Bench, str, RunView]:
    """A quick fix whose builder never mends what verification found."""
    folder = tmp_path_factory.mktemp("never-mended")
    bench, target = Bench(folder), make_target(folder)
    order = order_for(target, scripted(folder, ALWAYS_WRONG), workflow="quick-fix", run_id="never-0001")
    return bench, "never-0001", bench.start(order)


def test_a_builder_that_never_mends_the_block_is_sent_back_three_times_and_then_the_person_is_asked(
    never_mended: tuple[Bench, str, RunView],
) -> None:
    _, _, view = never_mended
    assert attempts_of(view, "builder") == 1 + MAX_ATTEMPTS
    assert view.attempts["BLOCK", "validation"] == MAX_ATTEMPTS + 1
    (question,) = view.open_questions
    assert (question.topic, question.about) == ("escalation", "builder")
    assert question.default is None, "nothing unattended may go on with it"
    assert [option.label for option in question.options] == ["try again", "stop the run"]
    assert "constant" in question.text and "test_mean" not in question.text
    assert exit_code_of(view) == WAITING


def test_try_again_gives_three_more_attempts_and_stop_ends_the_run_as_stopped(
    never_mended: tuple[Bench, str, RunView],
) -> None:
    bench, run_id, before = never_mended
    again = answer(bench, run_id, 0, "think of the divisor")
    assert len(again.open_questions) == 1 and len(again.questions) == 2, "the person is asked again"
    more = attempts_of(again, "builder") - attempts_of(before, "builder")
    stopped = answer(bench, run_id, 1)
    assert stopped.finished is not None and stopped.finished.outcome == "stopped"
    assert exit_code_of(stopped) == NOT_PASSED
    assert not stopped.pushed and list(branches(bench.folder / "tinymean.git")) == ["main"]
    assert bench.resume(run_id).seq == stopped.seq, "a stopped run stays stopped"
    assert more == MAX_ATTEMPTS, f"{more} more attempts were made"


def test_the_words_beside_try_again_reach_the_role() -> None:
    told = Told("full")
    for _ in range(MAX_ATTEMPTS + 1):
        told.signal(Signal.BLOCK, "verification", cause="validation", to="builder", message="wrong")
    asked = told.ask()
    told.tell(e.QuestionAnswered(question=asked.question, choice=0, text="think of the divisor", by="prompt"))
    order = told.view.work_order("builder")
    assert order is not None and "wrong" in order.text and "think of the divisor" in order.text


def test_a_reviewer_that_always_says_stop_sends_the_work_back_three_times_and_then_the_person_decides(
    bench: Bench, target: Path
) -> None:
    stop = "if role == 'reviewer': over(signal='STOP', message='not convinced', route_to='scriber')"
    view = bench.start(order_for(target, scripted(bench.folder, stop), workflow="docs", run_id="stop-0001"))
    assert view.attempts == {("STOP", "reviewer"): MAX_ATTEMPTS + 1}
    assert attempts_of(view, "scriber") == attempts_of(view, "reviewer") == 1 + MAX_ATTEMPTS
    assert attempts_of(view, "planner") == 1
    (question,) = view.open_questions
    assert question.topic == "escalation" and "not convinced" in question.text
    stopped = answer(bench, "stop-0001", 1)
    assert stopped.finished is not None and stopped.finished.outcome == "stopped" and not stopped.pushed


def test_a_review_that_nobody_can_act_on_is_the_result_of_the_run_and_does_not_pass(bench: Bench, target: Path) -> None:
    stop = "if role == 'reviewer': out.joinpath('review.md').write_text(open(sys.argv[-1]).read()); over()"
    text = "# review\n\n" + "".join(f"## {s}\n\nx\n\n" for s in _review_sections()) + "Verdict: STOP\n"
    (bench.folder / "review.md").write_text(text)
    backend = scripted(bench.folder, stop) + f" {bench.folder / 'review.md'}"
    view = bench.start(order_for(target, backend, workflow="review", ship=True))
    assert view.finished is not None and view.finished.outcome == "done"
    assert view.finished.reason == "the review says STOP" and exit_code_of(view) == NOT_PASSED
    assert not view.commit and list(branches(bench.folder / "tinymean.git")) == ["main"]


def _review_sections() -> Iterable[str]:
    from statsclaw.artifacts.catalogue import catalogue

    return catalogue()["review.md"].sections


def test_a_stop_beside_a_review_that_says_pass_is_not_a_pass(bench: Bench, target: Path) -> None:
    code = (
        "if role == 'reviewer':\n"
        "    out.joinpath('review.md').write_text(open(sys.argv[-1]).read())\n"
        "    over(signal='STOP', message='do not use this')"
    )
    text = "# review\n\n" + "".join(f"## {s}\n\nx\n\n" for s in _review_sections()) + "Verdict: PASS\n"
    (bench.folder / "review.md").write_text(text)
    backend = scripted(bench.folder, code) + f" {bench.folder / 'review.md'}"
    view = bench.start(order_for(target, backend, workflow="review", directive=NO_SHIP))
    assert not (view.finished and exit_code_of(view) == OK), "the reviewer raised STOP and the run passed"


def test_a_planner_that_asks_for_ever_is_answered_three_times_and_then_becomes_a_question_itself(
    bench: Bench, target: Path
) -> None:
    hold = "over(signal='HOLD', message=f'question {attempt}', options=[{'label': 'a'}], default=0)"
    view = bench.start(order_for(target, scripted(bench.folder, hold), workflow="docs", run_id="hold-0001"))
    assert [q.asked.topic for q in view.questions.values()] == ["hold"] * MAX_ATTEMPTS + ["escalation"]
    assert attempts_of(view, "planner") == MAX_ATTEMPTS + 1
    assert [q.topic for q in view.open_questions] == ["escalation"] and exit_code_of(view) == WAITING
    stopped = answer(bench, "hold-0001", 1)
    assert stopped.finished is not None and stopped.finished.outcome == "stopped"


@pytest.mark.parametrize(
    "code",
    [
        "sys.exit(3)",
        "os.kill(os.getpid(), 9)",
        "over()",
        "(out / 'spec.md').write_text('x'); over()",
        "over(signal='STOP', message='not mine to raise')",
        "over(signal='HOLD')",
    ],
    ids=["exit 3", "killed", "nothing handed in", "not its document", "not its signal", "bad ending"],
)
def test_a_role_that_fails_every_time_is_tried_again_three_times_and_then_the_person_is_asked(
    code: str, bench: Bench, target: Path
) -> None:
    view = bench.start(order_for(target, scripted(bench.folder, code), workflow="validate", run_id="crash-0001"))
    assert view.attempts == {("FAILED", "tester"): MAX_ATTEMPTS + 1}
    assert [d.status for d in view.dispatches.values()] == ["failed"] * (MAX_ATTEMPTS + 1)
    (question,) = view.open_questions
    assert (question.topic, question.cause) == ("escalation", "FAILED/tester")
    assert view.overlay == {} and view.state is State.SPEC_READY


def test_roles_that_ask_at_the_same_time_are_both_heard(bench: Bench, target: Path) -> None:
    hold = (
        "if role in ('builder', 'simulator') and attempt == 1:\n"
        "    over(signal='HOLD', message=f'{role} asks', options=[{'label': 'a'}, {'label': 'b'}])\n"
        "if role == 'builder': os.environ['STATSCLAW_ATTEMPT'] = '2'"
    )
    view = bench.start(order_for(target, scripted(bench.folder, hold), directive=NO_SHIP, run_id="both-0001"))
    assert sorted(q.text for q in view.open_questions) == ["builder asks", "simulator asks"]
    folder = bench.workspace.find("both-0001")
    for question in view.open_questions:
        leave_answer(folder.inbox, e.QuestionAnswered(question=question.question, choice=1, by="answer"))
    done = bench.resume("both-0001")
    assert done.finished is not None and done.finished.outcome == "done" and not done.finished.reason
    held = [q for q in done.questions.values() if q.asked.topic == "hold"]
    assert {q.asked.about: q.answer_text for q in held} == {"builder": "b", "simulator": "b"}


def test_a_stopped_run_stays_stopped_whatever_is_answered_afterwards(bench: Bench, target: Path) -> None:
    crash = "if role in ('builder', 'simulator'): sys.exit(1)"
    view = bench.start(order_for(target, scripted(bench.folder, crash), run_id="two-0001"))
    first, second = view.open_questions
    inbox = bench.workspace.find("two-0001").inbox
    leave_answer(inbox, e.QuestionAnswered(question=first.question, choice=1, by="answer"))
    stopped = bench.resume("two-0001", person=Unattended())
    assert stopped.finished is not None and stopped.finished.outcome == "stopped"
    leave_answer(inbox, e.QuestionAnswered(question=second.question, choice=0, by="answer"))
    again = bench.resume("two-0001")
    assert again.seq == stopped.seq and exit_code_of(again) == NOT_PASSED


def test_a_tree_that_is_handed_in_again_after_a_failure_is_verified_again(bench: Bench, target: Path) -> None:
    """The disk was full, the machine was slow: the builder finds nothing to mend, and the second look passes."""
    bench.barrier = "none"  # its check remembers outside of what is verified
    flag = bench.folder / "was-here"
    code = f"import os, sys\nif not os.path.exists({str(flag)!r}):\n    open({str(flag)!r}, 'w'); sys.exit(1)"
    add_check(target, "flaky", code)
    view = bench.start(order_for(target, scripted(bench.folder, MENDED), workflow="quick-fix"))
    assert view.attempts["BLOCK", "checks"] == 1, "the same verdict was repeated without another look"
    assert view.finished is not None and view.finished.outcome == "shipped"


def test_an_answer_about_a_role_in_the_answers_file_does_not_answer_an_escalation_for_ever(
    bench: Bench, target: Path
) -> None:
    """`planner = "1"` answers what the planner asks; that it asks too often is another question."""
    bench.barrier = "none"
    hold = (
        "tally = pathlib.Path(sys.argv[-1]); tally.write_text((tally.read_text() if tally.exists() else '') + 'x')\n"
        "if len(tally.read_text()) < 12:\n"
        "    over(signal='HOLD', message='again', options=[{'label': 'a'}, {'label': 'b'}])"
    )
    backend = scripted(bench.folder, hold) + f" {bench.folder / 'tally'}"
    person = Unattended(answers={"planner": "1"})
    view = bench.start(order_for(target, backend, workflow="docs", directive=NO_SHIP), person=person)
    assert [q.topic for q in view.open_questions] == ["escalation"], "somebody has to be asked at last"


CIRCLES = [
    ("comprehension", {"comprehension": "2"}, False),
    ("comprehension", {"comprehension": "it is wrong"}, False),
    ("comprehension", {"planner": "1"}, False),
    ("comprehension", {"comprehension": "1"}, True),
    ("comprehension", {"q1": "2"}, True),
    ("readings", {"readings": "2"}, False),
    ("readings", {"readings": "1"}, True),
    ("refreeze", {"refreeze": "2"}, False),
    ("refreeze", {"planner": "1"}, False),
    ("criterion", {"criterion": "1"}, False),
    ("criterion", {"builder": "1"}, False),
    ("criterion", {"criterion": "2"}, True),
    ("choice", {"choice": "2"}, True),
    ("choice", {"planner": "2"}, False),
    ("choice", {"choice": "as in the paper"}, False),
]


@pytest.mark.parametrize(("topic", "answers", "taken"), CIRCLES)
def test_a_general_answer_in_the_answers_file_never_sends_a_machine_round_in_circles(
    topic: str, answers: dict[str, str], taken: bool
) -> None:
    """What sends work back is asked again afterwards; a file would say the same for ever, and each time costs."""
    told = Told("full")
    told.question(topic, about="builder" if topic == "criterion" else "planner")
    (asked,) = told.view.open_questions
    assert (Unattended(answers=answers).answer(asked) is not None) is taken


# --- shipping --------------------------------------------------------------------------------------------------------

#: A command of the profile that prints what it was given to verify: the package, and the tests where they lie apart.
LISTING = """
import hashlib, json, os, sys
found = {}
for place in sys.argv[1:]:
    for root, folders, names in os.walk(place):
        folders[:] = [name for name in folders if name != "__pycache__"]  # compiled while it was tested
        for name in names:
            path = os.path.join(root, name)
            mode = "100755" if os.stat(path).st_mode & 0o111 else "100644"
            found[os.path.relpath(path, place)] = [mode, hashlib.sha256(open(path, "rb").read()).hexdigest()]
print(json.dumps(found))
"""


def with_listing(target: Path, phase: str = "checks") -> None:
    """Make the target's own settings list every tree that is verified, and commit."""
    add_check(target, "listing", LISTING, "{tree}", "{validation}", phase=phase)


def printed(bench: Bench, view: RunView, phase: str, name: str) -> str:
    """The first line of what a command printed about the tree that was committed."""
    assert view.commit is not None
    executed = view.evidence[view.commit.tree_sha256, "after", phase, name]
    store = ContentStore(bench.workspace.find(view.head.run_id).store)
    return store.get_text(executed.output_sha256).splitlines()[0]


def add_check(target: Path, name: str, code: str, *more: str, phase: str = "checks") -> None:
    settings_file = target / "statsclaw.toml"
    argv = json.dumps(["{python}", "-S", "-c", code, *more])
    check = f'\n[[profile.{phase}]]\nname = "{name}"\nparser = "exit"\ntimeout_s = 60\nargv = {argv}\n'
    settings = settings_file.read_text()
    settings_file.write_text((settings.replace("checks = []\n", "") if phase == "checks" else settings) + check)
    commit_all(target)


def commit_all(target: Path) -> None:
    git("add", "--all", cwd=target, env=own_environment())
    git("commit", "--quiet", "-m", "more", cwd=target, env=own_environment())
    git("push", "--quiet", "origin", "main", cwd=target, env=own_environment())


def shipped_tree(remote: Path, branch: str) -> dict[str, list[str]]:
    found = {}
    for row in git("ls-tree", "-r", "-z", branch, git_dir=remote).split(b"\0")[:-1]:
        meta, _, path = row.decode().partition("\t")
        mode, _, oid = meta.split(" ")
        found[path] = [mode, hashlib.sha256(git("cat-file", "blob", oid, git_dir=remote)).hexdigest()]
    return found


def test_what_ships_is_exactly_the_tree_that_was_verified(bench: Bench, target: Path) -> None:
    (target / "run.sh").write_text("#!/bin/sh\n")
    (target / "run.sh").chmod(0o755)
    (target / "src" / "tinymean" / "old.py").write_text("gone = 1\n")
    with_listing(target)
    honest = bench.folder / "honest"
    shutil.copytree(HONEST, honest)
    code = (
        "if role == 'builder':\n"
        "    os.environ['STATSCLAW_ATTEMPT'] = '2'; os.unlink('src/tinymean/old.py')\n"
        "    pathlib.Path('src/tinymean/tool.py').write_text('x = 1\\n'); os.chmod('src/tinymean/tool.py', 0o755)\n"
        "    pathlib.Path('src/tinymean/ünïcode name.py').write_bytes(b'x = 1\\r\\n')"
    )
    view = bench.start(order_for(target, scripted(bench.folder, code, honest), run_id="ship-0001"))
    assert view.pushed is not None and view.commit is not None
    remote = bench.folder / "tinymean.git"
    shipped = shipped_tree(remote, "statsclaw/ship-0001")
    judges = {path for path in shipped if path.startswith(("tests/validation/", "simulations/"))}
    listed = json.loads(printed(bench, view, "checks", "listing"))
    assert {path: row for path, row in shipped.items() if path not in judges} == listed
    handed_in = {path: view.overlay[path.removesuffix(".source")].sha256 for path in judges}
    assert {path: shipped[path][1] for path in judges} == handed_in
    assert shipped["src/tinymean/tool.py"][0] == "100755" and "src/tinymean/old.py" not in shipped
    assert view.verified[view.commit.tree_sha256].failed == ()
    parents = git_text("rev-list", "--parents", "-1", "statsclaw/ship-0001", git_dir=remote).split()
    assert parents == [view.pushed.commit, view.head.base_commit]
    assert branches(remote)["main"] == view.head.base_commit


def test_a_link_in_the_target_is_part_of_what_is_verified_or_not_part_of_what_ships(bench: Bench, target: Path) -> None:
    (target / "src" / "tinymean" / "alias.py").symlink_to("__init__.py")
    with_listing(target, "validation")
    order = order_for(target, scripted(bench.folder, MENDED), workflow="quick-fix", run_id="ship-0001")
    view = bench.start(order)
    shipped = shipped_tree(bench.folder / "tinymean.git", "statsclaw/ship-0001")
    assert set(shipped) == set(json.loads(printed(bench, view, "validation", "listing")))


@pytest.mark.parametrize(
    ("change", "person", "why"),
    [
        ({}, Unattended(answers={"comprehension": "1"}), None),
        ({}, Unattended(answers={"comprehension": "1", "ship": "2"}), "the person declined"),
        ({"local_only": True}, Unattended(yes=True), "local only"),
        ({"directive": NO_SHIP}, Unattended(yes=True), "shipping was not asked for"),
    ],
    ids=["nobody answers", "declined", "local only", "not asked for"],
)
def test_without_authorisation_nothing_is_pushed(
    change: dict[str, object], person: Unattended, why: str | None, bench: Bench, target: Path
) -> None:
    honest, notes = no_study(bench.folder)
    backend = scripted(bench.folder, MENDED, honest)
    order = order_for(target, backend, run_id="still-0001", workflow="fix-and-ship", sources=(notes,), **change)
    if why == "shipping was not asked for":
        order = replace(order, workflow="quick-fix")
    view = bench.start(order, person=person)
    assert list(branches(bench.folder / "tinymean.git")) == ["main"]
    assert view.pushed is None
    if why is None:
        assert [q.topic for q in view.open_questions] == ["ship"] and view.state is State.REVIEW_PASSED
        assert view.open_questions[0].default is None
        return
    entered = {event.state: event for event, _ in view.states}[State.READY_TO_SHIP]
    assert (entered.applicable, entered.reason) == (False, why)
    assert view.finished is not None and view.finished.outcome == "done" and exit_code_of(view) == OK


@pytest.mark.slow
@pytest.mark.parametrize("name", ["validate", "review", "docs", "monte-carlo"])
def test_a_failing_verification_is_a_finding_where_nobody_can_mend_it_and_never_ships(
    name: str, bench: Bench, target: Path
) -> None:
    (target / "tests" / "validation").mkdir(parents=True)
    old = "from tinymean import mean\n\n\ndef test_never_holds():\n    assert mean([1.0, 3.0]) == 7.0\n"
    (target / "tests" / "validation" / "test_old.py").write_text(old)
    (target / "src" / "tinymean" / "__init__.py").write_text("def mean(x):\n    return sum(x) / len(x)\n")
    commit_all(target)
    view = bench.start(order_for(target, scripted(bench.folder, ""), workflow=name, ship=True))
    assert view.finished is not None and view.finished.outcome == "done"
    assert "verification failed: validation" in view.finished.reason and exit_code_of(view) == NOT_PASSED
    assert view.commit is None and list(branches(bench.folder / "tinymean.git")) == ["main"]
    assert "ship" not in [q.asked.topic for q in view.questions.values()]
    ready = {event.state: event for event, _ in view.states}[State.READY_TO_SHIP]
    assert not ready.applicable and ready.reason in ("verification or review did not pass", "nothing was changed")


def test_a_profile_that_executes_nothing_verifies_nothing_and_ships_nothing(bench: Bench, target: Path) -> None:
    lists = "".join(f"{name} = []\n" for name in ("build", "checks", "unit_tests", "validation", "study"))
    (target / "statsclaw.toml").write_text(f"[profile]\n{lists}")
    commit_all(target)
    view = bench.start(order_for(target, scripted(bench.folder, ""), workflow="quick-fix"))
    assert view.pushed is None and view.commit is None
    assert not (view.finished and exit_code_of(view) == OK)


def test_where_nothing_was_changed_nothing_is_pushed_and_nobody_is_asked_to_push_it(bench: Bench, target: Path) -> None:
    view = bench.start(order_for(target, scripted(bench.folder, ""), workflow="review", ship=True))
    assert view.overlay == {} and view.finished is not None
    assert list(branches(bench.folder / "tinymean.git")) == ["main"]
    assert [q.asked.topic for q in view.questions.values()] == []


def test_questions_are_composed_from_the_log_alone_and_do_not_change_it(
    never_mended: tuple[Bench, str, RunView],
) -> None:
    bench, run_id, _ = never_mended
    folder = bench.workspace.find(run_id)
    from statsclaw.engine.run import read_local
    from statsclaw.runlog.log import RunLog, read_view

    log = RunLog(folder.path)
    log.view = read_view(folder.path)
    before = copy.deepcopy(log.view)
    run = bench.assemble(folder, log, read_local(folder))
    for topic in ("workflow", "profile", "ship"):
        assert compose(run, topic) == compose(run, topic)
    assert log.view == before


def test_why_a_state_is_passed_is_never_said_of_a_state_that_applies() -> None:
    for name in WORKFLOWS:
        told = Told(name, ship=True)
        told.walk()
        for event, _ in told.view.states:
            assert bool(event.reason) is not event.applicable
        assert not_applicable(State.PIPELINES_COMPLETE, told.view, told.plan) == ""


def test_a_directive_that_says_not_to_push_is_not_pushed_even_with_yes(bench: Bench, target: Path) -> None:
    honest, notes = no_study(bench.folder)
    backend, directive = scripted(bench.folder, MENDED, honest), "Fix the mean estimator. Do not push anything."
    view = bench.start(order_for(target, backend, directive=directive, sources=(notes,), workflow="fix-and-ship"))
    assert view.state is State.DONE and view.pushed is None and view.ship_authorised is None
    assert [s.reason for s, _ in view.states if s.state is State.READY_TO_SHIP] == ["the directive says not to push"]


def without_phase(target: Path, phase: str) -> None:
    place = target / "statsclaw.toml"
    head, *tables = place.read_text().split("[[profile.")
    kept = [f"[[profile.{table}" for table in tables if not table.startswith(phase)]
    place.write_text("".join([head, f"{phase} = []\n\n", *kept]))
    git("commit", "--quiet", "--all", "-m", "fewer checks", cwd=target, env=own_environment())


@pytest.mark.slow
@pytest.mark.parametrize("phase", ["validation", "study"])
def test_no_settings_of_the_target_leave_out_questions_or_study(phase: str, bench: Bench, target: Path) -> None:
    without_phase(target, phase)
    view = bench.start(order_for(target))
    assert view.finished is not None and view.finished.outcome == "shipped"
    assert {"validation", "study"} <= {e.phase for e in view.evidence_for(view.tree_sha256)}


def test_a_suite_that_no_command_executes_has_not_passed(bench: Bench, target: Path) -> None:
    """Without a contract, settings of the target that leave out a phase leave the work of a role unexecuted."""
    without_phase(target, "validation")
    view = bench.start(order_for(target, scripted(bench.folder, MENDED), workflow="quick-fix"))
    assert view.pushed is None and view.commit is None and not verified(view)
    assert exit_code_of(view) in (WAITING, NOT_PASSED)
    said = [q.text for q in view.open_questions] + [text for v in view.verified.values() for text in v.failed]
    assert any("validation was not executed" in text for text in said), "nobody says what is missing"


# --- who is sent back ------------------------------------------------------------------------------------------------


def judged(told: Told, *reasons: Reason | None, command: str = "") -> None:
    """Verified as failing, with a criterion that fails for each reason; `command`: whose fault a failed command is."""
    tree = told.view.tree_sha256
    if command:
        told.tell(
            e.CommandExecuted(
                name="c", phase="study", subject="after", tree_sha256=tree, argv=("c",), exit_code=1, elapsed_s=0.0,
                output_sha256="0", passed=False, summary="failed", fault_of=command,
            )
        )  # fmt: skip
    rows = tuple(
        e.Judgement(id=f"C{n}", quantity="q", rule="close", verdict="FAIL", literal="FAIL", reason=reason)
        for n, reason in enumerate(reasons)
    )
    told.tell(e.CriteriaJudged(tree_sha256=tree, judgements=rows))
    told.tell(e.VerificationFinished(tree_sha256=tree, failed=("criteria",)))


MISSED = None


@pytest.mark.parametrize(
    ("reasons", "command", "role"),
    [
        ((Reason.NO_TEST,), "", Role.TESTER),
        ((Reason.NO_TEST, Reason.NO_TEST), "", Role.TESTER),
        ((Reason.ANOTHER_QUESTION,), "", Role.TESTER),
        ((Reason.NO_RECORDS,), "", Role.SIMULATOR),
        ((Reason.NO_TEST, Reason.NO_RECORDS), "", Role.TESTER),
        ((Reason.NO_RECORDS,), "simulator", Role.SIMULATOR),
        ((MISSED,), "", Role.BUILDER),
        ((Reason.TEST_BROKE,), "", Role.BUILDER),
        ((Reason.NO_TEST, MISSED), "", Role.BUILDER),
        ((Reason.NO_RECORDS,), "builder", Role.BUILDER),
    ],
)
def test_a_criterion_that_was_left_unanswered_goes_to_whoever_owed_the_answer(
    reasons: tuple[Reason | None, ...], command: str, role: Role
) -> None:
    told = Told("full")
    told.walk(until=Verify)
    judged(told, *reasons, command=command)
    assert told.next() == Block(role)


@pytest.fixture
def unasked(tmp_path: Path) -> Iterator[str]:
    """A language with a profile and no worker."""
    toy = Path(__file__).parent.parent / "languages" / "toy" / "language" / "calc.toml"
    shutil.copy(toy, tmp_path / "calc.toml")
    add_languages(tmp_path)
    language.cache_clear()
    yield "calc"
    profile._FURTHER.clear()
    load_profile.cache_clear()
    language.cache_clear()


def test_where_a_language_turns_out_to_have_no_judge_another_workflow_is_asked_for(unasked: str) -> None:
    told = Told("full")
    told.view.profile = unasked
    told.walk(until=Ask)
    assert told.next() == Ask("workflow")
    why = "workflow full judges frozen criteria, which Calc packages cannot answer yet"
    assert reasons(told) == [why]
    run = SimpleNamespace(view=told.view)
    asked = compose(run, "workflow")  # type: ignore[arg-type]
    assert asked.text.startswith("Workflow full judges frozen criteria, which Calc") and asked.default is None
    offered = [option.label for option in asked.options]
    assert offered == ["docs", "validate", "review", "quick-fix"]
    told.tell(asked, e.QuestionAnswered(question=asked.question, choice=3, by="prompt"))
    told.plan = plan_for(workflow("quick-fix"))
    assert told.view.workflow == "quick-fix" and told.next() != Ask("workflow")


@pytest.mark.parametrize(("name", "profile"), [("full", "julia"), ("full", "r"), ("validate", "go")])
def test_what_a_language_can_do_is_not_asked_about(name: str, profile: str) -> None:
    told = Told(name)
    told.view.profile = profile
    told.walk(until=State.NEW)
    assert told.next() == Enter(State.NEW)


def test_where_the_language_is_known_only_what_it_can_do_is_offered(unasked: str) -> None:
    told = Told("full")
    told.view.workflow, told.view.profile = None, unasked
    asked = compose(SimpleNamespace(view=told.view), "workflow")  # type: ignore[arg-type]
    assert "full" not in [option.label for option in asked.options] and asked.options


def test_what_was_refused_is_said_beside_what_is_missing() -> None:
    refused = ["test-spec.md: larger than 2097152 bytes, or not a plain file"]
    problems = ["test-spec.md is missing"]
    said = why_nothing_is_taken(problems, refused)
    assert said == "not taken: test-spec.md: larger than 2097152 bytes, or not a plain file; test-spec.md is missing"
    assert why_nothing_is_taken(problems, ()) == "test-spec.md is missing"
    outside = why_nothing_is_taken((), ["src/a.py: outside the role's surface"])
    assert outside == "it wrote outside its surface: src/a.py: outside the role's surface"
