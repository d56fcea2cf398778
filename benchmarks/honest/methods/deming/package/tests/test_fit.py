"""Estimates, standard errors, intervals and bias."""

from __future__ import annotations

import copy
import dataclasses
import math
import pickle
from decimal import Decimal, localcontext

import numpy as np
import pytest
from scipy import stats

import demingreg
from demingreg import Bias, DemingFit, fit

NAN = math.nan
X = [7.0, 8.3, 10.5, 9.0, 5.1, 8.2, 10.2, 10.3, 7.1, 5.9]
Y = [7.9, 8.2, 9.6, 9.0, 6.5, 7.3, 10.2, 10.6, 6.3, 5.2]
X2 = [[1.0, 1.2, NAN], [2.1, 1.9, 2.2], [3.0, 3.3, 3.1], [NAN, NAN, 4.2], [5.2, 5.0, 5.5]]
Y2 = [[1.1, 1.0], [2.2, 2.0], [3.1, 2.9], [4.0, 4.1], [NAN, 5.4]]
LEVELS = [0.0, 3.5, 8.0, -2.0]


# Deming regression in 80 decimal digits, by the printed formulas


def _rows(values):
    rows = []
    for row in values:
        entries = row if isinstance(row, (list, tuple)) else [row]
        rows.append([Decimal(float(e)) for e in entries if not math.isnan(e)])
    return rows


def _mean(values):
    return sum(values) / len(values)


def _line(x, y, ratio):
    if ratio is None:
        pooled = []
        for rows in (x, y):
            squares = sum((v - _mean(row)) ** 2 for row in rows for v in row)
            pooled.append(squares / sum(len(row) - 1 for row in rows))
        lam = pooled[0] / pooled[1]
    else:
        lam = Decimal(float(ratio))
    factor = _mean([1 / Decimal(len(row)) for row in x]) / _mean(
        [1 / Decimal(len(row)) for row in y]
    )
    lam_m = lam * factor
    xs = [_mean(row) for row in x]
    ys = [_mean(row) for row in y]
    xbar, ybar = _mean(xs), _mean(ys)
    u = sum((v - xbar) ** 2 for v in xs)
    q = sum((v - ybar) ** 2 for v in ys)
    p = sum((v - xbar) * (w - ybar) for v, w in zip(xs, ys))
    root = ((u - lam_m * q) ** 2 + 4 * lam_m * p * p).sqrt()
    b = ((lam_m * q - u) + root) / (2 * lam_m * p)
    return lam, lam_m, b, ybar - b * xbar, xs, ys


def _se(values):
    n = len(values)
    centre = _mean(values)
    return (Decimal(n - 1) / n * sum((v - centre) ** 2 for v in values)).sqrt()


def reference(x, y, ratio, levels=()):
    """Return a dictionary of floats and lists of floats."""
    with localcontext() as context:
        context.prec = 80
        x, y = _rows(x), _rows(y)
        lam, lam_m, b, a, xs, ys = _line(x, y, ratio)
        errors = [w - a - b * v for v, w in zip(xs, ys)]
        without = [
            _line(x[:i] + x[i + 1 :], y[:i] + y[i + 1 :], ratio)[2:4]
            for i in range(len(x))
        ]
        levels = [Decimal(float(c)) for c in levels]
        exact = {
            "ratio": lam,
            "ratio_of_means": lam_m,
            "slope": b,
            "intercept": a,
            "slope_se": _se([w[0] for w in without]),
            "intercept_se": _se([w[1] for w in without]),
            "true_values": [
                v + lam_m * b * e / (1 + lam_m * b * b) for v, e in zip(xs, errors)
            ],
            "residuals": [e / (1 + lam_m * b * b).sqrt() for e in errors],
            "bias": [a + (b - 1) * c for c in levels],
            "bias_se": [_se([w[1] + (w[0] - 1) * c for w in without]) for c in levels],
        }
        return {
            name: [float(v) for v in value] if isinstance(value, list) else float(value)
            for name, value in exact.items()
        }


def compare(x, y, ratio, rtol=1e-12, levels=LEVELS, se_rtol=1e-11, a_rtol=1e-12):
    result = fit(x, y, ratio)
    exact = reference(x, y, ratio, levels)
    assert result.intercept == pytest.approx(exact["intercept"], rel=a_rtol)
    for name in ("ratio", "ratio_of_means", "slope"):
        np.testing.assert_allclose(getattr(result, name), exact[name], rtol=rtol, err_msg=name)
    for name in ("slope_se", "intercept_se"):
        np.testing.assert_allclose(getattr(result, name), exact[name], rtol=se_rtol, err_msg=name)
    np.testing.assert_allclose(result.true_values, exact["true_values"], rtol=rtol)
    scale = max(abs(r) for r in exact["residuals"])
    np.testing.assert_allclose(
        result.residuals, exact["residuals"], rtol=0, atol=se_rtol * scale
    )
    at = result.bias_at(levels)
    scale = max(abs(r) for r in exact["bias"])
    np.testing.assert_allclose(at.bias, exact["bias"], rtol=0, atol=rtol * scale)
    np.testing.assert_allclose(at.se, exact["bias_se"], rtol=se_rtol)
    return result


@pytest.mark.parametrize("ratio", [1.0, 0.25, 4.0, 1e-3, 1e3, 1e-9, 1e9])
def test_one_dimension_against_decimals(ratio):
    compare(X, Y, ratio)


@pytest.mark.parametrize("ratio", [None, 1.0, 0.3, 7.0])
def test_replicates_against_decimals(ratio):
    compare(X2, Y2, ratio)


@pytest.mark.parametrize("ratio", [0.2, 1.0, 5.0])
def test_falling_line_against_decimals(ratio):
    assert compare(X, [-v for v in Y], ratio).slope < 0


def test_large_offset_against_decimals():
    # a power of two, so that the offset does not round the data
    x = [v + 2.0**27 for v in np.round(np.array(X) * 1024) / 1024]
    y = [v + 2.0**27 for v in np.round(np.array(Y) * 1024) / 1024]
    level = 2.0**27 + 8.0
    compare(x, y, 1.0, levels=[level, level + 1], rtol=1e-13)


def test_one_specimen_far_away_against_decimals():
    # mean of y less slope times mean of x cancels: six digits of the intercept
    compare(
        [*X, 1e7], [*Y, 1.1e7], 2.0,
        rtol=1e-10, levels=[1e6], se_rtol=1e-8, a_rtol=1e-8,
    )  # fmt: skip


def test_three_specimens_against_decimals():
    result = compare([1.0, 2.0, 4.0], [1.5, 1.0, 5.0], 1.0)
    half = stats.t.isf(0.025, 1) * result.slope_se
    np.testing.assert_allclose(
        result.slope_interval, [result.slope - half, result.slope + half]
    )


def test_ratio_one_is_the_principal_axis():
    centred = np.column_stack([X, Y]) - np.mean([X, Y], axis=1)
    axis = np.linalg.svd(centred)[2][0]
    assert fit(X, Y).slope == pytest.approx(axis[1] / axis[0], rel=1e-13)


def test_exchanging_the_methods_inverts_the_line():
    there, back = fit(X, Y, 4.0), fit(Y, X, 0.25)
    assert back.slope == pytest.approx(1 / there.slope, rel=1e-13)
    assert back.intercept == pytest.approx(-there.intercept / there.slope, rel=1e-11)


def test_extreme_ratios_are_the_two_least_squares_lines():
    dx, dy = np.subtract(X, np.mean(X)), np.subtract(Y, np.mean(Y))
    assert fit(X, Y, 1e-300).slope == pytest.approx(dx @ dy / (dx @ dx), rel=1e-13)
    assert fit(X, Y, 1e300).slope == pytest.approx(dy @ dy / (dx @ dy), rel=1e-13)


def test_residuals_are_what_is_minimised():
    result = fit(X, Y, 3.0)

    def objective(slope, intercept):
        e = np.array(Y) - intercept - slope * np.array(X)
        return np.sum(e * e) / (1 + 3.0 * slope * slope)

    least = np.sum(result.residuals**2)
    assert least == pytest.approx(objective(result.slope, result.intercept))
    for step in (-1e-3, 1e-3):
        assert objective(result.slope + step, result.intercept) > least
        assert objective(result.slope, result.intercept + step) > least
    # and they are the weighted distances from the estimated true point
    a, b = result.intercept, result.slope
    distance = (np.array(X) - result.true_values) ** 2 / 3.0 + (
        np.array(Y) - a - b * result.true_values
    ) ** 2
    np.testing.assert_allclose(result.residuals**2, distance)


def test_jackknife_is_that_of_fits_without_one_specimen():
    result = fit(X2, Y2, None)
    without = [
        fit(np.delete(X2, i, axis=0), np.delete(Y2, i, axis=0), None) for i in range(5)
    ]
    for name in ("slope", "intercept"):
        pseudo = 5 * getattr(result, name) - 4 * np.array(
            [getattr(w, name) for w in without]
        )
        assert getattr(result, name + "_se") == pytest.approx(
            np.std(pseudo, ddof=1) / np.sqrt(5), rel=1e-10
        )


def test_estimated_ratio_passed_back_changes_only_standard_errors():
    free = fit(X2, Y2, None)
    fixed = fit(X2, Y2, free.ratio)
    assert (fixed.slope, fixed.intercept) == (free.slope, free.intercept)
    assert fixed.ratio_of_means == free.ratio_of_means
    np.testing.assert_array_equal(fixed.true_values, free.true_values)
    np.testing.assert_array_equal(fixed.residuals, free.residuals)
    assert fixed.slope_se != free.slope_se


def test_ratio_of_means():
    x, y = np.array(X), np.array(Y)
    assert fit(x, y, 0.7).ratio_of_means == 0.7
    triple = np.column_stack([x, x + 0.1, x - 0.2])
    other = np.column_stack([y, y + 0.3, y - 0.1])
    for ratio in (0.7, None):
        result = fit(triple, other, ratio)
        assert result.ratio_of_means == result.ratio
    assert fit(triple[:, :2], y[:, np.newaxis], 0.7).ratio_of_means == 0.7 * 0.5
    # as many of each specimen by both methods, but not of every specimen
    gaps = np.where(np.arange(30).reshape(10, 3) % 7 == 1, NAN, 0.0)
    result = fit(triple + gaps, other + gaps, 0.7)
    assert result.ratio_of_means == result.ratio == 0.7


def test_intervals_and_level():
    for level in (0.5, 0.9, 0.999):
        result = fit(X, Y, level=level)
        t = stats.t.ppf(1 - (1 - level) / 2, 8)
        for name in ("slope", "intercept"):
            centre, se = getattr(result, name), getattr(result, name + "_se")
            np.testing.assert_allclose(
                getattr(result, name + "_interval"), [centre - t * se, centre + t * se]
            )
        at = result.bias_at(LEVELS)
        np.testing.assert_allclose(at.interval[:, 0], at.bias - t * at.se)
        np.testing.assert_allclose(at.interval[:, 1], at.bias + t * at.se)
        assert result.level == level


def test_bias_at_zero_is_the_intercept():
    result = fit(X, Y)
    at = result.bias_at(0)
    assert at.bias[0] == result.intercept
    assert at.se[0] == pytest.approx(result.intercept_se, rel=1e-14)


def test_bias_shapes_and_copy():
    result = fit(X, Y)
    for levels in (5, 5.0, np.float32(5), np.array(5.0), [5.0]):
        at = result.bias_at(levels)
        assert at.levels.shape == at.bias.shape == at.se.shape == (1,)
        assert at.interval.shape == (1, 2)
    levels = np.array([1.0, 2.0])
    at = result.bias_at(levels)
    levels[0] = 9.0
    assert at.levels.tolist() == [1.0, 2.0]
    assert result.bias_at([1, 2]).levels.dtype == np.float64


def test_types_and_names():
    assert sorted(demingreg.__all__) == ["Bias", "DemingFit", "fit"]
    result = fit([1, 2, 3, 5], np.array([1, 2, 4, 5], dtype=np.int8), np.float32(2))
    assert isinstance(result, DemingFit)
    assert isinstance(result.bias_at(1), Bias)
    names = [field.name for field in dataclasses.fields(DemingFit)]
    assert names == [
        "slope", "intercept", "slope_se", "intercept_se", "slope_interval",
        "intercept_interval", "true_values", "residuals", "ratio", "ratio_of_means",
        "level", "n",
    ]  # fmt: skip
    assert [f.name for f in dataclasses.fields(Bias)] == ["levels", "bias", "se", "interval"]
    for name in names:
        value = getattr(result, name)
        if isinstance(value, np.ndarray):
            assert value.dtype == np.float64
        else:
            assert type(value) is (int if name == "n" else float)
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.slope = 1.0
    for again in (copy.deepcopy(result), pickle.loads(pickle.dumps(result))):
        assert again.bias_at(3).se[0] == result.bias_at(3).se[0]


def test_forms_of_input_agree():
    expected = fit(X, Y, 2.0)
    masked = np.ma.array([[v, 99.0] for v in X], mask=[[0, 1]] * 10)
    forms = [
        (tuple(X), np.array(Y)),
        (np.array(X)[:, np.newaxis], [[v] for v in Y]),
        (np.array(X, dtype=object), Y),
        ([[v, None] for v in X], [[NAN, v, NAN] for v in Y]),
        (masked, [[v] for v in Y]),
        (list(masked), [[v, np.ma.masked] for v in Y]),
        (masked.astype(object), np.asfortranarray([[v, NAN] for v in Y])),
    ]
    for x, y in forms:
        result = fit(x, y, 2.0)
        for field in dataclasses.fields(DemingFit):
            np.testing.assert_array_equal(
                getattr(result, field.name), getattr(expected, field.name)
            )


def test_arguments_are_not_changed():
    x, y, levels = np.array(X2), np.array(Y2), np.array([1.0, 2.0])
    masked = np.ma.array(x, mask=np.isnan(x))
    kept = masked.copy()
    result = fit(x, y, None)
    fit(masked, y, None)
    result.bias_at(levels)
    result.true_values[:] = 0.0
    np.testing.assert_array_equal(x, X2)
    np.testing.assert_array_equal(y, Y2)
    np.testing.assert_array_equal(levels, [1.0, 2.0])
    np.testing.assert_array_equal(masked.mask, kept.mask)
    np.testing.assert_array_equal(masked.data, kept.data)


def test_constant_y_is_a_horizontal_line():
    result = fit(X, [0.1] * 10)
    assert (result.slope, result.intercept) == (0.0, 0.1)
    assert (result.slope_se, result.intercept_se) == (0.0, 0.0)
    assert math.copysign(1.0, result.slope) == 1.0
    np.testing.assert_array_equal(result.true_values, X)
    np.testing.assert_array_equal(result.residuals, np.zeros(10))


@pytest.mark.parametrize("ratio", [1e-6, 1.0, 1e6])
def test_points_on_a_line(ratio):
    result = fit(X, [2.5 - 0.3 * v for v in X], ratio)
    assert result.slope == pytest.approx(-0.3, rel=1e-13)
    assert result.intercept == pytest.approx(2.5, rel=1e-13)
    assert result.slope_se < 1e-14
    assert result.intercept_se < 1e-13


def test_replicates_that_agree_with_a_given_ratio():
    twice = fit([[v, v] for v in X], [[v, v] for v in Y], 2.0)
    once = fit(X, Y, 2.0)
    assert (twice.slope, twice.slope_se) == (once.slope, once.slope_se)


@pytest.mark.parametrize("power", [-900, -300, 300, 900, 1018])
def test_units(power):
    unit = 2.0**power
    expected = fit(X, Y, 2.0)
    result = fit(np.array(X) * unit, np.array(Y) * unit, 2.0)
    assert (result.slope, result.slope_se) == (expected.slope, expected.slope_se)
    assert result.intercept / unit == pytest.approx(expected.intercept, rel=1e-14)
    assert result.intercept_se / unit == pytest.approx(expected.intercept_se, rel=1e-14)
    np.testing.assert_allclose(result.residuals / unit, expected.residuals, rtol=1e-14)
    np.testing.assert_allclose(result.true_values / unit, expected.true_values, rtol=1e-14)
    at, other = result.bias_at([8.0 * unit]), expected.bias_at([8.0])
    np.testing.assert_allclose(at.bias / unit, other.bias, rtol=1e-14)
    np.testing.assert_allclose(at.se / unit, other.se, rtol=1e-14)


@pytest.mark.parametrize("power", [-480, -200, 200, 480])
def test_units_of_one_method(power):
    # the ratio has the squared unit; neither may make p or the ratio vanish
    unit = 2.0**power
    expected = fit(X, Y, 2.0)
    result = fit(np.array(X) * unit, Y, 2.0 * unit * unit)
    assert result.slope * unit == pytest.approx(expected.slope, rel=1e-13)
    assert result.intercept == pytest.approx(expected.intercept, rel=1e-11)
    assert result.slope_se * unit == pytest.approx(expected.slope_se, rel=1e-12)
    np.testing.assert_allclose(result.residuals, expected.residuals, rtol=1e-11)
    np.testing.assert_allclose(result.true_values / unit, expected.true_values, rtol=1e-12)


@pytest.mark.parametrize("power", [-500, 500])
def test_units_with_an_estimated_ratio(power):
    unit = 2.0**power
    expected = fit(X2, Y2, None)
    result = fit(np.array(X2) * unit, np.array(Y2) * unit, None)
    assert (result.ratio, result.slope) == (expected.ratio, expected.slope)


def test_opposite_values_near_the_largest_number():
    x = np.array([-1.7e308, -0.5e308, 0.4e308, 1.7e308])
    result = fit(x, x)
    assert result.slope == 1.0
    assert result.intercept == 0.0
    np.testing.assert_allclose(result.true_values, x)
    at = result.bias_at([1.7e308])
    assert (at.bias[0], at.se[0]) == (0.0, 0.0)


def test_bias_that_overflows_is_infinite():
    at = fit([1.0, 2.0, 3.0, 4.0], [10.0, 21.0, 30.0, 45.0]).bias_at([1.7e308, 1.0])
    assert at.bias[0] == math.inf
    assert at.se[0] == math.inf
    assert at.interval[0].tolist() == [-math.inf, math.inf]
    assert np.isfinite(at.interval[1]).all()


def test_order_of_rows_and_replicates():
    order = [3, 0, 4, 2, 1]
    expected = fit(X2, Y2, None)
    result = fit(np.array(X2)[order][:, ::-1], np.array(Y2)[order][:, ::-1], None)
    assert result.slope == pytest.approx(expected.slope, rel=1e-14)
    assert result.slope_se == pytest.approx(expected.slope_se, rel=1e-12)
    np.testing.assert_allclose(result.true_values, expected.true_values[order], rtol=1e-14)


def test_coverage_of_the_interval_of_the_slope():
    generator = np.random.default_rng(20240501)
    covered = 0
    for _ in range(400):
        true = generator.uniform(2.0, 20.0, 30)
        x = true + generator.normal(0.0, 0.6, 30)
        y = 1.0 + 1.2 * true + generator.normal(0.0, 0.3, 30)
        low, high = fit(x, y, 4.0).slope_interval
        covered += low <= 1.2 <= high
    # 400 trials at 0.95: four binomial standard errors are 0.044
    assert 0.905 <= covered / 400 <= 0.99
