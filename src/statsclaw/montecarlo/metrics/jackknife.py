"""The Monte Carlo error of a metric that a study defines itself: the jackknife.

Delete-one up to 400 replications. Of more, delete-a-block: 400 blocks of neighbouring replications, which are
independent and as equal in size as can be (delete-m_j jackknife of Busing, Meijer and van der Leeden 1999, which is
delete-one where every block is one replication). Right for smooth functions of means: moments, ratios, correlations.
Not for quantiles, maxima and counts of extremes, whose jackknife does not settle however many replications there are.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from statsclaw.montecarlo.design import StudyRefused
from statsclaw.montecarlo.metrics.estimates import Found
from statsclaw.montecarlo.metrics.sample import Sample
from statsclaw.montecarlo.own import TRUTH, OwnMetric
from statsclaw.montecarlo.table import Floats

BLOCKS = 400


def jackknifed(metric: OwnMetric, sample: Sample, parameter: str | None, truth: float) -> Found:
    names = [name for name in metric.arguments if name != TRUTH]
    columns = dict(zip(names, (sample[column] for column in metric.columns(parameter)), strict=True))
    whole = computed(metric, {name: values.view() for name, values in columns.items()}, truth)
    if sample.count < 2 or not math.isfinite(whole):
        return Found(whole, None)
    edges = np.linspace(0, sample.count, min(sample.count, BLOCKS) + 1).astype(int)

    def without(first: int, stop: int) -> dict[str, Floats]:
        return {name: np.concatenate((values[:first], values[stop:])) for name, values in columns.items()}

    left = [computed(metric, without(first, stop), truth) for first, stop in pairwise(edges)]
    return Found(whole, _error(whole, np.array(left), np.diff(edges), sample.count))


def computed(metric: OwnMetric, columns: dict[str, Floats], truth: float) -> float:
    """What the function of the study gives for these columns, which it cannot change."""
    for values in columns.values():
        values.flags.writeable = False
    known = {TRUTH: truth} if TRUTH in metric.arguments else {}
    try:
        return float(metric.function(**columns, **known))
    except Exception as error:
        said = " ".join(str(error).split())
        raise StudyRefused(f"the metric {metric} cannot be computed: {type(error).__name__}: {said}") from None


def _error(whole: float, left: Floats, sizes: np.ndarray, count: int) -> float:
    """Of the value `whole`, from the values without each block."""
    times = count / sizes
    pseudo = times * whole - (times - 1) * left
    centre = len(left) * whole - float(np.sum((1 - 1 / times) * left))
    return math.sqrt(float(np.mean(np.square(pseudo - centre) / (times - 1))))
