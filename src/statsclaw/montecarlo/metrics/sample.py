"""The replications a metric is made of, and the moments and tails of their values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from statsclaw.montecarlo import special
from statsclaw.montecarlo.metrics.order import partly_sorted
from statsclaw.montecarlo.table import Flags, Floats, Table

#: Below this index of the tail a distribution has no fourth moment, and the spread no standard error.
FOURTH_MOMENT = 4.0
#: Below this one it has no variance either.
SECOND_MOMENT = 2.0
#: Below this index of the tail the mean of the squares of positive values has no upper limit, and below half of it the
#: mean of the values: more than the moments need, so that the t interval holds.
OF_SQUARES = 5.0
_FEWEST_IN_TAIL = 10
#: The index that normal values show in their outermost tenth.
_OF_NORMAL = 4.7
#: A tail is heavy where an index as low has at most this probability in normal values; below so many of these it cannot
#: be told, and each index below 4 counts.
_ERROR, FEWEST_TO_TELL = 0.01, 300
#: So many times its distance the limit towards larger spreads lies where the index is below 4 by chance, perhaps.
DOUBTFUL = 2.0
#: Normal values of this number show an index below 4 so often (20,000 samples each), and a significant one so often.
_BELOW_BY_CHANCE = (
    (100, 0.287), (150, 0.235), (200, 0.195), (300, 0.148), (400, 0.112), (500, 0.087), (700, 0.050), (1000, 0.026),
    (1300, 0.005), (1700, 0.0),
)  # fmt: skip
_OPEN_BY_CHANCE = 0.004
#: The larger of the two errors of their spread is so much larger than the formula's, by how far the limit lies.
LARGER = {1.0: 1.014, DOUBTFUL: 1.06, math.inf: 1.06}


@dataclass(slots=True)
class Kept:
    """What was worked out of the columns of a table, for the next metric."""

    ordered: dict[str, Floats] = field(default_factory=dict)
    tails: dict[tuple[str, bool], float] = field(default_factory=dict)


class Sample:
    """The replications of a table that did not fail and in which all of `columns` are known.

    No copy is made where none is left out. `kept` is shared by the samples of a table that leave out none.
    """

    def __init__(self, table: Table, columns: Sequence[str], kept: Kept | None = None) -> None:
        self._table = table
        known = ~lost_in(table, columns)
        self.total = len(known)
        self.count = int(np.count_nonzero(known))
        self._known = None if self.count == self.total else known
        self._kept = kept if kept is not None and self._known is None else Kept()

    def __getitem__(self, column: str) -> Floats:
        values = self._table.columns[column]
        return values if self._known is None else values[self._known]

    def ordered(self, column: str) -> Floats:
        """Sorted, or where there are millions at least around the quantiles that metrics are made of."""
        if column not in self._kept.ordered:
            self._kept.ordered[column] = partly_sorted(self[column])
        return self._kept.ordered[column]

    def reach(self, column: str) -> float:
        """How many times its usual distance the limit towards larger spreads lies; infinite where there is none."""
        return _reach(self.tail(column), self.count)

    def tail(self, column: str, *, from_zero: bool = False) -> float:
        """The index of the tail, by distance from the median or, of what is positive, from zero."""
        if (column, from_zero) not in self._kept.tails:
            found = tail_index(self[column], 0.0 if from_zero else None)
            self._kept.tails[column, from_zero] = found
        return self._kept.tails[column, from_zero]


def lost_in(table: Table, columns: Sequence[str]) -> Flags:
    """The replications that failed, or in which one of the columns is not known."""
    found: Flags = table.failed.copy()
    for name in columns:
        found |= np.isnan(table.columns[name])
    return found


def deviation(values: Floats) -> float:
    """Standard deviation (n − 1), in half the time of numpy's."""
    centre = float(np.mean(values))
    centred = values - centre
    found = math.sqrt(float(np.dot(centred, centred)) / (len(values) - 1))
    return 0.0 if _still(values, found, centre) else found


def _still(values: Floats, spread: float, centre: float) -> bool:
    """All values are the same, whatever the rounding of their mean made of it."""
    return spread <= 1e-12 * abs(centre) and float(np.min(values)) == float(np.max(values))


def spread(values: Floats) -> tuple[float, float]:
    """Standard deviation of the values (n − 1), and the error of it for any distribution with a fourth moment.

    Delta method: Var(S²) ≈ (m₄ − S⁴) / n, so that of S is its root over 2 S.
    """
    centre = float(np.mean(values))
    squares = values - centre
    np.square(squares, out=squares)
    variance = float(np.sum(squares)) / (len(values) - 1)
    if variance == 0 or _still(values, math.sqrt(variance), centre):
        return 0.0, 0.0
    fourth = float(np.dot(squares, squares)) / len(values)
    root = math.sqrt(variance)
    return root, math.sqrt(max(fourth - variance**2, 0.0) / len(values)) / (2 * root)


def reach(values: Floats) -> float:
    """How many times its usual distance the limit towards larger spreads lies; infinite where there is none."""
    return _reach(tail_index(values), len(values))


def _reach(index: float, count: int) -> float:
    if index >= FOURTH_MOMENT:
        return 1.0
    if count < FEWEST_TO_TELL or index <= 0:
        return math.inf
    outermost = _outermost(count)
    chance = float(special.chdtrc(2 * outermost, 2 * outermost * _OF_NORMAL / index))
    return math.inf if chance < _ERROR else DOUBTFUL


def reach_by_chance(count: int) -> dict[float, float]:
    """Of so many normal values: with which probability the limit lies how many times as far."""
    if _outermost(count) < _FEWEST_IN_TAIL:
        return {1.0: 1.0}
    counts, shares = zip(*_BELOW_BY_CHANCE, strict=True)
    below = float(np.interp(count, counts, shares))
    far = below if count < FEWEST_TO_TELL else min(below, _OPEN_BY_CHANCE)
    return {1.0: 1 - below, DOUBTFUL: below - far, math.inf: far}


def _outermost(count: int) -> int:
    return min(count // 10, round(math.cbrt(count) ** 2))


def tail_index(values: Floats, centre: float | None = None, *, outermost: int | None = None) -> float:
    """Hill's estimate from the outermost of the values, by distance from their median or the centre that is given:
    about n^(2/3), at most a tenth, unless it is said how many.

    About 5 for normal values at n = 1000, growing with n; of a Student distribution its degrees of freedom. Infinite
    below n = 100, where the tail cannot be seen.
    """
    count = len(values)
    tail = _outermost(count) if outermost is None else outermost
    if tail < _FEWEST_IN_TAIL:
        return math.inf
    values = np.partition(values, (tail, count // 2, count - tail - 1))
    ends = np.concatenate((values[: tail + 1], values[-tail - 1 :]))
    distance = np.sort(np.abs(ends - (values[count // 2] if centre is None else centre)))[-tail - 1 :]
    if not distance[0] > 0:
        return math.inf if distance[-1] == 0 else 0.0
    excess = float(np.mean(np.log(distance[1:] / distance[0])))
    return 1 / excess if excess > 0 else math.inf
