"""Unit tests of the checks of the arguments and of the public names."""

from __future__ import annotations

import dataclasses
import inspect
import math
from decimal import Decimal

import numpy as np
import pytest

import rocarea
from rocarea import auc, auc_ci, compare, roc_curve

NAN, INF = math.nan, math.inf
S, L = [1, 2, 3, 4], [0, 1, 0, 1]
MASKED = np.ma.masked_array([1.0, 0.0, 1.0, 0.0], mask=[0, 0, 1, 0])


def compare_first(scores, labels):
    return compare(scores, S, labels)


def compare_second(scores, labels):
    return compare(S, scores, labels)


BY_SCORES = pytest.mark.parametrize(
    ("function", "name"),
    [
        (auc, "scores"),
        (auc_ci, "scores"),
        (roc_curve, "scores"),
        (compare_first, "scores1"),
        (compare_second, "scores2"),
    ],
)
TWO_NEEDED = {auc_ci, compare_first, compare_second}


def test_public_names():
    names = "AreaComparison AreaInterval RocCurve auc auc_ci compare roc_curve"
    assert sorted(rocarea.__all__) == names.split()
    assert inspect.signature(auc_ci).parameters["level"].default == 0.95
    assert list(inspect.signature(compare).parameters) == [
        "scores1",
        "scores2",
        "labels",
    ]


@pytest.mark.parametrize(
    ("cls", "names"),
    [
        (rocarea.AreaInterval, "area se lower upper"),
        (rocarea.AreaComparison, "area1 area2 difference se z p_value"),
        (rocarea.RocCurve, "threshold tpr fpr"),
    ],
)
def test_result_classes(cls, names):
    fields = [field.name for field in dataclasses.fields(cls)]
    assert fields == names.split()
    result = cls(*range(len(fields)))
    for name in fields:
        with pytest.raises(AttributeError):
            setattr(result, name, 0.0)


def test_curves_are_compared_by_identity():
    curve = roc_curve(S, L)
    assert curve in [curve]
    assert curve != roc_curve(S, L)


@pytest.mark.parametrize(
    "level", ["0.9", None, [0.9], np.array(0.9), 0.9 + 0j, Decimal("0.9"), np.True_]
)
def test_level_type(level):
    with pytest.raises(TypeError, match="level must be a number"):
        auc_ci(S, L, level)


@pytest.mark.parametrize(
    "level", [0, 1, 0.0, 1.0, -0.1, 1.5, 95, NAN, INF, -INF, True, np.float64(NAN)]
)
def test_level_range(level):
    with pytest.raises(ValueError, match="level must lie strictly between 0 and 1"):
        auc_ci(S, L, level=level)


@BY_SCORES
@pytest.mark.parametrize(
    "scores",
    [
        list("abcd"),
        "abcd",
        None,
        [1, 2, None, 4],
        [1j, 2, 3, 4],
        np.array(S, dtype=object),
        np.array(S, dtype="M8[D]"),
        [["a"]],
    ],
)
def test_scores_type(function, name, scores):
    with pytest.raises(TypeError, match=f"{name} must be numeric"):
        function(scores, L)


@BY_SCORES
@pytest.mark.parametrize("scores", [1.0, [S], [[1], [2], [3], [4]], np.matrix(S)])
def test_scores_shape(function, name, scores):
    with pytest.raises(ValueError, match=f"{name} must be one-dimensional"):
        function(scores, L)


@BY_SCORES
@pytest.mark.parametrize("labels", [1, None, "0101", [L], np.array([["a"]])])
def test_labels_shape(function, name, labels):
    with pytest.raises(ValueError, match="labels must be one-dimensional"):
        function(S, labels)


@BY_SCORES
@pytest.mark.parametrize("scores", [[], [1, 2, 3], [1, 2, 3, 4, 5]])
def test_lengths(function, name, scores):
    with pytest.raises(ValueError, match=f"{name}.* must have the same length"):
        function(scores, L)


def test_lengths_of_labels():
    with pytest.raises(ValueError, match="must have the same length, got 4, 4 and 3"):
        compare(S, S, L[:3])
    with pytest.raises(ValueError, match="scores and labels must have the same length"):
        auc(S, [])


@BY_SCORES
@pytest.mark.parametrize(
    "scores", [[1, NAN, 3, 4], [1, 2, 3, INF], [-INF, 2, 3, 4], MASKED]
)
def test_scores_finite(function, name, scores):
    with pytest.raises(ValueError, match=f"{name} must be finite"):
        function(scores, L)


@pytest.mark.skipif(
    np.finfo(np.longdouble).maxexp <= np.finfo(np.float64).maxexp,
    reason="long double has no wider range than float64 on this platform",
)
def test_scores_too_large_for_float64_are_infinite():
    scores = np.array(S, dtype=np.longdouble)
    scores[0] = np.longdouble(2) ** 2000
    with pytest.raises(ValueError, match="scores must be finite"):
        auc(scores, L)


@BY_SCORES
@pytest.mark.parametrize(
    "labels",
    [
        [0, 1, 2, 1],
        [-1, 1, -1, 1],
        [0, 1, 0.5, 1],
        [0, 1, NAN, 1],
        [0, 1, INF, 1],
        list("0101"),
        [0, 1, None, 1],
        [0, 1, 0, 1 + 0j],
        np.array(L, dtype=object),
        MASKED,
    ],
)
def test_labels_values(function, name, labels):
    with pytest.raises(ValueError, match="labels must be 0 or 1"):
        function(S, labels)


def test_masked_array_without_masked_elements_is_accepted():
    assert auc(np.ma.masked_array(S), np.ma.masked_array(L, mask=[0] * 4)) == 0.75


@BY_SCORES
def test_numbers_of_subjects(function, name):
    two = function in TWO_NEEDED
    diseased = "at least two diseased subjects" if two else "no diseased subjects"
    healthy = "at least two healthy subjects" if two else "no healthy subjects"
    with pytest.raises(ValueError, match=diseased):
        function(S, [0, 0, 0, 0])
    with pytest.raises(ValueError, match=healthy):
        function(S, [1, 1, 1, 1])
    for labels, message in (([1, 0, 0, 0], diseased), ([1, 1, 1, 0], healthy)):
        if two:
            with pytest.raises(ValueError, match=message):
                function(S, labels)
        else:
            function(S, labels)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: auc([], []), "no diseased subjects"),
        (lambda: roc_curve([], []), "no diseased subjects"),
        (lambda: auc_ci([], []), "at least two diseased subjects"),
        (lambda: compare([], [], []), "at least two diseased subjects"),
        (lambda: auc_ci([1, 2], [0, 1]), "at least two diseased subjects"),
    ],
)
def test_empty_and_small_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_order_of_the_checks():
    """Each call breaks a rule and all later ones that can be broken with it."""
    text, table, ragged = ["a"], [[NAN]], [[1], [2, 3]]
    for call, error, message in [
        (lambda: auc_ci(text, [[2]], "x"), TypeError, "level must be a number"),
        (lambda: auc_ci(text, [[2]], 2), ValueError, "level must lie"),
        (lambda: auc_ci([["a"]], [[2]]), TypeError, "scores must be numeric"),
        (lambda: auc_ci(table, [[2]]), ValueError, "scores must be one-dim"),
        (lambda: auc_ci([NAN], [[2]]), ValueError, "labels must be one-dim"),
        (lambda: auc_ci([NAN], [2, 2]), ValueError, "the same length"),
        (lambda: auc_ci([NAN], [2]), ValueError, "scores must be finite"),
        (lambda: auc_ci([1], [2]), ValueError, "labels must be 0 or 1"),
        (lambda: auc_ci([1, 1], [1, 0]), ValueError, "two diseased"),
        (lambda: compare([["a"]], text, [[2]]), TypeError, "scores1 must be numeric"),
        (lambda: compare(table, text, [[2]]), ValueError, "scores1 must be one-dim"),
        (lambda: compare([NAN], [["a"]], [[2]]), TypeError, "scores2 must be numeric"),
        (lambda: compare([NAN], table, [[2]]), ValueError, "scores2 must be one-dim"),
        (lambda: compare([NAN], [NAN], [[2]]), ValueError, "labels must be one-dim"),
        (lambda: compare([NAN], [NAN], [2, 2]), ValueError, "the same length"),
        (lambda: compare([NAN], [NAN], [2]), ValueError, "scores1 must be finite"),
        (lambda: compare([1], [NAN], [2]), ValueError, "scores2 must be finite"),
        (lambda: compare([1], [1], [2]), ValueError, "labels must be 0 or 1"),
        (lambda: compare(text, S, ragged), TypeError, "scores1 must be numeric"),
        (lambda: auc(ragged, L), ValueError, "inhomogeneous"),
        (lambda: auc(MASKED[:3], L), ValueError, "the same length"),
        (lambda: auc(S, MASKED[:3]), ValueError, "the same length"),
    ]:
        with pytest.raises(error, match=message):
            call()


def test_no_argument_is_changed():
    scores = np.array([3.0, -0.0, 2.0, 2.5])
    other = np.array([1, 4, 2, 3])
    labels = np.array([1, 0, 1, 0])
    before = [array.tobytes() for array in (scores, other, labels)]
    auc(scores, labels)
    auc_ci(scores[::-1], labels[::-1])
    compare(scores, other, labels)
    roc_curve(scores, labels)
    assert before == [array.tobytes() for array in (scores, other, labels)]


def test_read_only_and_swapped_input_is_accepted():
    scores = np.array(S, dtype=np.float64).astype(np.float64().dtype.newbyteorder())
    scores.flags.writeable = False
    assert auc(scores, L) == 0.75
    assert roc_curve(scores, L).threshold.dtype == np.float64
