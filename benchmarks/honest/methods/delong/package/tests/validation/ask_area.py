"""auc and auc_ci: areas, standard errors, limits, warnings."""

import math

import numpy as np
import reference
import samples
import statsclaw_ask as ask

LEVELS = (0.01, 0.5, 0.9, 0.95, 0.99, 0.999999)


def claim_limits_in_order(fit):
    ask.between("T36", 0.0, fit.lower, fit.area)
    ask.between("T36", fit.area, fit.upper, 1.0)


def claim_longer_with_level(fits):
    """`fits` by increasing level: none is shorter than the one before."""
    widths = [fit.upper - fit.lower for fit in fits]
    for shorter, longer in zip(widths, widths[1:]):
        ask.between("T36", 0.0, shorter, longer)


def claim_order_and_levels(fit, scores, labels):
    """`fit` has the default level 0.95."""
    fits = [ask.call("auc_ci", scores, labels, level=0.5), fit, ask.call("auc_ci", scores, labels, level=0.99)]
    for each in fits:
        claim_limits_in_order(each)
    claim_longer_with_level(fits)


def claim_no_warning(fit):
    """Silent, and in the case that the criterion is about: the standard error is not zero."""
    ask.silent("T12", fit)
    ask.less("T12", 0.0, fit.se)


def claim_interval(fit, area, error, level=0.95):
    lower, upper = reference.limits(area, error, level)
    ask.close("C1a", fit.area, area)
    ask.close("T1", fit.se, error)
    ask.close("T2", fit.lower, lower)
    ask.close("T3", fit.upper, upper)
    claim_no_warning(fit)


@ask.scenario("S1")
def small_example_of_auc_and_auc_ci_with_ties(rng):
    scores, labels = samples.shuffled(rng, samples.SMALL_X, samples.SMALL_Y)
    fit = ask.call("auc_ci", scores, labels)
    ask.close("C1", ask.call("auc", scores, labels), 10 / 12)
    claim_interval(fit, 10 / 12, math.sqrt(15 / 576))
    ask.same("T36", fit.upper, 1.0)  # cut off, so exactly
    claim_order_and_levels(fit, scores, labels)


@ask.scenario("S2")
def auc_and_auc_ci_of_continuous_scores_in_groups_of_unequal_size(rng):
    for m, n in samples.CONTINUOUS:
        x, y = samples.continuous(rng, m, n)
        scores, labels = samples.shuffled(rng, x, y)
        area = reference.area(x, y)
        ask.close("C1", ask.call("auc", scores, labels), area)
        fit = ask.call("auc_ci", scores, labels)
        claim_interval(fit, area, reference.standard_error(x, y))
        claim_order_and_levels(fit, scores, labels)


@ask.scenario("S2")
def area1_and_area2_of_compare_are_those_of_auc(rng):
    for m, n in samples.CONTINUOUS:
        x1, y1 = samples.continuous(rng, m, n)
        x2, y2 = samples.continuous(rng, m, n)
        both = ask.call("compare", *samples.shuffled_pair(rng, x1, y1, x2, y2))
        ask.close("C1", [both.area1, both.area2], [reference.area(x1, y1), reference.area(x2, y2)])


@ask.scenario("S3")
def auc_and_auc_ci_of_heavily_tied_whole_number_scores(rng):
    for m, n in samples.TIED:
        x, y = samples.tied(rng, m, n)
        scores, labels = samples.shuffled(rng, x, y)
        area = reference.area(x, y)
        ask.close("C1", ask.call("auc", scores, labels), area)
        fit = ask.call("auc_ci", scores, labels)
        claim_interval(fit, area, reference.standard_error(x, y))
        claim_order_and_levels(fit, scores, labels)


def claim_zero_error(of_area, of_error, x, y, area, rng):
    scores, labels = samples.shuffled(rng, x, y)
    fit = ask.call("auc_ci", scores, labels)
    ask.close(of_area, [ask.call("auc", scores, labels), fit.area], [area, area])
    ask.close(of_error, fit.se, 0.0)
    ask.close("T9", fit.lower, area)
    ask.close("T10", fit.upper, area)
    ask.warns("T11", fit)
    claim_order_and_levels(fit, scores, labels)


@ask.scenario("S4")
def perfect_separation_gives_auc_ci_area_one_and_se_zero(rng):
    for x, y in samples.separated(rng):
        claim_zero_error("C2a", "C2b", x, y, 1.0, rng)


@ask.scenario("S5")
def reversed_separation_gives_auc_ci_area_zero_and_se_zero(rng):
    for x, y in samples.separated(rng):
        claim_zero_error("T8", "T8a", -x, -y, 0.0, rng)


@ask.scenario("S6")
def constant_tied_scores_give_auc_ci_area_one_half_and_se_zero(rng):
    for m, n in samples.CONSTANT:
        claim_zero_error("T8", "T8a", [3.7] * m, [3.7] * n, 0.5, rng)


@ask.scenario("S11")
def lower_and_upper_of_auc_ci_at_several_levels(rng):
    for x, y in (samples.continuous(rng, 30, 70), samples.tied(rng, 25, 25)):
        scores, labels = samples.shuffled(rng, x, y)
        area, error = reference.area(x, y), reference.standard_error(x, y)
        named = []
        for level in LEVELS:
            placed = ask.call("auc_ci", scores, labels, level)
            named.append(ask.call("auc_ci", scores, labels, level=level))
            lower, upper = reference.limits(area, error, level)
            for fit in (placed, named[-1]):
                ask.close("T2", fit.lower, lower)
                ask.close("T3", fit.upper, upper)
                claim_limits_in_order(fit)
        claim_longer_with_level(named)


@ask.scenario("S11")
def default_level_of_auc_ci_is_that_of_0_95_by_position_and_keyword(rng):
    for x, y in (samples.continuous(rng, 30, 70), samples.tied(rng, 25, 25)):
        scores, labels = samples.shuffled(rng, x, y)
        omitted = ask.call("auc_ci", scores, labels)
        for fit in (ask.call("auc_ci", scores, labels, 0.95), ask.call("auc_ci", scores, labels, level=0.95)):
            ask.same("T37", [fit.area, fit.se, fit.lower, fit.upper],
                     [omitted.area, omitted.se, omitted.lower, omitted.upper])  # fmt: skip
        lower, upper = reference.limits(reference.area(x, y), reference.standard_error(x, y), 0.95)
        ask.close("T2", omitted.lower, lower)
        ask.close("T3", omitted.upper, upper)


def claim_cut_off(x, y, rng, level, lower_is_cut, upper_is_cut):
    scores, labels = samples.shuffled(rng, x, y)
    fit = ask.call("auc_ci", scores, labels, level=level)
    lower, upper = reference.limits(reference.area(x, y), reference.standard_error(x, y), level)
    assert (lower == 0.0, upper == 1.0) == (lower_is_cut, upper_is_cut)
    ask.close("T2", fit.lower, lower)
    ask.close("T3", fit.upper, upper)
    if lower_is_cut:
        ask.same("T36", fit.lower, 0.0)
    if upper_is_cut:
        ask.same("T36", fit.upper, 1.0)
    claim_no_warning(fit)
    claim_limits_in_order(fit)
    shorter = ask.call("auc_ci", scores, labels, level=0.5)
    claim_limits_in_order(shorter)
    claim_longer_with_level([shorter, fit])


@ask.scenario("S12")
def limits_of_auc_ci_are_cut_off_at_zero_and_one_without_warning(rng):
    x, y = np.array([1.0, 3.0, 4.0, 5.0, 6.0]), np.array([0.0, 2.0, 0.5])
    claim_cut_off(x, y, rng, 0.95, False, True)
    claim_cut_off(-x, -y, rng, 0.95, True, False)
    claim_cut_off(np.array([1.0, 4.0]), np.array([2.0, 3.0]), rng, 0.999, True, True)
