"""Errors: each one alone, then two faults at once. Of two faults the one that the interface lists first is reported."""

import numpy as np
import statsclaw_ask as ask
from definition import N

INFINITY = float("inf")
X = [float((7 * at) % 24) for at in range(24)]
CUBE = np.arange(8.0).reshape(2, 2, 2)
PAIR = np.arange(10.0).reshape(5, 2)
THREE = np.arange(30.0).reshape(10, 3)
BAD_LEVELS = (0.0, 1.0, -0.1, 1.5, N)
BAD_PERIODS = (0, -3, 2.5, 12.0)


def spoilt(x, value=INFINITY):
    """A copy with one infinite value in the middle."""
    found = np.array(x, dtype=float)
    found.flat[found.size // 2] = value
    return found


@ask.scenario("S20")
def sens_slope_ci_wrong_shape():
    for x in (3.0, PAIR, CUBE):
        ask.raises("C35", ask.call("sens_slope_ci", x))


@ask.scenario("S28")
def seasonal_sens_slope_ci_wrong_shape():
    for x in (3.0, CUBE):
        ask.raises("C36", ask.call("seasonal_sens_slope_ci", x, 2))


@ask.scenario("S29")
def seasonal_sens_slope_ci_columns_other_than_period():
    for period in (2, 4):
        ask.raises("C37", ask.call("seasonal_sens_slope_ci", THREE, period))


@ask.scenario("S21")
def seasonal_sens_slope_ci_bad_period():
    for period in BAD_PERIODS:
        ask.raises("C38", ask.call("seasonal_sens_slope_ci", X, period))


@ask.scenario("S22")
def sens_slope_ci_infinite_values():
    for value in (INFINITY, -INFINITY):
        ask.raises("C39", ask.call("sens_slope_ci", spoilt(X, value)))
        ask.raises("C39", ask.call("sens_slope_ci", spoilt(X, value).tolist()))


@ask.scenario("S22")
def seasonal_sens_slope_ci_infinite_values():
    for value in (INFINITY, -INFINITY):
        ask.raises("C40", ask.call("seasonal_sens_slope_ci", spoilt(X, value)))
        ask.raises("C40", ask.call("seasonal_sens_slope_ci", spoilt(X, value).tolist(), 4))
        ask.raises("C40", ask.call("seasonal_sens_slope_ci", spoilt(X, value).reshape(8, 3), 3))


@ask.scenario("S23")
def sens_slope_ci_bad_alpha():
    for alpha in BAD_LEVELS:
        ask.raises("C41", ask.call("sens_slope_ci", X, alpha))


@ask.scenario("S23")
def seasonal_sens_slope_ci_bad_alpha():
    for alpha in BAD_LEVELS:
        ask.raises("C42", ask.call("seasonal_sens_slope_ci", X, 12, alpha))
        ask.raises("C42", ask.call("seasonal_sens_slope_ci", X, 4, alpha))


def first(message, *arguments):
    function = "sens_slope_ci" if len(arguments) < 3 else "seasonal_sens_slope_ci"
    ask.raises("C43", ask.call(function, *arguments), message=message, error="ValueError")


@ask.scenario("S24")
def sens_slope_ci_order_of_errors():
    first("one-dimensional", INFINITY, 0.05)  # shape, infinite
    for x in (PAIR, CUBE):
        first("one-dimensional", spoilt(x), 0.05)  # shape, infinite
    for alpha in (0.0, N):
        for x in (3.0, PAIR, CUBE):
            first("one-dimensional", x, alpha)  # shape, alpha
        first("infinite", spoilt(X), alpha)  # infinite, alpha


@ask.scenario("S24")
def seasonal_sens_slope_ci_order_of_errors():
    for period in BAD_PERIODS:
        for x in (3.0, CUBE):
            first("one or two dimensions", x, period, 0.05)  # shape, period
        first("period", THREE, period, 0.05)  # period, columns
        first("period", spoilt(X), period, 0.05)  # period, infinite
        first("period", X, period, 0.0)  # period, alpha
    first("one or two dimensions", INFINITY, 2, 0.05)  # shape, infinite
    first("one or two dimensions", spoilt(CUBE), 2, 0.05)
    for period in (2, 4):
        first("columns", spoilt(THREE), period, 0.05)  # columns, infinite
    for alpha in (0.0, N):
        for x in (3.0, CUBE):
            first("one or two dimensions", x, 2, alpha)  # shape, alpha
        for period in (2, 4):
            first("columns", THREE, period, alpha)  # columns, alpha
        first("infinite", spoilt(X), 12, alpha)  # infinite, alpha
        first("infinite", spoilt(THREE), 3, alpha)


@ask.scenario("S24")
def sens_slope_ci_short_series_error_not_warning():
    for x in ([INFINITY], [1.0, INFINITY], [1.0, -INFINITY, 3.0]):
        first("infinite", x, 0.05)
    for x in ([], [5.0], [N, N], [1.0, 4.0]):
        first("alpha", x, 1.0)


@ask.scenario("S24")
def seasonal_sens_slope_ci_short_series_error_not_warning():
    for x in ([INFINITY], [1.0, 5.0, 2.0, INFINITY]):
        first("infinite", x, 2, 0.05)
    for x in ([], [5.0], [N, N], [1.0, 5.0, 2.0, 9.0]):
        first("alpha", x, 2, 1.0)
