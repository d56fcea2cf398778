"""The smallest fault a study would have noticed: against faults put in by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from statsclaw.montecarlo.design import Criterion, Study
from statsclaw.montecarlo.storage.results import MemoryResults
from statsclaw.montecarlo.table import Floats, Table
from statsclaw.montecarlo.verdicts.judge import judge_study
from statsclaw.montecarlo.verdicts.sensitivity import SensitivityRow, render_sensitivity, sensitivity

Z = float(stats.norm.ppf(0.975))
#: Exactly normal: the quantiles of 2001 estimates.
SCORES = stats.norm.ppf((np.arange(2001) + 0.5) / 2001)
COVERAGE = Criterion("C", "coverage", "m", "mu", 0.90, 0.99)


def table_of(estimate: Floats, factor: float = 1.0, shift: float = 0.0) -> Table:
    x = estimate + shift * np.std(estimate, ddof=1)
    se = np.full(len(x), factor)
    columns = {"mu.estimate": x, "mu.se": se, "mu.low": x - Z * se, "mu.high": x + Z * se}
    return Table(np.zeros(len(x), dtype=bool), columns)


def study_of(*criteria: Criterion, n: tuple[int, ...] = (1,)) -> Study:
    return Study("s", {"n": list(n)}, ["m"], {"mu": 0.0}, 2001, 1, criteria=criteria, cap=2001)


def rows_of(study: Study, *tables: Table) -> dict[tuple[str, str, str], SensitivityRow]:
    results = MemoryResults({(at, "m"): table for at, table in enumerate(tables)})
    return {(row.perturbation, row.direction, row.rule): row for row in sensitivity(study, results)}


def test_the_band_from_90_to_99_does_not_notice_standard_errors_16_per_cent_too_small() -> None:
    """2Φ(1.96 c) − 1 = 0.90 at c = 0.839, and 0.99 at c = 1.314: closed form, and the figures of the facts."""
    rows = rows_of(study_of(COVERAGE), table_of(SCORES))
    small, large = (rows["standard errors", word, "literal"] for word in ("too small", "too large"))
    assert small.smallest == pytest.approx(1 - stats.norm.ppf(0.95) / Z, abs=0.005)
    assert large.smallest == pytest.approx(stats.norm.ppf(0.995) / Z - 1, abs=0.01)
    assert "would not notice standard errors 16 % too small" in small.text


def test_a_shift_is_noticed_where_the_closed_form_says() -> None:
    rows = rows_of(study_of(Criterion("B", "bias", "m", "mu", -0.2, 0.2, unit="empse")), table_of(SCORES))
    up = rows["estimates", "too large", "literal"].smallest
    assert up == pytest.approx(0.2, abs=0.002)
    by_interval = rows["estimates", "too large", "interval"].smallest
    assert by_interval == pytest.approx(0.2 - stats.norm.ppf(0.99) / np.sqrt(2001), abs=0.003)
    of_coverage = rows_of(study_of(COVERAGE), table_of(SCORES))["estimates", "too small", "literal"].smallest
    assert of_coverage is not None
    assert stats.norm.cdf(Z - of_coverage) - stats.norm.cdf(-Z - of_coverage) == pytest.approx(0.90, abs=0.003)


@pytest.mark.parametrize("factor", [0.0, 0.05])
def test_the_fault_put_in_by_hand_is_noticed_and_a_smaller_one_is_not(factor: float) -> None:
    study = study_of(Criterion("S", "se_ratio", "m", "mu", 0.9, 1.1))
    base = table_of(SCORES, 1 - factor)
    row = rows_of(study, base)["standard errors", "too small", "literal"]
    assert row.smallest is not None

    def literal(size: float) -> str:
        table = table_of(SCORES, (1 - factor) * (1 - size))
        return judge_study(study, MemoryResults({(0, "m"): table}))[0].literal

    assert literal(row.smallest) == "FAIL" and literal(0.97 * row.smallest) == "PASS"


def test_the_most_sensitive_cell_counts_and_is_named() -> None:
    wide, narrow = table_of(SCORES), table_of(SCORES, 0.9)
    rows = rows_of(study_of(COVERAGE, n=(1, 2)), wide, narrow)
    row = rows["standard errors", "too small", "literal"]
    assert row.where == "n=2" and row.smallest == pytest.approx(1 - stats.norm.ppf(0.95) / Z / 0.9, abs=0.005)


def test_an_undecided_criterion_would_notice_nothing_and_says_so_by_silence() -> None:
    close = Criterion("C", "coverage", "m", "mu", 0.945, 0.99)
    table = table_of(SCORES)
    verdict = judge_study(study_of(close), MemoryResults({(0, "m"): table}))[0]
    assert (verdict.literal, verdict.verdict) == ("PASS", "UNDECIDED")
    assert rows_of(study_of(close), table) == {}


def test_what_did_not_pass_has_none_and_what_is_never_noticed_says_so() -> None:
    failing = study_of(Criterion("C", "coverage", "m", "mu", 0.96, 0.99))
    assert rows_of(failing, table_of(SCORES)) == {}
    blunt = rows_of(study_of(Criterion("C", "coverage", "m", "mu", 0.0, 1.0)), table_of(SCORES))
    assert all(row.smallest is None for row in blunt.values())
    assert "the most that was tried" in render_sensitivity(list(blunt.values()))
    still = study_of(Criterion("F", "failure_rate", "m", high=0.1))
    assert rows_of(still, table_of(SCORES)) == {}  # no estimate or standard error in it


def test_stored_replications_are_left_as_they_are() -> None:
    table = table_of(SCORES)
    before = {name: column.copy() for name, column in table.columns.items()}
    rows_of(study_of(COVERAGE), table)
    assert all(np.array_equal(before[name], column) for name, column in table.columns.items())
