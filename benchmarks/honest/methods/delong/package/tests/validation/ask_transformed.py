"""What does not depend on the scale of the scores, the order of the subjects, or which marker is the first."""

import numpy as np
import samples
import statsclaw_ask as ask


def increasing(scores):
    """exp of continuous scores, 1e9 + 1000 s of whole numbers."""
    whole = np.issubdtype(scores.dtype, np.integer)
    return samples.same_order(scores, 1e9 + 1000.0 * scores if whole else np.exp(scores))


@ask.scenario("S16")
def auc_and_auc_ci_under_increasing_scale_and_permutation(rng):
    for x, y in samples.overlapping(rng):
        scores, labels = samples.shuffled(rng, x, y)
        order = rng.permutation(len(scores))
        area, fit = ask.call("auc", scores, labels), ask.call("auc_ci", scores, labels)
        for other, of_other in ((increasing(scores), labels), (scores[order], labels[order])):
            again = ask.call("auc_ci", other, of_other)
            ask.close("T31", [ask.call("auc", other, of_other), again.area], [area, fit.area])
            ask.close("T33", again.se, fit.se)


@ask.scenario("S16")
def auc_and_auc_ci_with_reversed_sign_of_the_scores(rng):
    for x, y in samples.overlapping(rng):
        scores, labels = samples.shuffled(rng, x, y)
        area, fit = ask.call("auc", scores, labels), ask.call("auc_ci", scores, labels)
        again = ask.call("auc_ci", -scores, labels)
        ask.close("T32", [ask.call("auc", -scores, labels), again.area], [1.0 - area, 1.0 - fit.area])
        ask.close("T33", again.se, fit.se)


@ask.scenario("S16")
def compare_with_markers_exchanged_changes_the_sign_of_z_and_difference(rng):
    for m, n in samples.PAIRED:
        for pair in samples.paired(rng, m, n):
            scores1, scores2, labels = samples.shuffled_pair(rng, *pair)
            both, exchanged = ask.call("compare", scores1, scores2, labels), ask.call("compare", scores2, scores1, labels)
            ask.close("T34", [exchanged.z, exchanged.difference, exchanged.se], [-both.z, -both.difference, both.se])
            ask.close("T35", exchanged.p_value, both.p_value)


@ask.scenario("S16")
def compare_under_increasing_scale_of_one_marker_and_permutation(rng):
    for m, n in samples.PAIRED:
        for pair in samples.paired(rng, m, n):
            scores1, scores2, labels = samples.shuffled_pair(rng, *pair)
            order = rng.permutation(len(labels))
            both = ask.call("compare", scores1, scores2, labels)
            for other in (
                ask.call("compare", increasing(scores1), scores2, labels),
                ask.call("compare", scores1, increasing(scores2), labels),
                ask.call("compare", scores1[order], scores2[order], labels[order]),
            ):
                ask.close("T34", [other.z, other.difference, other.se], [both.z, both.difference, both.se])
