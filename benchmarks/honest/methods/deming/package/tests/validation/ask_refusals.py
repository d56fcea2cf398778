"""What is refused, by which message and in which order, and what is just not refused: S14 to S20."""

import math

import numpy as np
import statsclaw_ask as ask
from second_way import FIVE_X, FIVE_Y

NAN, INF = math.nan, math.inf
TABLE_X = np.array([[1.0, 1.1], [2.0, 2.2], [3.0, 2.9], [4.0, 4.1], [6.0, 5.8]])
TABLE_Y = np.array([[1.2, 1.3], [1.9, 2.0], [3.4, 3.2], [3.9, 4.0], [6.3, 6.1]])


def replaced(values, at, new):
    values = values.copy()
    values[at] = new
    return values


def refused(criterion, bad, x=FIVE_X, y=FIVE_Y):
    """In x, and in y."""
    ask.raises(criterion, ask.call("fit", bad, y))
    ask.raises(criterion, ask.call("fit", x, bad))


@ask.scenario("S14")
def text_truth_values_complex_numbers_and_ragged_rows_are_no_real_numbers():
    refused("C76", ["a", "b", "c", "d", "e"])
    refused("C76", ["1", "2", "3", "4", "6"])
    refused("C76", [True, False, True, True, False])
    refused("C76", np.array([True, False, True, True, False]))
    refused("C76", FIVE_X + 0j)
    refused("C76", FIVE_X + 1j)
    ragged = [[1.0, 1.1], [2.0], [3.0, 2.9], [4.0, 4.1], [6.0, 5.8]]
    refused("C76", ragged)
    refused("C76", ragged, TABLE_X, TABLE_Y)


@ask.scenario("S14")
def number_and_three_dimensions_are_refused():
    refused("C77", 3.0)
    refused("C77", FIVE_X[:, None, None])
    refused("C77", TABLE_X[:, :, None], TABLE_X, TABLE_Y)


@ask.scenario("S14")
def one_dimension_beside_a_column_is_refused():
    refused("C78", FIVE_X[:, None])
    refused("C78", TABLE_X)


@ask.scenario("S14")
def different_length_of_x_and_y_is_refused():
    refused("C79", FIVE_X[:4])
    refused("C79", TABLE_X[:4], TABLE_X, TABLE_Y)


@ask.scenario("S14")
def few_specimens_and_empty_lists_are_refused():
    ask.raises("C80", ask.call("fit", FIVE_X[:2], FIVE_Y[:2]))
    ask.raises("C80", ask.call("fit", TABLE_X[:2], TABLE_Y[:2]))
    ask.raises("C80", ask.call("fit", [], []))


@ask.scenario("S14")
def infinite_values_are_refused():
    for value in (INF, -INF):
        refused("C81", replaced(FIVE_X, 2, value))
        refused("C81", replaced(TABLE_X, (2, 1), value), TABLE_X, TABLE_Y)


@ask.scenario("S14")
def specimens_with_all_missing_are_refused():
    refused("C82", replaced(FIVE_X, 3, NAN))
    refused("C82", [1.0, None, 3.0, 4.0, 6.0])
    refused("C82", np.ma.MaskedArray(FIVE_X, [False, False, True, False, False]))
    refused("C82", replaced(TABLE_X, 3, NAN), TABLE_X, TABLE_Y)
    refused("C82", np.empty((5, 0)), TABLE_X, TABLE_Y)


@ask.scenario("S15")
def wrong_level_is_refused():
    for level in (0, 1, -0.1, 1.5, 95, NAN, "0.95", "high", None, True):
        ask.raises("C83", ask.call("fit", FIVE_X, FIVE_Y, ratio=0.5, level=level))


@ask.scenario("S15")
def wrong_ratio_is_refused():
    for ratio in (0, -1, NAN, INF, "1", "equal", True):
        ask.raises("C84", ask.call("fit", FIVE_X, FIVE_Y, ratio=ratio, level=0.95))


@ask.scenario("S16")
def ratio_none_without_replicates_of_both_methods_is_refused():
    ask.raises("C85", ask.call("fit", FIVE_X, FIVE_Y, ratio=None))
    ask.raises("C85", ask.call("fit", FIVE_X[:, None], FIVE_Y[:, None], ratio=None))
    ask.raises("C85", ask.call("fit", FIVE_X[:, None], TABLE_Y, ratio=None))
    ask.raises("C85", ask.call("fit", TABLE_X, FIVE_Y[:, None], ratio=None))
    missing = np.full(5, NAN)
    ask.raises("C85", ask.call("fit", np.column_stack([FIVE_X, missing]), TABLE_Y, ratio=None))
    ask.raises("C85", ask.call("fit", TABLE_X, np.column_stack([FIVE_Y, missing]), ratio=None))


@ask.scenario("S16")
def ratio_none_with_equal_replicates_is_refused():
    # Three times a number that is not exact in binary: its mean need not be that number.
    for same_x, same_y in ((FIVE_X, FIVE_Y), (FIVE_X / 10, FIVE_Y / 10)):
        x, y = np.column_stack([same_x] * 3), np.column_stack([same_y] * 3)
        ask.raises("C86", ask.call("fit", x, TABLE_Y, ratio=None))
        ask.raises("C86", ask.call("fit", TABLE_X, y, ratio=None))
        ask.raises("C86", ask.call("fit", x, y, ratio=None))


CORNERS_X, CORNERS_Y = np.array([1.0, 1.0, -1.0, -1.0]), np.array([1.0, -1.0, 1.0, -1.0])


@ask.scenario("S17")
def constant_x_and_equal_points_and_corners_have_no_slope():
    ask.raises("C87", ask.call("fit", np.full(5, 0.1), FIVE_Y))
    ask.raises("C87", ask.call("fit", np.full(5, 0.1), np.full(5, 0.1)))
    ask.raises("C87", ask.call("fit", np.full(5, 2.0), np.full(5, 3.0)))
    ask.raises("C87", ask.call("fit", CORNERS_X, CORNERS_Y, ratio=1.0))


@ask.scenario("S17")
def constant_y_has_slope_zero():
    fit = ask.call("fit", FIVE_X, np.full(5, 0.1))
    ask.same("C88", [fit.slope, fit.slope_se], [0.0, 0.0])
    ask.between("C88", 0.1 - 1e-12, fit.intercept, 0.1 + 1e-12)


@ask.scenario("S17")
def corners_with_small_ratio_have_slope_zero():
    ask.same("C88", ask.call("fit", CORNERS_X, CORNERS_Y, ratio=0.5).slope, 0.0)


LAST_X, LAST_Y = np.array([0.1, 0.1, 0.1, 0.2]), np.array([1.0, 2.0, 3.0, 5.0])
FIRST_X = np.array([[1, 1.4], [2, NAN], [3, NAN], [4, NAN]])
FIRST_Y = np.array([[1, 1.1], [2, 2.3], [3, 2.8], [4, 4.1]])


@ask.scenario("S18")
def jackknife_does_not_exist_where_x_is_constant_without_specimen():
    refusal = ask.call("fit", LAST_X, LAST_Y, ratio=1.0)
    ask.raises("C89", refusal)
    ask.raises("C89", refusal, message="3")


@ask.scenario("S18")
def jackknife_does_not_exist_where_x_has_no_replicates_without_specimen():
    refusal = ask.call("fit", FIRST_X, FIRST_Y, ratio=None)
    ask.raises("C89", refusal)
    ask.raises("C89", refusal, message="0")


@ask.scenario("S19")
def wrong_levels_of_bias_at_are_refused():
    fit = ask.call("fit", FIVE_X, FIVE_Y, ratio=0.5, level=0.95)
    for levels in (NAN, (1, INF), (1, -INF), (1, NAN), "three", "3", ["3"], True, [True, False]):
        ask.raises("C90", ask.call(fit, "bias_at", levels))
    ask.raises("C91", ask.call(fit, "bias_at", np.array([[1.0, 2.0], [3.0, 4.0]])))
    ask.raises("C92", ask.call(fit, "bias_at", []))


@ask.scenario("S20")
def order_of_errors():
    constant = np.full(5, 0.1)
    ask.raises("C93", ask.call("fit", FIVE_X, replaced(FIVE_Y, 2, INF)[:4]))
    ask.raises("C94", ask.call("fit", [1.0, INF], [1.2, 1.9]))
    ask.raises("C95", ask.call("fit", replaced(FIVE_X, 2, NAN), FIVE_Y, level=2))
    ask.raises("C96", ask.call("fit", FIVE_X, FIVE_Y, ratio=-1, level=2))
    ask.raises("C97", ask.call("fit", constant, FIVE_Y, ratio=-1))
    ask.raises("C98", ask.call("fit", constant, FIVE_Y, ratio=None))
