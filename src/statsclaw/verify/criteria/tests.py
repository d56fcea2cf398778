"""Criteria decided by tests, timings and checks, from what the engine recorded of one package."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from statsclaw.runlog.events.command_executed import CaseOutcome, CommandExecuted, Observation
from statsclaw.runlog.events.criteria_judged import Judgement, Reason
from statsclaw.specs.test_spec import Criterion, TestSpec
from statsclaw.verify.criteria.observed import Answer, answer

_NO_TEST = "no test decided it"
_LONGEST_NOTE = 2000
_LONGEST_LINE = 300
_R_CHECK = "r-cmd-check"
_R_SUMMARY = re.compile(r"(\d{1,6}) errors?, (\d{1,6}) warnings?")
_NO_LETTER = re.compile(r"[^a-z0-9]+")


class JudgementMissing(Exception):
    """The judgements are not one per criterion, in the order of the criteria."""


class EvidenceMixed(Exception):
    """The evidence is of more than one package, so no verdict about one of them follows from it."""


@dataclass(frozen=True, slots=True)
class Case:
    """One test or claim of the tester's: its row, what it showed, and the command that ran it."""

    command: CommandExecuted
    row: CaseOutcome
    scenarios: frozenset[str]
    observations: tuple[Observation, ...]

    @property
    def finished(self) -> bool:
        return self.row.outcome in ("passed", "failed")

    @property
    def broken(self) -> bool:
        return self.row.outcome in ("failed", "error")


def judge_tests(spec: TestSpec, evidence: Sequence[CommandExecuted]) -> list[Judgement]:
    """One judgement per criterion. Only the validation phase decides: what the builder's own tests show does not."""
    if len({(command.subject, command.tree_sha256) for command in evidence}) > 1:
        raise EvidenceMixed("the evidence is of more than one package")
    cases = [case for command in evidence if command.phase == "validation" for case in _cases(command)]
    judgements = [
        _checked(row, evidence) if row.decided_by == "check" else _Tested(spec, row, cases).judgement()
        for row in spec.criteria
    ]
    one_per_criterion([row.id for row in spec.criteria], judgements)
    return judgements


def one_per_criterion(ids: Sequence[str], judgements: Sequence[Judgement]) -> None:
    """Raises JudgementMissing unless the judgements are of these criteria, each once, in this order."""
    if [row.id for row in judgements] != list(ids):
        raise JudgementMissing(f"{len(judgements)} judgements do not answer {len(ids)} criteria one by one")


def _cases(command: CommandExecuted) -> Iterable[Case]:
    """A test's scenarios are those of its row, or else those its observations name."""
    made: dict[str, list[Observation]] = {}
    for observation in command.observations:
        made.setdefault(observation.test, []).append(observation)
    for row in command.tests:
        observations = tuple(made.get(row.name, ()))
        named = row.scenarios or tuple(name for part in observations for name in part.scenarios)
        yield Case(command, row, frozenset(named), observations)


class _Tested:
    """One criterion decided by tests: all reasons for a FAIL are looked at, the first of them is told."""

    def __init__(self, spec: TestSpec, criterion: Criterion, cases: Iterable[Case]) -> None:
        self.spec = spec
        self.criterion = criterion
        self.cases = [case for case in cases if case.scenarios & set(criterion.scenarios)]
        self.answers = [
            (case, answer(criterion, observation))
            for case in self.cases
            if case.finished
            for observation in case.observations
            if observation.criterion == criterion.id
        ]

    def judgement(self) -> Judgement:
        if not self.answers:
            broken = next((case for case in self.cases if case.broken), None)
            return self._unanswered(None, _NO_TEST, broken)
        worst = min((found for _, found in self.answers), key=lambda found: found.rank)
        if not worst.passed:
            return self._judgement(worst, worst.told, reason=worst.reason)
        if silent := self._silent():
            broken = next((case for case in self.cases if case.broken and case.scenarios & set(silent)), None)
            return self._unanswered(worst, f"{_NO_TEST} for {', '.join(silent)}", broken)
        if broken := next((case for case in self.cases if case.broken and not self._explained(case)), None):
            return self._judgement(worst, _failure(broken), where=broken.row.name)
        return self._judgement(worst, "")

    def _silent(self) -> list[str]:
        """Scenarios without an observation. One that may be skipped, and was, is excused."""
        heard = {name for case, _ in self.answers for name in case.scenarios}
        skipped = {name for case in self.cases if case.row.outcome == "skipped" for name in case.scenarios}
        excused = {row.id for row in self.spec.scenarios if row.may_skip} & skipped
        return [name for name in self.criterion.scenarios if name not in heard | excused]

    def _explained(self, case: Case) -> bool:
        """It failed because of another criterion, which is not met itself: that one has the FAIL."""
        others = {
            row.id: row for row in self.spec.criteria if row.id != self.criterion.id and row.decided_by != "check"
        }
        return case.row.outcome == "failed" and any(
            case.scenarios & set(others[part.criterion].scenarios) and not answer(others[part.criterion], part).passed
            for part in case.observations
            if part.criterion in others
        )

    def _unanswered(self, worst: Answer | None, told: str, broken: Case | None) -> Judgement:
        """A test that broke before it could answer is another matter than a test that was not written."""
        if broken is None:
            return self._judgement(worst, told, reason=Reason.NO_TEST)
        return self._judgement(worst, f"{told}; {_failure(broken)}", reason=Reason.TEST_BROKE)

    def _judgement(
        self, worst: Answer | None, fault: str, *, where: str = "", reason: Reason | None = None
    ) -> Judgement:
        observation = worst.observation if worst else None
        verdict = "FAIL" if fault else "PASS"
        skipped = sum(case.row.outcome == "skipped" for case in self.cases)
        seen = f"{len(self.answers)} observations in {len({case.row.name for case, _ in self.answers})} tests"
        return Judgement(
            id=self.criterion.id,
            quantity=self.criterion.quantity,
            rule=self.criterion.rule,
            verdict=verdict,
            literal=verdict,
            observed=observation.observed if observation else None,
            expected=observation.expected if observation else None,
            margin=worst.margin if worst else None,
            where=where or (observation.test if observation else ""),
            evidence=tuple(dict.fromkeys(case.command.output_sha256 for case in self.cases)),
            note="; ".join(filter(None, (fault, seen, f"{skipped} tests skipped" if skipped else "")))[:_LONGEST_NOTE],
            reason=reason,
        )


def _failure(case: Case) -> str:
    first = case.row.error.strip().split("\n")[0][:_LONGEST_LINE] or case.row.outcome
    return f"its test failed: {case.row.name}: {first}"


# --- checks ----------------------------------------------------------------------------------------------------------


def _checked(criterion: Criterion, evidence: Sequence[CommandExecuted]) -> Judgement:
    wanted = _plain(criterion.check or "")
    commands = [command for command in evidence if wanted in (_plain(command.name), _plain(command.phase))]
    faults = [f"{command.name}: {command.summary}" for command in commands if not _clean(command)]
    note = "; ".join(faults) if commands else f"no check {criterion.check!r} was executed"
    passed = bool(commands) and not faults
    return Judgement(
        id=criterion.id,
        quantity=criterion.quantity,
        rule=criterion.rule,
        verdict="PASS" if passed else "FAIL",
        literal="PASS" if passed else "FAIL",
        where=", ".join(dict.fromkeys(command.name for command in commands)),
        evidence=tuple(dict.fromkeys(command.output_sha256 for command in commands)),
        note=note[:_LONGEST_NOTE],
    )


def _clean(command: CommandExecuted) -> bool:
    """R CMD check also has to say that there were no errors and no warnings."""
    if _plain(command.name) != _R_CHECK:
        return command.passed
    counted = _R_SUMMARY.match(command.summary)
    return command.passed and counted is not None and int(counted[1]) == 0 and int(counted[2]) == 0


def _plain(name: str) -> str:
    return _NO_LETTER.sub("-", name.lower()).strip("-")
