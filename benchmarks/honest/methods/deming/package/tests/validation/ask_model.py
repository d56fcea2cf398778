"""The line of the model, its jackknife, and its limits: S2, S7."""

import math

import numpy as np
import statsclaw_ask as ask
from second_way import jackknife, line, the_thirty, without

RATIOS = (0.1, 1.0, 7.0)


@ask.scenario("S2")
def slope_intercept_true_values_and_residuals_minimise_for_each_ratio(rng):
    x, y = the_thirty(rng)
    for ratio in RATIOS:
        fit = ask.call("fit", x, y, ratio=ratio)
        ask.close("C11", fit.slope, line(x, y, ratio)[1])
        ask.close("C12", fit.intercept, math.fsum(y) / 30 - fit.slope * (math.fsum(x) / 30))
        in_x, in_y = x - fit.true_values, y - fit.intercept - fit.slope * fit.true_values
        ask.close("C13", in_x / ratio + fit.slope * in_y, np.zeros(30))
        # C14 by its root, with the sign: the square hardly moves where a residual is small.
        sign = 2 * (y - fit.intercept - fit.slope * x > 0) - 1
        ask.close("C14", fit.residuals, sign * ask.sqrt(in_x**2 / ratio + in_y**2))
        ask.close("C14", ask.total(fit.residuals), 0.0)


@ask.scenario("S2")
def slope_se_and_intercept_se_are_those_of_refits_without_each_specimen(rng):
    x, y = the_thirty(rng)
    scale = 29 / math.sqrt(30)  # sqrt((n - 1)/n * sum of squares) = (n - 1)/sqrt(n) * sd
    for ratio in RATIOS:
        fit = ask.call("fit", x, y, ratio=ratio)
        left = [ask.call("fit", s, t, ratio=ratio) for s, t in without(x, y)]
        intercepts, slopes = zip(*[line(s, t, ratio) for s, t in without(x, y)], strict=True)
        # The refits are compared too, so that a standard error is not right by being as wrong as they are.
        refits = [one.slope for one in left]
        ask.close("C15", [fit.slope_se, *refits], [scale * ask.sd(refits), *slopes])
        refits = [one.intercept for one in left]
        ask.close("C16", [fit.intercept_se, *refits], [scale * ask.sd(refits), *intercepts])


@ask.scenario("S2")
def slope_se_and_intercept_se_are_those_of_the_jackknife(rng):
    x, y = the_thirty(rng)
    for ratio in RATIOS:
        fit = ask.call("fit", x, y, ratio=ratio)
        intercept_se, slope_se = jackknife([line(s, t, ratio) for s, t in without(x, y)]).tolist()
        ask.close("C15", fit.slope_se, slope_se)
        ask.close("C16", fit.intercept_se, intercept_se)


@ask.scenario("S7")
def slope_with_small_ratio_is_that_of_least_squares(rng):
    x, y = the_thirty(rng)
    least_squares = float(np.polyfit(x, y, 1)[0])
    for ratio in (1e-14, 1e-20, 1e-100, 1e-300):
        ask.close("C42", ask.call("fit", x, y, ratio=ratio).slope, least_squares)


@ask.scenario("S7")
def slope_goes_to_least_squares_as_fast_as_ratio_to_zero(rng):
    x, y = the_thirty(rng)
    least_squares = float(np.polyfit(x, y, 1)[0])
    ratios = (1e-2, 1e-4, 1e-6, 1e-8)
    ask.value("C43", [abs(ask.call("fit", x, y, ratio=ratio).slope - least_squares) / ratio for ratio in ratios])


@ask.scenario("S7")
def slope_with_large_ratio_is_the_inverse_of_x_on_y(rng):
    x, y = the_thirty(rng)
    inverse = 1 / float(np.polyfit(y, x, 1)[0])
    for ratio in (1e14, 1e100, 1e300):
        ask.close("C44", ask.call("fit", x, y, ratio=ratio).slope, inverse)
