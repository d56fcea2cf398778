"""Two small samplers with known models, and faults to plant in them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy import special

Parameters = Mapping[str, float]
SIZE = 10
DESIGN = np.column_stack((np.ones(SIZE), np.linspace(-1, 1, SIZE)))


def normal_prior(rng: np.random.Generator) -> dict[str, float]:
    """Mean N(0, 1), variance inverse gamma (3, 2)."""
    return {"mu": float(rng.normal()), "s2": 2 / float(rng.gamma(3.0))}


def normal_data(parameters: Parameters, rng: np.random.Generator) -> Any:
    return rng.normal(parameters["mu"], math.sqrt(parameters["s2"]), SIZE)


def normal_quantities(parameters: Parameters, data: Any) -> dict[str, float]:
    squares = float(np.sum((data - parameters["mu"]) ** 2))
    return {
        "log_likelihood": -0.5 * SIZE * math.log(parameters["s2"]) - 0.5 * squares / parameters["s2"],
        "mean": float(data.mean()),
    }


def normal_gibbs(
    *, prior_variance: float = 1.0, conditional: float = 1.0, extra_degrees: float = 0.0
) -> Callable[[Parameters, Any, np.random.Generator], dict[str, float]]:
    """Conjugate and correct by default. `conditional`: factor on the conditional variance of the mean."""

    def step(parameters: Parameters, data: Any, rng: np.random.Generator) -> dict[str, float]:
        precision = SIZE / parameters["s2"] + 1 / prior_variance
        mu = float(rng.normal(data.sum() / parameters["s2"] / precision, math.sqrt(conditional / precision)))
        shape, rate = 3 + (SIZE + extra_degrees) / 2, 2 + float(np.sum((data - mu) ** 2)) / 2
        return {"mu": mu, "s2": rate / float(rng.gamma(shape))}

    return step


def probit_prior(rng: np.random.Generator) -> dict[str, float]:
    return {"b0": float(rng.normal()), "b1": float(rng.normal())}


def probit_data(parameters: Parameters, rng: np.random.Generator) -> Any:
    beta = np.array([parameters["b0"], parameters["b1"]])
    return DESIGN @ beta + rng.standard_normal(SIZE) > 0


def probit_gibbs(
    *, prior_variance: float = 1.0, conditional: float = 1.0
) -> Callable[[Parameters, Any, np.random.Generator], dict[str, float]]:
    """Data augmentation of Albert and Chib (1993)."""
    covariance = np.linalg.inv(DESIGN.T @ DESIGN + np.eye(2) / prior_variance)
    root = np.linalg.cholesky(conditional * covariance)

    def step(parameters: Parameters, data: Any, rng: np.random.Generator) -> dict[str, float]:
        centre = DESIGN @ np.array([parameters["b0"], parameters["b1"]])
        sign = np.where(data, 1.0, -1.0)
        tail = special.ndtr(sign * centre)
        latent = centre - sign * special.ndtri(np.clip(rng.random(SIZE) * tail, 1e-300, 1.0))
        beta = covariance @ (DESIGN.T @ latent) + root @ rng.standard_normal(2)
        return {"b0": float(beta[0]), "b1": float(beta[1])}

    return step
