"""Unit tests of roc_curve."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rocarea import auc, roc_curve


def test_by_hand():
    curve = roc_curve([1, 2, 2, 3, 3], [0, 1, 0, 1, 0])
    assert curve.threshold.tolist() == [math.inf, 3, 2, 1]
    assert curve.tpr.tolist() == [0, 1 / 2, 1, 1]
    assert curve.fpr.tolist() == [0, 1 / 3, 2 / 3, 1]


def test_constant_scores_give_two_rows():
    curve = roc_curve([4, 4, 4], [0, 1, 0])
    assert curve.threshold.tolist() == [math.inf, 4]
    assert curve.tpr.tolist() == [0, 1]
    assert curve.fpr.tolist() == [0, 1]


def test_zeros_of_either_sign_are_one_threshold():
    for scores in ([-0.0, 0.0], [0.0, -0.0]):
        curve = roc_curve(scores, [0, 1])
        assert curve.threshold.tolist() == [math.inf, 0.0]
        assert not np.signbit(curve.threshold).any()


@pytest.mark.parametrize("distinct", [2, 10, 1000])
def test_against_the_definition(distinct):
    rng = np.random.default_rng(distinct)
    labels = rng.integers(0, 2, 83)
    scores = rng.integers(0, distinct, 83) / 7
    curve = roc_curve(scores, labels)
    expected = [math.inf, *sorted(set(scores.tolist()), reverse=True)]
    assert curve.threshold.tolist() == expected
    x, y = scores[labels == 1].tolist(), scores[labels == 0].tolist()
    assert curve.tpr.tolist() == [sum(s >= t for s in x) / len(x) for t in expected]
    assert curve.fpr.tolist() == [sum(s >= t for s in y) / len(y) for t in expected]
    trapezoids = np.diff(curve.fpr) * (curve.tpr[1:] + curve.tpr[:-1]) / 2
    assert trapezoids.sum() == pytest.approx(auc(scores, labels), rel=1e-13)


def test_arrays_are_one_dimensional_float64_and_read_only():
    curve = roc_curve([True, False, True], [1, 0, 0])
    for array in (curve.threshold, curve.tpr, curve.fpr):
        assert array.dtype == np.float64
        assert array.shape == (3,)
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0
