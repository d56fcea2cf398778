"""The state of a run: what its log says, and what follows from it. Nothing here changes it."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import assert_never

from statsclaw.errors import GateClosed
from statsclaw.runlog import events as e
from statsclaw.runlog.causes import CauseKind, ChoiceLeft, ReadingPair
from statsclaw.runlog.fold.run_rows import (
    EACH_DISPATCH,
    WHOLE_RUN,
    Artifact,
    DispatchView,
    Escalation,
    Live,
    Overdrawn,
    Question,
    WorkOrder,
)
from statsclaw.runlog.replies import Reply
from statsclaw.states import PHASES, VERDICTS, State

#: A dispatch that has not come to an end of its own.
_UNDER_WAY = ("running", "paused", "interrupted", "withdrawn")


@dataclass
class RunState:
    """Read it, never write it; only the fold does."""

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
    readings_settled: set[ReadingPair] = field(default_factory=set)
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
                used, before = self.used(key, live), self.granted.get(key, Live(e.Usage(), 0.0))
                if spent := budget.spent(used.usage - before.usage, used.seconds - before.seconds):
                    return Overdrawn(key, spent)
        return None

    def used(self, key: str, live: Mapping[str, Live] = MappingProxyType({})) -> Live:
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
                return question.reply is Reply.PUSH
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
        return sorted(found, key=lambda c: PHASES.index(c.phase))

    def artifact(self, name: str) -> Artifact | None:
        return self.artifacts.get(name)

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
            name == choice.id
            and [option.label for option in question.asked.options] == [option.label for option in choice.options]
            and question.answer is not None
            and question.answer.choice == choice.default
            for name, question in self.answered_choices
        )

    @property
    def answered_choices(self) -> list[tuple[str, Question]]:
        """What the comprehension left open and the person has answered, by the name of the choice."""
        return [
            (ChoiceLeft.parse(question.asked.cause).choice, question)
            for question in self.questions.values()
            if question.asked.topic == "choice" and question.answer is not None
        ]

    def approved(self, sha256: str) -> e.QuestionAnswered | None:
        """The approval of exactly this document, if somebody gave it."""
        for question in self.questions.values():
            if (question.asked.topic, question.asked.cause, question.reply) == ("comprehension", sha256, Reply.APPROVE):
                return question.answer
        return None

    def stands(self, finding: e.Finding) -> bool:
        """A person lets exactly this finding stand; one under the same name that says more is another."""
        return (finding.key, finding.message) in self.overrides

    def refreeze_approved(self, specs: dict[str, str]) -> e.QuestionAnswered | None:
        """A person has agreed to judge by these documents instead of those that were frozen."""
        for question in self.questions.values():
            asked = question.asked
            if (asked.topic, asked.cause, question.reply) == ("refreeze", specs_digest(specs), Reply.AGREE):
                return question.answer
        return None

    def findings_of(self, check: CauseKind) -> tuple[e.Finding, ...]:
        """What one of the engine's own checks found last; verification and roles have no findings."""
        match check:
            case CauseKind.CONTRACT:
                return self.checked.findings if self.checked else ()
            case CauseKind.SUITE:
                return self.suite.findings if self.suite else ()
            case CauseKind.REVIEW:
                return self.reviewed.findings if self.reviewed else ()
            case CauseKind.PHASE | CauseKind.CRITERIA | CauseKind.ROLE:
                return ()
            case _:
                assert_never(check)

    def changed_at(self, document: str) -> int:
        """When a person last amended a document; 0 if nobody did."""
        return max((seq for event, seq in self.amendments if event.document == document), default=0)


def specs_digest(specs: dict[str, str]) -> str:
    return _digest(sorted(specs.items()))


def _digest(parts: object) -> str:
    return hashlib.sha256(json.dumps(parts).encode("utf-8", "surrogatepass")).hexdigest()
