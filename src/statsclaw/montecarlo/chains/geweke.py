"""Geweke's (2004) joint distribution test: two ways of drawing parameters and data together must agree.

Marginal-conditional: parameters from the prior, data given them; independent draws that never use the sampler.
Successive-conditional: the sampler's transition given the data, then new data given the parameters, and so on. Both
have the joint distribution of parameters and data if prior, likelihood and transition are of the same model, so any
difference is a fault in one of them. No convergence is needed and no posterior is known.

Here the successive-conditional simulator is run as several independent chains, each started from the prior, hence in
the joint distribution from the start. Means of whole chains are independent however the draws within them depend on
one another, so their spread gives a standard error that is robust to any autocorrelation, and the statistic has
nearly Welch's t distribution. Every quantity is replaced by its place in a sample of its own from the prior: that is
bounded, so quantities without moments (a variance with few degrees of freedom) are tested as well as others, and the
means of chains that mix slowly are hardly skewed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special  # type: ignore[import-untyped]

from statsclaw.montecarlo.chains.samplers import effective_size
from statsclaw.montecarlo.design import StudyRefused
from statsclaw.montecarlo.streams import Stream, stream_key
from statsclaw.montecarlo.table import Floats
from statsclaw.montecarlo.verdicts.holm import adjusted

Parameters = Mapping[str, float]
Quantities = Callable[[Parameters, Any], Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Comparison:
    """One moment of one quantity. `difference` (successive − marginal) is that of places in
    the prior, scaled to variance 1."""

    quantity: str
    moment: str  # "mean" or "square"
    difference: float
    standard_error: float
    z: float
    degrees: float
    p: float
    adjusted: float


@dataclass(frozen=True, slots=True)
class JointTest:
    """`error`: the probability that a correct sampler fails, at most, for all comparisons together (Holm).

    `effective`: the smallest effective sample size of a quantity in the successive-conditional draws: with few, a
    fault must be gross to be seen.
    """

    error: float
    comparisons: tuple[Comparison, ...]
    effective: float

    @property
    def passed(self) -> bool:
        return all(found.adjusted > self.error for found in self.comparisons)

    def text(self) -> str:
        head = "PASS" if self.passed else "FAIL"
        lines = [
            f"{head} at error rate {self.error:g} over {len(self.comparisons)} comparisons (Holm); smallest effective "
            f"sample size {self.effective:.0f}."
        ]
        lines += [
            f"{found.quantity} ({found.moment}): {found.difference:+.3f} ± {found.standard_error:.3f}, z = "
            f"{found.z:+.2f}, adjusted p = {found.adjusted:.3g}"
            for found in sorted(self.comparisons, key=lambda found: found.p)
        ]
        return "\n".join(lines)


def geweke(
    prior: Callable[[np.random.Generator], Parameters],
    simulate: Callable[[Parameters, np.random.Generator], Any],
    transition: Callable[[Parameters, Any, np.random.Generator], Parameters],
    *,
    draws: int,
    seed: int,
    chains: int = 20,
    quantities: Quantities | None = None,
    error: float = 0.01,
) -> JointTest:
    """`transition` makes one step of the sampler: new parameters, given the current ones and the data.

    `draws` of either simulator, the successive ones over `chains` of equal length; a chain should be long against
    its autocorrelation, since it starts where a faulty sampler would not stay. `quantities`: what to compare besides
    the parameters, of parameters and data (the log-likelihood, a mean of the data).
    """
    length = draws // chains
    if chains < 5 or length < 10:
        raise StudyRefused("Geweke's test needs at least 5 chains of 10 draws: raise draws, or lower chains.")

    def measured(parameters: Parameters, data: Any) -> list[float]:
        more = quantities(parameters, data) if quantities is not None else {}
        return [*(parameters[name] for name in names[: len(first)]), *(more[name] for name in names[len(first) :])]

    start = Stream(stream_key(seed, {}, "names")).at(0)
    first = dict(prior(start))
    data = simulate(first, start)
    names = [*first, *(quantities(first, data) if quantities is not None else {})]
    scale, marginal = (
        _marginal(prior, simulate, measured, draws, Stream(stream_key(seed, {}, purpose)))
        for purpose in ("scale", "marginal")
    )
    stream = Stream(stream_key(seed, {}, "successive"))
    successive = np.stack(
        [_successive(prior, simulate, transition, measured, length, stream.at(chain)) for chain in range(chains)]
    )
    return _compare(names, scale, marginal, successive, error)


def _marginal(
    prior: Callable[[np.random.Generator], Parameters],
    simulate: Callable[[Parameters, np.random.Generator], Any],
    measured: Callable[[Parameters, Any], list[float]],
    draws: int,
    stream: Stream,
) -> Floats:
    """Draws × quantities, independent."""
    rng = stream.at(0)
    rows = []
    for _ in range(draws):
        parameters = prior(rng)
        rows.append(measured(parameters, simulate(parameters, rng)))
    return np.array(rows, dtype=np.float64)


def _successive(
    prior: Callable[[np.random.Generator], Parameters],
    simulate: Callable[[Parameters, np.random.Generator], Any],
    transition: Callable[[Parameters, Any, np.random.Generator], Parameters],
    measured: Callable[[Parameters, Any], list[float]],
    length: int,
    rng: np.random.Generator,
) -> Floats:
    """Draws × quantities of one chain that starts in the joint distribution; the start itself is not used."""
    parameters = prior(rng)
    data = simulate(parameters, rng)
    rows = []
    for _ in range(length):
        parameters = transition(parameters, data, rng)
        data = simulate(parameters, rng)
        rows.append(measured(parameters, data))
    return np.array(rows, dtype=np.float64)


def _compare(names: Sequence[str], scale: Floats, marginal: Floats, successive: Floats, error: float) -> JointTest:
    """`successive`: chains × draws × quantities."""
    found: list[tuple[str, str, float, float, float]] = []
    effective = math.inf
    for at, name in enumerate(names):
        ordered = np.sort(scale[:, at])
        independent, chained = _scores(marginal[:, at], ordered), _scores(successive[:, :, at], ordered)
        effective = min(effective, effective_size(chained))
        for moment, power in (("mean", 1), ("square", 2)):
            found.append((name, moment, *_welch(independent**power, (chained**power).mean(axis=1))))
    ratios = [_ratio(difference, spread) for _, _, difference, spread, _ in found]
    p_values = [
        float(2 * special.stdtr(degrees, -abs(ratio))) for ratio, (*_, degrees) in zip(ratios, found, strict=True)
    ]
    comparisons = (
        Comparison(name, moment, difference, spread, ratio, degrees, p, of_family)
        for (name, moment, difference, spread, degrees), ratio, p, of_family in zip(
            found, ratios, p_values, adjusted(p_values), strict=True
        )
    )
    return JointTest(error, tuple(comparisons), effective)


def _scores(values: Floats, ordered: Floats) -> Floats:
    """Places among a sample from the prior, with mean 0 and variance 1 there. What is not a number is the largest."""
    ranks = np.searchsorted(ordered, np.where(np.isnan(values), np.inf, values), side="right")
    return math.sqrt(12) * ((ranks + 0.5) / (len(ordered) + 1) - 0.5)


def _welch(independent: Floats, chain_means: Floats) -> tuple[float, float, float]:
    """Difference, its standard error and degrees of freedom: independent draws against independent chains."""
    of_draws = float(independent.var(ddof=1)) / len(independent)
    of_chains = float(chain_means.var(ddof=1)) / len(chain_means)
    total = of_draws + of_chains
    weight = of_draws**2 / (len(independent) - 1) + of_chains**2 / (len(chain_means) - 1)
    degrees = total**2 / weight if weight > 0 else 1.0
    return float(chain_means.mean() - independent.mean()), math.sqrt(total), degrees


def _ratio(difference: float, spread: float) -> float:
    if spread == 0:
        return 0.0 if difference == 0 else math.copysign(math.inf, difference)
    return difference / spread
