"""The numbers of the table, exact fractions worked out by hand; every row is also asked to be silent."""

import statsclaw_ask as ask
from definition import T1, T2, T3, T4, T5, rows_of
from scipy.stats import theilslopes


def against_the_table(name, x, lower, upper):
    for alpha, slope, intercept, low, high in rows_of(name):
        fit = ask.call("sens_slope_ci", x, alpha)
        ask.close(lower, fit.lower, low)
        ask.close(upper, fit.upper, high)
        ask.close("C7", fit.slope, slope)
        ask.close("C8", fit.intercept, intercept)


@ask.scenario("S1")
def sens_slope_ci_lower_and_upper_without_ties():
    against_the_table("T1", T1, "C1", "C2")


@ask.scenario("S1")
def sens_slope_ci_default_alpha():
    fit = ask.call("sens_slope_ci", T1)
    alpha, slope, intercept, low, high = rows_of("T1")[0]
    assert alpha == 0.05
    ask.close("C1", fit.lower, low)
    ask.close("C2", fit.upper, high)
    ask.close("C7", fit.slope, slope)
    ask.close("C8", fit.intercept, intercept)


@ask.scenario("S1")
def sens_slope_ci_against_another_program():
    for alpha in (0.05, 0.1):
        fit = ask.call("sens_slope_ci", T1, alpha=alpha)
        other = theilslopes(T1, alpha=1 - alpha)
        ask.close("C1", fit.lower, float(other[2]))
        ask.close("C2", fit.upper, float(other[3]))


@ask.scenario("S2")
def sens_slope_ci_fractional_rank_outward():
    against_the_table("T2", T2, "C48", "C49")


@ask.scenario("S2")
def sens_slope_ci_rank_against_another_program():
    for alpha in (0.1, 0.2):
        fit = ask.call("sens_slope_ci", T2, alpha=alpha)
        other = theilslopes(T2, alpha=1 - alpha)
        ask.close("C48", fit.lower, float(other[2]))
        ask.close("C49", fit.upper, float(other[3]))


@ask.scenario("S3")
def sens_slope_ci_lower_and_upper_with_ties():
    against_the_table("T3", T3, "C1", "C2")


@ask.scenario("S4")
def sens_slope_ci_missing_values_keep_times():
    against_the_table("T4", T4, "C3", "C4")


@ask.scenario("S5")
def seasonal_sens_slope_ci_period_ties_and_missing_values():
    for alpha, slope, intercept, low, high in rows_of("T5"):
        fit = ask.call("seasonal_sens_slope_ci", T5, 3, alpha)
        ask.close("C5", fit.lower, low)
        ask.close("C6", fit.upper, high)
        ask.close("C9", fit.slope, slope)
        ask.close("C10", fit.intercept, intercept)


@ask.scenario("S5")
def seasonal_sens_slope_ci_default_alpha():
    fit = ask.call("seasonal_sens_slope_ci", T5, period=3)
    alpha, slope, intercept, low, high = rows_of("T5")[0]
    assert alpha == 0.05
    ask.close("C5", fit.lower, low)
    ask.close("C6", fit.upper, high)
    ask.close("C9", fit.slope, slope)
    ask.close("C10", fit.intercept, intercept)


@ask.scenario("S12")
def sens_slope_ci_no_warning_for_the_table():
    for name, x in (("T1", T1), ("T2", T2), ("T3", T3), ("T4", T4)):
        for alpha, *_ in rows_of(name):
            ask.silent("C25", ask.call("sens_slope_ci", x, alpha))
    for alpha, *_ in rows_of("T5"):
        ask.silent("C25", ask.call("seasonal_sens_slope_ci", T5, 3, alpha))


@ask.scenario("S12")
def sens_slope_ci_long_enough_no_warning():
    fit = ask.call("sens_slope_ci", [1.0, 4.0, 3.0, 9.0, 7.0, 8.0], 0.05)
    ask.close("C19", fit.lower, -1.0)
    ask.close("C20", fit.upper, 3.0)
    ask.silent("C25", fit)


@ask.scenario("S12")
def seasonal_sens_slope_ci_long_enough_no_warning():
    fit = ask.call("seasonal_sens_slope_ci", [1.0, 5.0, 2.0, 9.0, 4.0, 6.0, 3.0, 7.0], 2, 0.05)
    ask.close("C21", fit.lower, -3.0)
    ask.close("C22", fit.upper, 4.0)
    ask.silent("C25", fit)
