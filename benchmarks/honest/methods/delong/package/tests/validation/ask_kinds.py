"""Kinds of arguments and of results; groups of one subject."""

import numpy as np
import reference
import samples
import statsclaw_ask as ask
from types_of_answers import COMPARISON, INTERVAL, float64_arrays, python_floats


def readonly(values):
    values = np.array(values)
    values.flags.writeable = False
    return values


def kinds_of_scores(whole):
    """The same whole numbers in every kind that can be handed over."""
    return [
        whole.tolist(), tuple(whole.tolist()), whole.astype(float).tolist(), whole.astype(np.int64),
        whole.astype(np.int32), whole.astype(np.float32), whole.astype(np.float64), readonly(whole),
        readonly(whole.astype(float)), np.ma.MaskedArray(whole.astype(float), mask=False),
    ]  # fmt: skip


def kinds_of_labels(labels):
    """Shorter integers than 32 bits arrive as 32 bits."""
    return [
        labels.tolist(), tuple(labels.tolist()), labels.astype(bool), labels.astype(bool).tolist(),
        labels.astype(np.int8), labels.astype(np.int64), labels.astype(float), labels.astype(float).tolist(),
        labels.astype(np.float32), readonly(labels), np.ma.MaskedArray(labels, mask=False),
    ]  # fmt: skip


def parts_of(fit, names):
    return [getattr(fit, name) for name in names]


CURVE = ("threshold", "tpr", "fpr")


@ask.scenario("S17")
def auc_ci_and_auc_of_all_kinds_of_scores_and_labels_leave_arguments_unchanged(rng):
    whole, labels = samples.shuffled(rng, samples.SMALL_X, samples.SMALL_Y)
    area, fit = ask.call("auc", whole, labels), ask.call("auc_ci", whole, labels)
    given = [(kind, labels) for kind in kinds_of_scores(whole)]
    given += [(whole, kind) for kind in kinds_of_labels(labels)]
    for scores, of_scores in given:
        again, area_again = ask.call("auc_ci", scores, of_scores), ask.call("auc", scores, of_scores)
        ask.same("T38", parts_of(again, INTERVAL), parts_of(fit, INTERVAL))
        ask.same("T38", area_again, area)
        ask.untouched("T38", again)
        ask.untouched("T38", area_again)


@ask.scenario("S17")
def compare_and_roc_curve_of_all_kinds_of_scores_and_labels_leave_arguments_unchanged(rng):
    whole1, whole2, labels = samples.shuffled_pair(
        rng, samples.SMALL_X, samples.SMALL_Y, samples.SECOND_X, samples.SECOND_Y
    )
    both, curve = ask.call("compare", whole1, whole2, labels), ask.call("roc_curve", whole1, labels)
    given = [(first, whole2, labels) for first in kinds_of_scores(whole1)]
    given += [(whole1, second, labels) for second in kinds_of_scores(whole2)]
    given += [(whole1, whole2, kind) for kind in kinds_of_labels(labels)]
    for scores1, scores2, of_scores in given:
        again = ask.call("compare", scores1, scores2, of_scores)
        ask.same("T38", parts_of(again, COMPARISON), parts_of(both, COMPARISON))
        ask.untouched("T38", again)
    given = [(kind, labels) for kind in kinds_of_scores(whole1)]
    given += [(whole1, kind) for kind in kinds_of_labels(labels)]
    for scores, of_scores in given:
        again = ask.call("roc_curve", scores, of_scores)
        ask.same("T38", parts_of(again, CURVE), parts_of(curve, CURVE))
        ask.untouched("T38", again)


@ask.scenario("S17")
def boolean_scores_and_large_whole_numbers_are_read_as_float64():
    """Two subjects in each group, so that areas are eighths and exact however they are calculated."""
    labels = np.array([1, 0, 1, 0])
    flags = np.array([True, True, True, False])
    large = 2**53 + np.array([1, 0, 4, 2])  # float64 has no 2**53 + 1: tied with 2**53
    for scores, area in ((flags, 0.75), (large, 0.625)):
        plain = ask.call("auc_ci", scores.astype(float), labels)
        ask.same("T38", plain.area, area)
        for kind in (scores, scores.tolist()):
            fit = ask.call("auc_ci", kind, labels)
            ask.same("T38", parts_of(fit, INTERVAL), parts_of(plain, INTERVAL))
            ask.same("T38", ask.call("auc", kind, labels), area)
            ask.untouched("T38", fit)


@ask.scenario("S17")
def results_of_auc_auc_ci_and_compare_are_python_floats(rng):
    scores1, scores2, labels = samples.shuffled_pair(
        rng, samples.SMALL_X, samples.SMALL_Y, samples.SECOND_X, samples.SECOND_Y
    )
    error = (15 / 576) ** 0.5
    expected = [10 / 12, 10 / 12, error, reference.limits(10 / 12, error, 0.95)[0], 1.0]
    expected += [10 / 12, 7.5 / 12, 5 / 24, 0.22308858894734737, 0.9338592095470356, 0.3503765223385295]
    for first, second, of_both in (
        (scores1, scores2, labels),
        (scores1.tolist(), scores2.tolist(), labels.tolist()),
        (scores1.astype(np.float32), scores2.astype(np.float32), labels.astype(bool)),
    ):
        area, fit = ask.call("auc", first, of_both), ask.call("auc_ci", first, of_both)
        both = ask.call("compare", first, second, of_both)
        for answer in (area, fit, both):
            ask.returns("T39", answer)
        ask.observe("T39", python_floats, area, fit, both, expected)


@ask.scenario("S17")
def results_where_se_is_zero_are_python_floats(rng):
    x, y = np.array([4, 5, 6]), np.array([1, 2])
    scores, labels = samples.shuffled(rng, x, y)
    area, fit, both = (
        ask.call("auc", scores, labels), ask.call("auc_ci", scores, labels), ask.call("compare", scores, scores, labels)
    )  # fmt: skip
    ask.observe("T39", python_floats, area, fit, both, [1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0])


@ask.scenario("S17")
def roc_curve_has_float64_fields_for_all_kinds_of_scores(rng):
    whole, labels = samples.shuffled(rng, samples.SMALL_X, samples.SMALL_Y)
    threshold, tpr, fpr = reference.curve(samples.SMALL_X, samples.SMALL_Y)
    for kind in kinds_of_scores(whole):
        curve = ask.call("roc_curve", kind, labels)
        ask.returns("T21", curve)
        ask.same("T21", [ask.shape(getattr(curve, name)) for name in CURVE], [[6]] * 3)
        ask.same("T21", [curve.threshold[0], curve.tpr[0], curve.fpr[0]], [np.inf, 0.0, 0.0])
        ask.same("T21", [curve.tpr[-1], curve.fpr[-1]], [1.0, 1.0])
        ask.same("T21", curve.threshold, threshold)
        ask.observe("T21", float64_arrays, curve, threshold, tpr, fpr)


@ask.scenario("S18")
def one_subject_in_a_group_is_enough_for_auc_and_roc_curve(rng):
    for m, n in ((1, 1), (1, 5), (5, 1)):
        x, y = rng.normal(1.0, 1.0, size=m), rng.normal(size=n)
        scores, labels = samples.shuffled(rng, x, y)
        area, curve = ask.call("auc", scores, labels), ask.call("roc_curve", scores, labels)
        ask.close("C1", area, reference.area(x, y))
        ask.finite("T40", area)
        ask.same("T40", [curve.tpr[-1], curve.fpr[-1]], [1.0, 1.0])
        ask.same("T40", [ask.length(curve.tpr), ask.length(curve.fpr)], [m + n + 1, m + n + 1])
        ask.between("T40", curve.tpr[:-1], curve.tpr[1:], 1.0)
        ask.same("T40", ask.total(curve.tpr < 1.0), float(np.sum(reference.curve(x, y)[1] < 1.0)))


@ask.scenario("S18")
def one_subject_in_a_group_is_too_few_for_auc_ci_and_compare(rng):
    for m, n, of_interval, of_comparison in ((1, 1, "T72", "T74"), (1, 5, "T72", "T74"), (5, 1, "T73", "T75")):
        scores1, scores2, labels = samples.shuffled_pair(
            rng, rng.normal(size=m), rng.normal(size=n), rng.normal(size=m), rng.normal(size=n)
        )
        ask.raises(of_interval, ask.call("auc_ci", scores1, labels))
        ask.raises(of_comparison, ask.call("compare", scores1, scores2, labels))
