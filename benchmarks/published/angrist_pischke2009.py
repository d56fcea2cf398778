"""Standard errors of a difference of means in a small unbalanced sample: Angrist & Pischke (2009), Table 8.1.1.

Model (8.1.9): y = b0 + b1 d + e with 30 observations, of which 3 have d = 1 ("r = 0.9 … h = 10/N = 1/3 if d = 1"), both
coefficients zero, e ~ N(0, 1) where d = 1 and N(0, sigma²) where d = 0. Five standard errors of b1 by the formulas
printed there, and the larger of the conventional one and each of the other four. The test is compared with the normal
distribution (`reject`) and with the t distribution with 28 degrees of freedom (`t_rejects`).

The methods `hc0_program` and `max_hc0_program` are no part of the text: they shrink HC1 by 28/30 and not by its root.
"""

from collections.abc import Callable, Mapping
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from statsclaw.montecarlo import Estimate, Study

Sample = tuple[NDArray[np.float64], NDArray[np.float64]]
N1, N0 = 3, 27
N = N1 + N0
NORMAL, STUDENT = float(ndtri(0.975)), float(stdtrit(N - 2, 0.975))


def dgp(cell: Mapping[str, Any], rng: np.random.Generator) -> Sample:
    return rng.normal(size=N1), rng.normal(scale=cell["sigma"], size=N0)


def true_se(cell: Mapping[str, Any]) -> float:
    return sqrt(1 / N1 + cell["sigma"] ** 2 / N0)


def variances(s1: float, s0: float) -> dict[str, float]:
    """Of the difference of means; `s1`, `s0`: sums of squared deviations in the two groups."""
    hc0 = s0 / N0**2 + s1 / N1**2
    return {
        "conventional": N / (N0 * N1) * (s0 + s1) / (N - 2),
        "hc0": hc0,
        "hc1": N / (N - 2) * hc0,
        "hc2": s0 / (N0 * (N0 - 1)) + s1 / (N1 * (N1 - 1)),
        "hc3": s0 / (N0 - 1) ** 2 + s1 / (N1 - 1) ** 2,
        "hc0_program": (N - 2) / N * hc0,
    }


def method(*kinds: str) -> Callable[[Sample, Mapping[str, Any]], dict[str, Any]]:
    """The largest standard error of these kinds."""

    def fit(data: Sample, cell: Mapping[str, Any]) -> dict[str, Any]:
        treated, control = data
        difference = float(treated.mean() - control.mean())
        s1, s0 = (float(((group - group.mean()) ** 2).sum()) for group in data)
        known = variances(s1, s0)
        se = sqrt(max(known[kind] for kind in kinds))
        t = abs(difference) / se
        return {"b1": Estimate(difference, se, reject=t > NORMAL), "se": Estimate(se), "t_rejects": t > STUDENT}

    return fit


ROBUST = ("hc0", "hc1", "hc2", "hc3", "hc0_program")
study = Study(
    name="Angrist & Pischke 2009, Table 8.1.1",
    dgp=dgp,
    grid={"sigma": [0.5, 0.85, 1.0]},
    methods={
        "conventional": method("conventional"),
        **{kind: method(kind) for kind in ROBUST},
        **{f"max_{kind}": method("conventional", kind) for kind in ROBUST},
    },
    truth=lambda cell: {"b1": 0.0, "se": true_se(cell)},
    replications=100_000,
    seed=811,
)
