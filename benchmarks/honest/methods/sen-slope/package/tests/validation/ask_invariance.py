"""Equivariance, straight lines, agreement with the test of Mann and Kendall, mirror images, levels and seasons."""

import numpy as np
import statsclaw_ask as ask
from definition import drawn_series, limits_of, ranks_of, slopes_of, with_gaps

#: Where a criterion of rule `holds` needs a number of the definition: the frozen tolerance of the table.
CLOSE = 1e-12


def scaled(fit, moved, b, known):
    """Limits of x and of a + b*x: their relation, and the value that both have by the definition.

    The quotient hardly sees a change of `moved` where b is large; there the product sees it.
    """
    observed, expected = [moved / b, fit], [fit, known]
    return (observed + [moved], expected + [b * known]) if b > 1 else (observed, expected)


@ask.scenario("S6")
def sens_slope_ci_scale_equivariance(rng):
    for number in range(200):
        x = drawn_series(rng, number)
        a, b = float(rng.uniform(-10, 10)), float(10 ** rng.uniform(-2, 2))
        fit, moved = ask.call("sens_slope_ci", x, 0.05), ask.call("sens_slope_ci", a + b * x, 0.05)
        low, high = limits_of(x.tolist())
        ask.close("C11", *scaled(fit.lower, moved.lower, b, low))
        ask.close("C12", *scaled(fit.upper, moved.upper, b, high))


@ask.scenario("S7")
def seasonal_sens_slope_ci_scale_equivariance(rng):
    for number in range(200):
        x = drawn_series(rng, number)
        a, b = float(rng.uniform(-10, 10)), float(10 ** rng.uniform(-2, 2))
        fit = ask.call("seasonal_sens_slope_ci", x, 3, 0.05)
        moved = ask.call("seasonal_sens_slope_ci", a + b * x, 3, 0.05)
        low, high = limits_of(x.tolist(), period=3)
        ask.close("C13", *scaled(fit.lower, moved.lower, b, low))
        ask.close("C14", *scaled(fit.upper, moved.upper, b, high))


def intercepts_and_slopes(rng):
    pairs = [(float(rng.uniform(-10, 10)), float(rng.uniform(-5, 5))) for _ in range(5)]
    return [*pairs, (float(rng.uniform(-10, 10)), 0.0)]


@ask.scenario("S8")
def sens_slope_ci_straight_line(rng):
    for n in [*range(2, 61), 100]:
        for a, b in intercepts_and_slopes(rng):
            x = a + b * np.arange(n)
            series = [x] if n < 8 else [x, with_gaps(rng, x, n // 4)]
            for one in series:
                fit = ask.call("sens_slope_ci", one)
                ask.close("C15", fit.lower, b)
                ask.close("C16", fit.upper, b)


@ask.scenario("S9")
def seasonal_sens_slope_ci_straight_line_with_seasons(rng):
    pattern = np.array([0.0, 7.0, -4.0, 2.0])
    for n in range(8, 61):
        for a, b in intercepts_and_slopes(rng):
            t = np.arange(n)
            fit = ask.call("seasonal_sens_slope_ci", a + b * t + pattern[t % 4], 4)
            ask.close("C17", fit.lower, 4 * b)
            ask.close("C18", fit.upper, 4 * b)


@ask.scenario("S18")
def sens_slope_ci_agrees_with_original_test(rng):
    for n in (8, 10, 30):
        t = np.arange(n)
        for _ in range(50):
            x = rng.standard_normal(n)
            q, (low, high) = slopes_of(x.tolist()), ranks_of(x.tolist(), 0.05)
            at, to = low - 1, high - 1  # where the limits stand in q, counted from 0
            outside = [(q[at - 1] + q[at]) / 2, (q[to] + q[to + 1]) / 2]
            inside = [(q[at + 1] + q[at + 2]) / 2, (q[to - 2] + q[to - 1]) / 2]
            fit = ask.call("sens_slope_ci", x, 0.05)
            # the limits are those members of q ...
            ask.less("C33", [abs(fit.lower - q[at]), abs(fit.upper - q[to])], [CLOSE, CLOSE])
            # ... on whose outer sides the test finds a trend, and well inside of which it finds none
            tests = [ask.call("original_test", x - b * t, 0.05) for b in outside + inside]
            ask.same("C33", [test.h for test in tests], [True, True, False, False])


LEVELS = (0.01, 0.05, 0.1, 0.3, 0.6, 0.9, 0.999)


def four(fit):
    return [fit.slope, fit.intercept, fit.lower, fit.upper]


def whole_numbers(rng):
    return [rng.integers(-9, 10, size=24).astype(float) for _ in range(50)]


def mirrored(fit, image):
    """Adding zero and taking from zero: a zero is a zero, whatever its sign."""
    ask.same("C34", [image.lower + 0.0, image.upper + 0.0], [0.0 - fit.upper, 0.0 - fit.lower])


def nested(fits, x, period):
    """Intervals at increasing alpha, each where the definition has it (by itself, an order would allow too much)."""
    holds = []
    for wide, narrow in zip(fits, fits[1:]):
        holds += [wide.lower <= narrow.lower, narrow.upper <= wide.upper]
    for alpha, fit in zip(LEVELS, fits):
        low, high = limits_of(x.tolist(), alpha, period)
        holds += [fit.lower <= fit.slope, fit.slope <= fit.upper]
        holds += [abs(fit.lower - low) < CLOSE, abs(fit.upper - high) < CLOSE]
    ask.same("C34", holds, [True] * len(holds))


@ask.scenario("S19")
def sens_slope_ci_mirror_image_sign_and_order(rng):
    for x in whole_numbers(rng):
        fit = ask.call("sens_slope_ci", x)
        mirrored(fit, ask.call("sens_slope_ci", -x))
        mirrored(fit, ask.call("sens_slope_ci", x[::-1].copy()))


@ask.scenario("S19")
def seasonal_sens_slope_ci_mirror_image_sign_and_order(rng):
    for x in whole_numbers(rng):
        fit = ask.call("seasonal_sens_slope_ci", x, 4)
        mirrored(fit, ask.call("seasonal_sens_slope_ci", -x, 4))
        mirrored(fit, ask.call("seasonal_sens_slope_ci", x[::-1].copy(), 4))


@ask.scenario("S19")
def sens_slope_ci_alpha_nested_intervals(rng):
    for x in whole_numbers(rng):
        nested([ask.call("sens_slope_ci", x, alpha) for alpha in LEVELS], x, 1)


@ask.scenario("S19")
def seasonal_sens_slope_ci_alpha_nested_intervals(rng):
    for x in whole_numbers(rng):
        nested([ask.call("seasonal_sens_slope_ci", x, 4, alpha) for alpha in LEVELS], x, 4)


@ask.scenario("S19")
def seasonal_sens_slope_ci_period_of_one(rng):
    for x in whole_numbers(rng):
        ask.same("C34", four(ask.call("seasonal_sens_slope_ci", x, 1)), four(ask.call("sens_slope_ci", x)))


@ask.scenario("S19")
def seasonal_sens_slope_ci_order_and_constant_of_seasons(rng):
    for x in whole_numbers(rng):
        fit = ask.call("seasonal_sens_slope_ci", x, 4)
        cycles = x.reshape(6, 4)
        order = rng.permutation(4)
        while (order == np.arange(4)).all():
            order = rng.permutation(4)
        exchanged = ask.call("seasonal_sens_slope_ci", cycles[:, order].ravel(), 4)
        shifted = ask.call("seasonal_sens_slope_ci", (cycles + rng.choice(np.arange(-50, 51), 4, replace=False)).ravel(), 4)
        ask.same("C34", [exchanged.lower, exchanged.upper], [fit.lower, fit.upper])
        ask.same("C34", [shifted.lower, shifted.upper], [fit.lower, fit.upper])
