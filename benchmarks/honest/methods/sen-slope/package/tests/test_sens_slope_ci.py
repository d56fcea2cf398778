# -*- coding: utf-8 -*-
"""Unit tests of sens_slope_ci and seasonal_sens_slope_ci."""
from __future__ import division

import doctest
import inspect
import itertools
import math
import os
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import pymannkendall as mk

NO_PAIR = 'no pair of observed values'
TOO_FEW = 'smallest and the largest slope'
nan = float('nan')
inf = float('inf')


class Arraylike(object):
    """Nothing but __array__, as a stand-in for a pandas series."""

    def __init__(self, values):
        self.values = np.array(values)

    def __array__(self, dtype=None, copy=None):
        return self.values.astype(dtype) if dtype is not None else self.values


KINDS = [list, tuple, np.array, Arraylike]
try:
    import pandas
    KINDS.append(pandas.Series)
except ImportError:
    pass


def quiet(f, *args, **kwargs):
    """The answer of a call that must not warn."""
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        return f(*args, **kwargs)


def warned(f, *args, **kwargs):
    """The answer of a call, and its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        answer = f(*args, **kwargs)
    return answer, caught


def one_warning(text, f, *args, **kwargs):
    """The answer of a call that must warn exactly once, with this text, of this file."""
    answer, caught = warned(f, *args, **kwargs)
    assert [w.category for w in caught] == [RuntimeWarning]
    assert text in str(caught[0].message)
    assert os.path.splitext(os.path.basename(caught[0].filename))[0] == 'test_sens_slope_ci'
    return answer


def by_hand(columns, z):
    """lower, upper and whether the ranks were cut off, pair by pair in exact arithmetic up to the square root."""
    slopes, v18 = [], 0
    for column in columns:
        observed = [(i, v) for i, v in enumerate(column) if v == v]
        n = len(observed)
        v18 += n * (n - 1) * (2 * n + 5)
        for v in set(v for _, v in observed):
            t = sum(1 for _, w in observed if w == v)
            v18 -= t * (t - 1) * (2 * t + 5)
        slopes += [(b - a) / (j - i) for (i, a), (j, b) in itertools.combinations(observed, 2)]
    slopes.sort()
    N = len(slopes)
    C = z * math.sqrt(v18 / 18)
    L, U = math.floor((N - C) / 2), math.ceil((N + C) / 2 + 1)
    if L < 1:
        return slopes[0], slopes[-1], True
    return slopes[int(L) - 1], slopes[int(U) - 1], False


Z = {0.05: 1.959963984540054, 0.1: 1.6448536269514722, 0.01: 2.5758293035489004, 0.5: 0.6744897501960817}


# ---------------------------------------------------------------- values

def test_squares_by_hand():
    # the slope between i**2 and j**2 is i + j; N = 15, V = 510/18, C = 10.43, M1 = 2.28, so ranks 2 and 14
    answer = quiet(mk.sens_slope_ci, [0, 1, 4, 9, 16, 25])
    assert answer == (5, -6, 2, 8)


def test_squares_with_a_missing_value_keep_their_times():
    # times 0, 1, 3, 4, 5, 6: sums 1 3 4 4 5 5 6 6 7 7 8 9 9 10 11, ranks 2 and 14 of them
    answer = quiet(mk.sens_slope_ci, [0, 1, nan, 9, 16, 25, 36])
    assert (answer.slope, answer.lower, answer.upper) == (6, 3, 10)
    assert answer.intercept == 12.5 - 3.5 * 6


def test_ties_lower_the_variance():
    # V = (510 - 132)/18 = 21, C = 11.80, M1 = 1.6: rank 1 without a warning; without ties M1 = 0.64
    answer = quiet(mk.sens_slope_ci, [0, 0, 0, 1, 1, 1], 0.01)
    assert (answer.lower, answer.upper) == (0, 1)
    one_warning(TOO_FEW, mk.sens_slope_ci, [0, 1, 2, 3, 4, 5], 0.01)


def test_zero_and_minus_zero_are_tied():
    assert quiet(mk.sens_slope_ci, [0.0, -0.0, 0.0, 1, 1, 1], 0.01)[2:] == (0, 1)


def test_seasonal_by_hand():
    # columns 0 1 4 9 16 and 0 2 8 18 (the last cycle is incomplete): slopes i + j of the first, 2 (i + j) of the second
    # pooled 1 2 2 3 3 4 4 4 5 5 6 6 6 7 8 10, N = 16, V = (5*4*15 + 4*3*13)/18 = 25.33, C = 9.86, M1 = 3.07: ranks 3 and 14
    x = [0, 0, 1, 2, 4, 8, 9, 18, 16]
    answer = quiet(mk.seasonal_sens_slope_ci, x, 2)
    assert (answer.slope, answer.lower, answer.upper) == (4.5, 2, 7)
    assert answer.intercept == 4 - 4 / 2 * 4.5


@pytest.mark.parametrize('alpha', sorted(Z))
@pytest.mark.parametrize('digits', [0, 1, 6])
def test_against_pairs_in_plain_python(alpha, digits):
    rng = np.random.RandomState(20)
    for n in (2, 3, 4, 5, 6, 7, 10, 23, 40):
        x = np.round(rng.standard_normal(n) + 0.05 * np.arange(n), digits)
        x[rng.uniform(size=n) < 0.1] = nan
        if np.sum(~np.isnan(x)) < 2:
            continue
        answer, caught = warned(mk.sens_slope_ci, x, alpha)
        lower, upper, cut = by_hand([x.tolist()], Z[alpha])
        assert (answer.lower, answer.upper) == (lower, upper)
        assert [TOO_FEW in str(w.message) for w in caught] == [True] * cut
        assert tuple(answer[:2]) == tuple(mk.sens_slope(x))
        assert answer.lower <= answer.slope <= answer.upper


@pytest.mark.parametrize('alpha', sorted(Z))
@pytest.mark.parametrize('period', [1, 2, 5, 12])
def test_seasonal_against_pairs_in_plain_python(alpha, period):
    rng = np.random.RandomState(21)
    for n in (2 * period + 1, 5 * period, 7 * period + period // 2):
        x = np.round(rng.standard_normal(n) + 0.05 * np.arange(n), 1)
        x[rng.uniform(size=n) < 0.1] = nan
        answer, caught = warned(mk.seasonal_sens_slope_ci, x, period, alpha)
        lower, upper, cut = by_hand([x[k::period].tolist() for k in range(period)], Z[alpha])
        assert (answer.lower, answer.upper) == (lower, upper)
        assert [TOO_FEW in str(w.message) for w in caught] == [True] * cut
        assert tuple(answer[:2]) == tuple(mk.seasonal_sens_slope(x, period))
        assert answer.lower <= answer.slope <= answer.upper


def test_limits_are_slopes_of_pairs():
    x = np.random.RandomState(3).standard_normal(15)
    slopes = [(x[j] - x[i]) / (j - i) for i, j in itertools.combinations(range(15), 2)]
    answer = mk.sens_slope_ci(x)
    assert answer.lower in slopes and answer.upper in slopes


@pytest.mark.parametrize('n, missed, text', [(4, 2, TOO_FEW), (5, 2, TOO_FEW), (6, 12, None)])
def test_exact_coverage_over_all_orders(n, missed, text):
    # the interval misses 0 where |S| > N - 2 L: for n = 6 where S is 15 (1 order), 13 (5 orders), or minus these
    outside = 0
    for order in itertools.permutations(range(n)):
        if text is None:
            answer = quiet(mk.sens_slope_ci, order)
        else:
            answer = one_warning(text, mk.sens_slope_ci, order)
        outside += not answer.lower <= 0 <= answer.upper
    assert outside == missed


def test_sign_time_scale_and_trend():
    x = np.random.RandomState(4).randint(-64, 64, 20) / 4.0
    x = x[np.sort(np.unique(x, return_index=True)[1])]        # without ties
    a = mk.sens_slope_ci(x)
    for b in (mk.sens_slope_ci(-x), mk.sens_slope_ci(x[::-1])):
        assert (b.slope, b.lower, b.upper) == (-a.slope, -a.upper, -a.lower)
    b = mk.sens_slope_ci(8 * x + 3)
    assert (b.slope, b.lower, b.upper) == (8 * a.slope, 8 * a.lower, 8 * a.upper)
    b = mk.sens_slope_ci(x + 1024.0 * np.arange(len(x)))
    np.testing.assert_allclose(b[2:], np.add(a[2:], 1024), rtol=1e-12)


def test_wider_for_smaller_alpha():
    x = np.random.RandomState(5).standard_normal(30)
    answers = [mk.sens_slope_ci(x, alpha) for alpha in (0.9, 0.5, 0.1, 0.05, 0.01, 0.001)]
    for narrow, wide in zip(answers, answers[1:]):
        assert wide.lower <= narrow.lower <= narrow.upper <= wide.upper
        assert wide[:2] == narrow[:2]


def test_seasonal_is_the_plain_one_for_period_one():
    x = np.random.RandomState(6).standard_normal(25)
    x[[2, 9]] = nan
    assert tuple(mk.seasonal_sens_slope_ci(x, 1)) == tuple(mk.sens_slope_ci(x))


def test_leading_and_trailing_missing_values():
    x = np.random.RandomState(7).standard_normal(12)
    a = mk.sens_slope_ci(x)
    b = mk.sens_slope_ci(np.r_[nan, nan, x, nan])
    assert (a.slope, a.lower, a.upper) == (b.slope, b.lower, b.upper)
    assert b.intercept == mk.sens_slope(np.r_[nan, nan, x, nan]).intercept


def test_seasons_with_fewer_than_two_values_contribute_nothing():
    rng = np.random.RandomState(8)
    m = rng.standard_normal((7, 3))
    wide = np.c_[m, np.full(7, nan), np.r_[1.0, np.full(6, nan)]]
    a, b = mk.seasonal_sens_slope_ci(m, 3), quiet(mk.seasonal_sens_slope_ci, wide, 5)
    assert (a.slope, a.lower, a.upper) == (b.slope, b.lower, b.upper)


# ---------------------------------------------------------------- forms of x and of the result

def test_result():
    answer = mk.sens_slope_ci(np.arange(10))
    assert type(answer).__name__ == 'Sens_Slope_Confidence_Interval'
    assert answer._fields == ('slope', 'intercept', 'lower', 'upper')
    slope, intercept, lower, upper = answer
    assert (slope, intercept, lower, upper) == (1, 0, 1, 1)
    assert [type(v) for v in answer] == [float] * 4
    answer = mk.seasonal_sens_slope_ci(np.arange(60))
    assert type(answer).__name__ == 'Seasonal_Sens_Slope_Confidence_Interval'
    assert answer._fields == ('slope', 'intercept', 'lower', 'upper')
    assert tuple(answer) == (12, 0, 12, 12)
    assert [type(v) for v in answer] == [float] * 4


def test_defaults():
    x = np.random.RandomState(9).standard_normal(70)
    assert mk.sens_slope_ci(x) == mk.sens_slope_ci(x=x, alpha=0.05)
    assert mk.seasonal_sens_slope_ci(x) == mk.seasonal_sens_slope_ci(x=x, period=12, alpha=0.05)


@pytest.mark.parametrize('kind', KINDS)
def test_kinds_of_vectors(kind):
    values = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8]
    assert mk.sens_slope_ci(kind(values)) == mk.sens_slope_ci(np.array(values, dtype=float))
    assert mk.seasonal_sens_slope_ci(kind(values), 3) == mk.seasonal_sens_slope_ci(np.array(values, dtype=float), 3)
    values[4] = nan
    assert mk.sens_slope_ci(kind(values)) == mk.sens_slope_ci(np.array(values))
    assert mk.seasonal_sens_slope_ci(kind(values), 3) == mk.seasonal_sens_slope_ci(np.array(values), 3)


def test_matrices():
    x = np.random.RandomState(10).standard_normal(24)
    assert mk.sens_slope_ci(x.reshape(24, 1)) == mk.sens_slope_ci(x)
    assert mk.seasonal_sens_slope_ci(x.reshape(24, 1), 4) == mk.seasonal_sens_slope_ci(x, 4)
    assert mk.seasonal_sens_slope_ci(x.reshape(6, 4), 4) == mk.seasonal_sens_slope_ci(x, 4)
    assert mk.seasonal_sens_slope_ci(x.reshape(6, 4).tolist(), 4) == mk.seasonal_sens_slope_ci(x, 4)
    assert mk.seasonal_sens_slope_ci(np.asfortranarray(x.reshape(6, 4)), 4) == mk.seasonal_sens_slope_ci(x, 4)


def test_arguments_are_not_changed():
    x = np.random.RandomState(11).standard_normal(26)
    x[3] = nan
    kept = x.copy()
    x.flags.writeable = False
    mk.sens_slope_ci(x)
    mk.seasonal_sens_slope_ci(x, 4)
    mk.seasonal_sens_slope_ci(x.reshape(13, 2), 2)
    np.testing.assert_array_equal(x, kept)


@pytest.mark.parametrize('period', [np.int8(12), np.uint8(12), np.int64(12)])
def test_integer_types_of_numpy(period):
    x = np.random.RandomState(12).standard_normal(401)
    assert mk.seasonal_sens_slope_ci(x, period) == mk.seasonal_sens_slope_ci(x, 12)


@pytest.mark.parametrize('alpha', [np.float32(0.0625), np.float64(0.0625), Fraction(1, 16), Decimal('0.0625')])
def test_types_of_alpha(alpha):
    x = np.random.RandomState(13).standard_normal(20)
    assert mk.sens_slope_ci(x, alpha) == mk.sens_slope_ci(x, 0.0625)


# ---------------------------------------------------------------- warnings

@pytest.mark.parametrize('x', [[], [1], [nan], [nan, nan, nan], [nan, 2, nan], np.empty((0, 1))])
def test_no_slope(x):
    assert np.isnan(one_warning(NO_PAIR, mk.sens_slope_ci, x)).all()
    assert np.isnan(one_warning(NO_PAIR, mk.seasonal_sens_slope_ci, x, 2)).all()


@pytest.mark.parametrize('x, period', [([1, 2, 3], 3), ([1, 2, 3], 12), ([1, 2, 3], 10**12), ([1, nan, nan, 4], 2)])
def test_no_slope_within_a_season(x, period):
    answer = one_warning(NO_PAIR, mk.seasonal_sens_slope_ci, x, period)
    assert type(answer).__name__ == 'Seasonal_Sens_Slope_Confidence_Interval'
    assert np.isnan(answer).all()


def test_no_slope_in_a_matrix():
    assert np.isnan(one_warning(NO_PAIR, mk.seasonal_sens_slope_ci, np.empty((0, 4)), 4)).all()
    assert np.isnan(one_warning(NO_PAIR, mk.seasonal_sens_slope_ci, [[1, 2, nan], [nan, nan, 4]], 3)).all()


@pytest.mark.parametrize('n', [2, 3, 4, 5])
def test_too_few_slopes(n):
    x = [v * v for v in range(n)]
    answer = one_warning(TOO_FEW, mk.sens_slope_ci, x)
    assert (answer.lower, answer.upper) == (1, 2 * n - 3)
    quiet(mk.sens_slope_ci, [v * v for v in range(6)])


def test_too_few_slopes_seasonal():
    answer = one_warning(TOO_FEW, mk.seasonal_sens_slope_ci, [0, 0, 1, 5], 2)
    assert tuple(answer) == (3, 0.5 - 1.5 / 2 * 3, 1, 5)


@pytest.mark.parametrize('alpha', [1e-60, 1e-300, 5e-324])
def test_long_series_with_very_small_alpha(alpha):
    x = np.arange(40.0) ** 2
    answer = one_warning(TOO_FEW, mk.sens_slope_ci, x, alpha)
    assert (answer.lower, answer.upper) == (1, 77)


def test_small_alpha_from_the_upper_tail():
    # 1 - alpha/2 rounds to 1 here; z = 10.18, n = 300: N = 44850, C = 17694, so the ranks are well inside
    answer = quiet(mk.sens_slope_ci, np.arange(300.0) ** 2, 2.5e-24)
    assert 1 < answer.lower < answer.slope < answer.upper < 597


def test_alpha_near_one():
    x = np.arange(10.0) ** 2                     # 45 slopes, the ranks are 22 and 24
    answer = quiet(mk.sens_slope_ci, x, 1 - 2.0 ** -53)
    slopes = sorted(i + j for i, j in itertools.combinations(range(10), 2))
    assert (answer.lower, answer.upper) == (slopes[21], slopes[23])


@pytest.mark.parametrize('alpha', [0.05, 0.9, 5e-324])
def test_constant_series(alpha):
    for n in (3, 4, 5, 20):
        assert tuple(quiet(mk.sens_slope_ci, [2.5] * n, alpha)) == (0, 2.5, 0, 0)
    assert tuple(one_warning(TOO_FEW, mk.sens_slope_ci, [2.5] * 2, alpha)) == (0, 2.5, 0, 0)
    # each season constant at a value of its own
    assert quiet(mk.seasonal_sens_slope_ci, [1, 2] * 4, 2, alpha)[2:] == (0, 0)


def test_at_most_one_warning_where_slopes_overflow():
    big = 1.7e308
    answer, caught = warned(mk.sens_slope_ci, [-big, big, -big, big])
    assert len(caught) == 1 and TOO_FEW in str(caught[0].message)
    assert (answer.lower, answer.upper) == (-inf, inf)
    answer, caught = warned(mk.sens_slope_ci, [-big, big] * 5)
    assert len(caught) == 0


# ---------------------------------------------------------------- errors

BAD_ALPHA = [0, 1, 0.0, 1.0, -0.1, 1.5, nan, inf, -inf, True, None, '0.05', 0.05j, np.complex128(0.05), [0.05],
             np.array([0.05]), np.float32('nan'), 10**400, Decimal('NaN')]


@pytest.mark.parametrize('alpha', BAD_ALPHA)
def test_bad_alpha(alpha):
    for x in (np.arange(30.0), [], [1.0]):
        with pytest.raises(ValueError, match='alpha'):
            quiet(mk.sens_slope_ci, x, alpha)
        with pytest.raises(ValueError, match='alpha'):
            quiet(mk.seasonal_sens_slope_ci, x, 12, alpha)


@pytest.mark.parametrize('x', [3.0, None, np.zeros((4, 2)), np.zeros((1, 4)), np.zeros((4, 0)), np.zeros((4, 1, 1)), [[]]])
def test_not_one_dimensional(x, capsys):
    with pytest.raises(ValueError, match='one-dimensional'):
        quiet(mk.sens_slope_ci, x, nan)
    assert capsys.readouterr().out == ''


@pytest.mark.parametrize('x', [3.0, None, np.zeros((4, 1, 1)), np.zeros((2, 2, 2))])
def test_neither_one_nor_two_dimensions(x, capsys):
    with pytest.raises(ValueError, match='one or two dimensions'):
        quiet(mk.seasonal_sens_slope_ci, x, 0, nan)
    assert capsys.readouterr().out == ''


@pytest.mark.parametrize('period', [12.0, np.float64(12), 0, -1, np.int8(-3), '12', None, nan, True, [12],
                                    np.timedelta64(12), Fraction(12)])
def test_bad_period(period):
    for x in (np.arange(30.0), [inf], np.zeros((3, 5))):
        with pytest.raises(ValueError, match='period'):
            quiet(mk.seasonal_sens_slope_ci, x, period, nan)


@pytest.mark.parametrize('shape', [(5, 3), (5, 13), (5, 0), (5, 2)])
def test_columns_other_than_period(shape):
    with pytest.raises(ValueError, match='columns'):
        quiet(mk.seasonal_sens_slope_ci, np.full(shape, inf), 12, nan)


@pytest.mark.parametrize('value', [inf, -inf])
def test_infinite_values(value):
    for x in ([1, 2, value, 4], [value], [nan, value]):
        with pytest.raises(ValueError, match='infinite'):
            quiet(mk.sens_slope_ci, x, nan)
        with pytest.raises(ValueError, match='infinite'):
            quiet(mk.seasonal_sens_slope_ci, x, 2, nan)
    with pytest.raises(ValueError, match='infinite'):
        quiet(mk.seasonal_sens_slope_ci, [[1, 2], [3, value]], 2, nan)


def test_what_is_not_a_number_fails_with_the_error_of_numpy():
    for f in (mk.sens_slope, mk.sens_slope_ci, mk.seasonal_sens_slope_ci):
        with pytest.raises(ValueError, match='could not convert'):
            f(['a', 'b'])


# ---------------------------------------------------------------- the package

def test_exported():
    assert mk.sens_slope_ci in mk.__all__
    assert mk.seasonal_sens_slope_ci in mk.__all__
    assert len(mk.__all__) == 15


def test_examples_run():
    for f in (mk.sens_slope_ci, mk.seasonal_sens_slope_ci):
        test = doctest.DocTestParser().get_doctest(inspect.getdoc(f), {}, f.__name__, None, None)
        assert len(test.examples) == 4
        assert doctest.DocTestRunner().run(test).failed == 0


# answers of the package before the two functions were added
X = np.array([3.0, 7.5, 4.0, 6.0, 5.5, 8.5, 6.0, 4.5, 7.5, 11.0, 10.0, 6.5])
M = X.reshape(6, 2)
BEFORE = [
    ('sens_slope', (X,), 'Sens_Slope_Test',
     (0.46875, 3.671875)),
    ('seasonal_sens_slope', (X, 4), 'Seasonal_Sens_Slope_Test',
     (2.0, 3.5)),
    ('original_test', (X,), 'Mann_Kendall_Test',
     ('no trend', False, 0.0628534718544409, 1.8602266093072326, 0.42424242424242425, 28.0, 210.66666666666666, 0.46875, 3.671875)),
    ('hamed_rao_modification_test', (X, 0.05, 2), 'Modified_Mann_Kendall_Test_Hamed_Rao_Approach',
     ('no trend', False, 0.0628534718544409, 1.8602266093072326, 0.42424242424242425, 28.0, 210.66666666666666, 0.46875, 3.671875)),
    ('yue_wang_modification_test', (X,), 'Modified_Mann_Kendall_Test_Yue_Wang_Approach',
     ('increasing', True, 3.043769365440596e-07, 5.120716505457794, 0.42424242424242425, 28.0, 27.801361339473143, 0.46875, 3.671875)),
    ('pre_whitening_modification_test', (X,), 'Modified_Mann_Kendall_Test_PreWhitening_Approach',
     ('no trend', False, 0.35020138917929566, 0.9341987329938275, 0.23636363636363636, 13.0, 165.0, 0.46875, 3.671875)),
    ('trend_free_pre_whitening_modification_test', (X,), 'Modified_Mann_Kendall_Test_Trend_Free_PreWhitening_Approach',
     ('no trend', False, 0.27575784782750934, 1.0898985218261321, 0.2727272727272727, 15.0, 165.0, 0.46875, 3.671875)),
    ('multivariate_test', (M,), 'Multivariate_Mann_Kendall_Test',
     ('increasing', True, 0.04630159491510999, 1.9926334924652145, 0.5333333333333333, 16.0, 56.666666666666664, 1.0, 3.5)),
    ('seasonal_test', (X, 4), 'Seasonal_Mann_Kendall_Test',
     ('increasing', True, 0.01877097233392444, 2.350048355401921, 0.8333333333333334, 10.0, 14.666666666666666, 2.0, 3.5)),
    ('regional_test', (M,), 'Regional_Mann_Kendall_Test',
     ('increasing', True, 0.04630159491510999, 1.9926334924652145, 0.5333333333333333, 16.0, 56.666666666666664, 1.0, 3.5)),
    ('correlated_multivariate_test', (M,), 'Correlated_Multivariate_Mann_Kendall_Test',
     ('increasing', True, 0.041050886560458855, 2.043015673820997, 0.5333333333333333, 16.0, 61.33333333333333, 1.0, 3.5)),
    ('correlated_seasonal_test', (X, 4), 'Correlated_Seasonal_Mann_Kendall_test',
     ('no trend', False, 0.14323490752466972, 1.4638501094227998, 0.8333333333333334, 10.0, 46.666666666666664, 2.0, 3.5)),
    ('partial_test', (M,), 'Partial_Mann_Kendall_Test',
     ('increasing', True, 0.004922074188749681, 2.8120899158920882, 1.0, 14.91764705882353, 28.141176470588235, 1.25, 2.625)),
]


@pytest.mark.parametrize('name, args, kind, values', BEFORE, ids=[b[0] for b in BEFORE])
def test_the_other_functions_answer_as_before(name, args, kind, values):
    answer = quiet(getattr(mk, name), *args)
    assert type(answer).__name__ == kind
    assert len(answer) == len(values)
    for got, wanted in zip(answer, values):
        if isinstance(wanted, float):
            np.testing.assert_allclose(got, wanted, rtol=1e-9)
        else:
            assert got == wanted
