"""The interval of Sen's slope from its definition, and the table of the specification.

Written from the specification alone: whole numbers and fractions are kept exact as long as possible, so that this is a
second way and not the way in which a package would do it.
"""

from fractions import Fraction as F
from math import ceil, floor, sqrt
from statistics import NormalDist, median

import numpy as np

N = float("nan")

T1 = [-18.0, -12.0, 20.0, -19.0, 18.0, -9.0, 47.0, 38.0]
T2 = [3.0, 3.0, 8.0, -17.0, 42.0, 23.0, 11.0, 43.0, 37.0, 36.0]
T3 = [-4.0, 8.0, -4.0, 16.0, 12.0, 0.0, 16.0, 16.0, 16.0, 24.0, 16.0, 12.0, 20.0, 24.0]
T4 = [8.0, N, N, 25.0, 30.0, 27.0, N, 22.0, 49.0, 31.0, 29.0, N, 64.0, 49.0]
T5 = [10.0, 32.0, -24.0, 2.0, 50.0, -22.0, N, 67.0, N, 9.0, 50.0, -12.0, N, 50.0, 14.0, 25.0, 78.0, 1.0, 27.0, 84.0]

#: name: series, period, and for each alpha: slope, intercept, lower, upper
TABLE = {
    "T1": (T1, None, {0.05: (F(59, 8), F(-341, 16), -1, 19), 0.1: (F(59, 8), F(-341, 16), F(-1, 3), F(29, 2))}),
    "T2": (
        T2,
        None,
        {
            0.05: (F(17, 4), F(-17, 8), -1, F(28, 3)),
            0.1: (F(17, 4), F(-17, 8), F(1, 3), F(25, 3)),
            0.2: (F(17, 4), F(-17, 8), F(4, 3), F(20, 3)),
        },
    ),
    "T3": (T3, None, {0.05: (F(4, 3), F(22, 3), F(4, 9), F(28, 11)), 0.1: (F(4, 3), F(22, 3), F(2, 3), F(5, 2))}),
    "T4": (T4, None, {0.05: (F(11, 4), F(71, 8), F(1, 5), 5), 0.1: (F(11, 4), F(71, 8), F(4, 7), F(19, 4))}),
    "T5": (T5, 3, {0.05: (F(23, 4), F(35, 6), 3, F(26, 3)), 0.1: (F(23, 4), F(35, 6), F(7, 2), 8)}),
}


def rows_of(name):
    """(alpha, slope, intercept, lower, upper) of a series of the table, as floating point numbers."""
    return [(alpha, *(float(part) for part in row)) for alpha, row in TABLE[name][2].items()]


def seasons_of(x, period=1):
    """For each season the observed values with the number of their cycle."""
    found = [[] for _ in range(period)]
    for at, value in enumerate(x):
        if value == value:
            found[at % period].append((at // period, value))
    return found


def slopes_of(x, period=1):
    """All slopes of pairs within a season, per cycle, in increasing order."""
    return sorted(
        (second[1] - first[1]) / (second[0] - first[0])
        for season in seasons_of(x, period)
        for at, first in enumerate(season)
        for second in season[at + 1 :]
    )


def variance_of(x, period=1):
    """The variance of Mann and Kendall's S, corrected for ties, summed over the seasons: an exact fraction."""
    found = F(0)
    for season in seasons_of(x, period):
        values = [value for _, value in season]
        n = len(values)
        ties = [values.count(value) for value in set(values)]
        found += F(n * (n - 1) * (2 * n + 5) - sum(t * (t - 1) * (2 * t + 5) for t in ties), 18)
    return found


def ranks_of(x, alpha, period=1):
    """The whole ranks of both limits, counted from 1 at the smallest slope, before they are cut off."""
    count = len(slopes_of(x, period))
    width = -NormalDist().inv_cdf(alpha / 2) * sqrt(variance_of(x, period))
    return floor((count - width) / 2), ceil((count + width) / 2) + 1


def limits_of(x, alpha=0.05, period=1):
    slopes = slopes_of(x, period)
    low, high = ranks_of(x, alpha, period)
    return slopes[max(low, 1) - 1], slopes[min(high, len(slopes)) - 1]


def too_short(x, alpha=0.05, period=1):
    low, high = ranks_of(x, alpha, period)
    return low < 1 or high > len(slopes_of(x, period))


def line_of(x, period=1):
    """Slope, and the intercept of the line through the medians of values and of times (in cycles)."""
    slope = median(slopes_of(x, period))
    at = [number for number, value in enumerate(x) if value == value]
    return slope, median(x[number] for number in at) - slope * median(F(number, period) for number in at)


def with_gaps(rng, x, count):
    """A copy with so many values missing at random places."""
    found = np.array(x, dtype=float)
    found[rng.choice(len(found), size=count, replace=False)] = N
    return found


def drawn_series(rng, number):
    """The series of S6 and S7: every second one with ties, half of them with a sixth missing (all four kinds occur)."""
    n = int(rng.integers(12, 41))
    x = rng.standard_normal(n)
    if number % 2:
        x = np.round(2 * x) / 2
    return with_gaps(rng, x, n // 6) if number % 4 >= 2 else x
