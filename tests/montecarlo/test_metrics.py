"""Every metric and its Monte Carlo error: closed forms, published figures, the jackknife, repeated studies, traps."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy import stats

from statsclaw.montecarlo.metrics.intervals import error_to_exclude, error_to_include, inside, interval, outside
from statsclaw.montecarlo.metrics.measures import METRICS, McEstimate, estimate_metric, outcomes
from statsclaw.montecarlo.metrics.order import partly_sorted
from statsclaw.montecarlo.metrics.sample import tail_index
from statsclaw.montecarlo.table import Table

NORMAL_ONLY = ("empse", "se_ratio", "relative_error_modse")  # their published formulas are of normal estimates
SMOOTH = ("bias", "relative_bias", "standardised_bias", "mse", "rmse", "modse", "width", "time", *NORMAL_ONLY)


def table_of(failed: Any = None, **columns: Any) -> Table:
    named = {name if name == "seconds" else f"mu.{name}": np.asarray(v, dtype=float) for name, v in columns.items()}
    count = len(next(iter(named.values())))
    flags = np.zeros(count, dtype=bool) if failed is None else np.asarray(failed, dtype=bool)
    return Table(flags, {name: np.where(flags, np.nan, values) for name, values in named.items()})


def drawn(rng: np.random.Generator, count: int, *, heavy: bool = False, size: int = 30) -> Table:
    """Estimates of 0.5 whose standard errors depend on them, so that the covariance matters where it is ignored."""
    noise = rng.standard_t(6, count) * math.sqrt(4 / 6) if heavy else rng.normal(size=count)
    estimate = 0.55 + noise / math.sqrt(size)
    se = np.sqrt(rng.chisquare(size - 1, count) / (size - 1) / size)
    return table_of(
        estimate=estimate, se=se, low=estimate - 2 * se, high=estimate + 2 * se, reject=estimate > 0.6,
        seconds=rng.exponential(1e-3, count),
    )  # fmt: skip


def metric(name: str, table: Table, truth: float = 0.5) -> McEstimate:
    return estimate_metric(name, table, parameter="mu", truth=truth)


# --- closed forms ----------------------------------------------------------------------------------------------------


def test_metrics_are_what_their_names_say() -> None:
    table = table_of(
        estimate=[1, 2, 3, 6], se=[1, 1, 2, 2], low=[0.5, 1.5, 3.5, -9], high=[2.5, 4, 5, 9], reject=[1, 0, 0, 1],
        seconds=[1, 1, 1, 5],
    )  # fmt: skip
    empse, modse = math.sqrt(14 / 3), math.sqrt(2.5)
    known = {
        "bias": 1, "relative_bias": 0.5, "standardised_bias": 1 / empse, "median_bias": 0.5, "empse": empse,
        "robust_empse": (3.75 - 1.75) / (2 * stats.norm.ppf(0.75)), "modse": modse, "mse": 4.5, "rmse": math.sqrt(4.5),
        "rms_se_ratio": modse / empse,
        "relative_error_modse": 100 * (modse / empse - 1), "se_ratio": 1.5 / empse, "coverage": 0.75,
        "be_coverage": 0.5, "width": (2 + 2.5 + 1.5 + 18) / 4, "rejection": 0.5, "time": 2, "median_time": 1,
        "failure_rate": 0, "convergence_rate": 1,
        "quantile_range": np.quantile([1, 2, 3, 6], 0.975) - np.quantile([1, 2, 3, 6], 0.025),
    }  # fmt: skip
    assert set(known) == set(METRICS) - {"mean"}
    for name, value in known.items():
        assert metric(name, table, truth=2.0).value == pytest.approx(value), name


def test_errors_are_those_of_morris_white_and_crowther() -> None:
    """Table 6 of the paper, written out again from the data."""
    table, n = drawn(np.random.default_rng(3), 300), 300
    x, v = table.columns["mu.estimate"], table.columns["mu.se"] ** 2
    empse, modse, mse = np.std(x, ddof=1), math.sqrt(np.mean(v)), np.mean((x - 0.5) ** 2)
    p = metric("coverage", table).value
    expected = {
        "bias": empse / math.sqrt(n),
        "empse": empse / math.sqrt(2 * (n - 1)),
        "mse": math.sqrt(np.sum(((x - 0.5) ** 2 - mse) ** 2) / (n * (n - 1))),
        "modse": math.sqrt(np.var(v, ddof=1) / (4 * n * modse**2)),
        "relative_error_modse": 100 * modse / empse
        * math.sqrt(np.var(v, ddof=1) / (4 * n * modse**4) + 1 / (2 * (n - 1))),
        "coverage": math.sqrt(p * (1 - p) / n),
    }  # fmt: skip
    for name, error in expected.items():
        assert metric(name, table).mcse == pytest.approx(error), name


def test_figures_published_for_the_data_misim_are_reproduced() -> None:
    """rsimsum's README (MIsim, 1000 replications, truth 0.5): data with the printed moments give the printed errors."""
    published = {  # mean, EmpSE, ModSE, coverage; errors of bias, EmpSE, coverage
        "CC": ((0.5168, 0.1511, 0.1471, 0.943), (0.0048, 0.0034, 0.0073), -2.6594),
        "MI_LOGT": ((0.5009, 0.1320, 0.1349, 0.949), (0.0042, 0.0030, 0.0070), 2.2233),
        "MI_T": ((0.4988, 0.1344, 0.1338, 0.943), (0.0043, 0.0030, 0.0073), -0.4412),
    }
    scores = stats.norm.ppf((np.arange(1000) + 0.5) / 1000)
    scores /= np.std(scores, ddof=1)
    for (mean, empse, modse, covered), errors, relative in published.values():
        low = np.where(np.arange(1000) < round(1000 * covered), 0.0, 1.0)
        table = table_of(estimate=mean + empse * scores, se=np.full(1000, modse), low=low, high=low + 0.9)
        assert metric("bias", table).value == pytest.approx(mean - 0.5)
        found = [metric(name, table).mcse for name in ("bias", "empse", "coverage")]
        assert [round(error or 0, 4) for error in found] == list(errors)
        assert metric("relative_error_modse", table).value == pytest.approx(relative, abs=0.06)  # of rounded moments
    power = table_of(reject=np.arange(1000) < 946)
    assert round(metric("rejection", power).mcse or 0, 4) == 0.0071  # power of CC: 0.9460 (0.0071)


def test_a_mean_of_zeros_and_ones_is_a_proportion() -> None:
    table = Table(np.zeros(50, dtype=bool), {"converged": np.ones(50), "rate": np.linspace(0.2, 0.4, 50)})
    found = estimate_metric("mean", table, of_field="converged")
    assert found.successes == 50 and interval(found, 0.01) == pytest.approx((0.005 ** (1 / 50), 1.0))
    assert estimate_metric("mean", table, of_field="rate").successes is None


def test_outcomes_are_the_trials_in_order() -> None:
    table = table_of([False, True, False, False], low=[0, 0, 0.6, 0], high=[1, 1, 1, 1], reject=[1, 1, 0, 1])
    said = {name: outcomes(name, table, parameter="mu", truth=0.5) for name in ("coverage", "rejection", "bias")}
    assert said["coverage"] is not None and said["coverage"].tolist() == [True, False, True]
    assert said["rejection"] is not None and said["rejection"].tolist() == [True, False, True]
    assert said["bias"] is None
    failed = outcomes("failure_rate", table)
    assert failed is not None and failed.tolist() == [False, True, False, False]


# --- against other computations --------------------------------------------------------------------------------------


def jackknife(name: str, table: Table) -> float:
    count = len(table.failed)
    rows = []
    for left_out in range(count):
        keep = np.arange(count) != left_out
        part = Table(table.failed[keep], {key: values[keep] for key, values in table.columns.items()})
        rows.append(metric(name, part).value)
    return math.sqrt((count - 1) / count * float(np.sum((np.array(rows) - np.mean(rows)) ** 2)))


@pytest.mark.parametrize("name", [*SMOOTH, "coverage", "rejection"])
def test_errors_agree_with_the_jackknife(name: str) -> None:
    """With t₆ estimates: the formula of normal estimates does not, the robust error does."""
    table = drawn(np.random.default_rng(5), 400, heavy=True)
    found = metric(name, table)
    assert (found.robust if name in NORMAL_ONLY else found.mcse) == pytest.approx(jackknife(name, table), rel=0.02)
    if name == "empse":
        assert found.mcse is not None and found.mcse < 0.8 * jackknife(name, table)


@pytest.mark.parametrize("name", ["median_bias", "robust_empse", "median_time"])
def test_errors_of_quantiles_agree_with_the_bootstrap(name: str) -> None:
    rng = np.random.default_rng(6)
    table = drawn(rng, 400)
    rows = rng.integers(0, 400, (3000, 400))
    columns = table.columns
    again = [metric(name, Table(table.failed, {key: v[row] for key, v in columns.items()})).value for row in rows]
    assert metric(name, table).mcse == pytest.approx(float(np.std(again)), rel=0.12)


@cache
def repeated_studies() -> tuple[Table, list[Table]]:
    rng = np.random.default_rng(12)
    return drawn(rng, 2_000_000), [drawn(rng, 300) for _ in range(2000)]


@pytest.mark.parametrize("name", [*SMOOTH, "median_bias", "robust_empse", "median_time", "coverage", "be_coverage"])
def test_value_plus_minus_two_errors_covers(name: str) -> None:
    """Over 2000 studies of 300 normal estimates; the truth is what 2 million replications give."""
    large, studies = repeated_studies()
    truth = metric(name, large).value
    found = [metric(name, table) for table in studies]
    covered = np.mean([abs(row.value - truth) <= 1.96 * (row.mcse or 0) for row in found])
    # The binomial error of 2000 studies is 0.005; ± 2 errors is known to be short for proportions near 1.
    assert (0.92 if "coverage" in name else 0.93) < covered < 0.97, covered


# --- heavy tails -----------------------------------------------------------------------------------------------------


def false_verdicts(name: str, draw: Any, deviation: float, *, count: int, studies: int) -> tuple[float, float]:
    """How often the 99 % interval of EmpSE lies above the true one, and below: each should be at most 0.5 %."""
    rng, above, below = np.random.default_rng(21), 0, 0
    for _ in range(studies):
        low, high = interval(metric(name, table_of(estimate=draw(rng, count))), 0.01)
        above, below = above + (low > deviation), below + (high < deviation)
    return above / studies, below / studies


def test_the_interval_of_empse_holds_in_heavy_tails() -> None:
    """With the formula of normal estimates both were wrong in 7 % to 40 % of studies."""
    t5 = false_verdicts("empse", lambda rng, n: rng.standard_t(5, n), math.sqrt(5 / 3), count=1000, studies=2000)
    t3 = false_verdicts("empse", lambda rng, n: rng.standard_t(3, n), math.sqrt(3), count=1000, studies=2000)
    normal = false_verdicts("empse", lambda rng, n: rng.normal(size=n), 1.0, count=1000, studies=2000)
    assert max(*t5, *t3) <= 0.008 and max(normal) <= 0.012


def test_no_limit_is_given_to_the_spread_of_cauchy_estimates() -> None:
    cauchy = table_of(estimate=np.random.default_rng(2).standard_cauchy(2000))
    assert interval(metric("empse", cauchy), 0.01)[1] == math.inf
    assert interval(metric("rmse", cauchy), 0.01)[1] == math.inf
    low, high = interval(metric("robust_empse", cauchy), 0.01)
    assert low < stats.cauchy.ppf(0.75) / stats.norm.ppf(0.75) < high  # the quartiles are ±1
    low, high = interval(metric("median_bias", cauchy, truth=0.0), 0.01)
    assert low < 0 < high < 0.2


def test_the_tail_index_tells_heavy_tails_from_others() -> None:
    rng = np.random.default_rng(4)
    assert [tail_index(rng.standard_t(3, 5000)) < 4 for _ in range(20)] == [True] * 20
    assert [tail_index(rng.normal(size=5000)) > 4 for _ in range(20)] == [True] * 20
    assert [tail_index(rng.uniform(size=5000)) > 4 for _ in range(20)] == [True] * 20
    assert tail_index(np.zeros(5000)) == math.inf
    assert tail_index(rng.standard_cauchy(99)) == math.inf  # too few to tell


# --- intervals -------------------------------------------------------------------------------------------------------


def test_a_mean_has_the_interval_of_student_on_the_right_scale() -> None:
    table = drawn(np.random.default_rng(2), 40)
    exact = stats.ttest_1samp(table.columns["mu.estimate"], 0.5).confidence_interval(0.99)
    found = metric("bias", table)
    assert interval(found, 0.01) == pytest.approx((exact.low - 0.5, exact.high - 0.5))
    spread = metric("empse", table)
    low, high = interval(spread, 0.01)
    assert math.sqrt(low * high) == pytest.approx(spread.value)  # symmetric on the scale of the logarithm
    assert math.log(high / spread.value) == pytest.approx(
        stats.t.ppf(0.995, 39) * max(spread.mcse or 0, spread.robust or 0) / spread.value
    )


def test_a_median_has_the_exact_interval_of_order_statistics() -> None:
    """n = 20: the sixth and the fifteenth leave out 4.1 %, the known table of the sign test."""
    found = interval(metric("median_bias", table_of(estimate=np.arange(1.0, 21)), truth=0.0), 0.05)
    assert found == (6.0, 15.0)


@pytest.mark.parametrize("name", ["bias", "empse", "coverage", "relative_error_modse", "robust_empse"])
def test_p_values_are_where_the_interval_meets_the_band(name: str) -> None:
    found = metric(name, drawn(np.random.default_rng(7), 200))
    low, high = interval(found, 0.02)
    slack = 0.35 if name == "robust_empse" else 0.002  # ranks are discrete
    assert error_to_include(found, low - 1e-9, high + 1e-9) == pytest.approx(0.01, rel=slack)
    above = interval(found, 0.03)[1]
    assert error_to_exclude(found, above, math.inf) == pytest.approx(0.03, rel=slack)
    assert error_to_exclude(found, low, high) == 1.0 and error_to_include(found, high, math.inf) == 1.0
    assert inside((1, 2), 0, 3) and not inside((1, 4), 0, 3) and outside((4, 5), 0, 3) and not outside((2, 5), 0, 3)


def test_millions_are_sorted_where_it_matters() -> None:
    values = np.random.default_rng(9).normal(size=1_200_000)
    table, part = table_of(estimate=values), partly_sorted(values)
    assert not np.array_equal(part, np.sort(values))
    for name, share in (("median_bias", 0.5), ("quantile_range", 0.975)):
        low, high = interval(metric(name, table, truth=0.0), 1e-6)
        true = float(stats.norm.ppf(share)) * (2 if name == "quantile_range" else 1)
        assert low < true < high < low + 0.1
    assert metric("robust_empse", table).value == pytest.approx(
        float(np.subtract(*np.quantile(values, [0.75, 0.25]))) / (2 * stats.norm.ppf(0.75))
    )


# --- traps -----------------------------------------------------------------------------------------------------------


def test_a_number_missing_in_one_column_is_a_failure_of_what_needs_it() -> None:
    table = table_of(estimate=[1, 2, 3, 4], se=[1, np.nan, 1, 1])
    assert (metric("bias", table).trials, metric("bias", table).failures) == (4, 0)
    assert (metric("modse", table).trials, metric("modse", table).failures) == (3, 1)


@pytest.mark.parametrize("name", sorted(set(METRICS) - {"mean"}))
def test_nothing_breaks_on_one_replication_none_or_no_variance(name: str) -> None:
    columns = {"estimate": 1.0, "se": 0.1, "low": 0.8, "high": 1.2, "reject": 1.0, "seconds": 0.5}
    for count in (0, 1, 5):
        still = metric(name, table_of(**{key: [value] * count for key, value in columns.items()}))
        assert still.mcse is None or still.mcse == 0
        assert still.replications == count
    gone = metric(name, table_of([True] * 5, **{key: [value] * 5 for key, value in columns.items()}))
    assert math.isnan(gone.value) != (name in ("failure_rate", "convergence_rate"))
    assert gone.failures == 5


def test_coverage_of_none_and_of_all() -> None:
    for share, ends in ((0, (0.0, 0.0258)), (1, (0.9742, 1.0))):  # 1 − 0.005^(1/200)... of the 99 % interval
        found = metric("coverage", table_of(low=[1.0 - share] * 200, high=[2.0] * 200))
        assert (found.value, found.mcse) == (share, 0)
        assert interval(found, 0.01) == pytest.approx(ends, abs=5e-4)
