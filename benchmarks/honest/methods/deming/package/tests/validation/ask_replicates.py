"""Replicates: the jackknife, the means with the ratio carried over, and the slope on average: S5, S6, S23."""

import math

import numpy as np
import statsclaw_ask as ask
from second_way import factor, jackknife, line_of_replicates, means, the_twelve, without


def bias_of(intercept, slope):
    return [intercept + (slope - 1) * level for level in (2, 8)]


def errors_by_jackknife(x, y, ratio):
    """A fit and its bias, the refits and theirs, and what both should be by the second way."""
    fit = ask.call("fit", x, y, ratio=ratio)
    bias = ask.call(fit, "bias_at", (2, 8))
    left = [ask.call("fit", s, t, ratio=ratio) for s, t in without(x, y)]
    left_bias = [ask.call(one, "bias_at", (2, 8)).bias for one in left]
    lines = [line_of_replicates(s, t, ratio) for s, t in without(x, y)]
    biases = [np.array(bias_of(*one)) for one in lines]

    scale = 11 / math.sqrt(12)
    refits = [one.slope for one in left]
    ask.close("C34", [fit.slope_se, *refits], [scale * ask.sd(refits), *[slope for _, slope in lines]])
    refits = [one.intercept for one in left]
    ask.close("C35", [fit.intercept_se, *refits], [scale * ask.sd(refits), *[start for start, _ in lines]])
    ask.close("C36", [bias.se, *left_bias], [scale * ask.sd(left_bias, axis=0), *biases])

    intercept_se, slope_se = jackknife(lines).tolist()
    ask.close("C34", fit.slope_se, slope_se)
    ask.close("C35", fit.intercept_se, intercept_se)
    ask.close("C36", bias.se, jackknife(biases))


@ask.scenario("S5")
def slope_se_intercept_se_and_bias_se_with_ratio_estimated_without_each_specimen(rng):
    errors_by_jackknife(*the_twelve(rng), None)


@ask.scenario("S5")
def slope_se_intercept_se_and_bias_se_with_given_ratio_carried_to_means_without_each_specimen(rng):
    errors_by_jackknife(*the_twelve(rng), 0.7)


def same_line(one, other):
    ask.close("C37", one.slope, other.slope)
    ask.close("C38", one.intercept, other.intercept)
    ask.close("C39", one.true_values, other.true_values)
    ask.close("C40", one.residuals, other.residuals)


@ask.scenario("S6")
def replicates_without_missing_are_fitted_through_means_with_ratio_of_means(rng):
    x, y = the_twelve(rng, gaps=False)
    fit = ask.call("fit", x, y, ratio=0.7)
    of_means = ask.call("fit", means(x), means(y), ratio=0.7 * 2 / 3)
    same_line(fit, of_means)
    ask.close("C41", fit.slope_se, of_means.slope_se)


@ask.scenario("S6")
def replicates_with_missing_are_fitted_through_means_with_ratio_of_means(rng):
    x, y = the_twelve(rng)
    fit = ask.call("fit", x, y, ratio=0.7)
    same_line(fit, ask.call("fit", means(x), means(y), ratio=0.7 * factor(x, y)))
    intercept, slope = line_of_replicates(x, y, 0.7)
    ask.close("C37", fit.slope, slope)
    ask.close("C38", fit.intercept, intercept)


@ask.scenario("S6")
def estimated_ratio_passed_back_gives_the_same_slope_true_values_and_residuals(rng):
    x, y = the_twelve(rng)
    fit = ask.call("fit", x, y, ratio=None)
    same_line(fit, ask.call("fit", x, y, ratio=fit.ratio))
    intercept, slope = line_of_replicates(x, y, None)
    ask.close("C37", fit.slope, slope)
    ask.close("C38", fit.intercept, intercept)


@ask.scenario("S23")
def slope_with_different_numbers_of_replicates_is_on_average_the_true_one(rng):
    slopes, by_definition = [], []
    for _ in range(200):
        true = rng.normal(0, 1, size=100)
        x = true[:, None] + rng.normal(0, 0.6, size=(100, 4))
        y = true[:, None] + rng.normal(0, 0.6, size=(100, 2))
        slopes.append(ask.call("fit", x, y, ratio=None).slope)
        by_definition.append(line_of_replicates(x, y, None)[1])
    # The mean is what is asked for; each slope beside it, so that none of the 200 can be off unseen.
    ask.close("C103", [ask.mean(slopes), *slopes], [1.0, *by_definition])
