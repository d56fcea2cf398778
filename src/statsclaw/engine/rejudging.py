"""The verdicts of a run, made again from what is stored: answers against expectations, records against bands.

Whoever changes a figure in the log and chains it anew has changed neither the answers nor the records it came from.
Evidence that is gone is a fault like evidence that says something else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import isclose, isnan
from pathlib import Path

import statsclaw
from statsclaw.runlog.events import CaseOutcome, CommandExecuted, CriteriaJudged, Judgement, Observation
from statsclaw.runlog.fold import RunView
from statsclaw.runlog.store import ContentStore, sha256
from statsclaw.specs.blocks import Malformed
from statsclaw.specs.contract import Contract, read_contract
from statsclaw.specs.interface import Interface
from statsclaw.specs.test_spec import TestSpec
from statsclaw.verify.blind.comparing import Judge
from statsclaw.verify.blind.form import Forms
from statsclaw.verify.blind.meaningless import NULLS
from statsclaw.verify.blind.native import native_suite
from statsclaw.verify.blind.questionnaire import Misread, Questionnaire, read_questionnaire
from statsclaw.verify.blind.result import kept, parsed_again
from statsclaw.verify.blind.trying import passing_on_null
from statsclaw.verify.criteria.judge import judge
from statsclaw.verify.criteria.study import settle
from statsclaw.verify.parsers import Parsed
from statsclaw.verify.run_study import recorded


@dataclass
class Again:
    """`verdicts`: how many were made again, by what they are on. `suite`: so was the suite that ships. `faults`: one
    line for each thing in the log that its stored evidence does not give."""

    verdicts: dict[str, int] = field(default_factory=dict)
    suite: bool = False
    faults: list[str] = field(default_factory=list)


def judged_again(view: RunView, store: ContentStore, folder: Path) -> Again:
    """The verdicts on the last tree, on the package as it was and on meaningless answers, and the suite that ships."""
    contract = _contract(view, store)
    found = Again(faults=list(_other_tree(view)))
    if contract is None or contract.tests is None or contract.interface is None:
        found.faults += ["there are verdicts, and no criteria that can be read"] if view.judged else []
        return found
    desk = _Desk(view, store, folder, contract, contract.tests, contract.interface, found)
    for subject in ("after", "before"):
        if desk.is_owed(subject):
            desk.judge(subject)
    if desk.is_owed("after") and (questions := desk.questions_of_the_suite()) is not None:
        desk.judge_null(questions)
        desk.make_suite(questions)
    return found


def _other_tree(view: RunView) -> Iterator[str]:
    if view.pushed is None:
        return
    if view.commit is None or view.commit.tree_sha256 != view.tree_sha256:
        yield "what was pushed is not the tree that the files in the log give"
    elif (verification := view.verified.get(view.tree_sha256)) is None or verification.failed:
        yield "what was pushed did not pass verification"


def _contract(view: RunView, store: ContentStore) -> Contract | None:
    texts = {n: store.get_text(a.sha256) for n, a in view.artifacts.items() if a.producer == "planner"}
    try:
        contract = read_contract(texts)
    except Malformed:
        return None
    wanted = view.replications
    if contract.study is None or wanted is None or wanted >= contract.study.replications:
        return contract
    return replace(contract, study=contract.study.model_copy(update={"replications": wanted, "cap": wanted}))


@dataclass(frozen=True)
class _Desk:
    view: RunView
    store: ContentStore
    folder: Path
    contract: Contract
    tests: TestSpec
    interface: Interface
    found: Again

    @property
    def forms(self) -> Forms:
        return Forms(self.interface, self.view.profile or "")

    def evidence(self, subject: str) -> list[CommandExecuted]:
        return self.view.evidence_for(self.view.tree_sha256, subject)

    def fault(self, text: str) -> None:
        self.found.faults.append(text)

    # --- the package

    def is_owed(self, subject: str) -> bool:
        """Whether there must be verdicts: the last tree was verified by the criteria as they stand."""
        view, tree = self.view, self.view.tree_sha256
        amended = max((seq for _, seq in view.amendments), default=0)
        if tree not in view.verified or view.verified_at[tree] < amended:
            return False
        asked = any(row.phase == "validation" for row in self.evidence(subject))
        return asked or (subject == "after" and not view.verified[tree].failed)

    def judge(self, subject: str) -> None:
        logged = self.view.judged.get((self.view.tree_sha256, subject))
        if logged is None:
            self.fault(f"the verdicts on {_ON[subject]} are gone")
            return
        evidence = [self._made_again(row, subject) for row in self.evidence(subject)]
        if any(row is None for row in evidence):
            return
        rows = [row for row in evidence if row is not None]
        self._compare(logged, self._judgements(rows, subject), subject)

    def _judgements(self, evidence: Sequence[CommandExecuted], subject: str) -> list[Judgement]:
        if subject == "before":
            by_tests = {row.id for row in self.tests.criteria if row.decided_by != "check"}
            return [row for row in judge(self.contract, evidence, None) if row.id in by_tests]
        study = self.contract.study
        records = recorded(self.store, evidence, study) if study else None
        planned = self.view.judged[self.view.tree_sha256, "after"].judgements
        wanted = next((row.planned for row in planned if row.planned is not None), None)
        return settle(judge(self.contract, evidence, records), wanted)

    def _made_again(self, row: CommandExecuted, subject: str) -> CommandExecuted | None:
        """A command as its stored answers give it; itself where it kept none, None where they are not there."""
        if row.phase != "validation" or row.name not in _KEPT or (row.name == "ask" and not row.passed):
            return row
        data = kept(self.folder, row.kept_sha256)
        if data is None:
            self.fault(f"the stored {_KEPT[row.name]} of {_ON[subject]} are gone or cannot be read")
            return None
        if row.name == "ask":
            return row
        asked = next((other for other in self.evidence(subject) if other.name == "ask"), None)
        questions = kept(self.folder, asked.kept_sha256) if asked else None
        try:
            made = parsed_again(self.tests, self.forms, questions or b"", data)
        except Misread as misread:
            self.fault(str(misread))
            return None
        if not _alike(_figures(made.observations), _figures(row.observations)):
            self.fault("what the log says was observed is not what the stored answers give")
        if _tests(made) != _tests_of(row):
            self.fault("the tests in the log are not those that the stored answers give")
        return row.model_copy(update={"observations": made.observations, "tests": made.tests, "passed": made.passed})

    def _compare(self, logged: CriteriaJudged, made: Sequence[Judgement], subject: str) -> None:
        by_id = {row.id: row for row in made}
        if [row.id for row in logged.judgements] != [row.id for row in made]:
            self.fault(f"the verdicts on {_ON[subject]} are not one for each frozen criterion")
        for row in logged.judgements:
            if row.id in by_id and not _alike(_decided(row), _decided(by_id[row.id])):
                said = f"{row.id} is {_in_words(row)} in the log, and {_in_words(by_id[row.id])} by the stored evidence"
                self.fault(said if subject == "after" else f"{said}, of {_ON[subject]}")
        self.found.verdicts[_ON[subject]] = len(made)

    # --- the questions

    def questions_of_the_suite(self) -> Questionnaire | None:
        """The questions as they were looked at; None where those that are stored were asked with another seed.

        What follows from them is compared by the version that made it: another may write it otherwise.
        """
        view = self.view
        checked = view.suite is not None and not any(row.severity == "error" for row in view.suite.findings)
        later = [seq for row, seq in view.signals if row.raised_by == "verification"] + [n for _, n in view.amendments]
        asked = next((row for row in self.evidence("after") if row.name == "ask" and row.passed), None)
        same_version = view.head.statsclaw_version == statsclaw.__version__
        if not checked or max(later, default=0) > view.suite_at or asked is None or not same_version:
            return None
        try:
            return read_questionnaire(kept(self.folder, asked.kept_sha256) or b"")
        except Misread:
            return None

    def judge_null(self, questions: Questionnaire) -> None:
        """Meaningless answers, once more; criteria that code decides which sees answers are left out."""
        logged = [event for (_, subject), event in self.view.judged.items() if subject == "null"]
        if not logged:
            self.fault("the verdicts on meaningless answers are gone")
            return
        seeing = {claim.criterion for claim in questions.claims if claim.kind != "blind"}
        blind = replace(questions, claims=tuple(row for row in questions.claims if row.criterion not in seeing))
        criteria = {row.id: row for row in self.tests.criteria}
        made = passing_on_null(blind, self.tests, Judge(criteria, blind.calls, self.forms), self.forms, _nobody)
        rows = {row.id: row.verdict for row in logged[-1].judgements}
        for name, kinds in made.items():
            verdict = "PASS" if len(kinds) == len(NULLS) else "FAIL"
            if rows.get(name) != verdict:
                self.fault(
                    f"{name} is {rows.get(name, 'nothing')} on meaningless answers in the log, and {verdict} again"
                )
        self.found.verdicts["meaningless answers"] = len(made)

    def make_suite(self, questions: Questionnaire) -> None:
        assert self.view.suite is not None
        logged = {change.path: change.sha256 for change in self.view.suite.files}
        made = native_suite(self.view.profile or "", questions, self.tests, self.interface)
        for path, text in made.items():
            if logged.get(path) != sha256(text.encode()):
                self.fault(f"{path}, which ships, is not what the stored questions give")
        self.found.suite = True


_ON = {"after": "the package as it is", "before": "the package as it was"}
_KEPT = {"ask": "questions", "validation": "answers"}


def _nobody(*_: object) -> None:
    raise AssertionError("a blind claim needs no code that sees answers")


def _figures(rows: Sequence[Observation]) -> list[tuple[object, ...]]:
    return [
        (row.criterion, row.test, row.rule, row.observed, row.expected, row.size, row.held, row.error_class)
        for row in rows
    ]


def _tests(made: Parsed) -> tuple[object, ...]:
    return made.passed, made.summary, 0 if made.passed else 1, [_outcome(row) for row in made.tests]


def _tests_of(row: CommandExecuted) -> tuple[object, ...]:
    return row.passed, row.summary, row.exit_code, [_outcome(test) for test in row.tests]


def _outcome(row: CaseOutcome) -> tuple[object, ...]:
    """Without words of the package: the log holds them without secrets and paths of the machine."""
    return row.name, row.outcome, row.deviation, row.raised_by, row.error_class, row.scenarios


def _decided(row: Judgement) -> tuple[object, ...]:
    return row.verdict, row.literal, row.observed, row.margin, row.mcse


def _in_words(row: Judgement) -> str:
    figures = (("observed", row.observed), ("margin", row.margin), ("mcse", row.mcse))
    said = ", ".join(f"{name} {value:.10g}" for name, value in figures if value is not None)
    return f"{row.verdict} ({said})" if said else str(row.verdict)


ROUNDING = 1e-9
"""Relative. Another processor sums in another order, so a figure made again differs in its last digits; a verdict must
be the same."""


def _alike(one: object, other: object) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return isclose(one, other, rel_tol=ROUNDING, abs_tol=ROUNDING) or (isnan(one) and isnan(other))
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_alike, one, other))
    return one == other
