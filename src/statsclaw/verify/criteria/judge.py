"""All criteria of a contract together, and what follows from the answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from statsclaw.runlog.events.command_executed import CommandExecuted
from statsclaw.runlog.events.criteria_judged import Judgement, Reason
from statsclaw.specs.contract import Contract
from statsclaw.verify.criteria.study import judge_study
from statsclaw.verify.criteria.tests import judge_tests, one_per_criterion
from statsclaw.verify.study_report import Records


def judge(
    contract: Contract,
    evidence: Sequence[CommandExecuted],
    records: Records | None,
    *,
    records_sha256: str = "",
    refused: str = "",
) -> list[Judgement]:
    """One judgement per criterion, those of test-spec.md first. A study without records fails all its criteria.

    `refused`: why there are no records. Commands of the study's own phase are not evidence for tests.
    """
    tested = [command for command in evidence if command.phase != "study"]
    judgements = judge_tests(contract.tests, tested) if contract.tests else []
    ids = [row.id for row in contract.tests.criteria] if contract.tests else []
    if contract.study:
        ids += [row.id for row in contract.study.criteria]
        if records is not None:
            judgements += judge_study(contract.study, records, records_sha256)
        else:
            judgements += _without_records(contract, refused)
    one_per_criterion(ids, judgements)
    return judgements


def failed(judgements: Sequence[Judgement]) -> tuple[str, ...]:
    """Ids that count as failed. To be asked when no further replications are to come: undecided is taken literally."""
    return tuple(row.id for row in judgements if row.counts_as == "FAIL")


def question_about_criterion(judgements: Sequence[Judgement], contract: Contract) -> Judgement | None:
    """A missed bound that may itself be wrong: every exact check passes, and only a looser question fails.

    Something must have been measured and be beyond the bound; a test that broke or a study that did not run is no
    question to a person.
    """
    criteria = contract.tests.criteria if contract.tests else ()
    exact = {row.id for row in criteria if row.decided_by == "test" and row.rule in ("close", "equals", "raises")}
    loose = {row.id for row in criteria if row.rule in ("at most", "at least", "between")}
    loose |= {row.id for row in contract.study.criteria} if contract.study else set()
    passed = {row.id for row in judgements if row.counts_as == "PASS"}
    if not exact or not exact <= passed:
        return None
    return next(
        (row for row in judgements if row.id in loose and row.counts_as == "FAIL" and (row.margin or 0.0) < 0), None
    )


def at_fault(judgement: Judgement) -> str:
    """Who has to mend a criterion that failed: whoever owed an answer and gave none, otherwise the builder.

    A test that broke before it could answer was most often broken by the package, and that is told of the test itself.
    """
    match judgement.reason:
        case Reason.NO_RECORDS:
            return "simulator"
        case Reason.NO_TEST | Reason.ANOTHER_QUESTION:
            return "tester"
        case Reason.TEST_BROKE | None:
            return "builder"
        case _:
            assert_never(judgement.reason)


def _without_records(contract: Contract, refused: str) -> list[Judgement]:
    note = f"the study has no records: {refused}" if refused else "the study has no records"
    return [
        Judgement(
            id=row.id, quantity=row.quantity, rule=row.metric, verdict="FAIL", literal="FAIL", note=note[:2000],
            reason=Reason.NO_RECORDS,
        )
        for row in (contract.study.criteria if contract.study else ())
    ]  # fmt: skip
