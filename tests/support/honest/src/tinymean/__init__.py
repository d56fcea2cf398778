"""The mean of numbers and its interval."""

from dataclasses import dataclass
from math import fsum
from statistics import NormalDist


@dataclass
class Interval:
    mean: float
    se: float
    low: float
    high: float


def mean(x):
    if len(x) == 0:
        raise ValueError("there are no numbers")
    return fsum(x) / len(x)


def interval(x, level=0.95):
    """Fewer than two numbers are refused, as the person decided."""
    if len(x) < 2:
        raise ValueError("an interval needs at least two numbers")
    if not 0 < level < 1:
        raise ValueError("the level must lie between 0 and 1")
    m = mean(x)
    se = (fsum((v - m) ** 2 for v in x) / (len(x) - 1) / len(x)) ** 0.5
    z = NormalDist().inv_cdf((1 + level) / 2)
    return Interval(m, se, m - z * se, m + z * se)
