"""The samples that several scenarios of the specification share, each drawn from the stream of its own scenario."""

import numpy as np
from reference import standard_error_of_difference

CONTINUOUS = [(30, 70), (70, 30), (2, 2), (2, 40), (40, 3), (120, 80)]
TIED = [(30, 70), (25, 25), (5, 60)]
SEPARATED = [(2, 2), (5, 7), (50, 30), (3, 49)]
CONSTANT = [(2, 2), (3, 7), (49, 11)]
PAIRED = [(30, 70), (60, 25), (2, 3)]

#: The small example: scores of the diseased and of the healthy.
SMALL_X = np.array([3, 1, 2, 5])
SMALL_Y = np.array([2, 0, 1])
#: A second marker of the same subjects.
SECOND_X = np.array([2, 0, 1, 4])
SECOND_Y = np.array([1, 2, 0])


def overlap(x, y):
    return x.min() < y.max() and x.max() > y.min()


def continuous(rng, m, n):
    while True:
        x, y = rng.normal(1.0, 1.0, size=m), rng.normal(0.0, 1.0, size=n)
        if overlap(x, y):
            return x, y


def tied(rng, m, n):
    while True:
        x, y = rng.integers(1, 6, size=m), rng.integers(0, 5, size=n)
        if overlap(x, y):
            return x, y


def overlapping(rng):
    """All samples of the scenarios on continuous and on heavily tied scores, as (x, y)."""
    return [continuous(rng, m, n) for m, n in CONTINUOUS] + [tied(rng, m, n) for m, n in TIED]


def separated(rng):
    """Every x larger than every y: continuous scores, and two values only."""
    found = []
    for m, n in SEPARATED:
        y = rng.normal(size=n)
        found.append((y.max() + 0.01 + np.abs(rng.normal(size=m)), y))
        low = rng.normal()
        found.append((np.full(m, low + 0.25), np.full(n, low)))
    return found


def two_markers(rng, size):
    """Standard normals with correlation 0.6, one row for each subject."""
    first, further = rng.normal(size=size), rng.normal(size=size)
    return first, 0.6 * first + 0.8 * further


def paired(rng, m, n):
    """Two correlated markers, as they are and with the second rounded to whole numbers: two tuples x1, y1, x2, y2."""
    while True:
        x1, x2 = two_markers(rng, m)
        y1, y2 = two_markers(rng, n)
        plain = (x1 + 1.0, y1, x2 + 0.6, y2)
        rounded = (x1 + 1.0, y1, np.round(x2 + 0.6), np.round(y2))
        if min(standard_error_of_difference(*plain), standard_error_of_difference(*rounded)) > 0.001:
            return plain, rounded


def shuffled(rng, x, y):
    """Scores and labels, the subjects in random order."""
    order = rng.permutation(len(x) + len(y))
    return np.concatenate([x, y])[order], np.repeat([1, 0], [len(x), len(y)])[order]


def shuffled_pair(rng, x1, y1, x2, y2):
    """Scores of two markers and labels, the subjects in random order."""
    order = rng.permutation(len(x1) + len(y1))
    labels = np.repeat([1, 0], [len(x1), len(y1)])
    return np.concatenate([x1, y1])[order], np.concatenate([x2, y2])[order], labels[order]


def same_order(before, after):
    """Stops where rounding made a transformation of scores less than strictly increasing."""
    _, old = np.unique(before, return_inverse=True)
    _, new = np.unique(after, return_inverse=True)
    assert np.array_equal(old, new), "the transformation is not strictly increasing on these scores"
    return after
