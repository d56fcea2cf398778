"""The person wants fewer replications than planned: what they decide counts, what they leave undecided stays open."""

from __future__ import annotations

import pytest

from statsclaw.review.case import Case
from statsclaw.runlog.events import Judgement
from statsclaw.specs.contract import Contract
from statsclaw.verify.criteria.judge import failed, question_about_criterion
from statsclaw.verify.criteria.study import judge_study, settle
from tests.unit.test_judge import CLOSE, COVERAGE, covering, records_of, spec_of, study_of

PLANNED = 800


def judged(share: float, count: int = 40, planned: int | None = PLANNED) -> Judgement:
    (row,) = settle(judge_study(study_of(COVERAGE), records_of(covering(share, count)), ""), planned)
    return row


def test_undecided_stays_open_and_fails_nothing_though_the_bare_comparison_misses() -> None:
    row = judged(0.9)
    assert (row.verdict, row.literal, row.counts_as) == ("UNDECIDED", "FAIL", "OPEN")
    assert failed([row]) == () and "undecided at R = 40 of 800: left open" in row.note


def test_with_all_the_planned_replications_the_same_is_taken_literally() -> None:
    row = judged(0.915, count=800, planned=None)
    assert (row.verdict, row.counts_as) == ("UNDECIDED", "FAIL") and failed([row]) == ("M1",)


def test_what_few_replications_do_decide_counts() -> None:
    row = judged(0.4)
    assert (row.verdict, row.counts_as, row.planned) == ("FAIL", "FAIL", PLANNED)
    assert failed([row]) == ("M1",)


def test_a_criterion_of_the_suite_is_never_left_open() -> None:
    test = Judgement(id="C1", quantity="q", rule="close", verdict="UNDECIDED", literal="FAIL")
    (row,) = settle([test], PLANNED)
    assert row.planned is None and row.counts_as == "FAIL"


def test_nobody_is_asked_about_a_criterion_that_is_only_open() -> None:
    tests, study = spec_of(CLOSE), study_of(COVERAGE)
    contract = Contract(tests=tests, study=study)
    exact = Judgement(id=tests.criteria[0].id, quantity="q", rule="close", verdict="PASS", literal="PASS")
    assert question_about_criterion([exact, judged(0.9)], contract) is None
    asked = question_about_criterion([exact, judged(0.4)], contract)
    assert asked is not None and asked.id == "M1"


@pytest.mark.parametrize("planned", [None, PLANNED])
def test_the_review_says_so_where_the_person_wanted_it_and_refuses_it_where_not(planned: int | None) -> None:
    from statsclaw.review.evidence import _replications

    row = judged(0.95, planned=planned)
    contract = Contract(study=study_of(COVERAGE, replications=PLANNED))
    case = Case(contract=contract, judgements=(row,), roles=("simulator",))  # type: ignore[call-arg]
    assert [found.severity for found in _replications(case)] == (["error"] if planned is None else ["note"])
