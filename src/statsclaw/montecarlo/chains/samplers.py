"""What is kept of a sampler's draws in every replication: mean, spread, interval, and whether the chains are any good.

R-hat and effective sample sizes are those of Vehtari, Gelman, Simpson, Carpenter and Bürkner (2021), as ArviZ computes
them; they are computed here because ArviZ takes milliseconds, which a study of short chains would mostly wait for.
"""

from __future__ import annotations

import math
import zlib
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import fft, special  # type: ignore[import-untyped]

from statsclaw.montecarlo.design import StudyRefused
from statsclaw.montecarlo.table import Floats

#: A rank is that among this many draws, so it is one of RANKED + 1 whole numbers, whatever the length of the chains.
RANKED = 99
#: R-hat and effective sample sizes need so many draws of each chain.
FEWEST = 4
_TAILS = (0.05, 0.95)
_UNKNOWN = {"rhat": math.nan, "ess_bulk": math.nan, "ess_tail": math.nan}


def summarise_draws(draws: ArrayLike, truth: float | None, level: float) -> dict[str, float]:
    """Summary of `draws`, chains × draws or one chain, in the order in which they were drawn.

    `estimate` and `se`: mean and standard deviation. `low`, `high`: equal-tailed quantiles at `level`. `rhat`: the
    larger of the rank-normalised split R-hat of the draws and of their distances from the median; one chain is split
    like several. `ess_bulk`, `ess_tail`: of antithetic chains they may exceed the number of draws. `rank`:
    see `rank_of`; left out without a truth. NaN wherever a draw is not finite or there are too few.
    """
    chains = as_chains(draws)
    if chains.size == 0 or not np.isfinite(chains).all():
        keys = ("estimate", "se", "low", "high", *_UNKNOWN, *(() if truth is None else ("rank",)))
        return dict.fromkeys(keys, math.nan)
    diagnostics, ordered = _examine(chains)
    tail = (1 - level) / 2
    found = {
        "estimate": float(chains.mean()),
        "se": float(chains.std(ddof=1)) if chains.size > 1 else math.nan,
        "low": _quantile(ordered, tail),
        "high": _quantile(ordered, 1 - tail),
        **diagnostics,
    }
    if truth is not None:
        found["rank"] = rank_of(chains, truth, min(found["ess_bulk"], found["ess_tail"]))
    return found


def as_chains(draws: ArrayLike) -> Floats:
    """As chains × draws."""
    chains = np.asarray(draws, dtype=np.float64)
    if chains.ndim > 2:
        raise StudyRefused(f"draws of one parameter have {chains.ndim} dimensions; give chains × draws, or one chain.")
    return np.atleast_2d(chains)


def diagnose(draws: ArrayLike) -> dict[str, float]:
    """`rhat`, `ess_bulk` and `ess_tail` alone."""
    chains = as_chains(draws)
    return dict(_UNKNOWN) if chains.size == 0 or not np.isfinite(chains).all() else _examine(chains)[0]


def _examine(chains: Floats) -> tuple[dict[str, float], Floats]:
    """The diagnostics, and all draws in order: sorting is half of the cost, so it is done once where it can be."""
    if chains.shape[1] < FEWEST:
        return dict(_UNKNOWN), np.sort(chains, axis=None)
    split = _halves(chains)
    order = np.argsort(split, axis=None)
    ordered = split.reshape(-1)[order]
    every = ordered if split.size == chains.size else np.sort(chains, axis=None)
    scores, folded = _normal_scores(order, ordered)
    tails = [split <= _quantile(every, share) for share in _TAILS]
    bulk, low, high = _effective_sizes(np.stack((scores.reshape(split.shape), *tails)))
    rhat = _larger(_rhat(scores.reshape(split.shape)), _rhat(folded.reshape(split.shape)))
    return {"rhat": rhat, "ess_bulk": bulk, "ess_tail": min(low, high)}, every


def _halves(chains: Floats) -> Floats:
    """Every chain as two; of an odd number of draws the middle one is left out."""
    half = chains.shape[1] // 2
    return np.concatenate((chains[:, :half], chains[:, -half:]))


def effective_size(draws: ArrayLike) -> float:
    """Effective sample size for the mean of the draws, of chains that are split but not rank-normalised."""
    chains = as_chains(draws)
    if chains.shape[1] < FEWEST or not np.isfinite(chains).all():
        return math.nan
    return _effective_sizes(_halves(chains)[None])[0]


def rank_of(draws: ArrayLike, truth: float, effective: float | None = None) -> float:
    """How many of RANKED nearly independent draws lie below the truth: 0 … RANKED.

    The chains are laid end to end and evenly thinned to RANKED draws, or to half the effective sample size where that
    is smaller (at a distance of twice the autocorrelation time, the correlation of an AR(1) is 0.02). A rank among
    fewer draws is put on the same scale, and ties with the truth are broken, by a number that is uniform and depends
    on nothing but the bits of the draws. So the rank is uniform where truth and draws have the same distribution,
    and the same whenever it is computed again. `effective`: the effective sample size, else it is computed.
    """
    chains = as_chains(draws)
    if chains.size == 0 or not np.isfinite(chains).all() or not math.isfinite(truth):
        return math.nan
    if effective is None:
        sizes = diagnose(chains)
        effective = min(sizes["ess_bulk"], sizes["ess_tail"])
    independent = int(effective / 2) if math.isfinite(effective) else chains.size
    kept = max(1, min(RANKED, chains.size, independent))
    thinned = chains.reshape(-1)[evenly(chains.size, kept)]
    below, equal = int(np.count_nonzero(thinned < truth)), int(np.count_nonzero(thinned == truth))
    if kept == RANKED and equal == 0:
        return float(below)
    bits = np.ascontiguousarray(chains).tobytes()
    of_ties, within = (zlib.crc32(bits, start) / 2**32 for start in (1, 2))
    place = below + math.floor(of_ties * (equal + 1))
    return float(place if kept == RANKED else math.floor((place + within) * (RANKED + 1) / (kept + 1)))


def evenly(count: int, kept: int) -> NDArray[np.intp]:
    """Where `kept` of `count` draws lie, evenly spaced and away from the ends."""
    return (2 * np.arange(kept) + 1) * count // (2 * kept)


def _quantile(ordered: Floats, share: float) -> float:
    """Type 7 of Hyndman and Fan, R's default and numpy's; rounded as in scipy's mquantiles, so that ties fall alike."""
    if len(ordered) == 1:
        return float(ordered[0])
    place = len(ordered) * share + (1 - share)
    rank = math.floor(min(max(place, 1), len(ordered) - 1))
    weight = min(max(place - rank, 0.0), 1.0)
    return float((1 - weight) * ordered[rank - 1] + weight * ordered[rank])


def _normal_scores(order: NDArray[np.intp], ordered: Floats) -> tuple[Floats, Floats]:
    """Normal scores of the draws and of their distances from the median, each draw at its place.

    Sorted draws are V-shaped in their distance from the median, and a stable sort merges the two runs in linear time.
    """
    count = len(ordered)
    middle = (ordered[(count - 1) // 2] + ordered[count // 2]) / 2
    distances = np.abs(ordered - middle)
    outwards = np.argsort(distances, kind="stable")
    scores, folded = np.empty_like(ordered), np.empty_like(ordered)
    scores[order] = _scores_in_order(ordered)
    folded[order[outwards]] = _scores_in_order(distances[outwards])
    return scores, folded


def _scores_in_order(ordered: Floats) -> Floats:
    """Of values in order: Blom's normal scores of their ranks, equal values sharing the mean of theirs."""
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    if len(starts) == len(ordered):
        return _scores_without_ties(len(ordered))
    ends = np.append(starts[1:], len(ordered))
    mean_ranks = (starts + 1 + ends) / 2
    return np.repeat(_blom(mean_ranks, len(ordered)), ends - starts)


@lru_cache(maxsize=8)
def _scores_without_ties(count: int) -> Floats:
    scores = _blom(np.arange(1, count + 1), count)
    scores.setflags(write=False)
    return scores


def _blom(ranks: NDArray[Any], count: int) -> Floats:
    return np.asarray(special.ndtri((ranks - 3 / 8) / (count + 1 / 4)))


def _rhat(split: Floats) -> float:
    """Root of the pooled over the within variance; NaN where no chain varies."""
    count = split.shape[1]
    within = float(split.var(axis=1, ddof=1).mean())
    between = count * float(split.mean(axis=1).var(ddof=1))
    if within == 0:
        return math.nan if between == 0 else math.inf
    return math.sqrt((between / within + count - 1) / count)


def _larger(bulk: float, tail: float) -> float:
    """Of draws with two values only the distances from the median may not vary: that says nothing."""
    return bulk if math.isnan(tail) else max(bulk, tail)


def _effective_sizes(quantities: Floats) -> list[float]:
    """Of each of quantities × chains × draws; Geyer's initial monotone sequence over the combined autocorrelations."""
    chains, count = quantities.shape[1:]
    means = quantities.mean(axis=2)
    length = fft.next_fast_len(2 * count, real=True)
    spectrum = fft.rfft(quantities - means[:, :, None], n=length, axis=2)
    power = (spectrum.real**2 + spectrum.imag**2).mean(axis=1)
    autocovariances = fft.irfft(power, n=length, axis=1)[:, :count] / count
    between = means.var(axis=1, ddof=1) if chains > 1 else np.zeros(len(quantities))
    varies = np.ptp(quantities.reshape(len(quantities), -1), axis=1) >= 1e-15
    return [
        _effective_size(covariances, float(spread), chains) if moves else float(chains * count)
        for covariances, spread, moves in zip(autocovariances, between, varies, strict=True)
    ]


def _effective_size(autocovariances: Floats, between: float, chains: int) -> float:
    count = len(autocovariances)
    within = float(autocovariances[0]) * count / (count - 1)
    total = float(autocovariances[0]) + between
    correlations = 1 - (within - autocovariances) / total
    correlations[0] = 1.0
    pairs = correlations[0 : count // 2 * 2 : 2] + correlations[1::2]
    negative = np.flatnonzero(pairs <= 0)
    stop = min(int(negative[0]) if len(negative) else count, max((count - 3) // 2, 0))
    last = float(correlations[2 * stop])
    if stop and pairs[stop] < 0:
        last = max(last, 0.0)
    time = -1 + 2 * float(np.minimum.accumulate(pairs[:stop]).sum()) + last
    return chains * count / max(time, 1 / math.log10(chains * count))
