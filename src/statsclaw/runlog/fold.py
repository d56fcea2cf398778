"""The state of a run, as a fold of its log and of nothing else."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from types import MappingProxyType
from typing import Literal

from statsclaw.errors import GateClosed
from statsclaw.runlog import events as e
from statsclaw.runlog.chain import Record
from statsclaw.states import MAX_ATTEMPTS, NEXT, PHASES, VERDICTS, Signal, State

DispatchStatus = Literal["running", "paused", "finished", "failed", "signalled", "interrupted", "withdrawn"]

#: A dispatch that has not come to an end of its own.
_UNDER_WAY = ("running", "paused", "interrupted", "withdrawn")

Ending = e.DispatchFinished | e.DispatchFailed | e.SignalRaised | e.IsolationBreached

#: Signals are counted per (signal, cause); a dispatch of which nothing could be taken is counted the same way.
FAILED = "FAILED"

#: The answers to an escalation, in the order in which they are offered.
TRY_AGAIN, STOP_RUN, ACCEPT = 0, 1, 2

#: Scopes of a budget: all of a run, or each of its dispatches; any other is a role.
WHOLE_RUN, EACH_DISPATCH = "", "dispatch"

#: A lint of the specifications that keeps coming back may be accepted by the person, finding by finding.
CONTRACT = "contract"


@dataclass(slots=True)
class DispatchView:
    id: str
    role: str
    attempt: int
    backend: str
    started: e.DispatchStarted
    started_at: datetime
    status: DispatchStatus = "running"
    elapsed_s: float = 0.0
    usage: e.Usage = field(default_factory=e.Usage)
    finished: e.DispatchFinished | None = None
    reason: str = ""
    transcript_sha256: str | None = None
    closed: e.SandboxClosed | None = None
    paused: e.DispatchPaused | None = None
    went_on_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Live:
    """What a dispatch that is at work has spent and the log does not know yet."""

    usage: e.Usage
    seconds: float


@dataclass(frozen=True, slots=True)
class Overdrawn:
    """A budget that is used up: by what name more of it is granted, and how much was spent of it."""

    key: str
    spent: str


@dataclass(frozen=True, slots=True)
class WorkOrder:
    """Why a role is sent to work again: in words for the role, and as facts that do not depend on the wording.

    `signal`: what sent it back, where it was no answer of the person; `seq`: when.
    """

    text: str
    about: tuple[str, ...]
    signal: e.SignalRaised | None = None
    seq: int = 0


@dataclass(frozen=True, slots=True)
class Artifact:
    name: str
    sha256: str
    producer: str
    seq: int


@dataclass(slots=True)
class Question:
    asked: e.QuestionAsked
    answer: e.QuestionAnswered | None = None
    answered_at: int = 0
    withdrawn: str = ""

    @property
    def answer_text(self) -> str:
        if self.answer is None:
            return self.withdrawn
        chosen = self.asked.options[self.answer.choice].label if self.answer.choice is not None else ""
        return " — ".join(part for part in (chosen, self.answer.text) if part)


@dataclass(frozen=True, slots=True)
class Escalation:
    """A signal or failure that came back too often, or a HOLD: the person has to be asked."""

    topic: Literal["hold", "escalation", "breach"]
    role: str
    cause: str
    text: str
    options: tuple[e.Option, ...] = ()
    default: int | None = None


@dataclass
class RunView:
    """Read it, never write it; only `apply` does."""

    created: e.RunCreated | None = None
    workflow: str | None = None
    profile: str | None = None
    state: State | None = None
    states: list[tuple[e.StateEntered, datetime]] = field(default_factory=list)
    dispatches: dict[str, DispatchView] = field(default_factory=dict)
    accepted: dict[str, int] = field(default_factory=dict)
    orders: dict[str, WorkOrder] = field(default_factory=dict)
    remarks: dict[str, WorkOrder] = field(default_factory=dict)
    attempts: Counter[tuple[str, str]] = field(default_factory=Counter)
    signals: list[tuple[e.SignalRaised, int]] = field(default_factory=list)
    withdrawals: list[e.OrderWithdrawn] = field(default_factory=list)
    breaches: list[e.IsolationBreached] = field(default_factory=list)
    revealed: list[e.ChannelOpened] = field(default_factory=list)
    escalations: list[Escalation] = field(default_factory=list)
    questions: dict[str, Question] = field(default_factory=dict)
    artifacts: dict[str, Artifact] = field(default_factory=dict)
    overlay: dict[str, e.FileChange] = field(default_factory=dict)
    understood: e.ComprehensionChecked | None = None
    readings: e.ReadingsCompared | None = None
    readings_settled: set[tuple[str, str]] = field(default_factory=set)
    checked: e.ContractChecked | None = None
    overrides: dict[tuple[str, str], e.FindingOverridden] = field(default_factory=dict)
    frozen: dict[str, str] = field(default_factory=dict)
    amendments: list[tuple[e.SpecAmended, int]] = field(default_factory=list)
    suite: e.SuiteChecked | None = None
    suite_at: int = 0
    judged: dict[tuple[str, str], e.CriteriaJudged] = field(default_factory=dict)
    reviewed: e.ReviewComputed | None = None
    reviewed_at: int = 0
    blocks: Counter[str] = field(default_factory=Counter)
    evidence: dict[tuple[str, str, str, str], e.CommandExecuted] = field(default_factory=dict)
    verified: dict[str, e.VerificationFinished] = field(default_factory=dict)
    verified_at: dict[str, int] = field(default_factory=dict)
    commit: e.CommitPrepared | None = None
    pushed: e.Pushed | None = None
    synced: e.WorkspaceSynced | None = None
    finished: e.RunFinished | None = None
    stop_requested: bool = False
    replications: int | None = None
    budgets: dict[str, e.BudgetSet] = field(default_factory=dict)
    granted: dict[str, Live] = field(default_factory=dict)
    review_verdict: str = ""
    abandoned: list[DispatchView] = field(default_factory=list)
    missing: tuple[str, ...] = ()
    created_at: datetime | None = None
    last_at: datetime | None = None
    seq: int = 0
    resumed: int = 0
    named: set[str] = field(default_factory=set)

    # --- what can be asked of a run -----------------------------------------------------------------------------

    @property
    def head(self) -> e.RunCreated:
        if self.created is None:
            raise GateClosed("the run", ("its log has no first event",))
        return self.created

    @property
    def open_questions(self) -> list[e.QuestionAsked]:
        return [row.asked for row in self.questions.values() if row.answer is None and not row.withdrawn]

    @property
    def running(self) -> list[DispatchView]:
        return [dispatch for dispatch in self.dispatches.values() if dispatch.status == "running"]

    @property
    def usage(self) -> e.Usage:
        return sum((dispatch.usage for dispatch in self.all_work), start=self.usage_of_reading)

    @property
    def usage_of_reading(self) -> e.Usage:
        """What it cost to have a model read the directive, before there was a run."""
        routing = self.created.routing if self.created else None
        return routing.by_model.usage if routing and routing.by_model else e.Usage()

    @property
    def all_work(self) -> list[DispatchView]:
        """What was begun and given up, too: it was paid for."""
        return [*self.abandoned, *self.dispatches.values()]

    @property
    def paused(self) -> list[DispatchView]:
        return [dispatch for dispatch in self.dispatches.values() if dispatch.status == "paused"]

    def over_budget(
        self, dispatch: str, role: str, live: Mapping[str, Live] = MappingProxyType({})
    ) -> Overdrawn | None:
        """Which budget forbids that a role goes on with a dispatch. `live`: what was spent since the log knows of it.

        Each counts from the last time the person granted it; that of a dispatch by dispatch.
        """
        for scope, key in ((WHOLE_RUN, WHOLE_RUN), (role, role), (EACH_DISPATCH, dispatch)):
            if (budget := self.budgets.get(scope)) is not None:
                used, before = self._used(key, live), self.granted.get(key, Live(e.Usage(), 0.0))
                if spent := budget.spent(used.usage - before.usage, used.seconds - before.seconds):
                    return Overdrawn(key, spent)
        return None

    def _used(self, key: str, live: Mapping[str, Live] = MappingProxyType({})) -> Live:
        """By the whole run, a role or a dispatch."""
        rows = [row for name, row in self.dispatches.items() if key in (WHOLE_RUN, row.role, name)]
        given_up = [row for row in self.abandoned if key in (WHOLE_RUN, row.role)]
        begun = self.usage_of_reading if key == WHOLE_RUN else e.Usage()
        used = sum((row.usage for row in (*given_up, *rows)), start=begun)
        seconds = sum(row.elapsed_s for row in (*given_up, *rows))
        for more in (live[row.id] for row in rows if row.id in live):
            used, seconds = used + more.usage, seconds + more.seconds
        return Live(used, seconds)

    @property
    def tree_sha256(self) -> str:
        """Names the repository as it stands: the base commit and every file taken since."""
        lines = [self.head.base_commit or "empty"]
        lines += [f"{c.path}\0{c.sha256}\0{c.executable}" for _, c in sorted(self.overlay.items())]
        return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def ship_authorised(self) -> bool | None:
        """True or False as the person decided about what would be pushed now; None while nobody was asked."""
        for question in self.questions.values():
            asked = question.asked
            if asked.topic == "ship" and question.answer is not None and asked.cause == self.ship_basis:
                return question.answer.choice == 0
        return None

    @property
    def ship_basis(self) -> str:
        """Names what a permission to push is about: the tree, and what it was judged by."""
        return _digest([self.tree_sha256, sorted(self.frozen.items())])

    @property
    def judges_sha256(self) -> str:
        """Names the tests, the study and the specifications they are written for."""
        files: dict[str, str | None] = {}
        for dispatch in self.dispatches.values():
            if dispatch.role in ("tester", "simulator") and dispatch.finished:
                files.update({change.path: change.sha256 for change in dispatch.finished.files})
        return _digest([sorted(files.items()), sorted(self.frozen.items())])

    @property
    def review_basis(self) -> str:
        """Names everything that the checks of a review look at."""
        documents = {
            n: a.sha256 for n, a in self.artifacts.items() if n not in ("checks.md", "review.md", "shipper.md")
        }
        return _digest([self.tree_sha256, sorted(documents.items()), sorted(self.overrides), len(self.breaches)])

    @property
    def verdict(self) -> str:
        """Of the review: what was computed, or what the reviewer says, whichever is worse."""
        said = [v for v in (self.review_verdict, self.reviewed.verdict if self.reviewed else "") if v]
        return max(said, key=VERDICTS.index) if said and self.review_verdict else ""

    def work_order(self, role: str) -> WorkOrder | None:
        """Why `role` is sent to work again: what was sent back, and what has happened to it since."""
        parts = [order for order in (self.orders.get(role), self.remarks.get(role)) if order]
        if not parts:
            return None
        return WorkOrder("\n".join(o.text for o in parts), tuple(a for o in parts for a in o.about))

    def attempt_number(self, role: str) -> int:
        """Which attempt a dispatch of `role` now would be; an interrupted one did not count."""
        done = [d for d in self.dispatches.values() if d.role == role and d.status not in _UNDER_WAY]
        return len(done) + 1

    def answers_for(self, role: str) -> list[Question]:
        """What the person told `role`. What was found about a role, or about a criterion, is not for the role."""
        not_told = ("breach", "criterion")
        found = [q for q in self.questions.values() if q.answer and q.asked.about == role]
        return [q for q in found if q.asked.topic not in not_told]

    def evidence_for(self, tree_sha256: str, subject: str = "after") -> list[e.CommandExecuted]:
        """Of one tree, in the order of the phases."""
        found = [c for c in self.evidence.values() if c.tree_sha256 == tree_sha256 and c.subject == subject]
        return sorted(found, key=lambda c: PHASES.index(c.phase) if c.phase in PHASES else len(PHASES))

    def artifact(self, name: str) -> Artifact | None:
        return self.artifacts.get(name)

    # --- the fold -----------------------------------------------------------------------------------------------

    def check(self, record: Record) -> None:
        """Refuse a step that is not in the table, before it is written."""
        if isinstance(record.event, e.StateEntered) and NEXT.get(self.state) is not record.event.state:
            raise GateClosed(record.event.state, (f"it does not follow {self.state or 'the start'}",))
        if self.finished is not None and not isinstance(record.event, e.RunResumed | e.LogRepaired):
            raise GateClosed("the run", ("it is finished",))

    def apply(self, record: Record) -> None:
        self.check(record)
        self.seq, self.last_at = record.seq, record.at
        self.named |= named_in(record.event)
        match record.event:
            case e.RunCreated() as event:
                self.created, self.created_at = event, record.at
                self.workflow, self.profile = event.workflow, event.profile
            case e.StateEntered() as event:
                self.state, self.missing = event.state, ()
                self.states.append((event, record.at))
            case e.GateChecked() as event:
                self.missing = event.blockers
            case e.ArtifactWritten() as event:
                self.artifacts[event.name] = Artifact(event.name, event.sha256, "engine", record.seq)
            case e.ComprehensionChecked() as event:
                self.understood = event
            case e.ReadingsCompared() as event:
                self.readings = event
            case e.ContractChecked() as event:
                self.checked = event
            case e.FindingOverridden() as event:
                self.overrides[event.key, event.message] = event
            case e.SpecFrozen() as event:
                self.frozen = dict(event.specs)
            case e.SpecAmended() as event:
                self._apply_amendment(event, record.seq)
            case e.SuiteChecked() as event:
                self.suite, self.suite_at = event, record.seq
                self.overlay.update({change.path: change for change in event.files})
            case e.CriteriaJudged() as event:
                self.judged[event.tree_sha256, event.subject] = event
            case e.ReviewComputed() as event:
                self.reviewed, self.reviewed_at = event, record.seq
            case e.CommandExecuted() as event:
                self.evidence[event.tree_sha256, event.subject, event.phase, event.name] = event
            case e.VerificationFinished() as event:
                self.verified[event.tree_sha256] = event
                self.verified_at[event.tree_sha256] = record.seq
            case e.CommitPrepared() as event:
                self.commit = event
            case e.Pushed() as event:
                self.pushed = event
            case e.WorkspaceSynced() as event:
                self.synced = event
            case e.RunFinished() as event:
                self.finished = event
            case e.RunResumed():
                self.resumed += 1
            case e.LogRepaired():
                pass
            case e.QuestionAsked() | e.QuestionAnswered() as event:
                self._apply_question(event)
            case _:
                self._apply_dispatch(record)

    def _apply_amendment(self, event: e.SpecAmended, seq: int) -> None:
        """The document under its name is another one from now on, and so is what was frozen of it."""
        old = self.artifacts[event.document]
        self.artifacts[event.document] = Artifact(event.document, event.after_sha256, old.producer, seq)
        if event.document in self.frozen:
            self.frozen[event.document] = event.after_sha256
        if self.checked is not None:  # with errors it is looked at again; else what was found before stands
            errors = [f for f in self.checked.findings if f.severity == "error" and not self.stands(f)]
            self.checked = None if errors else self.checked.model_copy(update={"specs": dict(self.frozen)})
        self.amendments.append((event, seq))

    def _apply_dispatch(self, record: Record) -> None:
        match record.event:
            case e.DispatchStarted() as event:
                self.dispatches[event.dispatch] = DispatchView(
                    event.dispatch, event.role, event.attempt, event.backend, event, record.at
                )
            case e.DispatchFinished() as event:
                dispatch = self._close(event, "finished")
                dispatch.finished = event
                self.accepted[event.role] = record.seq
                self.review_verdict = event.verdict or self.review_verdict
                self.orders.pop(event.role, None)
                self.remarks.pop(event.role, None)
                self.overlay.update({change.path: change for change in event.files})
                for name, digest in event.artifacts.items():
                    self.artifacts[name] = Artifact(name, digest, event.role, record.seq)
            case e.DispatchFailed() as event:
                self._close(event, "failed").reason = event.reason
                told = f"Your last attempt could not be taken: {event.reason}"
                self.remarks[event.role] = WorkOrder(told, (FAILED,))
                self._count(FAILED, event.role, event.role, told)
            case e.DispatchPaused() as event:
                dispatch = self.dispatches[event.dispatch]
                dispatch.status, dispatch.paused, dispatch.reason = "paused", event, event.reason
                dispatch.usage, dispatch.elapsed_s = event.usage, event.elapsed_s
                dispatch.transcript_sha256 = event.transcript_sha256
            case e.DispatchResumed() as event:
                dispatch = self.dispatches[event.dispatch]
                dispatch.status, dispatch.reason, dispatch.went_on_at = "running", "", record.at
            case e.DispatchInterrupted() as event:
                self._give_up(event.dispatch, "interrupted")
            case e.OrderWithdrawn() as event:
                self._apply_withdrawal(event)
            case e.SandboxClosed() as event:
                self.dispatches[event.dispatch].closed = event
            case e.IsolationBreached() as event:
                self._close(event, "failed").reason = "isolation breached"
                self.breaches.append(event)
                self.remarks[event.role] = WorkOrder("Your last attempt could not be taken.", (FAILED,))
                self.escalations.append(
                    Escalation("breach", event.role, f"BREACH/{event.dispatch}", breach_text(event))
                )
            case e.BudgetSet() as event:
                self.budgets[event.scope] = event
                renewed = [event.scope] if event.scope != EACH_DISPATCH else list(self.dispatches)
                for name in renewed:
                    self.granted.pop(name, None)
                for question in self.questions.values():  # if it is spent as well, that is another question
                    if question.asked.topic == "budget" and not question.answer and question.asked.cause in renewed:
                        question.withdrawn = "another budget was set"
            case e.StudyShortened() as event:
                self.replications = event.replications
            case e.ChannelOpened() as event:
                self.revealed.append(event)
                self.remarks[event.role] = WorkOrder(event.message, (event.message,))
            case e.SignalRaised() as event:
                self._apply_signal(event, record.seq)

    def _close(
        self,
        event: e.DispatchFinished | e.DispatchFailed | e.SignalRaised | e.IsolationBreached,
        status: DispatchStatus,
    ) -> DispatchView:
        dispatch = self.dispatches[event.dispatch or ""]
        dispatch.status, dispatch.elapsed_s, dispatch.usage = status, event.elapsed_s, event.usage
        dispatch.transcript_sha256 = event.transcript_sha256
        return dispatch

    def _give_up(self, name: str, status: DispatchStatus) -> None:
        """The attempt does not count; what it has spent does."""
        dispatch = self.dispatches[name]
        dispatch.status = status
        if dispatch.elapsed_s:  # it rested before: what it did then is known, and will not come again
            self.abandoned.append(replace(dispatch))
        dispatch.usage, dispatch.elapsed_s = e.Usage(), 0.0
        self.granted.pop(dispatch.id, None)

    def _apply_withdrawal(self, event: e.OrderWithdrawn) -> None:
        """The role is not asked any more, nor the person about it; what comes back later is counted anew."""
        if event.dispatch:
            self._give_up(event.dispatch, "withdrawn")
            self.dispatches[event.dispatch].reason = event.reason
        self.withdrawals.append(event)
        self.orders.pop(event.role, None)
        self.remarks.pop(event.role, None)
        self.attempts.pop((event.signal, event.cause), None)
        self.attempts.pop((FAILED, event.role), None)
        self.escalations = [due for due in self.escalations if due.role != event.role or due.topic == "breach"]
        for question in self.questions.values():
            asked = question.asked
            if asked.topic in ("hold", "escalation") and asked.about == event.role and question.answer is None:
                question.withdrawn = event.reason

    def _apply_signal(self, event: e.SignalRaised, seq: int) -> None:
        self.signals.append((event, seq))
        if event.dispatch:
            self._close(event, "signalled").reason = f"{event.signal}: {event.message}"
        for name, digest in event.artifacts.items():
            self.artifacts[name] = Artifact(name, digest, event.raised_by, seq)
        if event.signal is Signal.HOLD and self.attempts[event.signal, event.cause] < MAX_ATTEMPTS:
            self.attempts[event.signal, event.cause] += 1
            self.escalations.append(
                Escalation("hold", event.raised_by, event.cause, event.message, event.options, event.default)
            )
        else:
            told = event.message if event.told is None else event.told
            self.orders[event.route_to] = WorkOrder(told, event.about or (event.message,), event, seq)
            if event.raised_by == "verification":
                self.blocks[event.route_to] += 1
            self._count(event.signal, event.cause, event.route_to, event.message)

    def _count(self, signal: str, cause: str, role: str, message: str) -> None:
        """Three retries, then the person."""
        self.attempts[signal, cause] += 1
        if self.attempts[signal, cause] > MAX_ATTEMPTS:
            self.escalations.append(Escalation("escalation", role, f"{signal}/{cause}", message))

    def _apply_question(self, event: e.QuestionAsked | e.QuestionAnswered) -> None:
        if isinstance(event, e.QuestionAsked):
            self.questions[event.question] = Question(event)
            if event.topic in ("hold", "escalation", "breach"):
                self.escalations.pop(0)
            return
        question = self.questions[event.question]
        question.answer, question.answered_at = event, self.seq
        asked = question.asked
        if asked.topic == "workflow" and event.choice is not None:
            self.workflow = asked.options[event.choice].label
        elif asked.topic == "profile" and event.choice is not None:
            self.profile = asked.options[event.choice].label
        elif asked.topic == "hold":
            self.remarks[asked.about] = WorkOrder("The person answered your question.", ())
        elif asked.topic in ("choice", "comprehension", "readings", "refreeze", "criterion"):
            self._apply_understanding(asked, event)
        elif asked.topic in ("escalation", "breach", "budget", "model") and event.choice == STOP_RUN:
            self.stop_requested = True
        elif asked.topic == "budget":
            self.granted[asked.cause] = self._used(asked.cause)
        elif asked.topic == "model":
            rests = self.dispatches[asked.cause]
            if rests.paused is not None:
                rests.paused = rests.paused.model_copy(update={"until": self.last_at})
        elif asked.topic == "escalation" and event.choice == ACCEPT and self.checked is not None:
            why = event.text or "accepted as it is"
            for finding in self.checked.findings:
                if finding.severity == "error" and not self.stands(finding):
                    over = e.FindingOverridden(key=finding.key, message=finding.message, why=why)
                    self.overrides[finding.key, finding.message] = over
            self.orders.pop(asked.about, None)
        elif asked.topic == "escalation":
            signal, _, cause = asked.cause.partition("/")
            self.attempts[signal, cause] = 1  # the attempt that follows is the first of three
            if event.text:
                self.remarks[asked.about] = WorkOrder(f"The person says: {event.text}", (event.text,))

    def _apply_understanding(self, asked: e.QuestionAsked, answer: e.QuestionAnswered) -> None:
        """What the person says about a reading: settled, or an order to the planner."""
        said = f" The person says: {answer.text}" if answer.text else ""
        if asked.topic == "choice":
            waiting = [q for q in self.open_questions if q.topic == "choice"]
            if not waiting and (left := self.open_choices):
                told = "The person has decided what your comprehension left open."
                if turned := [choice.id for choice in left if choice.assumed]:
                    told += (
                        f" What you assumed or decided yourself is the person's choice now: write it as one "
                        f"({', '.join(turned)}; decided_by: person), as it was decided."
                    )
                self.orders["planner"] = WorkOrder(told + said, ("choices",))
        elif asked.topic == "readings" and answer.choice == 0:
            first, _, second = asked.cause.partition("/")
            self.readings_settled.add((first, second))
        elif asked.topic == "criterion":
            if answer.choice == STOP_RUN:
                self.stop_requested = True
        elif asked.topic == "readings" or answer.choice != 0:
            told = f"{asked.text}\nThe person did not accept your reading.{said}"
            self.orders["planner"] = WorkOrder(told, (asked.topic, answer.text))

    @property
    def open_choices(self) -> list[e.OpenChoice]:
        """What the comprehension leaves to the person, without assumptions that the person has let stand."""
        return [
            choice
            for choice in (self.understood.choices if self.understood else ())
            if not self._stands_assumed(choice)
        ]

    def _stands_assumed(self, choice: e.OpenChoice) -> bool:
        """It was put to the person in the same words, whatever has been computed since."""
        return choice.assumed and any(
            question.asked.topic == "choice"
            and question.asked.cause.rpartition("/")[2] == choice.id
            and [option.label for option in question.asked.options] == [option.label for option in choice.options]
            and question.answer is not None
            and question.answer.choice == choice.default
            for question in self.questions.values()
        )

    def approved(self, sha256: str) -> e.QuestionAnswered | None:
        """The approval of exactly this document, if somebody gave it."""
        for question in self.questions.values():
            asked, answer = question.asked, question.answer
            if asked.topic == "comprehension" and asked.cause == sha256 and answer is not None and answer.choice == 0:
                return answer
        return None

    def stands(self, finding: e.Finding) -> bool:
        """A person lets exactly this finding stand; one under the same name that says more is another."""
        return (finding.key, finding.message) in self.overrides

    def refreeze_approved(self, specs: dict[str, str]) -> e.QuestionAnswered | None:
        """A person has agreed to judge by these documents instead of those that were frozen."""
        for question in self.questions.values():
            asked, answer = question.asked, question.answer
            agreed = answer is not None and answer.choice == 0
            if asked.topic == "refreeze" and asked.cause == specs_digest(specs) and agreed:
                return answer
        return None

    def changed_at(self, document: str) -> int:
        """When a person last amended a document; 0 if nobody did."""
        return max((seq for event, seq in self.amendments if event.document == document), default=0)


def specs_digest(specs: dict[str, str]) -> str:
    return _digest(sorted(specs.items()))


def _digest(parts: object) -> str:
    return hashlib.sha256(json.dumps(parts).encode("utf-8", "surrogatepass")).hexdigest()


def breach_text(event: e.IsolationBreached) -> str:
    """What the person is told; the role is told nothing of it."""
    rows = [f"{t.where}: {t.sign} of {t.of}: {t.evidence}" for t in event.traces if t.severity == "breach"]
    more = f" (and {len(rows) - 3} more)" if len(rows) > 3 else ""
    return f"The {event.role} handed in what it could not know. {'; '.join(rows[:3])}{more}"


def named_in(event: e.Event) -> set[str]:
    """The hash of everything in the store that an event names."""
    match event:
        case e.RunCreated():
            found = {source.sha256 for source in event.sources} | {event.previous_handoff_sha256}
        case e.DispatchStarted():
            found = {event.prompt_sha256, event.sandbox.repository_sha256 if event.sandbox else None}
        case e.DispatchFinished():
            found = {*event.artifacts.values(), event.transcript_sha256, *(change.sha256 for change in event.files)}
        case e.DispatchPaused() | e.DispatchFailed() | e.IsolationBreached():
            found = {event.transcript_sha256}
        case e.SignalRaised():
            found = {*event.artifacts.values(), event.transcript_sha256}
        case e.ArtifactWritten():
            found = {event.sha256}
        case e.SpecAmended():
            found = {event.before_sha256, event.after_sha256}
        case e.SuiteChecked():
            found = {change.sha256 for change in event.files}
        case e.CommandExecuted():
            found = {event.output_sha256, event.records_sha256}
        case _:
            found = set()
    return {digest for digest in found if digest}
