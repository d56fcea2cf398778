"""Criteria decided three ways: what each kind asks, when it is decided, and what failures do to it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from statsclaw.montecarlo.design import Criterion, Study, StudyRefused
from statsclaw.montecarlo.storage.results import MemoryResults
from statsclaw.montecarlo.table import Table
from statsclaw.montecarlo.verdicts.judge import CriterionVerdict, judge_study, undecided_cells
from statsclaw.montecarlo.verdicts.report import render_verdicts

Z = float(stats.norm.ppf(0.975))


def study_of(*criteria: Criterion, n: tuple[int, ...] = (50,), replications: int = 500, **more: Any) -> Study:
    return Study("s", {"n": list(n)}, ["m", "ref"], {"mu": 0.0}, replications, 1, criteria=criteria, **more)


def table_of(estimate: Any, *, se: float = 1.0, factor: float = 1.0, failed: Any = None, **more: Any) -> Table:
    x = np.asarray(estimate, dtype=float)
    flags = np.zeros(len(x), dtype=bool) if failed is None else np.asarray(failed, dtype=bool)
    errors = np.full(len(x), se * factor)
    columns = {"mu.estimate": x, "mu.se": errors, "mu.low": x - Z * errors, "mu.high": x + Z * errors} | more
    return Table(flags, {name: np.where(flags, np.nan, values) for name, values in columns.items()})


def results_of(*tables: Table, reference: Table | None = None) -> MemoryResults:
    own: dict[tuple[int, str], Table] = {(at, "m"): table for at, table in enumerate(tables)}
    return MemoryResults(own | {(at, "ref"): reference or table for at, table in enumerate(tables)})


def judged(criterion: Criterion, *tables: Table, reference: Table | None = None, **more: Any) -> CriterionVerdict:
    n = tuple(50 * 2**at for at in range(len(tables)))
    return judge_study(study_of(criterion, n=n, **more), results_of(*tables, reference=reference))[0]


def said(row: CriterionVerdict) -> tuple[str, str, str]:
    return row.literal, row.interval, row.sequential


def hits(share: float, count: int, failed: Any = None) -> Table:
    """Intervals that cover in this share of the replications, evenly spread over them."""
    covers = np.floor(np.arange(1, count + 1) * share) > np.floor(np.arange(count) * share)
    low = np.where(covers, -1.0, 1.0)
    flags = np.zeros(count, dtype=bool) if failed is None else np.asarray(failed, dtype=bool)
    return Table(flags, {"mu.low": np.where(flags, np.nan, low), "mu.high": np.where(flags, np.nan, low + 2)})


COVERAGE = Criterion("C", "coverage", "m", "mu", 0.92, 0.98)
BIAS = Criterion("B", "bias", "m", "mu", -0.2, 0.2, unit="empse")


def normal(seed: int, count: int, mean: float = 0.0, sd: float = 1.0) -> np.ndarray:
    """Exactly this mean and standard deviation."""
    x = np.random.default_rng(seed).normal(size=count)
    return np.asarray(mean + sd * (x - np.mean(x)) / np.std(x, ddof=1))


# --- every kind ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("share", "literal", "decided"),
    [(0.95, "PASS", "PASS"), (0.85, "FAIL", "FAIL"), (0.925, "PASS", "UNDECIDED"), (0.915, "FAIL", "UNDECIDED")],
)
def test_a_coverage_band(share: float, literal: str, decided: str) -> None:
    row = judged(COVERAGE, hits(share, 2000), replications=2000)
    assert said(row) == (literal, decided, decided)
    assert row.cells[0].value == pytest.approx(share)


def test_bias_is_an_equivalence_test_against_a_multiple_of_empse() -> None:
    """As computed by two one-sided t tests on the standardised estimates."""
    for mean, expected in ((0.0, "PASS"), (0.2, "UNDECIDED"), (0.5, "FAIL"), (0.12, "UNDECIDED")):
        row = judged(BIAS, table_of(normal(1, 500, 3 * mean, 3.0)))
        assert row.cells[0].value == pytest.approx(mean) and row.interval == expected
    x = normal(1, 500, 0.05)
    tests = [stats.ttest_1samp(x, edge, alternative=side).pvalue for edge, side in ((-0.2, "greater"), (0.2, "less"))]
    row = judged(BIAS, table_of(x))
    assert (max(tests) <= 0.01) == (row.interval == "PASS") and row.interval == "PASS"


def test_the_rate_of_rmse_along_an_axis() -> None:
    rate = Criterion("R", "rate", "m", "mu", -0.65, -0.35, axis="n")
    good = [table_of(normal(at, 2000, 0, 1 / math.sqrt(50 * 2**at))) for at in range(4)]
    row = judged(rate, *good, replications=2000)
    assert row.cells[0].value == pytest.approx(-0.5) and said(row) == ("PASS", "PASS", "PASS")
    x = np.log([50.0, 100, 200, 400])
    assert row.cells[0].mcse == pytest.approx(math.sqrt(1 / (2 * 2000) / np.sum((x - x.mean()) ** 2)), rel=0.1)
    slow = [table_of(normal(at, 2000, 0, 1 / (50 * 2**at) ** 0.2)) for at in range(4)]
    assert said(judged(rate, *slow, replications=2000)) == ("FAIL", "FAIL", "FAIL")


def test_a_rate_of_heavy_tails_is_not_decided() -> None:
    rate = Criterion("R", "rate", "m", "mu", -0.9, -0.1, axis="n")
    rng = np.random.default_rng(8)
    tables = [table_of(rng.standard_t(2, 1000) / math.sqrt(50 * 2**at)) for at in range(4)]
    row = judged(rate, *tables, replications=1000)
    assert row.interval == "UNDECIDED" and "heavy tails" in row.notes[0]


def test_a_trend_must_hold_at_every_step() -> None:
    falling = Criterion("T", "trend", "m", "mu", high=0.0, axis="n", of="rmse")
    sizes = (1.0, 0.8, 0.6)
    tables = [table_of(normal(at, 500, 0, size)) for at, size in enumerate(sizes)]
    row = judged(falling, *tables)
    assert [cell.cell for cell in row.cells] == ["n=50→100", "n=100→200"] and said(row) == ("PASS", "PASS", "PASS")
    row = judged(falling, tables[0], tables[2], tables[1])
    assert [cell.interval_verdict for cell in row.cells] == ["PASS", "FAIL"] and row.verdict == "FAIL"
    rising = Criterion("T", "trend", "m", "mu", low=0.0, axis="n", of="coverage")
    assert judged(rising, hits(0.90, 2000), hits(0.95, 2000), replications=2000).interval == "PASS"


def test_speed_agreement_precision_and_scalars() -> None:
    rng, x = np.random.default_rng(2), normal(2, 500)
    own = table_of(x, seconds=rng.gamma(9, 1e-4, 500), acceptance=rng.uniform(0.2, 0.4, 500))
    other = table_of(2 * x + 1e-9, seconds=rng.gamma(9, 3e-4, 500), acceptance=np.zeros(500))
    speed = Criterion("S", "speed_ratio", "m", low=2.0, reference="ref")
    same = Criterion("A", "agreement", "m", "mu", high=1e-6, reference="ref")
    gain = Criterion("P", "relative_precision", "m", "mu", low=200, reference="ref")
    accept = Criterion("M", "mean", "m", field="acceptance", low=0.25, high=0.35)
    study, results = study_of(speed, same, gain, accept), MemoryResults({(0, "m"): own, (0, "ref"): other})
    assert [said(row)[1] for row in judge_study(study, results)] == ["PASS", "FAIL", "PASS", "PASS"]
    twin = MemoryResults({(0, "m"): own, (0, "ref"): table_of(x + 1e-9)})
    assert judge_study(study_of(same), twin)[0].verdict == "PASS"
    rounding = np.where(np.arange(500) % 40 == 0, 1e-15, 0.0)
    twin = MemoryResults({(0, "m"): own, (0, "ref"): table_of(x + rounding)})
    assert judge_study(study_of(same), twin)[0].verdict == "PASS"


@pytest.mark.parametrize(
    ("criterion", "complaint"),
    [
        (Criterion("X", "nonsense", "m", low=0), "no metric"),
        (Criterion("X", "bias", "m", "mu"), "no bound"),
        (Criterion("X", "bias", "other", "mu", 0, 1), "no method"),
        (Criterion("X", "bias", "m", low=0), "of a parameter"),
        (Criterion("X", "agreement", "m", "mu", high=1), "needs a reference"),
        (Criterion("X", "mean", "m", high=1), "needs a field"),
        (Criterion("X", "rate", "m", "mu", high=1), "needs an axis"),
        (Criterion("X", "trend", "m", "mu", high=1, axis="n"), "in `of`"),
        (Criterion("X", "coverage", "m", "mu", high=1, unit="empse"), "units of EmpSE"),
        (Criterion("X", "coverage", "m", "mu", 0.97, 0.93), "low is above high"),
        (Criterion("X", "coverage", "m", "mu", high=1, cells={"n": [7]}), "no such level"),
        (Criterion("X", "coverage", "m", "mu", high=1, cells={"rho": [7]}), "no such level"),
        (Criterion("X", "bias", "m", "nu", high=1), "what nu truly is"),
    ],
)
def test_a_criterion_that_cannot_be_judged_is_refused_in_a_sentence(criterion: Criterion, complaint: str) -> None:
    with pytest.raises(StudyRefused, match=complaint):
        judge_study(study_of(criterion), results_of(hits(0.95, 50)))


# --- more replications -----------------------------------------------------------------------------------------------


def test_undecided_cells_get_as_many_again_until_the_cap() -> None:
    study = study_of(COVERAGE, n=(50, 100), replications=200)
    for done, wanted in ((50, 150), (200, 200), (400, 400)):
        results = results_of(hits(0.925, done), hits(0.95, 2000))
        results = MemoryResults({**results.tables, (1, "ref"): hits(0.95, 2000)})
        assert undecided_cells(study, results) == {0: wanted}
    at_cap = results_of(hits(0.925, 800), hits(0.95, 2000))
    assert undecided_cells(study, at_cap) == {}
    row = judge_study(study, at_cap)[0]
    assert (row.sequential, row.verdict, row.by) == ("UNDECIDED", "UNDECIDED", "at the cap")
    assert (
        row.literal == "PASS" and "UNDECIDED  C" in render_verdicts([row]) and "literally met" in render_verdicts([row])
    )
    assert undecided_cells(study, results_of(hits(0.5, 200), hits(0.925, 200))) == {}  # it failed already


def test_a_single_look_is_decided_by_the_interval() -> None:
    row = judged(BIAS, table_of(normal(1, 500)), cap=500)
    assert (row.sequential, row.verdict) == ("PASS", "PASS")
    close = judged(Criterion("C", "coverage", "m", "mu", 0.92, 0.98), hits(0.95, 500), cap=500)
    assert (close.interval, close.sequential) == ("PASS", "UNDECIDED")
    assert (close.verdict, close.by) == ("PASS", "one look")


def test_what_is_not_a_proportion_is_looked_at_on_schedule_only() -> None:
    """Whatever 700 replications say, the look was at 500."""
    x = np.append(normal(1, 500), np.full(200, 9.0))
    row = judged(BIAS, table_of(x))
    assert row.sequential == "PASS" and row.literal == "FAIL" and row.interval == "FAIL"
    assert judged(BIAS, table_of(x[:499])).sequential == "UNDECIDED"


def test_nothing_yet_is_undecided_and_what_was_not_recorded_is_named() -> None:
    empty = judge_study(study_of(COVERAGE), MemoryResults({}))[0]
    assert said(empty) == ("UNDECIDED",) * 3
    absent = judged(COVERAGE, Table(np.zeros(5, dtype=bool), {"mu.estimate": np.zeros(5)}))
    assert said(absent) == ("UNDECIDED",) * 3 and "mu.low" in absent.cells[0].warning
    assert (absent.verdict, absent.by) == ("UNDECIDED", "not recorded") and "mu.low" in absent.notes[0]
    never = results_of(Table(np.zeros(5, dtype=bool), {"mu.estimate": np.zeros(5)}))
    assert undecided_cells(study_of(COVERAGE), never) == {}  # more of the same would not help
    assert undecided_cells(study_of(COVERAGE), MemoryResults({})) == {0: 500}


# --- the interval that was judged -------------------------------------------------------------------------------------


def test_an_interval_lies_within_the_band_exactly_where_the_cell_passes_and_outside_where_it_fails() -> None:
    """Of proportions and others, of one look and of repeated ones, in families of one to twelve cells."""
    rng, seen = np.random.default_rng(5), set()
    for trial in range(40):
        cells, cap = (1, 4, 12)[trial % 3], (None, 500)[trial % 2]
        tables = [
            table_of(rng.normal(rng.uniform(-0.4, 0.4), 1, 500), factor=rng.uniform(0.6, 1.2)) for _ in range(cells)
        ]
        study = study_of(COVERAGE, BIAS, n=tuple(range(1, cells + 1)), cap=cap)
        for row in judge_study(study, results_of(*tables)):
            for cell in row.cells:
                found, (low, high) = cell.range, (row.criterion.low or -1.0, row.criterion.high or 1.0)
                within, beyond = low <= found.low and found.high <= high, found.high <= low or found.low >= high
                word = "PASS" if within else "FAIL" if beyond else "UNDECIDED"
                assert word == cell.decided, (trial, cell, found)
                assert found.low <= cell.value <= found.high
                seen.add((row.id, cap, word))
    assert len(seen) == 12


def test_the_level_is_that_of_the_cell_in_its_family() -> None:
    """Four cells and a test on the failures of each, one look: the first to fail at 1 % / 8, the next at 1 % / 7; what
    passes at 1 % on each side."""
    tables = [hits(share, 500) for share in (0.70, 0.75, 0.95, 0.95)]
    cells = judged(COVERAGE, *tables, cap=500).cells
    assert [cell.decided for cell in cells] == ["FAIL", "FAIL", "PASS", "PASS"]
    assert [cell.range.level for cell in cells] == pytest.approx([1 - 0.01 / 8, 1 - 0.01 / 7, 0.98, 0.98])
    exact = stats.binomtest(350, 500).proportion_ci(1 - 0.01 / 8)
    assert (cells[0].range.low, cells[0].range.high) == pytest.approx((exact.low, exact.high))
    assert "99.88 % interval [" in render_verdicts([judged(COVERAGE, *tables, cap=500)])


# --- failures --------------------------------------------------------------------------------------------------------


def test_five_per_cent_of_failures_that_no_criterion_limits_fail_the_cell() -> None:
    failed = np.arange(1000) % 20 == 19
    rows = judge_study(study_of(COVERAGE, replications=1000), results_of(hits(0.95, 1000, failed)))
    assert said(rows[0]) == ("FAIL",) * 3 and rows[0].cells[0].unallowed and not rows[0].cells[0].failures_matter
    assert (
        "50 of 1,000 replications failed" in rows[0].notes[0] and "than the 1 % that are let pass" in rows[0].notes[0]
    )
    assert "1 % are let pass" in render_verdicts(rows)
    lenient = study_of(COVERAGE, replications=1000, failures_allowed=0.06)
    assert judge_study(lenient, results_of(hits(0.95, 1000, failed)))[0].verdict == "UNDECIDED"


def test_failures_are_tested_in_every_cell_on_its_own() -> None:
    failed = np.arange(1000) % 20 == 19
    row = judged(COVERAGE, hits(0.95, 1000), hits(0.95, 1000, failed), replications=1000)
    assert [cell.decided for cell in row.cells] == ["PASS", "FAIL"]


def test_no_failure_is_let_pass_where_none_is_allowed() -> None:
    row = judged(COVERAGE, hits(0.95, 2000, np.arange(2000) == 7), replications=2000, failures_allowed=0.0)
    assert row.verdict == "FAIL" and row.cells[0].unallowed


def test_failures_that_could_change_it_turn_pass_into_undecided() -> None:
    """95.0 % of 1000 cover; with 50 failures counted as misses 90.25 % would, below the band."""
    failed = np.arange(1000) % 20 == 19
    row = judged(COVERAGE, hits(0.95, 1000, failed), replications=1000, failures_allowed=0.05)
    assert row.literal == "PASS" and row.interval == row.sequential == row.verdict == "UNDECIDED"
    cell = row.cells[0]
    assert row.by == "failures could change it"
    assert cell.failures_matter and cell.bounds[0] < 0.92 and "50 of 1,000 replications failed" in cell.warning
    study = study_of(COVERAGE, replications=1000, failures_allowed=0.05)
    assert undecided_cells(study, results_of(hits(0.95, 1000, failed))) == {}  # more of them would not help


def test_a_criterion_on_failures_accepts_them() -> None:
    failed = np.arange(1000) % 20 == 19
    accepted = Criterion("F", "failure_rate", "m", high=0.1)
    rows = judge_study(study_of(COVERAGE, accepted, replications=1000), results_of(hits(0.95, 1000, failed)))
    assert [row.interval for row in rows] == ["PASS", "PASS"] and "failed" in rows[0].cells[0].warning


def test_a_few_failures_change_nothing_and_are_told() -> None:
    failed = np.arange(2000) == 7
    row = judged(COVERAGE, hits(0.95, 2000, failed), replications=2000)
    assert row.verdict == "PASS" and "1 of 2,000" in row.cells[0].warning


def test_an_estimator_that_fails_for_low_means_does_not_look_unbiased() -> None:
    """It fails for x̄ < −0.2: conditional on success the bias is +0.055 or so; neither verdict hides that."""
    x = np.random.default_rng(4).normal(0, 0.2, 4000)
    failed = x < -0.2
    lenient = Criterion("B", "bias", "m", "mu", -0.1, 0.1)
    assert judged(lenient, table_of(x, failed=failed), replications=4000).verdict == "FAIL"  # 16 % failed
    row = judged(lenient, table_of(x, failed=failed), replications=4000, failures_allowed=0.2)
    cell = row.cells[0]
    assert 0.04 < cell.value < 0.07 and cell.failures == int(np.sum(failed))
    assert row.literal == "PASS" and row.interval == "UNDECIDED" and row.verdict == "UNDECIDED"
    assert cell.bounds[0] < 0 < cell.bounds[1]
    strict = Criterion("B", "bias", "m", "mu", -0.02, 0.02)
    assert "replications failed" in judged(strict, table_of(x, failed=failed), replications=4000).cells[0].warning


def test_failing_earns_no_credit() -> None:
    failed = np.arange(1000) % 5 == 4
    assert judged(COVERAGE, hits(0.8, 1000, failed), replications=1000).verdict == "FAIL"


# --- traps -----------------------------------------------------------------------------------------------------------


def test_only_what_all_methods_of_a_cell_have_counts() -> None:
    longer = MemoryResults({(0, "m"): hits(0.95, 900), (0, "ref"): hits(0.95, 400)})
    assert longer.completed(0) == 400 and len(longer.table(0, "m").failed) == 400
    assert judge_study(study_of(COVERAGE), longer)[0].replications == 400


def test_one_replication_decides_nothing() -> None:
    row = judged(BIAS, table_of([0.0]), replications=1)
    assert row.interval == row.sequential == "UNDECIDED"


def test_all_failed_is_a_fail() -> None:
    for criterion in (COVERAGE, BIAS):
        row = judged(criterion, table_of(np.zeros(60), failed=np.ones(60)), replications=60)
        assert said(row) == ("FAIL",) * 3 and row.cells[0].warning == "every replication failed"


def test_no_variance_is_told() -> None:
    band = Criterion("B", "bias", "m", "mu", -0.1, 0.1)
    row = judged(band, table_of(np.full(500, 0.05)))
    assert row.literal == "PASS" and "does not vary" in row.cells[0].warning
    assert judged(BIAS, table_of(np.full(500, 0.05))).verdict == "FAIL"  # no EmpSE to compare with


def test_coverage_of_all_and_of_none() -> None:
    assert judged(COVERAGE, hits(1.0, 500)).verdict == "FAIL" and judged(COVERAGE, hits(0.0, 500)).verdict == "FAIL"
    assert judged(Criterion("C", "coverage", "m", "mu", 0.97, 1.0), hits(1.0, 500)).verdict == "PASS"


def test_a_missing_number_in_one_method_only_touches_comparisons_alone() -> None:
    x = normal(3, 500)
    other = x.copy()
    other[::50] = np.nan
    same = Criterion("A", "agreement", "m", "mu", high=1e-6, reference="ref")
    results = MemoryResults({(0, "m"): table_of(x), (0, "ref"): table_of(other, failed=np.isnan(other))})
    bias, agreement = judge_study(study_of(BIAS, same), results)
    assert bias.verdict == "PASS" and bias.cells[0].failures == 0
    assert agreement.cells[0].failures == 10 and agreement.verdict == "UNDECIDED"  # 2 % failed, no bounds exist


def test_the_text_says_one_word_and_why() -> None:
    study = study_of(COVERAGE, BIAS, failures_allowed=0.1)
    rows = judge_study(study, results_of(table_of(normal(1, 500), failed=np.arange(500) % 10 == 9)))
    text = render_verdicts(rows)
    assert text.startswith("UNDECIDED  C: coverage") and "literally met" in text
    assert "2 criteria: 2 UNDECIDED" in text and "so it cannot PASS" in text
    assert "50 of 500 replications failed" in text
    assert render_verdicts(rows, "markdown").count("\n") == 6


# --- error rates -----------------------------------------------------------------------------------------------------


def test_a_correct_study_on_the_edges_fails_in_no_more_than_one_of_a_hundred() -> None:
    """Three criteria in two cells, every metric exactly on an edge of its band; each study is looked at thrice."""
    criteria = (
        Criterion("C", "coverage", "m", "mu", 0.95, 0.99),
        Criterion("B", "bias", "m", "mu", -0.1, 0.1, unit="empse"),
        Criterion("E", "empse", "m", "mu", 0.8, 1.0),
    )
    study, rng = study_of(*criteria, n=(50, 100), replications=200), np.random.default_rng(17)
    fixed = repeated = 0
    for _ in range(250):
        tables = []
        for _ in range(2):
            noise = rng.normal(size=800)
            tables.append(table_of(noise + 0.1, se=1.0, **{"mu.low": noise - Z, "mu.high": noise + Z}))
        rows = judge_study(study, results_of(*tables))
        fixed += any(row.interval == "FAIL" for row in rows)
        repeated += any(row.sequential == "FAIL" for row in rows)
    bound = stats.binom.ppf(0.999, 250, 0.01)
    assert fixed <= bound and repeated <= bound


def test_a_correct_study_that_fails_as_often_as_is_let_pass_fails_in_no_more_than_one_of_a_hundred() -> None:
    """Two criteria on edges in three cells, and exactly the allowed share of failures; looked at thrice."""
    criteria = (
        Criterion("C", "coverage", "m", "mu", 0.95, 0.99),
        Criterion("B", "bias", "m", "mu", -0.1, 0.1, unit="empse"),
    )
    study, rng = study_of(*criteria, n=(50, 100, 200), replications=200), np.random.default_rng(23)
    fixed = repeated = seen = 0
    for _ in range(250):
        tables = []
        for _ in range(3):
            noise = rng.normal(size=800)
            limits = {"mu.low": noise - Z, "mu.high": noise + Z}
            tables.append(table_of(noise + 0.1, failed=rng.random(800) < study.failures_allowed, **limits))
        rows = judge_study(study, results_of(*tables))
        fixed += any(row.interval == "FAIL" for row in rows)
        repeated += any(row.sequential == "FAIL" for row in rows)
        tables[0] = table_of(noise + 0.1, failed=rng.random(800) < 0.05, **limits)
        seen += judge_study(study, results_of(*tables))[0].sequential == "FAIL"
    bound = stats.binom.ppf(0.999, 250, 0.01)
    assert fixed <= bound and repeated <= bound
    assert seen > 245  # five per cent in one cell are noticed


def test_a_verdict_that_the_value_now_contradicts_is_not_decided() -> None:
    """After 500 replications the bias was within the band; 200 more took it out."""
    x = np.append(normal(1, 500), np.full(200, 9.0))
    row = judged(BIAS, table_of(x))
    assert (row.sequential, row.literal, row.verdict) == ("PASS", "FAIL", "UNDECIDED")
    assert undecided_cells(study_of(BIAS), results_of(table_of(x))) == {0: 300}
