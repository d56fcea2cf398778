"""Data of the scenarios, and the quantities of the model by a second way.

The line is the first right singular vector of the centred data (R1), never the quadratic formula; replicates are
pooled specimen by specimen in plain loops; the jackknife is the spread of the values without each specimen.
"""

import math

import numpy as np

FIVE_X = np.array([1.0, 2.0, 3.0, 4.0, 6.0])
FIVE_Y = np.array([1.2, 1.9, 3.4, 3.9, 6.3])
NAN = math.nan
GAPS_X = np.array(
    [[1, 1.4, NAN], [2, 2.2, 1.9], [3.1, NAN, NAN], [4, 4.6, 4.3], [5.2, 5.0, NAN], [6.1, 6.6, 6.2]]
)
GAPS_Y = np.array([[1.1, 0.9], [2.3, 2.1], [3, 3.3], [4.2, 4.5], [NAN, 5.6], [6.9, 6.4]])


def the_thirty(rng):
    true = rng.uniform(1, 10, size=30)
    x = true + rng.normal(0, 0.5, size=30)
    y = 1 + 0.9 * true + rng.normal(0, 0.7, size=30)
    return x, y


def the_twelve(rng, gaps=True):
    true = rng.uniform(1, 10, size=12)
    x = true[:, None] + rng.normal(0, 0.4, size=(12, 3))
    y = 2 + 1.2 * true[:, None] + rng.normal(0, 0.6, size=(12, 2))
    if gaps:
        x[0, 2] = x[3, 1] = y[5, 0] = NAN
    return x, y


def line(x, y, ratio):
    """(intercept, slope) of single measurements, by R1."""
    mx, my = math.fsum(x) / len(x), math.fsum(y) / len(y)
    root = math.sqrt(ratio)
    v = np.linalg.svd(np.column_stack([x - mx, root * (y - my)]))[2][0]
    slope = float(v[1] / (v[0] * root))
    return my - slope * mx, slope


def measured(table):
    return [[value for value in row if not math.isnan(value)] for row in table.tolist()]


def means(table):
    return np.array([math.fsum(row) / len(row) for row in measured(table)])


def factor(x, y):
    x_share = [1 / len(row) for row in measured(x)]
    y_share = [1 / len(row) for row in measured(y)]
    return (math.fsum(x_share) / len(x_share)) / (math.fsum(y_share) / len(y_share))


def pooled_variance(table):
    squares, freedom = [], 0
    for row in measured(table):
        centre = math.fsum(row) / len(row)
        squares += [(value - centre) ** 2 for value in row]
        freedom += len(row) - 1
    return math.fsum(squares) / freedom


def line_of_replicates(x, y, ratio):
    """(intercept, slope) through the means; the ratio is one of single measurements, None: it is estimated."""
    if ratio is None:
        ratio = pooled_variance(x) / pooled_variance(y)
    return line(means(x), means(y), ratio * factor(x, y))


def without(x, y):
    """The data without each specimen in turn."""
    return [(np.delete(x, row, axis=0), np.delete(y, row, axis=0)) for row in range(len(x))]


def jackknife(values):
    """sqrt((n - 1)/n * sum of squares about the mean), for each column of values."""
    values = np.asarray(values, float)
    n = len(values)
    return np.sqrt((n - 1) / n * np.sum((values - values.mean(axis=0)) ** 2, axis=0))
