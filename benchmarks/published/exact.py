"""What needs no simulation: values of figures of the three studies by enumeration, quadrature or a formula."""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, lgamma, log, sqrt
from typing import Any

import numpy as np
from scipy.special import chdtri, comb, ndtr, ndtri, stdtrit

#: Values by method and column of `published.toml`.
Values = dict[tuple[str, str], float]
_NODES = 400


def angrist_pischke2009(cell: Mapping[str, Any]) -> Values:
    """Given the two sums of squares, which are χ² with 2 and 26 degrees of freedom, the difference is normal.

    So all figures are integrals over two dimensions: Gauss–Legendre on the scale of both distribution functions.
    """
    sigma, n1, n0 = cell["sigma"], 3, 27
    n, se = n1 + n0, sqrt(1 / n1 + sigma**2 / n0)
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    tail, mass = (1 - nodes) / 2, np.outer(weights, weights) / 4
    s1, s0 = chdtri(n1 - 1, tail)[:, None], sigma**2 * chdtri(n0 - 1, tail)[None, :]
    kinds = {
        "conventional": (s0 + s1) / (n - 2) * n / (n0 * n1),
        "hc0": s0 / n0**2 + s1 / n1**2,
        "hc2": s0 / (n0 * (n0 - 1)) + s1 / (n1 * (n1 - 1)),
        "hc3": s0 / (n0 - 1) ** 2 + s1 / (n1 - 1) ** 2,
    }
    kinds["hc1"] = kinds["hc0"] * n / (n - 2)
    kinds["hc0_program"] = kinds["hc0"] * (n - 2) / n
    kinds |= {f"max_{kind}": np.maximum(kinds["conventional"], kinds[kind]) for kind in kinds if kind != "conventional"}
    limits = {"normal": float(ndtri(0.975)), "t": float(stdtrit(n - 2, 0.975))}
    found: Values = {("conventional", "b1_mean"): 0.0, ("conventional", "b1_sd"): se}
    for kind, variance in kinds.items():
        errors = np.sqrt(variance)
        mean = float((errors * mass).sum())
        found[kind, "mean"] = mean
        found[kind, "sd"] = sqrt(float((variance * mass).sum()) - mean**2)
        for column, limit in limits.items():
            found[kind, column] = float((2 * ndtr(-limit * errors / se) * mass).sum())
    return found


def van_buuren2018(cell: Mapping[str, Any]) -> Values:
    """Of complete cases, summed over how many there are; rounding to one decimal counts as a variance of 1/1200.

    With y missing, imputing the prediction changes no slope, and no method is biased.
    """
    rounding = 0.01 / 12
    noise, spread = 0.86**2 + rounding, 9.0 + rounding
    squared = width = 0.0
    for seen in range(5, 51):
        share, left = float(comb(50, seen)) / 2.0**50, seen - 2
        squared += share * noise / spread / (seen - 3)
        root = exp(log(2 / left) / 2 + lgamma((left + 1) / 2) - lgamma(left / 2))
        inverse = exp(lgamma(left / 2) - lgamma((left + 1) / 2) - log(2) / 2)
        width += share * 2 * float(stdtrit(left, 0.975)) * sqrt(noise / spread) * root * inverse
    complete = {"bias": 0.0, "coverage": 0.95, "width": width, "rmse": sqrt(squared)}
    found: Values = {("listwise", column): value for column, value in complete.items()}
    if cell["missing"] == "y":
        found |= {(method, "bias"): 0.0 for method in ("norm.predict", "norm.nob", "norm", "norm.boot")}
        found["norm.predict", "rmse"] = sqrt(squared)
    return found


def dag2018(cell: Mapping[str, Any]) -> Values:
    """The F test of normal samples with equal variances."""
    return {("anova", "anova"): 0.05} if cell["skewness"] == 0 and cell["sd"] == "equal" else {}


EXACT = {
    "angrist_pischke2009": angrist_pischke2009,
    "van_buuren2018": van_buuren2018,
    "dag2018": dag2018,
}
