"""roc_curve: thresholds, rates, the area below them."""

import numpy as np
import reference
import samples
import statsclaw_ask as ask
from types_of_answers import float64_arrays


def trapezoids(curve):
    return ask.total((curve.fpr[1:] - curve.fpr[:-1]) * (curve.tpr[1:] + curve.tpr[:-1])) / 2.0


def claim_curve(curve, of_auc, threshold, tpr, fpr):
    rows = len(threshold)
    ask.close("T17", curve.threshold, threshold)
    ask.close("T18", curve.tpr, tpr)
    ask.close("T19", curve.fpr, fpr)
    ask.close("T20", trapezoids(curve), of_auc, part="a sum in which the weight of a single rate is below one")
    ask.returns("T21", curve)
    ask.same("T21", [ask.shape(curve.threshold), ask.shape(curve.tpr), ask.shape(curve.fpr)], [[rows]] * 3)
    ask.same("T21", [curve.threshold[0], curve.tpr[0], curve.fpr[0]], [np.inf, 0.0, 0.0])
    ask.same("T21", [curve.tpr[-1], curve.fpr[-1]], [1.0, 1.0])
    ask.less("T21", curve.threshold[1:], curve.threshold[:-1])
    ask.between("T21", curve.tpr[:-1], curve.tpr[1:], 1.0)
    ask.between("T21", curve.fpr[:-1], curve.fpr[1:], 1.0)


@ask.scenario("S13")
def roc_curve_of_the_small_example_with_ties(rng):
    scores, labels = samples.shuffled(rng, samples.SMALL_X, samples.SMALL_Y)
    threshold = np.array([np.inf, 5.0, 3.0, 2.0, 1.0, 0.0])
    tpr = np.array([0.0, 1 / 4, 1 / 2, 3 / 4, 1.0, 1.0])
    fpr = np.array([0.0, 0.0, 0.0, 1 / 3, 2 / 3, 1.0])
    curve = ask.call("roc_curve", scores, labels)
    claim_curve(curve, ask.call("auc", scores, labels), threshold, tpr, fpr)
    ask.observe("T21", float64_arrays, curve, threshold, tpr, fpr)


def claim_by_definition(rng, x, y):
    scores, labels = samples.shuffled(rng, x, y)
    curve = ask.call("roc_curve", scores, labels)
    claim_curve(curve, ask.call("auc", scores, labels), *reference.curve(x, y))
    return curve


@ask.scenario("S14")
def roc_curve_of_continuous_and_tied_scores(rng):
    for x, y in samples.overlapping(rng):
        claim_by_definition(rng, x, y)


@ask.scenario("S14")
def roc_curve_of_constant_scores_has_two_rows(rng):
    for m, n in samples.CONSTANT:
        curve = claim_by_definition(rng, [3.7] * m, [3.7] * n)
        ask.same("T21", [curve.threshold, curve.tpr, curve.fpr], [[np.inf, 3.7], [0.0, 1.0], [0.0, 1.0]])


@ask.scenario("S14")
def roc_curve_of_one_subject_in_each_group(rng):
    one = rng.normal()
    for x, y in ((one, one), (one + 0.5, one), (one - 0.5, one)):
        claim_by_definition(rng, [x], [y])
