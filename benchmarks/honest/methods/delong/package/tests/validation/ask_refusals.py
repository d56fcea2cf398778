"""Refused arguments, one fault at a time, and which of two faults is reported."""

import math

import numpy as np
import samples
import statsclaw_ask as ask


def eight(rng):
    """Scores and labels of eight subjects, four of each label, and the place of a fault."""
    scores, labels = samples.shuffled(rng, rng.normal(1.0, 1.0, size=4), rng.normal(size=4))
    return scores, labels, int(rng.integers(8))


def with_one(values, at, fault):
    """A list with one element exchanged."""
    values = np.asarray(values).tolist()
    values[at] = fault
    return values


def without_numbers(scores, at):
    yield [format(score, ".3f") for score in scores]
    yield np.array([f"score {number}" for number in range(len(scores))])
    yield with_one(scores, at, "1.5")
    yield with_one(scores, at, None)
    yield scores + 0.5j
    yield with_one(scores, at, 1.0 + 0.5j)


def of_other_shape(scores):
    yield 1.5
    yield np.array(1.5)
    yield scores.reshape(4, 2)
    yield scores.reshape(8, 1)
    yield scores.reshape(4, 2).tolist()


def not_finite(scores, at):
    for fault in (math.nan, math.inf, -math.inf):
        yield np.array(with_one(scores, at, fault))
        yield with_one(scores, at, fault)
    yield np.ma.MaskedArray(scores, mask=np.arange(len(scores)) == at)


def labels_of_other_shape(labels):
    yield 1
    yield labels.reshape(4, 2)
    yield labels.reshape(8, 1)
    yield labels.reshape(4, 2).tolist()


def labels_of_other_length(labels):
    yield labels[:-1]
    yield np.append(labels, 1)


def labels_of_other_values(labels, at):
    yield labels + 1
    yield 2 * labels - 1
    yield with_one(labels, at, 2)
    yield np.array(with_one(labels.astype(float), at, 0.5))
    yield np.array(with_one(labels.astype(float), at, math.nan))
    yield [str(label) for label in labels.tolist()]
    yield np.array(["diseased" if label else "healthy" for label in labels.tolist()])
    yield with_one(labels, at, None)
    yield np.ma.MaskedArray(labels, mask=np.arange(len(labels)) == at)


def refuse(criterion, function, rows):
    for row in rows:
        ask.raises(criterion, ask.call(function, *row))


def claim_scores(rng, function, criteria):
    scores, labels, at = eight(rng)
    for criterion, faults in zip(
        criteria, (without_numbers(scores, at), of_other_shape(scores), not_finite(scores, at)), strict=True
    ):
        refuse(criterion, function, ((fault, labels) for fault in faults))


def claim_labels(rng, function, criteria):
    scores, labels, at = eight(rng)
    for criterion, faults in zip(
        criteria,
        (labels_of_other_shape(labels), labels_of_other_length(labels), labels_of_other_values(labels, at)),
        strict=True,
    ):
        refuse(criterion, function, ((scores, fault) for fault in faults))


@ask.scenario("S19")
def auc_refuses_scores_that_are_not_numeric_or_missing_or_of_other_shape(rng):
    claim_scores(rng, "auc", ("T41", "T42", "T43"))


@ask.scenario("S19")
def auc_ci_refuses_scores_that_are_not_numeric_or_missing_or_of_other_shape(rng):
    claim_scores(rng, "auc_ci", ("T44", "T45", "T46"))


@ask.scenario("S19")
def roc_curve_refuses_scores_that_are_not_numeric_or_missing_or_of_other_shape(rng):
    claim_scores(rng, "roc_curve", ("T47", "T48", "T49"))


@ask.scenario("S19")
def compare_refuses_scores1_that_are_not_numeric_or_missing_or_of_other_shape(rng):
    scores, labels, at = eight(rng)
    other = rng.normal(size=8)
    refuse("T50", "compare", ((fault, other, labels) for fault in without_numbers(scores, at)))
    refuse("T51", "compare", ((fault, other, labels) for fault in of_other_shape(scores)))
    refuse("T52", "compare", ((fault, other, labels) for fault in not_finite(scores, at)))


@ask.scenario("S19")
def compare_refuses_scores2_that_are_not_numeric_or_missing_or_of_other_shape(rng):
    scores, labels, at = eight(rng)
    other = rng.normal(size=8)
    refuse("T53", "compare", ((other, fault, labels) for fault in without_numbers(scores, at)))
    refuse("T54", "compare", ((other, fault, labels) for fault in of_other_shape(scores)))
    refuse("T55", "compare", ((other, fault, labels) for fault in not_finite(scores, at)))


@ask.scenario("S19")
def auc_refuses_labels_of_other_shape_length_or_values(rng):
    claim_labels(rng, "auc", ("T56", "T57", "T58"))


@ask.scenario("S19")
def auc_ci_refuses_labels_of_other_shape_length_or_values(rng):
    claim_labels(rng, "auc_ci", ("T59", "T60", "T61"))


@ask.scenario("S19")
def roc_curve_refuses_labels_of_other_shape_length_or_values(rng):
    claim_labels(rng, "roc_curve", ("T65", "T66", "T67"))


@ask.scenario("S19")
def compare_refuses_labels_of_other_shape_length_or_values(rng):
    scores, labels, at = eight(rng)
    other = rng.normal(size=8)
    refuse("T62", "compare", ((scores, other, fault) for fault in labels_of_other_shape(labels)))
    refuse("T63", "compare", ((scores, other, fault) for fault in labels_of_other_length(labels)))
    refuse("T63", "compare", [(scores, other[:-1], labels), (scores[:-1], other, labels)])
    refuse("T64", "compare", ((scores, other, fault) for fault in labels_of_other_values(labels, at)))


@ask.scenario("S19")
def no_diseased_or_no_healthy_subjects_are_refused_by_auc_and_roc_curve(rng):
    scores, labels, _ = eight(rng)
    for function, none_diseased, none_healthy in (("auc", "T68", "T69"), ("roc_curve", "T70", "T71")):
        refuse(none_diseased, function, [(scores, 0 * labels), ([], []), (np.array([]), np.array([]))])
        refuse(none_healthy, function, [(scores, 0 * labels + 1)])


@ask.scenario("S19")
def fewer_than_two_diseased_or_healthy_subjects_are_refused_by_auc_ci_and_compare(rng):
    scores, labels, at = eight(rng)
    other = rng.normal(size=8)
    one = (np.arange(8) == at).astype(int)
    for function, markers, few_diseased, few_healthy in (
        ("auc_ci", (scores,), "T72", "T73"), ("compare", (scores, other), "T74", "T75")
    ):  # fmt: skip
        empty = [] if len(markers) == 1 else [[]]
        refuse(few_diseased, function, [(*markers, one), (*markers, 0 * labels), (*empty, [], [])])
        refuse(few_healthy, function, [(*markers, 1 - one), (*markers, 0 * labels + 1)])


@ask.scenario("S20")
def auc_ci_refuses_level_outside_of_its_range(rng):
    scores, labels = samples.shuffled(rng, samples.SMALL_X, samples.SMALL_Y)
    for level in (0, 0.0, 1, 1.0, -0.5, 95, math.nan, math.inf):
        ask.raises("T76", ask.call("auc_ci", scores, labels, level=level))
        ask.raises("T76", ask.call("auc_ci", scores, labels, level))


@ask.scenario("S20")
def auc_ci_refuses_level_that_is_not_a_number(rng):
    scores, labels = samples.shuffled(rng, samples.SMALL_X, samples.SMALL_Y)
    for level in ("0.95", None, [0.95], 0.5j):
        ask.raises("T77", ask.call("auc_ci", scores, labels, level=level))
        ask.raises("T77", ask.call("auc_ci", scores, labels, level))


@ask.scenario("S21")
def first_of_two_faults_is_reported(rng):
    scores, labels, at = eight(rng)
    other = rng.normal(size=8)
    text = [format(score, ".3f") for score in scores]
    first, second = np.array(with_one(scores, at, math.nan)), np.array(with_one(other, 7 - at, math.nan))
    for call, message in (
        (ask.call("auc_ci", text, labels, level=2), "level must lie strictly between 0 and 1"),
        (ask.call("auc", first, labels.reshape(4, 2)), "labels must be one-dimensional"),
        (ask.call("compare", first, second, labels), "scores1 must be finite"),
        (ask.call("compare", scores.reshape(4, 2), text, labels), "scores1 must be one-dimensional"),
        (ask.call("auc", first, with_one(labels, 7 - at, 2)), "scores must be finite"),
        (ask.call("auc_ci", [], []), "at least two diseased subjects"),
    ):
        ask.raises("T78", call, message=message, error="ValueError")
