"""Forms of input, the form of the result, slope and intercept of the older functions, and arguments left alone."""

import re

import numpy as np
import statsclaw_ask as ask
from definition import T1, T2, T3, T4, T5, N, line_of, with_gaps


def four(fit):
    return [fit.slope, fit.intercept, fit.lower, fit.upper]


def forms_of(x):
    """An array, a matrix of one column and, where nothing is missing, whole numbers."""
    found = [np.array(x), np.array(x).reshape(-1, 1)]
    if all(value == value for value in x):
        found += [np.array(x).astype(int), [int(value) for value in x], np.array(x).astype(int).reshape(-1, 1)]
    return found


@ask.scenario("S16")
def sens_slope_ci_list_array_integers_one_column():
    for x in (T1, T2, T3, T4, T5):
        fit = ask.call("sens_slope_ci", x)
        for other in forms_of(x):
            ask.same("C31", four(ask.call("sens_slope_ci", other)), four(fit))


@ask.scenario("S16")
def seasonal_sens_slope_ci_list_array_integers_one_column():
    for x, period in ((T1, 2), (T2, 2), (T3, 3), (T4, 2), (T5, 3)):
        fit = ask.call("seasonal_sens_slope_ci", x, period)
        for other in forms_of(x):
            ask.same("C31", four(ask.call("seasonal_sens_slope_ci", other, period)), four(fit))


@ask.scenario("S16")
def seasonal_sens_slope_ci_matrix_of_cycles_and_seasons(rng):
    for cycles in (rng.standard_normal((8, 3)), rng.integers(-9, 10, size=(8, 3)).astype(float)):
        fit = ask.call("seasonal_sens_slope_ci", cycles.ravel(), 3)
        ask.same("C31", four(ask.call("seasonal_sens_slope_ci", cycles, 3)), four(fit))
        ask.same("C31", four(ask.call("seasonal_sens_slope_ci", cycles.ravel().tolist(), 3)), four(fit))


def drawn_arrays(rng):
    """100 arrays with their periods: each period with normal and rounded values, with and without missing ones."""
    for number in range(100):
        x = rng.standard_normal(int(rng.integers(20, 61)))
        if number // 4 % 2:
            x = np.round(2 * x) / 2
        if number // 8 % 2:
            x = with_gaps(rng, x, int(rng.integers(1, len(x) // 4 + 1)))
        yield x, (1, 3, 4, 12)[number % 4]


@ask.scenario("S17")
def sens_slope_ci_slope_and_intercept_of_sens_slope(rng):
    for x, _ in drawn_arrays(rng):
        fit, plain = ask.call("sens_slope_ci", x), ask.call("sens_slope", x)
        slope, intercept = line_of(x.tolist())
        ask.close("C7", [fit.slope, fit.slope], [plain.slope, slope])
        ask.close("C8", [fit.intercept, fit.intercept], [plain.intercept, intercept])


@ask.scenario("S17")
def seasonal_sens_slope_ci_slope_and_intercept_of_seasonal_sens_slope(rng):
    for x, period in drawn_arrays(rng):
        fit = ask.call("seasonal_sens_slope_ci", x, period)
        plain = ask.call("seasonal_sens_slope", x, period)
        slope, intercept = line_of(x.tolist(), period)
        ask.close("C9", [fit.slope, fit.slope], [plain.slope, slope])
        ask.close("C10", [fit.intercept, fit.intercept], [plain.intercept, intercept])


def fields_in_order(text, fit, name):
    """Whether the printed result is a named tuple of this name with the four fields, in this order and of these values."""
    found = re.fullmatch(re.escape(name) + r"\((.*)\)", str(text).strip())
    if not found:
        return False
    parts = [part.split("=", 1) for part in found.group(1).split(", ")]
    if [part[0] for part in parts] != ["slope", "intercept", "lower", "upper"]:
        return False
    values = [re.fullmatch(r"(?:np\.float64\(|numpy\.float64\()?([-+.\w]+)\)?", part[1]) for part in parts]
    known = [fit.slope, fit.intercept, fit.lower, fit.upper]
    return all(value is not None and float(value.group(1)) == float(one) for value, one in zip(values, known))


@ask.scenario("S17")
def sens_slope_ci_result_named_tuple_of_four_numbers(rng):
    for x, _ in list(drawn_arrays(rng))[:4]:
        fit = ask.call("sens_slope_ci", x)
        ask.returns("C32", fit)
        ask.observe("C32", fields_in_order, ask.text(fit), fit, "Sens_Slope_Confidence_Interval")


@ask.scenario("S17")
def seasonal_sens_slope_ci_result_named_tuple_of_four_numbers(rng):
    for x, period in list(drawn_arrays(rng))[:4]:
        fit = ask.call("seasonal_sens_slope_ci", x, period)
        ask.returns("C32", fit)
        ask.observe("C32", fields_in_order, ask.text(fit), fit, "Seasonal_Sens_Slope_Confidence_Interval")


@ask.scenario("S25")
def sens_slope_ci_arguments_not_changed():
    for x in (T4, np.array(T4), np.array(T4).reshape(-1, 1), T5, np.array(T5)):
        ask.untouched("C44", ask.call("sens_slope_ci", x))


@ask.scenario("S25")
def seasonal_sens_slope_ci_arguments_not_changed():
    matrix = np.array([*T5, N]).reshape(7, 3)
    for x in (T5, np.array(T5), np.array(T5).reshape(-1, 1), matrix, T4, np.array(T4)):
        ask.untouched("C44", ask.call("seasonal_sens_slope_ci", x, 3))
