"""Series too short for the confidence asked for, without any slope, and constant ones. Values by hand."""

import numpy as np
import statsclaw_ask as ask
from definition import T1, N


@ask.scenario("S10")
def sens_slope_ci_short_series_smallest_and_largest_slope():
    x = [1.0, 4.0, 3.0, 9.0, 7.0, 8.0]
    cases = [(x[:2], 0.05, 3, 3), (x[:3], 0.05, -1, 3), (x[:4], 0.05, -1, 6), (x[:5], 0.05, -2, 6)]
    for series, alpha, low, high in [*cases, ([7.0, 7.0], 0.05, 0, 0), (T1, 1e-6, -39, 56)]:
        fit = ask.call("sens_slope_ci", series, alpha)
        ask.close("C19", fit.lower, float(low))
        ask.close("C20", fit.upper, float(high))
        ask.warns("C23", fit)


@ask.scenario("S11")
def seasonal_sens_slope_ci_short_series_smallest_and_largest_slope():
    cases = [
        ([1.0, 5.0, 2.0, 9.0], 2, 1, 4),
        ([1.0, 5.0, 2.0, 9.0, 4.0, 6.0], 2, -3, 4),
        # a season without any pair beside others that have pairs: slopes 1 and 4 only
        ([1.0, 5.0, N, 2.0, 9.0, 3.0], 3, 1, 4),
    ]
    for series, period, low, high in cases:
        fit = ask.call("seasonal_sens_slope_ci", series, period, 0.05)
        ask.close("C21", fit.lower, float(low))
        ask.close("C22", fit.upper, float(high))
        ask.warns("C24", fit)


@ask.scenario("S13")
def sens_slope_ci_no_slope_all_missing():
    for series in ([], [5.0], [N, 3.0, N], [N, N]):
        fit = ask.call("sens_slope_ci", series)
        ask.warns("C26", fit)
        ask.same("C28", [fit.slope, fit.intercept, fit.lower, fit.upper], [N, N, N, N])


@ask.scenario("S14")
def seasonal_sens_slope_ci_no_slope_default_period():
    for series in ([], [1.0, 2.0, 3.0], [N] * 30):
        nothing_of_the_seasons(ask.call("seasonal_sens_slope_ci", series))


@ask.scenario("S14")
def seasonal_sens_slope_ci_no_slope_matrix_without_rows():
    nothing_of_the_seasons(ask.call("seasonal_sens_slope_ci", np.zeros((0, 3)), 3))


def nothing_of_the_seasons(fit):
    ask.warns("C27", fit)
    ask.same("C29", [fit.slope, fit.intercept, fit.lower, fit.upper], [N, N, N, N])


@ask.scenario("S15")
def sens_slope_ci_constant_series_zero_no_warning():
    for series in ([7.0] * 3, [7.0] * 4, [7.0] * 20, [7.0, N, *[7.0] * 18]):
        fit = ask.call("sens_slope_ci", series)
        # the line of a constant series is that constant: this keeps an answer of nothing but zeros from passing
        ask.same("C30", [fit.slope, fit.lower, fit.upper, fit.intercept], [0.0, 0.0, 0.0, 7.0])
        ask.silent("C25", fit)
