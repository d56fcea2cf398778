"""Two methods on the same data: values, errors that use the pairing, and a method that fails alone."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from statsclaw.montecarlo.metrics.estimates import McEstimate
from statsclaw.montecarlo.metrics.intervals import interval
from statsclaw.montecarlo.metrics.paired import COMPARISONS, compare
from statsclaw.montecarlo.table import Floats, Table


def table_of(estimate: Floats, seconds: Floats | None = None) -> Table:
    own = np.asarray(estimate, dtype=float)
    failed = np.isnan(own)
    return Table(failed, {"mu.estimate": own, "seconds": np.ones(len(own)) if seconds is None else seconds})


def compared(metric: str, own: Table, other: Table, unit: str = "absolute") -> McEstimate:
    return compare(metric, own, other, parameter="mu", unit=unit)


def drawn(rng: np.random.Generator, count: int, correlation: float = 0.8) -> tuple[Table, Table]:
    """The reference has twice the variance."""
    shared, own, other = rng.normal(size=(3, count))
    weight = math.sqrt(correlation)
    first, second = weight * shared + math.sqrt(1 - weight**2) * np.array([own, other])
    times = rng.gamma(4, 0.25e-3, count), rng.gamma(4, 0.5e-3, count)
    return table_of(first, times[0]), table_of(math.sqrt(2) * second + 0.1, times[1])


def test_values_are_what_they_say() -> None:
    own, other = table_of(np.array([1.0, 2, 3, 4])), table_of(np.array([0.0, 2, 4, 8]), np.full(4, 3.0))
    variances = np.var([1, 2, 3, 4], ddof=1), np.var([0, 2, 4, 8], ddof=1)
    assert compared("relative_precision", own, other).value == pytest.approx(100 * (variances[1] / variances[0] - 1))
    assert compared("agreement", own, other).value == pytest.approx(math.sqrt((1 + 0 + 1 + 16) / 4))
    assert compared("difference", own, other).value == pytest.approx(-1)
    assert compared("difference", own, other, "empse").value == pytest.approx(-1 / math.sqrt(variances[1]))
    assert compared("speed_ratio", own, other).value == pytest.approx(3)


def test_the_error_of_relative_precision_is_the_published_one() -> None:
    """MIsim in rsimsum's README: EmpSE 0.1511 and 0.1320, gain 31.0463 (3.9375) per cent, for whatever correlation
    the two have: data with these spreads and the correlation that the error implies give both figures back."""
    ratio = math.sqrt(1.310463)
    correlation = math.sqrt(1 - 999 * (3.9375 / (200 * ratio**2)) ** 2)
    assert 0.5 < correlation < 1
    noise = np.random.default_rng(1).normal(size=(1000, 2))
    scores = np.linalg.qr(np.column_stack([np.ones(1000), noise]))[0][:, 1:] * math.sqrt(999)  # uncorrelated, mean 0
    own = 0.1320 * scores[:, 0]
    other = 0.1320 * ratio * (correlation * scores[:, 0] + math.sqrt(1 - correlation**2) * scores[:, 1])
    found = compared("relative_precision", table_of(own), table_of(other))
    assert (found.value, found.mcse) == (pytest.approx(31.0463), pytest.approx(3.9375))
    assert found.value == pytest.approx(100 * ((0.1511 / 0.1320) ** 2 - 1), abs=0.2)  # the printed EmpSE are rounded


@pytest.mark.parametrize("metric", sorted(COMPARISONS))
def test_errors_are_the_spread_over_repeated_studies(metric: str) -> None:
    rng = np.random.default_rng(3)
    found = [compared(metric, *drawn(rng, 300)) for _ in range(1500)]
    spread = float(np.std([row.value for row in found], ddof=1))
    assert float(np.mean([row.mcse or 0 for row in found])) == pytest.approx(spread, rel=0.07)
    if metric == "relative_precision":
        assert float(np.mean([row.robust or 0 for row in found])) == pytest.approx(spread, rel=0.07)


def test_relative_precision_with_failures_is_that_of_rsimsum() -> None:
    """Each EmpSE of what its method gave, the correlation of the pairs, n of the method (R/performance.R)."""
    own, other = (table.columns["mu.estimate"].copy() for table in drawn(np.random.default_rng(11), 400))
    own[::10], other[5::8] = np.nan, np.nan
    found = compared("relative_precision", table_of(own), table_of(other))
    kept = ~np.isnan(own) & ~np.isnan(other)
    ratio = np.nanvar(other, ddof=1) / np.nanvar(own, ddof=1)
    rho = np.corrcoef(own[kept], other[kept])[0, 1]
    assert found.value == pytest.approx(100 * (ratio - 1))
    assert found.mcse == pytest.approx(200 * ratio * math.sqrt((1 - rho**2) / (np.count_nonzero(~np.isnan(own)) - 1)))
    assert (found.trials, found.failures) == (int(np.sum(kept)), 400 - int(np.sum(kept)))


def test_the_robust_error_with_failures_is_the_spread_over_repeated_studies() -> None:
    rng, found = np.random.default_rng(12), []
    for _ in range(800):
        own, other = (table.columns["mu.estimate"] for table in drawn(rng, 300))
        own[rng.random(300) < 0.2], other[rng.random(300) < 0.1] = np.nan, np.nan
        found.append(compared("relative_precision", table_of(own), table_of(other)))
    spread = float(np.std([row.value for row in found], ddof=1))
    assert float(np.mean([row.robust or 0 for row in found])) == pytest.approx(spread, rel=0.09)


def test_a_paired_difference_is_the_paired_t_test() -> None:
    own, other = drawn(np.random.default_rng(5), 40)
    exact = stats.ttest_rel(own.columns["mu.estimate"], other.columns["mu.estimate"]).confidence_interval(0.99)
    assert interval(compared("difference", own, other), 0.01) == pytest.approx((exact.low, exact.high))


def test_only_replications_in_which_both_succeeded_count() -> None:
    own = table_of(np.array([1.0, np.nan, 3, 4, 5]))
    other = table_of(np.array([1.0, 2, np.nan, 4, 6]))
    found = compared("difference", own, other)
    assert (found.value, found.trials, found.failures) == (pytest.approx(-1 / 3), 3, 2)
    assert found.value != pytest.approx(13 / 4 - 13 / 4)  # what the means of each alone would say


def test_identical_methods_agree_exactly_and_still_ones_have_no_precision() -> None:
    own, _ = drawn(np.random.default_rng(6), 50)
    found = compared("agreement", own, own)
    assert (found.value, found.mcse) == (0, 0)
    still = table_of(np.ones(5))
    assert math.isnan(compared("relative_precision", still, still).value)
    gone = table_of(np.full(5, np.nan))
    assert math.isnan(compared("speed_ratio", gone, still).value) and compared("agreement", gone, still).failures == 5
    assert compared("agreement", table_of(np.array([1.0])), table_of(np.array([2.0]))).mcse is None
