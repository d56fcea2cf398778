"""Geweke's joint test: correct samplers pass as often as stated, planted faults are found."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from statsclaw.montecarlo.chains.geweke import geweke
from statsclaw.montecarlo.design import StudyRefused
from tests.montecarlo.gibbs import (
    normal_data,
    normal_gibbs,
    normal_prior,
    normal_quantities,
    probit_data,
    probit_gibbs,
    probit_prior,
)


def joint(transition, *, draws: int = 3000, seed: int = 1, **options):
    return geweke(
        normal_prior, normal_data, transition, draws=draws, seed=seed, quantities=normal_quantities, **options
    )


def test_a_correct_sampler_passes_and_says_what_was_compared() -> None:
    found = joint(normal_gibbs())
    assert found.passed, found.text()
    assert {(one.quantity, one.moment) for one in found.comparisons} == {
        (name, moment) for name in ("mu", "s2", "log_likelihood", "mean") for moment in ("mean", "square")
    }
    assert found.text().startswith("PASS at error rate 0.01 over 8 comparisons (Holm)")
    assert 0 < found.effective < 3000


@pytest.mark.parametrize(
    ("fault", "draws"),
    [
        ({"prior_variance": 1.5}, 10_000),
        ({"conditional": 1.5}, 10_000),
        ({"extra_degrees": 1}, 4_000),
        ({"extra_degrees": -1}, 4_000),
    ],
    ids=["prior variance × 1.5", "conditional variance × 1.5", "one degree of freedom more", "one less"],
)
def test_planted_faults_are_found(fault, draws: int) -> None:
    found = joint(normal_gibbs(**fault), draws=draws)
    assert not found.passed, found.text()


def test_faults_in_the_probit_sampler_are_found_and_the_correct_one_passes() -> None:
    def run(**fault: float):
        return geweke(probit_prior, probit_data, probit_gibbs(**fault), draws=6000, seed=3)

    assert run().passed, run().text()
    assert not run(prior_variance=1.5).passed
    assert not run(conditional=1.5).passed


def test_quantities_without_moments_are_tested_all_the_same() -> None:
    """A Cauchy parameter that is drawn anew each time; and the same with a wrong scale."""

    def cauchy(scale: float):
        return geweke(
            lambda rng: {"x": float(rng.standard_cauchy())},
            lambda parameters, rng: None,
            lambda parameters, data, rng: {"x": scale * float(rng.standard_cauchy())},
            draws=4000,
            seed=5,
        )

    assert cauchy(1.0).passed and not cauchy(1.3).passed


def test_standard_errors_follow_the_autocorrelation() -> None:
    """An AR(1) that leaves N(0, 1) as it is: the error of its mean is known."""
    rho, draws, chains = 0.9, 20_000, 20

    def step(parameters, data, rng):
        return {"x": rho * parameters["x"] + math.sqrt(1 - rho**2) * float(rng.normal())}

    errors = [
        next(
            one.standard_error
            for one in geweke(
                lambda rng: {"x": float(rng.normal())}, lambda p, rng: None, step, draws=draws, seed=seed, chains=chains
            ).comparisons
            if one.moment == "mean"
        )
        for seed in range(6)
    ]
    expected = math.sqrt((1 + (1 + rho) / (1 - rho)) / draws)
    assert np.sqrt(np.mean(np.square(errors))) == pytest.approx(expected, rel=0.2)


def test_a_test_that_could_show_nothing_is_refused() -> None:
    with pytest.raises(StudyRefused, match="at least 5 chains of 10 draws"):
        joint(normal_gibbs(), draws=100)


def test_the_seed_says_everything() -> None:
    assert joint(normal_gibbs(), draws=400) == joint(normal_gibbs(), draws=400)
    assert joint(normal_gibbs(), draws=400) != joint(normal_gibbs(), draws=400, seed=2)


@pytest.mark.slow
@pytest.mark.parametrize("model", ["normal", "probit"])
def test_realised_false_alarms_are_as_stated(model: str) -> None:
    runs = 300
    if model == "normal":
        results = [joint(normal_gibbs(), draws=1000, seed=seed, error=0.05) for seed in range(runs)]
    else:
        results = [
            geweke(probit_prior, probit_data, probit_gibbs(), draws=1000, seed=seed, error=0.05) for seed in range(runs)
        ]
    alarms = sum(not result.passed for result in results)
    print(f"{model}: false alarms at 0.05 in {runs} runs: {alarms / runs:.3f}")
    assert stats.binomtest(alarms, runs, 0.05, alternative="greater").pvalue > 0.001
