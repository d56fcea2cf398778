"""What the package offers, and that calls leave no traces: S21, S22."""

import math

import numpy as np
import statsclaw_ask as ask
from second_way import FIVE_X, FIVE_Y, GAPS_X, GAPS_Y, the_thirty, the_twelve


def leaves_no_trace(x, y, ratio, levels):
    fit, again = (ask.call("fit", x, y, ratio=ratio) for _ in range(2))
    bias, bias_again = (ask.call(one, "bias_at", levels) for one in (fit, again))
    for one, other in ((fit, again), (bias, bias_again)):
        ask.untouched("C99", one)
        ask.same("C100", one, other)
        ask.repeatable("C100", one)
        ask.silent("C101", one)


@ask.scenario("S21")
def same_result_untouched_arguments_and_no_warning_with_single_measurements():
    leaves_no_trace(FIVE_X, FIVE_Y, 0.5, np.array([0.0, 3.0, 10.0]))
    leaves_no_trace(FIVE_X.tolist(), FIVE_Y.tolist(), 0.5, [0, 3, 10])


@ask.scenario("S21")
def same_result_untouched_arguments_and_no_warning_with_missing_replicates():
    leaves_no_trace(GAPS_X, GAPS_Y, None, 3)
    leaves_no_trace(GAPS_X, GAPS_Y, 0.8, 3)


@ask.scenario("S21")
def same_result_untouched_arguments_and_no_warning_with_masked_arrays():
    gone = np.isnan(GAPS_X)
    leaves_no_trace(np.ma.MaskedArray(np.where(gone, 99.0, GAPS_X), gone), GAPS_Y, None, 3)


@ask.scenario("S21")
def same_result_untouched_arguments_and_no_warning_with_points_on_a_line():
    x = np.array([0.3, 1.1, 2.2, 2.9, 4.1, 5.7, 7.3, 9.9])
    for start, steep in ((2.0, 0.3), (-1.0, -1.7), (5.0, 1.0), (0.7, 12.0), (0.1, 0.0)):
        for ratio in (0.01, 1.0, 50.0):
            leaves_no_trace(x, start + steep * x, ratio, 5)


@ask.scenario("S21")
def same_result_untouched_arguments_and_no_warning_at_each_scale(rng):
    for x, y, ratio in ((*the_thirty(rng), 2.0), (*the_twelve(rng), None)):
        for c in (1000.0, 0.37, -2.5, 1e-3, 1e100, 1e-100):
            leaves_no_trace(c * x, c * y, ratio, 4 * c)


@ask.scenario("S21")
def untouched_arguments_where_an_error_is_raised():
    infinite, missing = FIVE_X.copy(), FIVE_X.copy()
    infinite[2], missing[3] = math.inf, math.nan
    empty_row = np.column_stack([FIVE_X, FIVE_X])
    empty_row[3] = math.nan
    table = np.column_stack([FIVE_Y, FIVE_Y + 0.1])
    for x, y in ((infinite, FIVE_Y), (missing, FIVE_Y), (FIVE_X, FIVE_Y[:4]), (FIVE_X, table), (empty_row, table)):
        ask.untouched("C99", ask.call("fit", x, y))


@ask.scenario("S22")
def exports_hold_fit_and_its_results_and_nothing_weighted():
    names = ask.exports()
    for name in ("fit", "DemingFit", "Bias"):
        ask.contains("C102", names, name)
    ask.observe("C102", offers_nothing_weighted, names)


def offers_nothing_weighted(names):
    names = [str(name) for name in names]
    return {"fit", "DemingFit", "Bias"} <= set(names) and not any("weighted" in name.lower() for name in names)


@ask.scenario("S22")
def signature_of_fit_with_its_defaults():
    arguments = [("x", None), ("y", None), ("ratio", "1.0"), ("level", "0.95")]
    expected = [{"name": name, "default": default, "keyword_only": False} for name, default in arguments]
    ask.same("C102", ask.signature("fit"), expected)
