"""The interval that the verdict of a cell rests on, at the level at which it was judged.

Two questions are asked of a cell at two levels. PASS: with an error of 1 − level on each side, does the interval lie
within the band? FAIL: at the cell's share of the error of the whole family (Holm), does it lie outside? Of a cell that
passed or failed, the interval that showed it is given; of an undecided one the interval of the question it came nearer
to: value within the band, why it did not pass; else why it did not fail. So an interval within the band is a PASS, one
outside of it a FAIL, and one across an edge is undecided.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from statsclaw.montecarlo.metrics.intervals import error_to_exclude, error_to_include, interval
from statsclaw.montecarlo.metrics.measures import McEstimate
from statsclaw.montecarlo.metrics.order import Interval
from statsclaw.montecarlo.table import Flags
from statsclaw.montecarlo.verdicts.sequential import path, proportion_errors, proportion_interval

#: Numbers of replications at which the interval of a proportion is worked out: fewer than the test looks at.
_STEPS = 60


@dataclass(frozen=True, slots=True)
class Range:
    """`level`: of confidence, both sides together, over all `looks` (0: however often one looks). `replications`: of
    the look. `question`: the verdict it was asked for. Everything is possible where nothing was judged yet."""

    low: float = -math.inf
    high: float = math.inf
    level: float = math.nan
    looks: int = 1
    replications: int = 0
    question: Literal["PASS", "FAIL", ""] = ""


def of_single_look(found: McEstimate, band: Interval, error: float, share: float) -> Range:
    passes = _asks_whether_it_passes(found, band, error, share)
    total = 2 * error if passes else share
    low, high = interval(found, total)
    return Range(low, high, 1 - total, 1, found.replications, "PASS" if passes else "FAIL")


def of_looks(reached: Sequence[McEstimate], planned: int, band: Interval, error: float, share: float) -> Range:
    """At the look that decided, or the last there was; each look has an equal part of the error."""
    if not reached:
        return Range()
    for_fail = min(reached, key=lambda row: error_to_exclude(row, *band))
    if error_to_exclude(for_fail, *band) * planned <= share:
        found, passes = for_fail, False
    else:
        found = min(reached, key=lambda row: error_to_include(row, *band))
        passes = error_to_include(found, *band) * planned <= error
        if not passes:
            found = reached[-1]
            passes = band[0] <= found.value <= band[1]
    total = 2 * error if passes else share
    low, high = interval(found, total / planned)
    return Range(low, high, 1 - total, planned, found.replications, "PASS" if passes else "FAIL")


def of_proportion(hits: Flags, band: Interval, error: float, share: float) -> Range:
    """Of the tests that hold however often one looks."""
    outside, within = proportion_errors(hits, *band)
    if not len(hits):
        return Range()
    value = float(np.count_nonzero(hits)) / len(hits)
    fails = within <= share
    passes = not fails and (outside <= error or band[0] <= value <= band[1])
    counts = path(len(hits))
    counts = np.unique(np.append(counts[:: max(1, len(counts) // _STEPS)], len(hits)))
    successes = np.cumsum(hits, dtype=np.float64)[counts - 1]
    one_sided = band[0] <= 0 or band[1] >= 1
    each = error if passes else share if one_sided else share / 2
    low, high = proportion_interval(counts, successes, *band, each)
    # The test at the edge itself looks more often, and is what decided.
    if passes and outside <= error:
        low, high = max(low, min(band[0], value)), min(high, max(band[1], value))
    elif fails:
        low, high = (low, min(high, band[0])) if value < band[0] else (max(low, band[1]), high)
    return Range(low, high, 1 - 2 * each, 0, len(hits), "PASS" if passes else "FAIL")


def _asks_whether_it_passes(found: McEstimate, band: Interval, error: float, share: float) -> bool:
    if error_to_exclude(found, *band) <= share:
        return False
    return error_to_include(found, *band) <= error or band[0] <= found.value <= band[1]
