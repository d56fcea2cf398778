"""Unit tests of auc, auc_ci and compare against exact rational arithmetic."""

from __future__ import annotations

import math
import tracemalloc
import warnings
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import norm

from rocarea import auc, auc_ci, compare

HALF = Fraction(1, 2)


def placements(scores, labels):
    """Placements and area straight from the definition, as fractions."""
    x = [s for s, d in zip(scores, labels, strict=True) if d]
    y = [s for s, d in zip(scores, labels, strict=True) if not d]
    psi = [[Fraction(b < a) + HALF * (a == b) for b in y] for a in x]
    v10 = [sum(row) / len(y) for row in psi]
    v01 = [sum(column) / len(x) for column in zip(*psi, strict=True)]
    return v10, v01, sum(v10) / len(x)


def covariance(first, second):
    """The entry of S for two markers, as a fraction."""
    total = Fraction(0)
    for group in (0, 1):
        size = len(first[group])
        products = (
            (u - first[2]) * (v - second[2])
            for u, v in zip(first[group], second[group], strict=True)
        )
        total += sum(products) / (size * (size - 1))
    return total


def sqrt(value):
    """Square root of a fraction as a float."""
    return math.sqrt(float(value))


def cases():
    rng = np.random.default_rng(20)
    for m, n, distinct in [
        (2, 2, 3),
        (2, 9, 4),
        (7, 2, 3),
        (5, 6, 100),
        (13, 8, 5),
        (20, 31, 4),
        (30, 25, 1000),
    ]:
        labels = rng.permutation(np.repeat([1, 0], [m, n]))
        one = rng.integers(0, distinct, m + n) + labels * (distinct // 4)
        two = rng.integers(0, distinct, m + n) + one
        yield pytest.param(one, two, labels, id=f"{m}-{n}-{distinct}")


@pytest.mark.parametrize(("one", "two", "labels"), list(cases()))
def test_against_the_definition(one, two, labels):
    first = placements(one.tolist(), labels.tolist())
    second = placements(two.tolist(), labels.tolist())
    assert auc(one, labels) == float(first[2])

    result = auc_ci(one, labels, 0.8)
    se = sqrt(covariance(first, first))
    assert se > 0
    q = norm.isf(0.1)
    assert result.area == float(first[2])
    assert result.se == pytest.approx(se, rel=1e-14)
    assert result.lower == pytest.approx(max(0, result.area - q * se), rel=1e-13)
    assert result.upper == pytest.approx(min(1, result.area + q * se), rel=1e-13)

    compared = compare(one, two, labels)
    variance = (
        covariance(first, first)
        + covariance(second, second)
        - 2 * covariance(first, second)
    )
    assert variance > 0
    z = float(first[2] - second[2]) / sqrt(variance)
    assert compared.area1 == float(first[2])
    assert compared.area2 == float(second[2])
    assert compared.difference == float(first[2] - second[2])
    assert compared.se == pytest.approx(sqrt(variance), rel=1e-14)
    assert compared.z == pytest.approx(z, rel=1e-14, abs=0)
    assert compared.p_value == pytest.approx(2 * norm.sf(abs(z)), rel=1e-12)


def test_by_hand():
    # Y = 1, 3, 5 and X = 2, 4, 6: V10 = 1/3, 2/3, 1 and V01 = 1, 2/3, 1/3.
    scores, labels = [1, 3, 5, 2, 4, 6], [0, 0, 0, 1, 1, 1]
    result = auc_ci(scores, labels)
    assert result.area == 2 / 3
    assert result.se == pytest.approx(math.sqrt(2 / 27), rel=1e-15)
    assert result.lower == pytest.approx(
        2 / 3 - 1.959963984540054 * math.sqrt(2 / 27), rel=1e-14
    )
    assert result.upper == 1.0


def test_small_areas_ties_and_single_subjects():
    assert auc([0, 1], [1, 0]) == 0.0
    assert auc([0, 1], [0, 1]) == 1.0
    assert auc([1, 1], [0, 1]) == 0.5
    assert auc([3, 1, 2], [0, 1, 0]) == 0.0
    assert auc([-0.0, 0.0], [1, 0]) == 0.5


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint64, np.float16, np.float64])
def test_kinds_of_scores_and_labels(dtype):
    scores, labels = [0, 1, 1, 0, 1], [0, 1, 0, 1, 1]
    expected = auc(scores, labels)
    for container in (list, tuple, np.array):
        assert auc(container(np.array(scores, dtype)), labels) == expected
        assert auc(scores, container(np.array(labels, dtype))) == expected
    assert type(expected) is float


def test_whole_numbers_that_float64_cannot_tell_apart_are_tied():
    assert auc([2**53, 2**53 + 1], [0, 1]) == 0.5
    assert auc([2**53, 2**53 + 2], [0, 1]) == 1.0


def test_order_of_subjects_does_not_matter_to_the_last_bit():
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 2, 300)
    one, two = rng.normal(size=(2, 300)) + labels
    order = rng.permutation(300)
    assert auc_ci(one, labels) == auc_ci(one[order], labels[order])
    assert compare(one, two, labels) == compare(one[order], two[order], labels[order])


def test_symmetries():
    rng = np.random.default_rng(4)
    labels = rng.integers(0, 2, 101)
    one, two = rng.normal(size=(2, 101)) + labels
    there, back = compare(one, two, labels), compare(two, one, labels)
    assert (there.area1, there.se, there.p_value) == (back.area2, back.se, back.p_value)
    assert (there.difference, there.z) == (-back.difference, -back.z)
    # Turning scores and labels round changes nothing, nor does a rising map.
    assert auc_ci(-one, 1 - labels) == auc_ci(one, labels)
    assert auc_ci(np.exp(one), labels) == auc_ci(one, labels)


def test_limits_are_cut_off_without_a_warning():
    labels = [0, 0, 0, 1, 1, 1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        high = auc_ci([1, 2, 4, 3, 5, 6], labels, 0.99)
        low = auc_ci([6, 5, 3, 4, 2, 1], labels, 0.99)
    assert high.upper == 1.0
    assert high.lower == pytest.approx(high.area - norm.isf(0.005) * high.se)
    assert low.lower == 0.0
    assert low.upper == pytest.approx(low.area + norm.isf(0.005) * low.se)


@pytest.mark.parametrize(
    ("level", "q"),
    [
        (0.5, norm.isf(0.25)),
        (np.float32(0.5), norm.isf(0.25)),
        (Fraction(1, 2), norm.isf(0.25)),
        (np.longdouble(0.5), norm.isf(0.25)),
        (np.float16(0.9), norm.isf((1 - float(np.float16(0.9))) / 2)),
        (1e-300, 0.0),
    ],
)
def test_kinds_of_level(level, q):
    scores, labels = np.arange(40) % 7, np.arange(40) % 2
    result = auc_ci(scores, labels, level)
    assert result.lower == pytest.approx(result.area - q * result.se, rel=1e-14)
    assert result.upper == pytest.approx(result.area + q * result.se, rel=1e-14)


def test_level_closer_to_one_than_float64_can_say():
    scores, labels = np.arange(4000) % 7, np.arange(4000) % 2
    result = auc_ci(scores, labels, Fraction(10**20 - 1, 10**20))
    q = norm.isf(0.5e-20)
    assert result.lower == pytest.approx(result.area - q * result.se, rel=1e-14)


@pytest.mark.parametrize(
    ("scores", "area"),
    [
        ([0, 1, 2, 3, 4], 1.0),
        ([4, 3, 2, 1, 0], 0.0),
        ([0, 0, 1, 1, 1], 1.0),
        ([7.5] * 5, 0.5),
    ],
)
def test_standard_error_zero(scores, area):
    with pytest.warns(RuntimeWarning, match="standard error is zero") as record:
        result = auc_ci(scores, [0, 0, 1, 1, 1])
    assert len(record) == 1
    assert "not certainty" in str(record[0].message)
    assert record[0].filename == __file__
    assert (result.area, result.se, result.lower, result.upper) == (area, 0, area, area)


def test_one_constant_group_is_not_degenerate():
    # All placements of the diseased are equal, those of the healthy are not.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = auc_ci([1, 1, 0, 2], [1, 1, 0, 0])
    assert (result.area, result.se) == (0.5, 0.5)


def test_compare_equal_areas_and_no_standard_error():
    labels = [0, 1, 0, 1, 1]
    scores = np.array([1.0, 2.0, 3.0, 4.0, 0.5])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for other in (scores, np.exp(scores), [0, 1, 5, 6, -3]):
            result = compare(scores, other, labels)
            assert (result.difference, result.se) == (0.0, 0.0)
            assert (result.z, result.p_value) == (0.0, 1.0)
        # Both separate perfectly.
        result = compare([0, 1, 0, 1, 1], [1, 2, 0, 4, 3], labels)
        assert (result.area1, result.area2) == (1.0, 1.0)
        assert (result.z, result.p_value) == (0.0, 1.0)


def test_compare_areas_that_differ_by_a_third_throughout():
    # All placements differ by one third, but not all their rounded values do.
    labels = [1, 1, 1, 0, 0, 0]
    with pytest.warns(RuntimeWarning, match="z and p_value are undefined") as record:
        result = compare([3.5, 2.5, 1.5, 1, 2, 3], [2.5, 1.5, 0.5, 1, 2, 3], labels)
    assert len(record) == 1
    assert record[0].filename == __file__
    assert (result.area1, result.area2, result.se) == (2 / 3, 1 / 3, 0.0)
    assert result.difference == 1 / 3
    assert math.isnan(result.z)
    assert math.isnan(result.p_value)


def test_compare_perfect_marker_gives_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = compare([0, 1, 2, 3], [0, 2, 1, 3], [0, 0, 1, 1])
    # Differences of the placements: 1/2, 0 and 0, 1/2.
    assert (result.area1, result.area2, result.difference) == (1.0, 0.75, 0.25)
    assert result.se == pytest.approx(math.sqrt(1 / 8), rel=1e-15)


def test_compare_areas_equal_with_a_standard_error():
    result = compare([1, 3, 2, 4], [3, 1, 4, 2], [0, 1, 1, 0])
    assert (result.area1, result.area2, result.difference) == (0.5, 0.5, 0.0)
    assert result.se > 0
    assert (result.z, result.p_value) == (0.0, 1.0)


def test_tiny_p_values_keep_their_precision():
    rng = np.random.default_rng(5)
    labels = np.repeat([0, 1], 400)
    good = rng.normal(size=800) + 1.5 * labels
    result = compare(good, rng.normal(size=800), labels)
    assert result.z > 10
    assert result.p_value > 0
    assert math.log(result.p_value) == pytest.approx(
        math.log(2) + norm.logsf(result.z), rel=1e-12
    )


def test_nearly_collinear_markers_lose_no_precision():
    # The markers differ in a single pair, so that S11 + S22 - 2 S12 cancels.
    size = 20_000
    labels = np.arange(2 * size) % 2
    one = np.arange(2 * size)
    two = one.copy()
    two[[100, 101]] = two[[101, 100]]
    result = compare(one, two, labels)
    # One diseased placement differs by 1/size, likewise one healthy one.
    deviations = Fraction(1, size**2) - Fraction(1, size**3)
    variance = 2 * deviations / (size * (size - 1))
    assert result.difference == 1 / size**2
    assert result.se == pytest.approx(sqrt(variance), rel=1e-14)


def test_products_beyond_32_bits():
    size = 70_000
    labels = np.arange(2 * size) % 2
    scores = np.arange(2 * size)
    assert auc(scores, labels) == (size + 1) / (2 * size)
    result = auc_ci(scores, labels)
    # V10 takes the values 1/n, ..., 1: variance (n + 1) / (12 n) for each group.
    assert result.se == pytest.approx(math.sqrt((size + 1) / (6 * size**2)), rel=1e-13)


def test_memory_stays_linear():
    size = 50_000
    labels = np.arange(2 * size) % 2
    one, two = np.random.default_rng(6).normal(size=(2, 2 * size))
    tracemalloc.start()
    compare(one, two, labels)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2 * size * 400  # a table of the pairs would take 25,000 times N


def test_all_numbers_are_python_floats():
    labels = [0, 1, 0, 1]
    for result in (
        auc_ci([1, 2, 3, 4], labels),
        compare([1, 2, 3, 4], [2, 1, 3, 4], labels),
        compare([1, 2, 3, 4], [1, 2, 3, 4], labels),
    ):
        assert {type(value) for value in vars(result).values()} == {float}


def test_numpy_errors_set_to_raise_do_no_harm():
    labels = np.arange(2000) % 2
    scores = np.arange(2000) % 50 + 45 * labels
    with np.errstate(all="raise"):
        auc_ci(scores, labels)
        compare(scores, -scores, labels)
        with pytest.warns(RuntimeWarning):
            auc_ci(labels, labels)
