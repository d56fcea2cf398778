"""Printed values of small data sets: S1, S3, S4, S13, and the offset of S12."""

import numpy as np
import statsclaw_ask as ask
from second_way import FIVE_X, FIVE_Y, GAPS_X, GAPS_Y


@ask.scenario("S1")
def fit_of_single_measurements_with_known_ratio():
    fit = ask.call("fit", FIVE_X, FIVE_Y, ratio=0.5, level=0.95)
    ask.close("C1", fit.slope)
    ask.close("C2", fit.intercept)
    ask.close("C3", fit.true_values)
    ask.close("C4", fit.residuals)
    ask.close("C5", fit.slope_se)
    ask.close("C6", fit.intercept_se)
    ask.close("C7", fit.slope_interval)
    ask.close("C8", fit.intercept_interval)
    ask.same("C9", [fit.ratio, fit.ratio_of_means, fit.level], [0.5, 0.5, 0.95])
    ask.same("C10", fit.n, 5)


@ask.scenario("S3")
def fit_of_replicates_with_missing_and_estimated_ratio():
    fit = ask.call("fit", GAPS_X, GAPS_Y, ratio=None)
    bias = ask.call(fit, "bias_at", 3)
    ask.same("C10", fit.n, 6)
    ask.close("C17", fit.ratio)
    ask.close("C18", fit.ratio_of_means)
    ask.close("C19", fit.slope)
    ask.close("C20", fit.intercept)
    ask.close("C21", fit.slope_se)
    ask.close("C22", fit.intercept_se)
    ask.close("C23", fit.slope_interval)
    ask.close("C24", fit.true_values)
    ask.close("C25", fit.residuals)
    ask.close("C26", bias.bias)
    ask.close("C27", bias.se)


@ask.scenario("S4")
def fit_of_replicates_with_missing_and_given_ratio_and_level():
    fit = ask.call("fit", GAPS_X, GAPS_Y, ratio=0.8, level=0.9)
    ask.close("C28", fit.ratio_of_means)
    # Truth values count as 0 and 1: the product is the ratio of the means only where both fields are exact.
    ask.close("C28", fit.ratio_of_means * (fit.ratio == 0.8) * (fit.level == 0.9))
    ask.close("C29", fit.slope)
    ask.close("C30", fit.slope_se)
    ask.close("C31", fit.intercept_se)
    ask.close("C32", fit.slope_interval)
    ask.close("C33", fit.residuals)


@ask.scenario("S12")
def fit_with_large_offset_of_x_and_y():
    x, y = FIVE_X, np.array([1.25, 1.875, 3.375, 4.0, 6.25])
    plain = ask.call("fit", x, y, ratio=0.5)
    moved = ask.call("fit", x + 2.0**20, y + 2.0**20, ratio=0.5)
    ask.close("C69", moved.slope, plain.slope)
    ask.close("C70", moved.slope_se, plain.slope_se)
    ask.close("C71", moved.residuals, plain.residuals)


@ask.scenario("S13")
def bias_at_several_levels():
    fit = ask.call("fit", FIVE_X, FIVE_Y, ratio=0.5, level=0.95)
    bias = ask.call(fit, "bias_at", (0, 3, 10))
    ask.close("C72", bias.bias)
    ask.close("C73", bias.se)
    ask.close("C74", bias.interval)
    ask.same("C75", bias.levels, [0.0, 3.0, 10.0])
    ask.same("C75", ask.text(bias.levels), "[ 0.  3. 10.]")


@ask.scenario("S13")
def bias_at_a_single_number_as_levels():
    fit = ask.call("fit", FIVE_X, FIVE_Y, ratio=0.5, level=0.95)
    several = ask.call(fit, "bias_at", (0, 3, 10))
    for number in (3, 3.0):
        single = ask.call(fit, "bias_at", number)
        ask.same("C75", single.levels, [3.0])
        ask.same("C75", ask.text(single.levels), "[3.]")  # numbers with a point: not those of an integer array
        shapes = [ask.shape(part) for part in (single.levels, single.bias, single.se, single.interval)]
        ask.same("C75", shapes, [[1], [1], [1], [1, 2]])
        # The same numbers, but for the order of a summation: 1e-12 is what the specification leaves for that.
        ask.less("C75", abs(single.bias - several.bias[1:2]), 1e-12)
        ask.less("C75", abs(single.se - several.se[1:2]), 1e-12)
        ask.less("C75", abs(single.interval - several.interval[1:2]), 1e-12)
    tenth = ask.call(fit, "bias_at", 0.1)
    ask.same("C75", tenth.levels, [0.1])  # not the nearest number of single precision
