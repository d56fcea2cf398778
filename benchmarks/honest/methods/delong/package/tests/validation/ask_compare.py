"""compare: two markers on the same subjects."""

import numpy as np
import reference
import samples
import statsclaw_ask as ask


def claim_comparison(both, area1, area2, difference, error, z, p_value):
    ask.close("C1b", both.area1, area1)
    ask.close("C1c", both.area2, area2)
    ask.close("T4", both.difference, difference)
    ask.close("T5", both.se, error)
    ask.close("T6", both.z, z)
    ask.close("T7", both.p_value, p_value)
    ask.silent("T14", both)
    ask.less("T14", 0.0, both.se)  # an ordinary comparison


@ask.scenario("S7")
def compare_two_correlated_markers_with_and_without_ties(rng):
    for m, n in samples.PAIRED:
        for x1, y1, x2, y2 in samples.paired(rng, m, n):
            area1, area2 = reference.area(x1, y1), reference.area(x2, y2)
            error = reference.standard_error_of_difference(x1, y1, x2, y2)
            z = (area1 - area2) / error
            scores1, scores2, labels = samples.shuffled_pair(rng, x1, y1, x2, y2)
            both = ask.call("compare", scores1, scores2, labels)
            claim_comparison(both, area1, area2, area1 - area2, error, z, reference.p_value(z))
            both = ask.call("compare", scores2, scores1, labels)  # so that both signs of z occur
            claim_comparison(both, area2, area1, area2 - area1, error, -z, reference.p_value(z))


@ask.scenario("S8")
def compare_the_small_example_with_its_second_marker(rng):
    small = (samples.SMALL_X, samples.SMALL_Y, samples.SECOND_X, samples.SECOND_Y)
    both = ask.call("compare", *samples.shuffled_pair(rng, *small))
    claim_comparison(
        both, 10 / 12, 7.5 / 12, 5 / 24, 0.22308858894734737, 0.9338592095470356, 0.3503765223385295
    )


def claim_equal_order(both):
    ask.close("T13", [both.difference, both.se, both.z], [0.0, 0.0, 0.0])
    ask.close("C4", both.p_value, 1.0)
    ask.silent("T14", both)
    ask.same("T14", [both.se, both.p_value], [0.0, 1.0])  # not an ordinary one, and silent all the same


@ask.scenario("S9")
def compare_a_marker_with_itself_and_with_its_increasing_transformation(rng):
    for x, y in samples.overlapping(rng):
        scores, labels = samples.shuffled(rng, x, y)
        claim_equal_order(ask.call("compare", scores, scores.copy(), labels))
        claim_equal_order(ask.call("compare", scores, samples.same_order(scores, np.exp(scores)), labels))


@ask.scenario("S9")
def compare_two_markers_that_both_separate_perfectly_in_other_orders(rng):
    m, n = 5, 7
    x1, y1 = 10.0 + np.arange(m), np.arange(n) / 4
    x2, y2 = np.roll(x1, 2)[::-1] + 3.0, np.roll(y1, 3)[::-1] - 1.0
    claim_equal_order(ask.call("compare", *samples.shuffled_pair(rng, x1, y1, x2, y2)))
    x2, y2 = 5.0 + rng.uniform(size=m), rng.uniform(size=n)
    claim_equal_order(ask.call("compare", *samples.shuffled_pair(rng, x1, y1, x2, y2)))


def claim_certain_difference(rng, first, second, area1, area2):
    """`first` and `second` are x and y of a marker."""
    scores1, scores2, labels = samples.shuffled_pair(rng, *first, *second)
    assert abs(reference.area(*first) - area1) < 1e-14 and abs(reference.area(*second) - area2) < 1e-14
    for one, other, of_one, of_other in ((scores1, scores2, area1, area2), (scores2, scores1, area2, area1)):
        both = ask.call("compare", one, other, labels)
        ask.close("C1b", both.area1, of_one)
        ask.close("C1c", both.area2, of_other)
        ask.close("T4", both.difference, of_one - of_other)
        ask.same("T15", [both.se, both.z, both.p_value], [0.0, np.nan, np.nan])
        ask.warns("T16", both)


@ask.scenario("S10")
def compare_perfect_with_reversed_separation_leaves_z_and_p_value_missing(rng):
    for m, n in ((2, 2), (5, 7)):
        y = rng.normal(size=n)
        x = y.max() + 0.01 + np.abs(rng.normal(size=m))
        low = rng.normal(size=m)
        claim_certain_difference(rng, (x, y), (low, low.max() + 0.01 + np.abs(rng.normal(size=n))), 1.0, 0.0)


@ask.scenario("S10")
def compare_interleaved_markers_se_exactly_zero_leaves_z_and_p_value_missing(rng):
    for k in (2, 3, 7, 49):
        even, odd = 2.0 * np.arange(1, k + 1), 2.0 * np.arange(1, k + 1) - 1.0
        claim_certain_difference(rng, (even, odd), (odd, even), (k + 1) / (2 * k), (k - 1) / (2 * k))
