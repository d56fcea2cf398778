"""Expected values by a second way: Mann-Whitney statistics and leaving out one subject at a time.

Throughout `x` are the scores of the diseased and `y` those of the healthy. Nothing here knows placements or covariance
matrices: the standard errors come from the leave-one-out identity of the specification.
"""

import math
import warnings

import numpy as np
from scipy.stats import mannwhitneyu, norm


def area(x, y):
    """Reference R1: the Mann-Whitney statistic of the first sample, ties counting one half, divided by mn."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # about the p-value of constant samples, which nobody uses here
        statistic = mannwhitneyu(x, y, method="asymptotic").statistic
    return float(statistic) / (len(x) * len(y))


def difference(x1, y1, x2, y2):
    return area(x1, y1) - area(x2, y2)


def jackknife_parts(statistic, diseased, healthy):
    """The two sums of the identity, factors included; `diseased` and `healthy` are one array for each marker.

    `statistic` takes x and y of each marker in turn. A subject is left out of all markers at once.
    """
    m, n = len(diseased[0]), len(healthy[0])

    def without(i=None, j=None):
        arguments = []
        for x, y in zip(diseased, healthy):
            arguments += [x if i is None else np.delete(x, i), y if j is None else np.delete(y, j)]
        return statistic(*arguments)

    whole = without()
    j10 = (m - 1) / m * math.fsum((without(i=i) - whole) ** 2 for i in range(m))
    j01 = (n - 1) / n * math.fsum((without(j=j) - whole) ** 2 for j in range(n))
    return j10, j01


def standard_error(x, y):
    return math.sqrt(sum(jackknife_parts(area, [x], [y])))


def standard_error_of_difference(x1, y1, x2, y2):
    return math.sqrt(sum(jackknife_parts(difference, [x1, x2], [y1, y2])))


def repeated(parts, m, n, times):
    """The standard error when every subject occurs so many times, from the two sums of the sample without repetition."""
    j10, j01 = parts
    return math.sqrt(j10 * (m - 1) / (times * m - 1) + j01 * (n - 1) / (times * n - 1))


def limits(estimate, error, level):
    """Reference R2 for the quantile; cut off at 0 and 1."""
    half = float(norm.isf((1.0 - level) / 2.0)) * error
    return max(0.0, estimate - half), min(1.0, estimate + half)


def p_value(z):
    return float(2.0 * norm.sf(abs(z)))


def curve(x, y):
    """threshold, tpr and fpr from the definition, threshold by threshold."""
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    threshold = np.concatenate([[np.inf], np.unique(np.concatenate([x, y]))[::-1]])
    return (
        threshold,
        np.array([np.mean(x >= t) for t in threshold]),
        np.array([np.mean(y >= t) for t in threshold]),
    )
