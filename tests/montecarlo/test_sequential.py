"""Tests that may be repeated: exact where they can be enumerated, simulated where not."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, stats

from statsclaw.montecarlo.design import Study
from statsclaw.montecarlo.metrics.estimates import McEstimate
from statsclaw.montecarlo.verdicts.holm import adjusted
from statsclaw.montecarlo.verdicts.sequential import (
    evidence_along,
    log_evidence_above,
    log_evidence_below,
    looks,
    path,
    proportion_errors,
    scheduled_errors,
)


def test_the_evidence_is_the_likelihood_ratio_averaged_over_the_far_side() -> None:
    """By numerical integration over the truncated beta distribution."""
    edge, scale, trials, hits = 0.9, 0.05, 120, 115
    weight = edge * (1 - edge) / scale**2 - 1
    prior = stats.beta(weight * edge, weight * (1 - edge))

    def ratio(p: float) -> float:
        return float(stats.binom.pmf(hits, trials, p) / stats.binom.pmf(hits, trials, edge) * prior.pdf(p))

    above = integrate.quad(ratio, edge, 1, limit=200)[0] / prior.sf(edge)
    below = integrate.quad(ratio, 0, edge, limit=200, points=[0.8])[0] / prior.cdf(edge)
    counts, successes = np.array([trials]), np.array([float(hits)])
    assert math.exp(log_evidence_above(counts, successes, edge, scale)[0]) == pytest.approx(above, rel=1e-6)
    assert math.exp(log_evidence_below(counts, successes, edge, scale)[0]) == pytest.approx(below, rel=1e-6)


@pytest.mark.parametrize("p", [0.5, 0.85, 0.9])
def test_the_evidence_is_a_supermartingale_on_the_near_side(p: float) -> None:
    """Exactly: its mean over all outcomes of n trials is at most one for every proportion up to the edge."""
    for trials in (1, 10, 100):
        hits = np.arange(trials + 1.0)
        evidence = np.exp(log_evidence_above(np.full(trials + 1, trials), hits, 0.9, 0.05))
        mean = float(evidence @ stats.binom.pmf(hits, trials, p))
        assert mean <= 1 + 1e-9
        if p == 0.9:
            assert mean == pytest.approx(1)


@pytest.mark.parametrize("p", [0.9, 0.95, 0.99])
def test_the_evidence_against_the_band_has_a_mean_of_at_most_one_within_it(p: float) -> None:
    for trials in (1, 10, 100):
        hits = np.arange(trials + 1.0)
        outside = evidence_along(np.full(trials + 1, trials), hits, 0.9, 0.99)[2]
        assert float(np.exp(outside) @ stats.binom.pmf(hits, trials, p)) <= 1 + 1e-9


def decisions(p: float, low: float, high: float, *, studies: int, trials: int) -> tuple[float, float]:
    """How often the study would ever say that the proportion is within the band, and that it is outside."""
    counts = path(trials)[::5]
    steps = np.random.default_rng(1).binomial(np.diff(counts, prepend=0), p, size=(studies, len(counts)))
    not_below, not_above, outside = evidence_along(counts, np.cumsum(steps, axis=1).astype(float), low, high)
    inside = np.minimum(np.max(not_below, axis=1), np.max(not_above, axis=1)) >= math.log(100)
    return float(np.mean(inside)), float(np.mean(np.max(outside, axis=1) >= math.log(100)))


@pytest.mark.parametrize(("low", "high", "edge"), [(0.93, 0.97, 0.93), (0.9, 0.99, 0.99), (-math.inf, 0.05, 0.05)])
def test_on_the_edge_neither_verdict_is_ever_reached_in_more_than_one_study_of_a_hundred(
    low: float, high: float, edge: float
) -> None:
    passed, failed = decisions(edge, low, high, studies=1500, trials=5000)
    bound = stats.binom.ppf(0.999, 1500, 0.01) / 1500
    assert passed <= bound and failed <= bound
    assert passed + failed > 0  # it is not merely blind


def test_within_and_outside_of_the_band_it_decides() -> None:
    assert decisions(0.95, 0.9, 0.99, studies=200, trials=4000) == (1.0, 0.0)
    assert decisions(0.85, 0.9, 0.99, studies=200, trials=4000) == (0.0, 1.0)


def test_p_values_follow_the_best_moment_of_the_path() -> None:
    """500 hits in a row decide for good, whatever comes later."""
    first = np.ones(500, dtype=bool)
    decided = proportion_errors(first, 0.9, 1.0)
    later = proportion_errors(np.append(first, np.arange(500) % 10 != 0), 0.9, 1.0)
    assert decided[0] < 0.01 and later[0] == pytest.approx(decided[0], rel=0.2) and later[1] == 1.0
    assert proportion_errors(np.zeros(0, dtype=bool), 0.9, 1.0) == (1.0, 1.0)
    assert proportion_errors(np.ones(5, dtype=bool), -math.inf, math.inf) == (pytest.approx(0, abs=1e-9), 1.0)


def test_scheduled_looks_share_the_error_equally() -> None:
    """The p-values of the t tests at the looks that were reached, times the number of all that are planned."""
    x = np.random.default_rng(3).normal(0.1, 1, 400)
    found = [
        McEstimate(float(np.mean(row)), float(stats.sem(row)), len(row), 0, trials=len(row)) for row in (x[:200], x)
    ]
    outside, within = scheduled_errors(found, 3, -0.3, 0.3)
    tests = [stats.ttest_1samp(row, 0.3, alternative="less").pvalue for row in (x[:200], x)]
    assert outside == pytest.approx(3 * min(tests), rel=0.002) and within == 1.0
    _, beyond = scheduled_errors(found, 3, 0.3, 0.5)
    tests = [stats.ttest_1samp(row, 0.3).pvalue for row in (x[:200], x)]
    assert beyond == pytest.approx(3 * min(tests), rel=0.002)
    assert scheduled_errors([], 3, 0.3, 0.5) == (1.0, 1.0)


def test_looks_double_up_to_the_cap() -> None:
    def of(replications: int, cap: int | None) -> tuple[int, ...]:
        return looks(Study("s", {}, ["m"], {}, replications, 1, cap=cap))

    assert of(500, None) == (500, 1000, 2000)
    assert of(500, 3000) == (500, 1000, 2000, 3000)
    assert of(500, 500) == (500,) and of(500, 100) == (500,)


def test_holm_is_that_of_statsmodels() -> None:
    errors = [0.001, 0.04, 0.03, 0.005, 0.9, 0.005]
    multipletests = pytest.importorskip("statsmodels.stats.multitest").multipletests
    assert adjusted(errors) == pytest.approx(list(multipletests(errors, method="holm")[1]))
    assert adjusted([]) == []


def test_holm_by_hand() -> None:
    assert adjusted([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
