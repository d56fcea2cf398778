"""How many replications it takes until Monte Carlo errors are as small as the study wants them."""

from __future__ import annotations

import math

from statsclaw.montecarlo.design import Study
from statsclaw.montecarlo.metrics.summary import SummaryRow, summarise
from statsclaw.montecarlo.storage.results import Results

#: Errors fall as one over the root of n, and the first estimate of one is itself uncertain.
_SPARE = 1.02
#: A first estimate from few replications may promise too many: at most so many times those that are there.
_GROWTH = 4


def imprecise_cells(study: Study, results: Results) -> dict[int, int]:
    """Of each cell in which a Monte Carlo error is larger than wanted, how many replications it should have."""
    wanted = study.mcse
    found: dict[int, int] = {}
    for row in summarise(study, results, metrics=tuple(wanted)).rows if wanted else ():
        target = _target(row, wanted[row.metric], results.completed(row.cell))
        if study.cap is not None:
            target = min(target, study.cap)
        if target > results.completed(row.cell):
            found[row.cell] = max(target, found.get(row.cell, 0))
    return found


def _target(row: SummaryRow, wanted: float, done: int) -> int:
    error = row.mcse
    if error is None or not math.isfinite(error) or error <= wanted:
        return done  # where no error can be given, no number of replications would be right
    return min(math.ceil(done * (error / wanted) ** 2 * _SPARE), _GROWTH * done)
