"""Means, deviations and sums that lose no digits to offsets and units."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def mean_and_deviations(values: Array) -> tuple[float, float, Array]:
    """Mean in two parts and deviations from it, taken about the first value.

    The mean is the sum of the first value and of the mean of the differences from
    it; the two are kept apart because their sum is rounded to the digits of the
    values. The deviations do not carry that rounding, and those of equal values are
    exactly zero.
    """
    about_first = values - values[0]
    shift = about_first.mean()
    return float(values[0]), float(shift), about_first - shift


def mean(values: Array) -> float:
    """Mean about the first value, exact for equal values."""
    first, shift, _ = mean_and_deviations(values)
    return first + shift


def row_means_and_deviations(
    rows: Array,
) -> tuple[NDArray[np.int64], Array, Array]:
    """Counts, means and deviations within rows, without the NaN in them.

    The same as `mean_and_deviations` for each row, about the first value that
    is there. The deviations of missing entries are zero. Each row must hold at
    least one value.
    """
    there = ~np.isnan(rows)
    count = there.sum(axis=1)
    first = rows[np.arange(rows.shape[0]), there.argmax(axis=1)]
    about_first = np.where(there, rows - first[:, np.newaxis], 0.0)
    shift = about_first.sum(axis=1) / count
    deviations = np.where(there, about_first - shift[:, np.newaxis], 0.0)
    return count, first + shift, deviations


def row_sums_of_squares(rows: Array) -> tuple[Array, NDArray[np.int64]]:
    """Sums of squares m and exponents e; the sum of a row is m * 4**e.

    Each row has an exponent of its own, so that no square overflows or vanishes.
    """
    exponent = np.frexp(np.abs(rows).max(axis=1))[1].astype(np.int64)
    scaled = np.ldexp(rows, -exponent[:, np.newaxis])
    return np.sum(scaled * scaled, axis=1), exponent


def add_scaled(
    mantissa: Array, exponent: NDArray[np.int64]
) -> tuple[float, int]:
    """Add numbers m * 4**e; returns one such pair, (0, 0) for a sum of zero."""
    positive = mantissa > 0.0
    if not positive.any():
        return 0.0, 0
    common = int(exponent[positive].max())
    shift = np.where(positive, 2 * (exponent - common), 0)
    return float(np.ldexp(mantissa, shift).sum()), common


def ldexp(value: float, exponent: int) -> float:
    """`value * 2**exponent`, infinite where `math.ldexp` raises an error."""
    return float(np.ldexp(value, exponent))


def slope_of_deviations(dx: Array, dy: Array, ratio: float) -> float:
    """Slope of the Deming line from deviations about the means.

    NaN where there is none: no sum of products and a sum of squares of x not
    larger than `ratio` times that of y. `ratio` is the error variance of the
    values of x over that of the values of y.
    """
    largest = max(float(np.abs(dx).max()), float(np.abs(dy).max()))
    exponent = math.frexp(largest)[1]
    dx = np.ldexp(dx, -exponent)
    dy = np.ldexp(dy, -exponent)
    u = float(np.sum(dx * dx))
    q = float(np.sum(dy * dy))
    p = float(np.sum(dx * dy))
    # Roots of ratio * p * b**2 + (u - ratio * q) * b - p = 0, divided by the
    # ratio where it is above 1. Neither d + r for d > 0 nor r - d otherwise
    # cancels. The order of the divisions keeps ratio * p and p / ratio, which
    # may vanish although the slope does not, from being formed.
    if ratio <= 1.0:
        d = u - ratio * q
        r = math.hypot(d, 2.0 * math.sqrt(ratio) * p)
    else:
        d = u / ratio - q
        r = math.hypot(d, 2.0 * p / math.sqrt(ratio))
    if p == 0.0:
        return 0.0 if d > 0.0 else math.nan
    if d > 0.0:
        return 2.0 * p / (d + r if ratio <= 1.0 else ratio * (d + r))
    return ((r - d) / ratio if ratio <= 1.0 else r - d) / (2.0 * p)


def jackknife_se(values: Array) -> float:
    """Standard error from the estimates that leave out one specimen each.

    Infinite where one of them is not finite.
    """
    if not np.isfinite(values).all():
        return math.inf
    n = values.size
    # Scaled first: the difference of two finite values can overflow too.
    exponent = math.frexp(float(np.abs(values).max()))[1]
    deviations = mean_and_deviations(np.ldexp(values, -exponent))[2]
    variance = (n - 1) / n * float(np.sum(deviations * deviations))
    return ldexp(math.sqrt(variance), exponent)
