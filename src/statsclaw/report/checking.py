"""What was checked: the commands that the engine executed, and every frozen criterion with its verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from statsclaw.montecarlo.verdicts.wording import rule_of as study_rule
from statsclaw.report.ledger import Ledger
from statsclaw.report.wording import number
from statsclaw.runlog import events as e
from statsclaw.specs.contract import SIM_SPEC, TEST_SPEC
from statsclaw.specs.sim_spec import StudyCriterion, as_criterion
from statsclaw.specs.test_spec import Criterion

_SUBJECTS: Mapping[str, str] = MappingProxyType(
    {"after": "the result", "before": "the package as it was before", "null": "meaningless answers"}
)
_TRIED: Mapping[str, str] = MappingProxyType(
    {
        "null": "on meaningless answers",
        "disturbed": "on moved copies of the answers",
        "before": "on the package as it was before",
    }
)


@dataclass(frozen=True, slots=True)
class Executed:
    command: e.CommandExecuted
    at: int

    @property
    def subject(self) -> str:
        return _SUBJECTS[self.command.subject]


@dataclass(frozen=True, slots=True)
class Verification:
    """Everything that was executed on one tree. `verdict_at`: the line that says how it ended, 0 if none does."""

    tree_sha256: str
    rows: tuple[Executed, ...]
    failed: tuple[str, ...] | None
    verdict_at: int


@dataclass(frozen=True, slots=True)
class Judged:
    """A frozen criterion. `judgement`: None while it has not been judged. `evidence_at`: the command that shows it."""

    id: str
    quantity: str
    rule: str
    source: str
    frozen_at: int
    judgement: e.Judgement | None
    judged_at: int
    evidence_at: int

    @property
    def verdict(self) -> str:
        if self.judgement is None:
            return "not judged"
        if self.judgement.counts_as != "OPEN":
            return self.judgement.verdict
        made, planned = self.judgement.replications or 0, self.judgement.planned or 0
        return f"left open: {made:,} of {planned:,} replications"

    @property
    def kind(self) -> str:
        """good, bad or open: what the run goes by."""
        if self.judgement is None:
            return "open"
        return {"PASS": "good", "FAIL": "bad", "OPEN": "open"}[self.judgement.counts_as]


@dataclass(frozen=True, slots=True)
class Tried:
    """How the criteria fared on something that is not the result."""

    where: str
    passed: int
    failed: int
    of: int
    at: int


@dataclass(frozen=True, slots=True)
class Checking:
    """`criteria`: of the tree that was judged last. `bare`: of a study without a contract."""

    verifications: tuple[Verification, ...]
    criteria: tuple[Judged, ...]
    tried: tuple[Tried, ...]
    bare: tuple[tuple[e.Criterion, int], ...]
    in_doubt: str

    @property
    def passed(self) -> int:
        return sum(row.judgement is not None and row.judgement.verdict == "PASS" for row in self.criteria)

    @property
    def judged_at(self) -> int:
        return max((row.judged_at for row in self.criteria), default=0)


def checking_of(ledger: Ledger) -> Checking:
    tree = ledger.judged_tree
    judged_at, judged = ledger.judged
    return Checking(
        verifications=tuple(_verifications(ledger)),
        criteria=tuple(_criteria(ledger, judged, judged_at)),
        tried=tuple(_tried(ledger)),
        bare=tuple(
            (row, seq)
            for seq, event in ledger.each(e.CommandExecuted)
            if event.tree_sha256 == tree and event.subject == "after"
            for row in event.criteria
        ),
        in_doubt=judged.in_doubt if judged else "",
    )


def _verifications(ledger: Ledger) -> list[Verification]:
    rows: dict[str, list[Executed]] = {}
    for seq, event in ledger.each(e.CommandExecuted):
        rows.setdefault(event.tree_sha256, []).append(Executed(event, seq))
    ends = {event.tree_sha256: (event.failed, seq) for seq, event in ledger.each(e.VerificationFinished)}
    return [Verification(tree, tuple(found), *ends.get(tree, (None, 0))) for tree, found in rows.items()]


def _criteria(ledger: Ledger, judged: e.CriteriaJudged | None, judged_at: int) -> list[Judged]:
    """Those that were judged, in the order of the judge; and those of the contract that nobody has judged yet."""
    frozen = _frozen(ledger)
    answers = {row.id: row for row in (judged.judgements if judged else ())}
    shown_by = {
        digest: seq
        for seq, event in _of_tree(ledger, judged)
        for digest in (event.output_sha256, event.records_sha256)
        if digest
    }
    recorded = max((seq for seq, event in _of_tree(ledger, judged) if event.phase == "study"), default=0)
    rows = []
    for name in dict.fromkeys((*answers, *frozen)):
        row, answer = frozen.get(name), answers.get(name)
        evidence = max((shown_by.get(digest, 0) for digest in (answer.evidence if answer else ())), default=0)
        if answer and isinstance(row, StudyCriterion):
            evidence = evidence or recorded
        rows.append(
            Judged(
                id=name,
                quantity=answer.quantity if answer else row.quantity if row else "",
                rule=rule_of(row) if row else answer.rule if answer else "",
                source=row.source if row else "",
                frozen_at=_frozen_at(ledger, row),
                judgement=answer,
                judged_at=judged_at if answer else 0,
                evidence_at=evidence or (judged_at if answer else 0),
            )
        )
    return rows


def _of_tree(ledger: Ledger, judged: e.CriteriaJudged | None) -> list[tuple[int, e.CommandExecuted]]:
    """What was executed on the tree that was judged."""
    found = ledger.each(e.CommandExecuted) if judged else ()
    return [(seq, c) for seq, c in found if judged and c.tree_sha256 == judged.tree_sha256 and c.subject == "after"]


def _frozen(ledger: Ledger) -> dict[str, Criterion | StudyCriterion]:
    tests, study = ledger.contract.tests, ledger.contract.study
    found: dict[str, Criterion | StudyCriterion] = {row.id: row for row in (tests.criteria if tests else ())}
    return found | {row.id: row for row in (study.criteria if study else ())}


def _frozen_at(ledger: Ledger, row: Criterion | StudyCriterion | None) -> int:
    """The line that froze its document, or changed it since; before the freeze the line that it was handed in with."""
    document = SIM_SPEC if isinstance(row, StudyCriterion) else TEST_SPEC
    handed_in = ledger.view.artifact(document)
    return max(ledger.last(e.SpecFrozen), handed_in.seq if handed_in else 0)


def rule_of(row: Criterion | StudyCriterion) -> str:
    """A frozen rule in words, with its bounds."""
    if isinstance(row, StudyCriterion):
        return study_rule(as_criterion(row))
    if row.tolerance is not None:
        tolerance = row.tolerance
        if tolerance.lre is not None:
            return f"{row.rule}: {tolerance.lre:g} digits"
        parts = [("absolute", tolerance.absolute), ("relative", tolerance.relative)]
        return f"{row.rule}: " + (", ".join(f"{name} {size:g}" for name, size in parts if size) or "exactly")
    if row.error is not None:
        return f"{row.rule} {row.error}" + (f": “{row.message}”" if row.message else "")
    if row.low is not None or row.high is not None:
        return _bounds(row.low, row.high)
    return row.rule


def _bounds(low: float | None, high: float | None) -> str:
    if low is not None and high is not None:
        return f"between {low:g} and {high:g}"
    return f"at most {number(high)}" if low is None else f"at least {number(low)}"


def _tried(ledger: Ledger) -> list[Tried]:
    last: dict[str, Tried] = {}
    for seq, event in ledger.each(e.CriteriaJudged):
        if event.subject in _TRIED:
            verdicts = [row.verdict for row in event.judgements]
            where = _TRIED[event.subject]
            last[where] = Tried(where, verdicts.count("PASS"), verdicts.count("FAIL"), len(verdicts), seq)
    return list(last.values())
