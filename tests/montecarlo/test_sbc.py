"""Calibration: exact distributions by enumeration, realised error rates, planted faults."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from statsclaw.montecarlo.chains.samplers import RANKED
from statsclaw.montecarlo.chains.sbc import LOG_LIKELIHOOD, check_ranks, ranks_in, sbc
from statsclaw.montecarlo.chains.uniformity import (
    bins_for,
    chi_square,
    ecdf,
    ecdf_band,
    ecdf_test,
    histogram,
    histogram_band,
)
from statsclaw.montecarlo.design import StudyRefused
from statsclaw.montecarlo.table import Table

SIZE = 8


def prior(rng: np.random.Generator) -> dict[str, float]:
    return {"mu": float(rng.normal())}


def simulate(truth, rng: np.random.Generator) -> np.ndarray:
    return rng.normal(truth["mu"], 1.0, SIZE)


def posterior(*, prior_variance: float = 1.0, spread: float = 1.0, shift: float = 0.0):
    """The normal posterior, exact for the defaults."""

    def sample(data: np.ndarray, rng: np.random.Generator) -> dict[str, np.ndarray]:
        precision = SIZE + 1 / prior_variance
        sd = 1 / math.sqrt(precision)
        return {"mu": rng.normal(data.sum() / precision + shift * sd, spread * sd, (4, 50))}

    return sample


def log_likelihood(parameters, data: np.ndarray) -> float:
    return float(-0.5 * np.sum((data - parameters["mu"]) ** 2))


@pytest.mark.parametrize(("count", "largest"), [(3, 3), (4, 4), (5, 2)])
def test_p_value_of_the_ecdf_is_the_share_of_samples_at_least_as_extreme(count: int, largest: int) -> None:
    """All samples of ranks are enumerated; their pointwise p-values come from scipy."""
    shares = (np.arange(largest) + 1) / (largest + 1)

    def statistic(ranks: np.ndarray) -> float:
        counts = np.array([np.sum(ranks <= k) for k in range(largest)])
        lower, upper = stats.binom.cdf(counts, count, shares), stats.binom.sf(counts - 1, count, shares)
        return float(np.min(np.minimum(1, 2 * np.minimum(lower, upper))))

    samples = [np.array(ranks, dtype=float) for ranks in itertools.product(range(largest + 1), repeat=count)]
    surprise = np.array([statistic(ranks) for ranks in samples])
    for ranks, own in zip(samples, surprise, strict=True):
        assert ecdf_test(ranks, largest) == pytest.approx(np.mean(surprise <= own + 1e-12), abs=1e-9)


def test_chi_square_is_that_of_scipy() -> None:
    ranks = np.random.default_rng(2).integers(0, 100, 400).astype(float)
    counts = np.histogram(ranks, bins=np.arange(0, 101, 5))[0]
    assert np.array_equal(histogram(ranks, RANKED, 20), counts)
    assert chi_square(ranks, RANKED) == pytest.approx(stats.chisquare(counts).pvalue, rel=1e-10)


def test_bins_divide_the_ranks_and_are_well_filled() -> None:
    assert [bins_for(count, RANKED) for count in (4, 10, 30, 60, 1000)] == [1, 2, 5, 10, 20]
    assert math.isnan(chi_square(np.array([3.0, 4.0]), RANKED))


def test_bands_hold_all_of_the_curve_as_often_as_they_say() -> None:
    rng = np.random.default_rng(4)
    low, high = ecdf_band(150, RANKED, 0.05)
    bottom, top = histogram_band(150, 20, 0.05)
    left = uneven = 0
    for _ in range(2000):
        ranks = rng.integers(0, 100, 150).astype(float)
        counts = ecdf(ranks, RANKED)
        left += bool(np.any((counts < low) | (counts > high)))
        bins = histogram(ranks, RANKED, 20)
        uneven += bool(np.any((bins < bottom) | (bins > top)))
    assert stats.binomtest(left, 2000, 0.05).pvalue > 0.001
    assert stats.binomtest(uneven, 2000, 0.05, alternative="greater").pvalue > 0.001


def test_band_and_test_agree() -> None:
    rng = np.random.default_rng(6)
    low, high = ecdf_band(80, RANKED, 0.2)
    for _ in range(300):
        ranks = np.floor(100 * rng.beta(1.15, 1, 80))
        counts = ecdf(ranks, RANKED)
        assert bool(np.any((counts < low) | (counts > high))) == (ecdf_test(ranks, RANKED) <= 0.2)


def test_verdict_fails_correct_ranks_as_seldom_as_it_says() -> None:
    rng = np.random.default_rng(9)
    failed = sum(
        check_ranks({name: rng.integers(0, 100, 100) for name in "abc"}, error=0.1).verdict == "FAIL"
        for _ in range(400)
    )
    assert stats.binomtest(failed, 400, 0.1, alternative="greater").pvalue > 0.001
    assert failed > 0


def test_an_exact_posterior_passes() -> None:
    found = sbc(prior, simulate, posterior(), replications=300, seed=1, log_likelihood=log_likelihood)
    assert found.verdict == "PASS", found.text()
    assert [quantity.quantity for quantity in found.quantities] == ["mu", LOG_LIKELIHOOD]
    assert found.text().startswith("PASS at error rate 0.01")


@pytest.mark.parametrize(
    ("fault", "quantity", "shape"),
    [
        ({"spread": 0.7}, "mu", "too narrow"),
        ({"spread": 1.5}, "mu", "too wide"),
        ({"shift": 0.5}, "mu", "too high"),
        ({"shift": -0.5}, "mu", "too low"),
    ],
)
def test_planted_faults_are_found_and_named(fault, quantity: str, shape: str) -> None:
    found = sbc(prior, simulate, posterior(**fault), replications=300, seed=2)
    assert found.verdict == "FAIL"
    assert shape in next(one.shape for one in found.quantities if one.quantity == quantity)


def test_a_sampler_that_ignores_the_data_is_seen_by_the_log_likelihood_only() -> None:
    def from_the_prior(data, rng):
        return {"mu": rng.normal(size=(2, 100))}

    blind = sbc(prior, simulate, from_the_prior, replications=300, seed=3)
    seeing = sbc(prior, simulate, from_the_prior, replications=300, seed=3, log_likelihood=log_likelihood)
    assert blind.verdict == "PASS" and seeing.verdict == "FAIL"


def test_failures_are_counted_and_leave_the_verdict_open() -> None:
    def sometimes(data, rng):
        if data.mean() < -1:
            raise FloatingPointError("no convergence")
        return posterior()(data, rng)

    found = sbc(prior, simulate, sometimes, replications=100, seed=4)
    assert found.failures > 0 and found.verdict != "PASS"
    assert "replications gave no ranks" in found.text()


def test_nothing_ran_is_no_pass() -> None:
    def never(data, rng):
        raise ValueError

    assert sbc(prior, simulate, never, replications=5, seed=1).verdict == "UNDECIDED"
    assert check_ranks({"mu": []}).verdict == "UNDECIDED"


def test_a_sampler_without_draws_of_a_parameter_is_refused() -> None:
    with pytest.raises(StudyRefused, match="no draws of mu"):
        sbc(prior, simulate, lambda data, rng: {}, replications=3, seed=1)


def test_results_do_not_depend_on_how_many_replications_follow() -> None:
    short, long = (sbc(prior, simulate, posterior(), replications=count, seed=7) for count in (5, 20))
    assert np.array_equal(short.quantities[0].ranks, long.quantities[0].ranks[:5])


def test_ranks_are_read_from_a_table() -> None:
    rng = np.random.default_rng(1)
    failed = np.zeros(200, dtype=bool)
    failed[3] = True
    ranks = np.where(failed, np.nan, rng.integers(0, 100, 200))
    table = Table(failed, {"mu.rank": ranks, "mu.estimate": ranks, "loglik.rank": ranks})
    assert list(ranks_in(table)) == ["mu", "loglik"]
    found = check_ranks(ranks_in(table))
    assert found.failures == 1 and len(found.quantities[0].ranks) == 199 and found.verdict == "UNDECIDED"


def test_what_is_no_rank_is_refused() -> None:
    with pytest.raises(StudyRefused, match="whole numbers from 0 to 99"):
        check_ranks({"mu": [0.5, 1.0]})


@pytest.mark.slow
def test_realised_false_alarms_of_the_whole_procedure_with_autocorrelated_draws() -> None:
    """Chains with an autocorrelation of 0.8, thinned by what their effective size says."""
    from scipy import signal

    def sticky(data, rng):
        precision = SIZE + 1.0
        noise = rng.standard_normal((4, 300)) * 0.6
        noise[:, 0] = rng.standard_normal(4)
        return {"mu": data.sum() / precision + signal.lfilter([1.0], [1.0, -0.8], noise, axis=1) / math.sqrt(precision)}

    failed = sum(
        sbc(prior, simulate, sticky, replications=150, seed=seed, error=0.05).verdict == "FAIL" for seed in range(200)
    )
    print(f"false alarms at 0.05: {failed / 200}")
    assert stats.binomtest(failed, 200, 0.05, alternative="greater").pvalue > 0.001
