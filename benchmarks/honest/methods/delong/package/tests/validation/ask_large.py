"""100,000 subjects: values, time, memory.

What the language measures is the largest memory of the process so far, while the criteria are about what one call
allocates. So the claims take the increase since a call of the same function on ten subjects just before. Memory counts
only where the call did its work: a wrong area, multiplied by WRONG, exceeds every bound on memory.
"""

import numpy as np
import reference
import samples
import statsclaw_ask as ask

HALF = 50_000
TIMES = 1000
WRONG = 1e18  # an area that is wrong by 1e-10 counts as 100,000,000 bytes


def large(rng):
    """Two markers and labels in random order, as they are and rounded to one decimal."""
    first, second = samples.two_markers(rng, 2 * HALF)
    diseased = rng.permutation(np.repeat([True, False], HALF))
    first, second = first + diseased, second + diseased
    return diseased, [(first, second), (np.round(first, 1), np.round(second, 1))]


def claim_memory(criterion, many, few, found, area):
    """`found`: the area by the answer `many`; `area`: the right one."""
    ask.value(criterion, ask.peak(many) - ask.peak(few))
    ask.value(criterion, WRONG * abs(found - area))


def trapezoids(curve):
    return ask.total((curve.fpr[1:] - curve.fpr[:-1]) * (curve.tpr[1:] + curve.tpr[:-1])) / 2.0


def ten(rng):
    return rng.normal(size=10), rng.normal(size=10), np.array([True, False] * 5)


@ask.scenario("S15")
def auc_of_many_subjects_area_and_memory(rng):
    diseased, versions = large(rng)
    scores, _, labels = ten(rng)
    few = ask.call("auc", scores, labels)
    for scores, _ in versions:
        many = ask.call("auc", scores, diseased)
        area = reference.area(scores[diseased], scores[~diseased])
        ask.close("T22", many, area)
        claim_memory("T25", many, few, many, area)


@ask.scenario("S15")
def auc_ci_of_many_subjects_area_seconds_and_memory(rng):
    diseased, versions = large(rng)
    scores, _, labels = ten(rng)
    few = ask.call("auc_ci", scores, labels)
    for scores, _ in versions:
        many = ask.call("auc_ci", scores, diseased)
        area = reference.area(scores[diseased], scores[~diseased])
        ask.close("T22", many.area, area)
        ask.value("C5", ask.seconds(many))
        claim_memory("T26", many, few, many.area, area)


@ask.scenario("S15")
def compare_many_subjects_areas_seconds_and_memory(rng):
    diseased, versions = large(rng)
    few = ask.call("compare", *ten(rng))
    for scores1, scores2 in versions:
        many = ask.call("compare", scores1, scores2, diseased)
        areas = [reference.area(scores[diseased], scores[~diseased]) for scores in (scores1, scores2)]
        ask.close("T22", [many.area1, many.area2], areas)
        ask.value("T29", ask.seconds(many))
        claim_memory("T27", many, few, many.difference, areas[0] - areas[1])


@ask.scenario("S15")
def roc_curve_of_many_subjects_seconds_and_memory(rng):
    diseased, versions = large(rng)
    scores, _, labels = ten(rng)
    few = ask.call("roc_curve", scores, labels)
    for scores, _ in versions:
        many = ask.call("roc_curve", scores, diseased)
        ask.value("T30", ask.seconds(many))
        claim_memory("T28", many, few, trapezoids(many), reference.area(scores[diseased], scores[~diseased]))


def repeated(rng, *columns):
    """Every subject so many times, in random order."""
    order = rng.permutation(np.repeat(np.arange(len(columns[0])), TIMES))
    return [column[order] for column in columns]


@ask.scenario("S15")
def se_of_auc_ci_when_every_subject_is_repeated(rng):
    x, y = samples.continuous(rng, 30, 70)
    parts = reference.jackknife_parts(reference.area, [x], [y])
    area, error = reference.area(x, y), reference.repeated(parts, 30, 70, TIMES)
    fit = ask.call("auc_ci", *repeated(rng, np.concatenate([x, y]), np.repeat([True, False], [30, 70])))
    ask.close("T23", fit.se, error)
    ask.close("T23", [fit.lower, fit.upper], reference.limits(area, error, 0.95))
    ask.close("T22", fit.area, area)


@ask.scenario("S15")
def se_of_compare_when_every_subject_is_repeated(rng):
    _, (x1, y1, x2, y2) = samples.paired(rng, 30, 70)
    parts = reference.jackknife_parts(reference.difference, [x1, x2], [y1, y2])
    columns = np.concatenate([x1, y1]), np.concatenate([x2, y2]), np.repeat([True, False], [30, 70])
    both = ask.call("compare", *repeated(rng, *columns))
    ask.close("T24", both.se, reference.repeated(parts, 30, 70, TIMES))
