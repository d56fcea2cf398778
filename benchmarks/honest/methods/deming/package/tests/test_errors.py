"""Refusals, their order, and silence."""

from __future__ import annotations

import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from demingreg import fit

NAN, INF = float("nan"), float("inf")
X = [1.0, 2.0, 3.0, 4.0]
Y = [1.1, 1.9, 3.2, 3.9]
XX = [[1.0, 1.2], [2.1, 1.9], [3.0, 3.3], [4.2, 4.1]]
YY = [[1.1, 1.0], [2.2, 2.0], [3.1, 2.9], [4.0, 4.1]]


@pytest.fixture(autouse=True)
def _silence():
    """No warning may reach the caller, and numpy may not raise either."""
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        yield


NOT_NUMBERS = [
    ["1", "2", "3", "4"],
    "1234",
    [b"1", b"2", b"3", b"4"],
    [1.0, "2", 3.0, 4.0],
    [1.0, "2", None, 4.0],
    [1.0, b"2", None, 4.0],
    [True, False, True, True],
    [True, None, 3.0, 4.0],
    np.array([1.0, np.bool_(True), 2.0, 3.0], dtype=object),
    [1.0, 2.0, 3.0, 4j],
    [1.0 + 0j, 2.0, None, 4.0],
    np.array([1, 2, 3, 4], dtype="m8[s]"),
    np.array([1, 2, 3, np.timedelta64(4, "s")], dtype=object),
    [[1.0, 2.0], [3.0], [4.0], [5.0]],
    [1.0, [2.0], 3.0, 4.0],
    np.array([1.0, [2.0], 3.0, 4.0], dtype=object),
    [1.0, 2.0, 3.0, 10**400],
    {1.0, 2.0, 3.0, 4.0},
    {"a": 1.0},
    object(),
    np.ma.array([True, False, True, True]),
    np.ma.array(["1", "2", "3", "4"], mask=[0, 0, 0, 1]),
]


@pytest.mark.parametrize("bad", NOT_NUMBERS, ids=range(len(NOT_NUMBERS)))
def test_not_numbers(bad):
    with pytest.raises(ValueError, match="x must be an array of real numbers"):
        fit(bad, "text")
    with pytest.raises(ValueError, match="y must be an array of real numbers"):
        fit(X, bad)
    with pytest.raises(ValueError, match="levels must be finite real numbers"):
        fit(X, Y).bias_at(bad)


@pytest.mark.parametrize(
    ("x", "y", "kwargs", "message"),
    [
        (1.0, 2.0, {}, "x must have one or two dimensions"),
        (X, 2.0, {}, "y must have one or two dimensions"),
        (np.ones((4, 1, 1)), XX, {}, "x must have one or two dimensions"),
        (X, YY, {}, "same number of dimensions"),
        (XX, [], {}, "same number of dimensions"),
        (X, [1.0], {}, "same number of specimens"),
        ([], [], {}, "at least 3 specimens"),
        (np.ones((0, 2)), np.ones((0, 2)), {}, "at least 3 specimens"),
        ([1.0, INF], [1.0, NAN], {}, "at least 3 specimens"),
        ([1.0, NAN, 3.0], [1.0, -INF, 3.0], {}, "y contains an infinite"),
        ([INF, NAN, 3.0], [1.0, -INF, 3.0], {"level": 2}, "x contains an infinite"),
        (X, [1.0, NAN, 3.0, 4.0], {"level": 2}, "y has .*without a measurement"),
        (X, [1.0, None, 3.0, 4.0], {}, "y has .*without a measurement"),
        (np.ma.array(X, mask=[0, 0, 1, 0]), Y, {}, "x has .*without a measurement.*2"),
        (np.ones((3, 0)), np.ones((3, 1)), {}, "x has .*without a measurement"),
        ([[1.0, 2.0], [NAN, NAN], [1.0, NAN]], np.ones((3, 0)), {}, "x has .*without a"),
        (X, Y, {"level": 2, "ratio": -1}, "level must be"),
        (X, Y, {"ratio": None}, "no replicates of x"),
        (XX, [[v, NAN] for v in Y], {"ratio": None}, "no replicates of y"),
        ([[v, v] for v in X], [[v] for v in Y], {"ratio": None}, "no replicates of y"),
        ([[v, v] for v in X], YY, {"ratio": None}, "ratio cannot be estimated.* x "),
        (XX, [[v, v] for v in Y], {"ratio": None}, "ratio cannot be estimated.* y "),
        ([[1.0, 1.0]] * 4, YY, {"ratio": None}, "ratio cannot be estimated"),
        ([0.1] * 4, Y, {}, "^no slope"),
        ([0.1] * 4, [0.3] * 4, {}, "^no slope"),
        ([0.0, 0.0, 1.0, 1.0], [0.0, 1.0, 0.0, 1.0], {}, "^no slope"),
        ([0.0, 0.0, 1.0, 1.0], [0.0, 1.0, 0.0, 1.0], {"ratio": 2}, "^no slope"),
        ([1e-300, 2e-300, 3e-300], [1e300, 2e300, 3e300], {}, "^no slope"),
        ([1e308, 1.1e308, 1.2e308], [1.0, 1e308, -1.5e308], {}, "^no slope.*intercept"),
        ([1.0, 1.0, 1.0, 2.0], Y, {}, "without specimen 3 .*no slope"),
        ([[v, NAN] for v in X[:3]] + [[4.0, 4.2]], YY, {"ratio": None},
         "without specimen 3 .*no replicates of x"),
        (XX, [[1.0, 1.0], [2.0, 2.1], [3.0, 3.0], [4.0, 4.0]], {"ratio": None},
         "without specimen 1 .*ratio cannot be estimated"),
        # everything for all specimens before anything without one of them
        ([[1.0, NAN], [1.0, NAN], [1.0, 1.0]], [[1.0, 2.0]] * 3, {"ratio": None},
         "^the ratio cannot be estimated"),
    ],
)  # fmt: skip
def test_refusals(x, y, kwargs, message):
    with pytest.raises(ValueError, match=message):
        fit(x, y, **kwargs)


@pytest.mark.parametrize(
    "level",
    [0, 1, 0.0, 1.0, -0.5, 95, NAN, INF, None, True, False, "0.95", 0.5j, [0.95],
     np.array([0.95]), np.bool_(True), np.timedelta64(1, "s"), 10**400,
     Fraction(1, 10**400)],
)  # fmt: skip
def test_bad_level(level):
    with pytest.raises(ValueError, match="level must be"):
        fit(X, Y, level=level)


@pytest.mark.parametrize(
    "ratio",
    [0, -1.0, NAN, INF, True, np.bool_(True), "1", 1j, [1.0], np.array([1.0]),
     np.timedelta64(1, "s"), 10**400, Fraction(1, 10**400), np.ma.masked],
)  # fmt: skip
def test_bad_ratio(ratio):
    with pytest.raises(ValueError, match="ratio must be"):
        fit(X, Y, ratio=ratio)
    with pytest.raises(ValueError, match="ratio must be"):
        fit([0.1] * 4, Y, ratio=ratio)


def test_ratio_too_extreme_for_the_replicates():
    y = [[v] for v in Y]
    with pytest.raises(ValueError, match="^ratio must be"):
        fit(XX, y, ratio=5e-324)
    with pytest.raises(ValueError, match="^ratio must be"):
        fit(y, XX, ratio=1.7e308)


def test_estimated_ratio_that_is_not_finite():
    x = np.array([[1e-200, 2e-200], [3e-200, 4e-200], [6e-200, 5e-200], [9e-200, 8e-200]])
    y = np.array([[1.0, 2.0], [3.0, 4.0], [6.0, 5.0], [9.0, 8.0]])
    with pytest.raises(ValueError, match="ratio cannot be estimated"):
        fit(x, y, ratio=None)
    with pytest.raises(ValueError, match="ratio cannot be estimated"):
        fit(y, x, ratio=None)


def test_variation_of_very_different_size_is_found():
    # without specimen 0 the variation within specimens is tiny, but not zero
    x = [[0.0, 1e150], [1e-150, 2e-150], [3e-150, 5e-150], [7e-150, 7e-150]]
    y = [[0.0, 1e150], [1e-150, 3e-150], [3e-150, 4e-150], [7e-150, 8e-150]]
    assert fit(x, y, ratio=None).n == 4


@pytest.mark.parametrize(
    "number", [2, 2.0, np.float32(2), np.int16(2), np.uint8(2), np.longdouble(2),
               Fraction(2), Decimal(2)],
)  # fmt: skip
def test_numbers_that_are_accepted(number):
    assert fit(X, Y, ratio=number).ratio == 2.0
    assert fit(X, Y, number).level == 0.95
    assert fit(X, [Decimal("1.1"), Fraction(19, 10), np.float64(3.2), 3.9]).slope == (
        fit(X, Y).slope
    )


@pytest.mark.parametrize(
    ("levels", "message"),
    [
        (NAN, "levels must be finite real numbers"),
        (None, "levels must be finite real numbers"),
        ([1.0, INF], "levels must be finite real numbers"),
        ([[1.0], [NAN]], "levels must be finite real numbers"),
        (np.ma.array([1.0, 2.0], mask=[0, 1]), "levels must be finite real numbers"),
        ([[1.0]], "levels must have at most one dimension"),
        (np.ones((0, 2)), "levels must have at most one dimension"),
        ([], "no levels"),
    ],
)
def test_bad_levels(levels, message):
    with pytest.raises(ValueError, match=message):
        fit(X, Y).bias_at(levels)


def test_silence_with_extreme_data():
    generator = np.random.default_rng(7)
    for _ in range(300):
        size = int(generator.integers(3, 7))
        x, y = generator.choice(
            [0.0, 1.0, -1.0, 3.0, 5e-324, 1e-310, 1e-160, 1e160, -1.7e308, 1.7e308],
            (2, size, 2),
        )
        ratio = generator.choice([1.0, 5e-324, 1e-300, 1e-3, 1e3, 1e300, 1.7e308])
        for argument in (float(ratio), None):
            try:
                result = fit(x, y, argument, level=1 - 2**-53)
            except ValueError:
                continue
            assert np.isfinite([result.slope, result.intercept]).all()
            assert not np.isnan(result.residuals).any()
            assert not np.isnan(result.true_values).any()
            at = result.bias_at([0.0, 1.0, -1.7e308, 5e-324])
            assert not np.isnan(at.bias).any()
            assert not np.isnan(at.se).any()
            assert not np.isnan(at.interval).any()
            assert not np.isnan(result.slope_interval).any()
