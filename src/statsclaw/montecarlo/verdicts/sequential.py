"""Tests that may be looked at as replications come in: their error rate holds however often, and whenever one stops.

Proportions: likelihood ratios against the edge of the band, averaged over a beta distribution on the far side of it
(Robbins 1970). Each is a nonnegative supermartingale under every proportion on the near side, so by Ville's inequality
it ever exceeds 1/α with a probability of at most α: exact, for any number of looks, at any time.

Other metrics: t intervals (or order statistics) at the scheduled looks only, each with an equal share of the error.
Replications are kept in order, so the state at a look is known whenever one asks: looking in between changes nothing.
That holds as far as the interval does: with hundreds of replications.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from statsclaw.montecarlo import special
from statsclaw.montecarlo.design import Study
from statsclaw.montecarlo.metrics.intervals import error_to_exclude, error_to_include
from statsclaw.montecarlo.metrics.measures import McEstimate
from statsclaw.montecarlo.table import Flags, Floats

Ints = NDArray[np.int64]

#: Steps of the path along which a proportion is followed grow by this factor.
_STEP = 1.02
_HALVINGS = 24


def looks(study: Study, cell: int = 0) -> tuple[int, ...]:
    """How many replications of the cell there are at each look: the planned ones, then twice as many each time, up to
    the cap."""
    planned = study.replications_in(study.cell(cell))
    cap = max(study.cap or 4 * planned, planned)
    found = [planned]
    while found[-1] < cap:
        found.append(min(2 * found[-1], cap))
    return tuple(found)


def proportion_errors(hits: Flags, low: float, high: float) -> tuple[float, float]:
    """Anytime-valid p-values: that the proportion lies outside of the band (two one-sided tests), and within it."""
    counts = path(len(hits))
    successes = np.cumsum(hits, dtype=np.float64)[counts - 1] if len(counts) else np.zeros(0)
    below, above, outside = evidence_along(counts, successes, low, high)
    return float(np.max(_as_error(np.array([_most(below), _most(above)])))), float(_as_error(_most(outside)))


def evidence_along(counts: Ints, successes: Floats, low: float, high: float) -> tuple[Floats, Floats, Floats]:
    """After each of `counts` trials (the last axis of `successes`), logarithms of the evidence against: a proportion
    of at most low, one of at least high, and one within the band. A band that no proportion can be in is left at the
    first trial."""
    scale = _prior_scale(low, high)
    infinite = np.full(successes.shape, math.inf)
    if low > 1 or high < 0:
        return -infinite, -infinite, infinite
    not_below = log_evidence_above(counts, successes, low, scale) if low > 0 else infinite
    not_above = log_evidence_below(counts, successes, high, scale) if high < 1 else infinite
    beyond = [log_evidence_below(counts, successes, low, scale)] if low > 0 else []
    beyond += [log_evidence_above(counts, successes, high, scale)] if high < 1 else []
    # The mean of two such ratios is one too.
    outside = special.logsumexp(beyond, axis=0) - math.log(len(beyond)) if beyond else -infinite
    return not_below, not_above, outside


def log_evidence_above(counts: Ints, successes: Floats, edge: float, scale: float) -> Floats:
    """Logarithm of the likelihood ratio for a proportion above the edge, against any that is not."""
    if edge <= 0:
        # Of a proportion of zero there is not one success.
        return np.where(successes > 0, math.inf, 0.0)
    if edge >= 1:
        return np.zeros(successes.shape)
    first, second = _prior(edge, scale)
    misses = counts - successes
    with np.errstate(divide="ignore"):
        found: Floats = (
            special.betaln(first + successes, second + misses)
            + np.log(special.betaincc(first + successes, second + misses, edge))
            - special.betaln(first, second)
            - np.log(special.betaincc(first, second, edge))
            - special.xlogy(successes, edge)
            - special.xlog1py(misses, -edge)
        )
    return found


def proportion_interval(counts: Ints, successes: Floats, low: float, high: float, error: float) -> tuple[float, float]:
    """All proportions that the tests leave, each side with this error, at any of `counts`: the evidence is turned
    around. Its prior has the width of that against the band."""
    scale, needed, value = _prior_scale(low, high), -math.log(error), float(successes[-1] / counts[-1])

    def end(hits: Floats, top: float) -> float:
        """The largest proportion that is excluded from below."""
        below, above = 0.0, top
        for _ in range(_HALVINGS):
            middle = (below + above) / 2
            excluded = float(np.max(log_evidence_above(counts, hits, middle, scale))) >= needed
            below, above = (middle, above) if excluded else (below, middle)
        return below

    return end(successes, value), 1 - end(counts - successes, 1 - value)


def log_evidence_below(counts: Ints, successes: Floats, edge: float, scale: float) -> Floats:
    return log_evidence_above(counts, counts - successes, 1 - edge, scale)


def scheduled_errors(found: Sequence[McEstimate], planned: int, low: float, high: float) -> tuple[float, float]:
    """p-values that hold over all `planned` looks, from the estimates at those that were reached."""
    outside = min((error_to_include(row, low, high) for row in found), default=1.0)
    within = min((error_to_exclude(row, low, high) for row in found), default=1.0)
    return min(1.0, planned * outside), min(1.0, planned * within)


def _prior_scale(low: float, high: float) -> float:
    """Half the width of the band: as far from an edge as a method in its middle is."""
    bottom, top = max(low, 0.0), min(high, 1.0)
    return max((top - bottom) / 2, 1e-6)


def _prior(edge: float, scale: float) -> tuple[float, float]:
    """A beta distribution with its mean at the edge and this standard deviation, or as wide as can be."""
    weight = max(edge * (1 - edge) / scale**2 - 1, 1.0)
    return weight * edge, weight * (1 - edge)


def path(count: int) -> Ints:
    """Numbers of trials at which a proportion is looked at, the last among them."""
    steps = int(math.log(max(count, 1)) / math.log(_STEP)) + 1
    grid = np.append(np.power(_STEP, np.arange(steps)).astype(np.int64), count)
    found: Ints = np.unique(grid[(grid >= 1) & (grid <= count)])
    return found


def _most(along: Floats) -> Floats:
    found: Floats = np.max(along, axis=-1, initial=-math.inf)
    return found


def _as_error(log_evidence: Floats) -> Floats:
    return np.exp(-np.clip(log_evidence, 0.0, 700.0))
