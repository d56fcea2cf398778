"""Statistical faults that an attack found: each was seen, and must not come back."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest

from statsclaw.montecarlo.design import Criterion, Study, StudyRefused
from statsclaw.montecarlo.metrics.estimates import McEstimate
from statsclaw.montecarlo.metrics.intervals import interval
from statsclaw.montecarlo.metrics.measures import estimate_metric
from statsclaw.montecarlo.metrics.summary import render_summary, summarise
from statsclaw.montecarlo.storage.results import MemoryResults
from statsclaw.montecarlo.table import Table
from statsclaw.montecarlo.verdicts.faults import faults_of, read_fault
from statsclaw.montecarlo.verdicts.judge import CriterionVerdict, judge_study
from statsclaw.montecarlo.verdicts.plan import plan_study, render_plan
from statsclaw.montecarlo.verdicts.questions import check_criterion
from statsclaw.montecarlo.verdicts.report import render_verdicts
from statsclaw.montecarlo.verdicts.sequential import proportion_errors

R = 1000


def study_of(*criteria: Criterion, n: tuple[int, ...] = (50,), replications: int = R, truth: float = 0.0) -> Study:
    return Study("s", {"n": list(n)}, ["m", "ref"], {"mu": truth}, replications, 1, criteria=criteria)


def judged(study: Study, *tables: Table) -> list[CriterionVerdict]:
    own = {(at, name): table for at, table in enumerate(tables) for name in ("m", "ref")}
    return judge_study(study, MemoryResults(own))


def table_of(estimate: Any, *, failed: Any = None, se: Any = 1.0, half: float = 1.96) -> Table:
    x = np.asarray(estimate, dtype=float)
    flags = np.zeros(len(x), dtype=bool) if failed is None else np.asarray(failed)
    columns = {"mu.estimate": x, "mu.se": np.full(len(x), se) if np.isscalar(se) else np.asarray(se)}
    columns |= {"mu.low": x - half, "mu.high": x + half}
    return Table(flags, {name: np.where(flags, np.nan, values) for name, values in columns.items()})


def normal(seed: int, count: int = R) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=count)


# --- A7: failures are excused by a criterion on them only where that criterion holds ----------------------------------

COVERAGE = Criterion("C", "coverage", "m", "mu", 0.9)


def selective(share: float = 0.296) -> Table:
    """Fails where it would have been farthest out."""
    x = normal(1)
    return table_of(x, failed=np.abs(x) > np.quantile(np.abs(x), 1 - share))


@pytest.mark.parametrize(
    "accepted",
    [
        Criterion("F", "failure_rate", "m", high=0.01),
        Criterion("F", "convergence_rate", "m", low=0.99),
    ],
)
def test_a_failed_criterion_on_failures_excuses_nothing(accepted: Criterion) -> None:
    row = judged(study_of(COVERAGE, accepted), selective())[0]
    assert row.cells[0].failures_matter
    assert (row.literal, row.interval, row.sequential, row.verdict) == ("PASS", *["UNDECIDED"] * 3)


def test_a_criterion_that_limits_no_failures_allows_none() -> None:
    row = judged(study_of(COVERAGE, Criterion("F", "failure_rate", "m", low=0.0)), selective())[0]
    assert row.cells[0].unallowed and row.verdict == "FAIL"


def test_a_criterion_on_failures_that_holds_excuses_them() -> None:
    accepted = Criterion("F", "failure_rate", "m", high=0.3)
    assert judged(study_of(COVERAGE, accepted), selective())[0].sequential == "PASS"


def test_of_two_criteria_on_failures_both_must_hold() -> None:
    both = (Criterion("F", "failure_rate", "m", high=0.3), Criterion("G", "failure_rate", "m", high=0.01))
    assert judged(study_of(COVERAGE, *both), selective())[0].sequential == "UNDECIDED"


def test_replications_without_the_column_count_as_failures_that_must_be_accepted() -> None:
    table = selective()
    silent = Table(np.zeros(R, dtype=bool), table.columns)
    row = judged(study_of(COVERAGE, Criterion("F", "failure_rate", "m", high=0.01)), silent)[0]
    assert row.sequential == "UNDECIDED" and row.cells[0].failures_matter


def test_failures_of_one_cell_are_not_excused_by_those_of_another() -> None:
    accepted = Criterion("F", "failure_rate", "m", high=0.01)
    row = judged(study_of(COVERAGE, accepted, n=(50, 100)), table_of(normal(2)), selective())[0]
    assert [cell.failures_matter for cell in row.cells] == [False, True]


# --- A6: error rates with heavy tails --------------------------------------------------------------------------------


def passes(metric: str, rows: list[Table], low: float, high: float, truth: float = 0.0) -> float:
    """The share of studies whose interval, with 1 % beyond each end, lies in the band."""
    found = [interval(estimate_metric(metric, row, parameter="mu", truth=truth), 0.02) for row in rows]
    return float(np.mean([low <= ends[0] and ends[1] <= high for ends in found]))


def lognormals(sigma: float, studies: int = 200) -> np.ndarray:
    return np.exp(sigma * np.random.default_rng(8).normal(size=(studies, R)))


@pytest.mark.parametrize("sigma", [1.0, 1.5])
@pytest.mark.parametrize("metric", ["modse", "relative_error_modse"])
def test_modse_of_heavy_tailed_standard_errors_rarely_passes_wrongly(sigma: float, metric: str) -> None:
    edge = 0.98 * math.exp(sigma**2)
    x = normal(3)
    rows = [table_of(x / np.std(x, ddof=1), se=row) for row in lognormals(sigma)]
    assert passes(metric, rows, -math.inf, edge if metric == "modse" else 100 * (edge - 1)) <= 0.015


@pytest.mark.parametrize(("sigma", "side"), [(1.0, 1.0), (1.0, -1.0), (1.0, 0.3)])
def test_bias_in_empse_of_skewed_estimates_rarely_passes_wrongly(sigma: float, side: float) -> None:
    mean = math.exp(sigma**2 / 2)
    spread = mean * math.sqrt(math.exp(sigma**2) - 1)
    rows = [table_of(row) for row in lognormals(sigma)]
    band = (side, math.inf) if side > 0 else (-math.inf, side)
    assert passes("standardised_bias", rows, *band, truth=mean - side * spread) <= 0.015


def test_cauchy_standard_errors_have_no_upper_limit() -> None:
    errors = np.abs(np.random.default_rng(4).standard_cauchy(R))
    for metric in ("modse", "se_ratio", "relative_error_modse"):
        found = estimate_metric(metric, table_of(normal(4), se=errors), parameter="mu")
        assert interval(found, 0.02)[1] == math.inf


def test_bias_in_empse_of_cauchy_estimates_is_undecided_and_says_so() -> None:
    criterion = Criterion("B", "bias", "m", "mu", -0.1, 0.1, unit="empse")
    row = judged(study_of(criterion, replications=4 * R), table_of(np.random.default_rng(5).standard_cauchy(4 * R)))[0]
    assert (row.interval, row.sequential) == ("UNDECIDED", "UNDECIDED")
    assert "heavy tails" in row.cells[0].warning


def test_ordinary_estimates_and_standard_errors_are_still_decided() -> None:
    """Of standard errors of a mean of ten, and normal estimates."""
    rng = np.random.default_rng(8)
    rows = [table_of(rng.normal(size=R), se=np.sqrt(rng.chisquare(9, R) / 9)) for _ in range(100)]
    assert passes("modse", rows, 0.9, 1.1) == 1
    assert passes("se_ratio", rows, 0.8, 1.2) >= 0.9
    assert passes("standardised_bias", rows, -0.2, 0.2) == 1


def test_bias_in_empse_of_skewed_estimates_can_still_be_decided() -> None:
    """Of estimates with a coefficient of variation of a quarter, whose tail looks heavy from their median."""
    rows = lognormals(0.25, 50) - math.exp(0.25**2 / 2)
    assert passes("standardised_bias", [table_of(row) for row in rows], -0.2, 0.2) >= 0.95
    criterion = Criterion("B", "bias", "m", "mu", -0.1, 0.1, unit="empse")
    row = judged(study_of(criterion), table_of(rows[0] + 0.3))[0]
    assert row.sequential == "FAIL" and "twice as large" in row.cells[0].warning


# --- A8: bands that no proportion can be in ---------------------------------------------------------------------------


@pytest.mark.parametrize("band", [(90.0, 99.0), (90.0, None), (-3.0, -1.0), (None, -0.5)])
def test_a_band_no_proportion_can_be_in_fails(band: tuple[float | None, float | None]) -> None:
    study = study_of(Criterion("C", "coverage", "m", "mu", *band))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plan = plan_study(study)
        row = judged(study, table_of(normal(9)))[0]
        text = render_plan(plan)
    assert plan.rows[0].interval_fail == 1 and "nan" not in text
    assert (row.literal, row.interval, row.sequential) == ("FAIL", "FAIL", "FAIL")


@pytest.mark.parametrize(("misses", "within"), [(0, 1.0), (1, 0.0)])
def test_a_band_that_ends_where_proportions_do_has_no_nan(misses: int, within: float) -> None:
    hits = np.arange(R) >= misses
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.allclose(proportion_errors(hits, 1.0, math.inf), (1.0, within))
        assert np.allclose(proportion_errors(~hits, -math.inf, 0.0), (1.0, within))


# --- A9: what cannot have a value ------------------------------------------------------------------------------------


def test_bias_in_empse_of_an_exact_estimator_is_undecided_with_the_reason() -> None:
    """Also where the mean of equal numbers is not that number, by rounding."""
    criterion = Criterion("B", "bias", "m", "mu", -0.1, 0.1, unit="empse")
    row = judged(study_of(criterion, truth=0.1), table_of(np.full(R, 0.1)))[0]
    assert (row.literal, row.interval, row.sequential, row.verdict) == ("UNDECIDED",) * 4
    assert "do not vary" in row.cells[0].warning and row.by == "there is no value"


def test_bias_in_empse_of_a_constant_that_is_wrong_fails() -> None:
    criterion = Criterion("B", "bias", "m", "mu", -0.1, 0.1, unit="empse")
    assert judged(study_of(criterion), table_of(np.full(R, 0.1)))[0].verdict == "FAIL"


def test_relative_bias_of_a_truth_of_zero_is_undecided_with_the_reason() -> None:
    row = judged(study_of(Criterion("B", "relative_bias", "m", "mu", -0.1, 0.1)), table_of(normal(10)))[0]
    assert row.verdict == "UNDECIDED" and "truth is 0" in row.cells[0].warning


@pytest.mark.parametrize("metric", ["se_ratio", "relative_error_modse"])
def test_no_spread_and_no_standard_error_is_undecided(metric: str) -> None:
    study = study_of(Criterion("S", metric, "m", "mu", -5.0, 5.0))
    row = judged(study, table_of(np.full(R, 0.1), se=0.0))[0]
    assert row.verdict == "UNDECIDED" and "0 / 0" in row.cells[0].warning
    assert judged(study, table_of(np.full(R, 0.1), se=1.0))[0].verdict == "FAIL"


def test_two_methods_that_agree_on_a_constant_are_undecided_in_units_of_empse() -> None:
    criterion = Criterion("A", "difference", "m", "mu", -0.1, 0.1, unit="empse", reference="ref")
    assert judged(study_of(criterion), table_of(np.full(R, 0.1)))[0].verdict == "UNDECIDED"


# --- D1, D2: refusals ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", ["rate", "trend"])
def test_along_a_single_level_is_refused(metric: str) -> None:
    criterion = Criterion("T", metric, "m", "mu", high=0.0, axis="n", of="rmse")
    with pytest.raises(StudyRefused, match="two or more levels of n"):
        check_criterion(study_of(criterion), criterion)
    chosen = Criterion("T", metric, "m", "mu", high=0.0, axis="n", of="rmse", cells={"n": [50]})
    with pytest.raises(StudyRefused, match="two or more levels of n"):
        check_criterion(study_of(chosen, n=(50, 100)), chosen)
    check_criterion(study_of(criterion, n=(50, 100)), criterion)


@pytest.mark.parametrize("name", ["SE × 0..9", "SE × .", 3, None, "fails in 500 %", "SE × " + "9" * 400])
def test_a_fault_that_cannot_be_read_is_refused(name: Any) -> None:
    with pytest.raises(StudyRefused, match="there is no fault"):
        read_fault(name)


@pytest.mark.parametrize("faults", [3, "SE × 0.9"])
def test_faults_that_are_no_list_are_refused(faults: Any) -> None:
    with pytest.raises(StudyRefused, match="list of names"):
        faults_of(Criterion("C", "coverage", "m", "mu", 0.9, faults=faults))


# --- E: words --------------------------------------------------------------------------------------------------------


def test_a_fault_on_the_edge_is_said_to_be_inside_or_on_it() -> None:
    criterion = Criterion("B", "bias", "m", "mu", -0.1, 0.1, unit="empse", faults=["bias of 0.1 EmpSE"])
    assert "inside the band or on its edge" in render_plan(plan_study(study_of(criterion)))


def test_a_trend_of_what_is_the_same_in_both_cells_does_not_change() -> None:
    criterion = Criterion("T", "trend", "m", "mu", low=-0.01, axis="n", of="coverage")
    row = judged(study_of(criterion, n=(50, 100)), *[table_of(normal(11), half=99.0)] * 2)[0]
    assert row.cells[0].warning == "the metric does not change"


def test_a_summary_shows_the_error_that_verdicts_show() -> None:
    criterion = Criterion("E", "empse", "m", "mu", 0.1, 9.0)
    study, table = study_of(criterion), table_of(np.random.default_rng(12).standard_t(5, R))
    results = MemoryResults({(0, "m"): table, (0, "ref"): table})
    found = summarise(study, results, metrics=["empse"]).rows[0]
    assert found.mcse is not None and found.robust_mcse is not None and found.robust_mcse > found.mcse
    assert found.error == found.robust_mcse
    shown = render_summary(summarise(study, results), metrics=["empse"]).split("(")[1].split(")")[0]
    assert f"({shown})" in render_verdicts(judge_study(study, results), every_cell=True)


def test_the_error_of_an_estimate_is_the_larger() -> None:
    assert McEstimate(1.0, 0.1, 10, 0, robust=0.2).error == 0.2
