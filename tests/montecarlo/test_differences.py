"""A metric of one method minus that of another on the same data: values, paired errors, error rates."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from statsclaw.montecarlo.metrics.differences import DIFFERENCES, metric_difference
from statsclaw.montecarlo.metrics.intervals import interval
from statsclaw.montecarlo.metrics.measures import METRICS, estimate_metric
from statsclaw.montecarlo.table import Table

TRUTH = 0.5


def table_of(**columns: object) -> Table:
    values = {name: np.asarray(column, dtype=float) for name, column in columns.items()}
    failed = np.any([np.isnan(column) for column in values.values()], axis=0)
    named = {name if name in ("seconds", "score") else f"mu.{name}": column for name, column in values.items()}
    return Table(failed, {name: np.where(failed, np.nan, column) for name, column in named.items()})


def drawn(rng: np.random.Generator, count: int) -> tuple[Table, Table]:
    shared = rng.normal(size=count)
    tables = []
    for weight, factor in ((0.3, 1.0), (0.6, 0.9)):
        x = TRUTH + 0.1 + shared + weight * rng.normal(size=count)
        se = factor * rng.uniform(0.9, 1.3, count)
        score, seconds = shared + rng.normal(size=count), rng.gamma(4, 0.2, count)
        limits = {"low": x - 1.96 * se, "high": x + 1.96 * se}
        tables.append(table_of(estimate=x, se=se, reject=np.abs(x) > 1.96 * se, score=score, seconds=seconds, **limits))
    return tables[0], tables[1]


def test_by_hand() -> None:
    a = table_of(estimate=[1.0, 2, 4, 7], low=[0, 0, 2, 6], high=[2, 1, 6, 8])
    b = table_of(estimate=[0.0, 2, 2, 9], low=[0, 1, 2, 6], high=[2, 3, 6, 8])
    gaps = np.array([1.0, 0, 2, -2])
    bias = metric_difference("bias", a, b, parameter="mu", truth=1.0)
    assert bias.value == 0.25 and bias.mcse == pytest.approx(math.sqrt(8.75 / 3 / 4))  # Σ(gap − ¼)² = 8.75
    assert bias.mcse == pytest.approx(np.std(gaps, ddof=1) / 2)
    mse = metric_difference("mse", a, b, parameter="mu", truth=1.0)
    squares = np.array([0.0, 1, 9, 36]) - np.array([1.0, 1, 1, 64])
    assert mse.value == pytest.approx(-5.25) and mse.mcse == pytest.approx(np.std(squares, ddof=1) / 2)
    coverage = metric_difference("coverage", a, b, parameter="mu", truth=1.5)
    assert coverage.value == pytest.approx(1 / 4 - 2 / 4)  # a covers in the first, b in the first two
    assert coverage.mcse == pytest.approx(np.std([0, -1, 0, 0], ddof=1) / 2)


@pytest.mark.parametrize("metric", sorted(DIFFERENCES))
def test_the_value_is_that_of_one_minus_that_of_the_other_and_the_error_is_the_jackknifes(metric: str) -> None:
    a, b = drawn(np.random.default_rng(2), 300)
    given = {"parameter": "mu", "truth": TRUTH, "of_field": "score"}
    found = metric_difference(metric, a, b, **given)  # type: ignore[arg-type]
    one, other = (estimate_metric(metric, table, **given) for table in (a, b))  # type: ignore[arg-type]
    assert found.value == pytest.approx(one.value - other.value)
    left_out = []
    for at in range(300):
        kept = np.arange(300) != at
        cut = [Table(t.failed[kept], {name: column[kept] for name, column in t.columns.items()}) for t in (a, b)]
        left_out.append(metric_difference(metric, *cut, **given).value)  # type: ignore[arg-type]
    jackknife = math.sqrt(299 / 300 * float(np.sum(np.square(np.array(left_out) - np.mean(left_out)))))
    assert found.mcse == pytest.approx(jackknife, rel=0.03, abs=1e-12)


def test_what_methods_share_cancels() -> None:
    a, b = drawn(np.random.default_rng(3), 2000)
    found = metric_difference("rmse", a, b, parameter="mu", truth=TRUTH)
    apart = [estimate_metric("rmse", table, parameter="mu", truth=TRUTH).mcse or 0.0 for table in (a, b)]
    assert (found.mcse or 0.0) < 0.75 * math.hypot(*apart)


def test_only_what_both_gave_counts_and_failure_rates_are_of_all() -> None:
    a = table_of(estimate=[1.0, np.nan, 3, 4, 5])
    b = table_of(estimate=[0.0, 1, np.nan, 2, np.nan])
    found = metric_difference("bias", a, b, parameter="mu", truth=0.0)
    assert (found.value, found.trials, found.failures, found.replications) == (1.5, 2, 3, 5)
    rate = metric_difference("failure_rate", a, b)
    assert rate.value == pytest.approx(1 / 5 - 2 / 5) and rate.trials == 5
    nothing = metric_difference("bias", table_of(estimate=[np.nan]), table_of(estimate=[1.0]), parameter="mu")
    assert math.isnan(nothing.value) and nothing.failures == 1


def test_methods_that_never_disagreed_are_not_taken_to_be_the_same() -> None:
    """Of 300 pairs none disagrees: a disagreement in 1 % of data sets would show none in 5 % of studies."""
    a = table_of(low=np.full(300, -1.0), high=np.full(300, 1.0))
    found = metric_difference("coverage", a, a, parameter="mu", truth=0.0)
    low, high = interval(found, 0.02)
    assert found.value == 0 and -0.03 < low < -0.01 and 0.01 < high < 0.03


def test_no_difference_of_what_has_no_value() -> None:
    a = table_of(estimate=np.zeros(30), se=np.zeros(30))
    found = metric_difference("se_ratio", a, a, parameter="mu", truth=0.0)
    assert math.isnan(found.value) and "0 / 0" in found.undefined
    assert set(METRICS) - DIFFERENCES == {
        "standardised_bias", "median_bias", "robust_empse", "quantile_range", "be_coverage", "median_time"
    }  # fmt: skip


@pytest.mark.parametrize("metric", ["bias", "rmse", "coverage", "se_ratio"])
def test_an_interval_at_the_truth_errs_as_often_as_it_says(metric: str) -> None:
    """400 studies of 300 replications; the truth from one of 400,000."""
    rng = np.random.default_rng(11)
    true = metric_difference(metric, *drawn(rng, 400_000), parameter="mu", truth=TRUTH).value
    below = above = 0
    for _ in range(400):
        low, high = interval(metric_difference(metric, *drawn(rng, 300), parameter="mu", truth=TRUTH), 0.1)
        below, above = below + (high < true), above + (low > true)
    most = stats.binom.ppf(0.999, 400, 0.05)
    assert below <= most and above <= most
