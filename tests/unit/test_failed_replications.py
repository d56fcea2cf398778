"""Failures that no criterion allows: what the replications that are left show is not enough."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from statsclaw.montecarlo.table import Table
from statsclaw.runlog.events import Judgement
from statsclaw.specs.contract import Contract
from statsclaw.verify.criteria.judge import at_fault, failed, question_about_criterion
from statsclaw.verify.criteria.study import judge_study, needed_replications
from tests.unit.test_judge import CLOSE, COVERAGE, covering, criterion_row, records_of, spec_of, study_of

ALLOWED = criterion_row("M2", "failure_rate", high=0.6)


def failing(share: float, count: int = 2000) -> Table:
    """Of the replications that are left, 95 of 100 cover, as they should."""
    whole, flags = covering(0.95, count), np.zeros(count, dtype=bool)
    flags[np.random.default_rng(1).permutation(count)[: round(share * count)]] = True
    return Table(flags, {name: np.where(flags, np.nan, column) for name, column in whole.columns.items()})


def judged(*tables: Table, rows: tuple[dict[str, Any], ...] = (COVERAGE,)) -> list[Judgement]:
    cells = tuple(40 * (number + 1) for number in range(len(tables)))
    return judge_study(study_of(*rows, n=cells, replications=2000), records_of(*tables), "")


def test_half_of_the_replications_failed_and_nobody_allowed_it() -> None:
    (row,) = judged(failing(0.487))
    assert (row.verdict, row.literal, row.where) == ("FAIL", "FAIL", "n=40")
    assert "974 of 2,000 replications failed in n=40, and no criterion allows failures" in row.note
    assert failed([row]) == ("M1",) and at_fault(row) == "builder"


def test_the_cell_that_fails_is_named_and_no_other() -> None:
    (row,) = judged(covering(0.95, 2000), failing(0.3))
    assert row.verdict == "FAIL" and "1 of 2 cells fail: n=80" in row.note and row.where == "n=80"


def test_every_criterion_of_the_cell_fails() -> None:
    other = criterion_row("M2", "coverage", low=0.9, high=0.99)
    assert [row.verdict for row in judged(failing(0.3), rows=(COVERAGE, other))] == ["FAIL", "FAIL"]


def test_where_a_criterion_is_about_failures_it_decides() -> None:
    first, second = judged(failing(0.487), rows=(COVERAGE, ALLOWED))
    assert first.verdict == "PASS" and "no criterion allows" not in first.note
    assert second.verdict == "PASS"
    elsewhere = ALLOWED | {"cells": {"n": [80]}}
    row = judged(failing(0.3), covering(0.95, 2000), rows=(COVERAGE, elsewhere))[0]
    assert row.verdict == "FAIL", "failures are allowed in another cell"


@pytest.mark.parametrize("share", [0.0, 0.005, 0.01, 0.012])
def test_a_few_failures_are_told_and_fail_nothing(share: float) -> None:
    (row,) = judged(failing(share))
    assert row.verdict == "PASS" and "no criterion allows" not in row.note
    assert ("replications failed" in row.note) == (share > 0)


@pytest.mark.slow
def test_failures_at_the_limit_fail_a_study_in_no_more_than_one_of_a_hundred() -> None:
    rng, wrong = np.random.default_rng(5), 0
    for _ in range(400):
        flags = rng.random(2000) < 0.01
        whole = covering(0.95, 2000)
        table = Table(flags, {name: np.where(flags, np.nan, column) for name, column in whole.columns.items()})
        wrong += judged(table)[0].verdict == "FAIL"
    assert wrong <= 4


def test_it_is_no_question_about_the_criterion_and_needs_no_further_replications() -> None:
    study = study_of(COVERAGE, replications=2000)
    records = records_of(failing(0.487))
    rows = judge_study(study, records, "")
    exact = Judgement(id="C1", quantity="q", rule="close", verdict="PASS", literal="PASS")
    tests = spec_of(CLOSE)
    assert question_about_criterion([exact, *rows], Contract(tests=tests, study=study)) is None
    assert needed_replications(study, rows, records) is None
