"""Summaries of draws against ArviZ, textbook formulas, and what they must be by construction."""

from __future__ import annotations

import logging
import math
import warnings

import numpy as np
import pytest
from scipy import signal, stats

from statsclaw.montecarlo.chains.samplers import RANKED, diagnose, effective_size, rank_of, summarise_draws
from statsclaw.montecarlo.design import StudyRefused


def autoregressive(rng: np.random.Generator, chains: int, draws: int, rho: float) -> np.ndarray:
    """Stationary, with variance one."""
    noise = rng.standard_normal((chains, draws)) * math.sqrt(1 - rho**2)
    noise[:, 0] = rng.standard_normal(chains)
    return signal.lfilter([1.0], [1.0, -rho], noise, axis=1)


def shapes() -> list[tuple[str, np.ndarray]]:
    rng = np.random.default_rng(20260101)
    found: list[tuple[str, np.ndarray]] = []
    for chains in (1, 2, 5):
        for draws in (4, 5, 6, 7, 9, 20, 41, 61, 101, 257, 500):
            base = rng.standard_normal((chains, draws))
            found += [
                ("independent", base),
                ("random walk", np.cumsum(base, axis=1)),
                ("antithetic", autoregressive(rng, chains, draws, -0.9)),
                ("sticky", autoregressive(rng, chains, draws, 0.95)),
                ("rounded", np.round(base)),
                ("two values", (base > 0).astype(float)),
                ("chains apart", base + np.arange(chains)[:, None]),
                ("heavy tails", rng.standard_cauchy((chains, draws))),
                ("alternating", np.tile((-1.0) ** np.arange(draws), (chains, 1)) + 1e-3 * base),
            ]
    return found


@pytest.fixture(scope="module")
def arviz():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = pytest.importorskip("arviz")
    logging.getLogger("arviz").setLevel(logging.ERROR)
    return module


def test_effective_sizes_and_rhat_are_those_of_arviz(arviz) -> None:
    compared = 0
    for name, draws in shapes():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = {
                "ess_bulk": float(arviz.ess(draws, method="bulk")),
                "ess_tail": float(arviz.ess(draws, method="tail")),
                "mean": float(arviz.ess(draws, method="mean")),
            }
            if len(draws) > 1:
                expected["rhat"] = float(arviz.rhat(draws, method="rank"))
        found = {**diagnose(draws), "mean": effective_size(draws)}
        for key, value in expected.items():
            assert found[key] == pytest.approx(value, rel=1e-8, nan_ok=True), (name, draws.shape, key)
            compared += 1
    assert compared > 1000


@pytest.mark.parametrize("draws", [np.full((4, 100), 2.5), np.full((2, 7), 0.1)])
def test_a_constant_chain_has_no_rhat_and_every_draw_counts_as_in_arviz(arviz, draws) -> None:
    found = diagnose(draws)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert math.isnan(float(arviz.rhat(draws)))
        assert float(arviz.ess(draws, method="bulk")) == found["ess_bulk"]
    assert math.isnan(found["rhat"])


def test_one_chain_is_split_and_its_halves_compared() -> None:
    """Formula of the paper written out, with scipy's ranks."""
    rng = np.random.default_rng(3)
    for trend in (0.0, 0.01):
        chain = rng.standard_normal(200) + trend * np.arange(200)
        values = []
        for series in (chain, np.abs(chain - np.median(chain))):
            z = stats.norm.ppf((stats.rankdata(series) - 3 / 8) / (200 + 1 / 4)).reshape(2, 100)
            within, between = z.var(axis=1, ddof=1).mean(), 100 * z.mean(axis=1).var(ddof=1)
            values.append(math.sqrt((99 / 100 * within + between / 100) / within))
        assert diagnose(chain)["rhat"] == pytest.approx(max(values), rel=1e-12)
    assert diagnose(rng.standard_normal(2000) + 0.002 * np.arange(2000))["rhat"] > 1.2


def test_effective_size_of_an_autoregression_is_what_theory_says() -> None:
    rng = np.random.default_rng(5)
    for rho in (-0.5, 0.0, 0.5, 0.9):
        found = effective_size(autoregressive(rng, 4, 50_000, rho))
        assert found == pytest.approx(200_000 * (1 - rho) / (1 + rho), rel=0.1)


def test_mean_spread_and_interval_are_those_of_numpy() -> None:
    draws = np.random.default_rng(1).gamma(2.0, size=(3, 101))
    found = summarise_draws(draws, 1.0, 0.9)
    assert found["estimate"] == pytest.approx(draws.mean(), rel=1e-14)
    assert found["se"] == pytest.approx(draws.std(ddof=1), rel=1e-14)
    low, high = np.quantile(draws, [0.05, 0.95])
    assert (found["low"], found["high"]) == (pytest.approx(low, rel=1e-13), pytest.approx(high, rel=1e-13))
    assert list(found) == ["estimate", "se", "low", "high", "rhat", "ess_bulk", "ess_tail", "rank"]
    assert "rank" not in summarise_draws(draws, None, 0.9)


@pytest.mark.parametrize(
    "draws", [[], [[1.0, math.nan, 2.0, 3.0, 4.0]], [1.0, 2.0, math.inf, 4.0, 5.0]], ids=["none", "NaN", "infinite"]
)
def test_draws_that_are_no_numbers_have_no_summary(draws) -> None:
    found = summarise_draws(draws, 0.0, 0.95)
    assert all(math.isnan(value) for value in found.values()) and len(found) == 8


def test_few_draws_have_a_mean_but_no_diagnostics() -> None:
    found = summarise_draws([1.0, 2.0, 3.0], 0.0, 0.95)
    assert found["estimate"] == 2.0 and found["se"] == 1.0
    assert math.isnan(found["rhat"]) and math.isnan(found["ess_bulk"])
    assert 0 <= found["rank"] <= RANKED
    assert summarise_draws([1.0], None, 0.95)["low"] == 1.0


def test_too_many_dimensions_are_refused_in_one_line() -> None:
    with pytest.raises(StudyRefused, match="3 dimensions"):
        summarise_draws(np.zeros((2, 3, 4)), 0.0, 0.95)


def test_rank_counts_the_draws_below_the_truth() -> None:
    draws = np.arange(990, dtype=float)[None, :]
    assert rank_of(draws, -1.0, effective=990) == 0
    assert rank_of(draws, 2000.0, effective=990) == RANKED
    assert rank_of(draws, 494.5, effective=990) == 49  # the draws kept are 5, 15, 25, …
    assert math.isnan(rank_of(draws, math.nan))


def uniform_p(ranks: list[float]) -> float:
    counts = np.bincount((np.array(ranks) // 10).astype(int), minlength=10)
    assert len(counts) == 10
    return float(stats.chisquare(counts).pvalue)


@pytest.mark.parametrize(
    ("chains", "draws", "rho"),
    [(4, 250, 0.0), (1, 60, 0.0), (1, 150, 0.95), (4, 400, -0.6), (1, 20, 0.0)],
    ids=["many", "fewer than ranked", "sticky", "antithetic", "very few"],
)
def test_ranks_are_uniform_where_truth_and_draws_have_one_distribution(chains: int, draws: int, rho: float) -> None:
    rng = np.random.default_rng(11)
    ranks = [rank_of(autoregressive(rng, chains, draws, rho), float(rng.standard_normal())) for _ in range(1000)]
    assert uniform_p(ranks) > 0.001
    assert {rank for rank in ranks if rank != math.floor(rank)} == set()


def test_ranks_of_a_discrete_parameter_are_uniform_too() -> None:
    rng = np.random.default_rng(12)
    ranks = [rank_of(rng.poisson(2.0, (4, 250)).astype(float), float(rng.poisson(2.0))) for _ in range(2000)]
    assert uniform_p(ranks) > 0.001


def test_ranks_without_thinning_would_not_be_uniform() -> None:
    """So the test above can fail: a sticky chain taken at face value gives ranks that pile up at the ends."""
    rng = np.random.default_rng(13)
    ranks = [
        rank_of(autoregressive(rng, 1, 99, 0.95), float(rng.standard_normal()), effective=1e9) for _ in range(1000)
    ]
    assert uniform_p(ranks) < 1e-6


def test_a_summary_is_the_same_whenever_it_is_made() -> None:
    draws = np.random.default_rng(8).poisson(3.0, (2, 30)).astype(float)
    assert summarise_draws(draws, 3.0, 0.95) == summarise_draws(draws.copy(), 3.0, 0.95)
