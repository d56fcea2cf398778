"""Exchange, points on a line, scale, order and containers: S8 to S11."""

import numpy as np
import statsclaw_ask as ask
from second_way import the_thirty, the_twelve


def exchanged(x, y, ratio, inverse, sign):
    """Both directions in one claim, so that neither call can be off unseen where the factor between them is small."""
    fit, other = ask.call("fit", x, y, ratio=ratio), ask.call("fit", y, x, ratio=inverse)
    ask.close("C45", [other.slope, fit.slope], [1 / fit.slope, 1 / other.slope])
    ask.close(
        "C47",
        [other.true_values, fit.true_values],
        [fit.intercept + fit.slope * fit.true_values, other.intercept + other.slope * other.true_values],
    )
    ask.close(
        "C48",
        [other.residuals, fit.residuals],
        [-sign * ask.sqrt(fit.ratio_of_means) * fit.residuals, -sign * ask.sqrt(other.ratio_of_means) * other.residuals],
    )
    return fit, other


@ask.scenario("S8")
def exchanging_x_and_y_with_inverse_ratio_inverts_slope(rng):
    x, y = the_thirty(rng)
    for ratio in (0.1, 1.0, 7.0):
        exchanged(x, y, ratio, 1 / ratio, 1.0)


@ask.scenario("S8")
def exchanging_x_and_y_with_negative_slope_keeps_its_sign(rng):
    x, y = the_thirty(rng)
    for ratio in (0.1, 1.0, 7.0):
        exchanged(x, -y, ratio, 1 / ratio, -1.0)


@ask.scenario("S8")
def exchanging_x_and_y_with_replicates_and_given_ratio(rng):
    x, y = the_twelve(rng)
    exchanged(x, y, 0.7, 1 / 0.7, 1.0)


@ask.scenario("S8")
def exchanging_x_and_y_with_replicates_and_estimated_ratio_inverts_ratio(rng):
    x, y = the_twelve(rng)
    fit, other = exchanged(x, y, None, None, 1.0)
    ask.close("C46", [other.ratio, fit.ratio], [1 / fit.ratio, 1 / other.ratio])


LINE_X = np.array([0.3, 1.1, 2.2, 2.9, 4.1, 5.7, 7.3, 9.9])
LINES = ((2.0, 0.3), (-1.0, -1.7), (5.0, 1.0), (0.7, 12.0), (0.1, 0.0))


def on_a_line(columns_x, columns_y):
    for start, steep in LINES:
        y = start + steep * LINE_X
        given = (LINE_X, y)
        if columns_x:
            given = (np.column_stack([LINE_X] * columns_x), np.column_stack([y] * columns_y))
        for ratio in (0.01, 1.0, 50.0):
            fit = ask.call("fit", *given, ratio=ratio)
            ask.close("C49", fit.slope, steep)
            ask.close("C50", fit.intercept, start)
            ask.value("C51", fit.slope_se)
            ask.value("C52", fit.intercept_se)
            ask.value("C53", ask.call(fit, "bias_at", 5).se)
            ask.close("C54", fit.true_values, LINE_X)
            ask.close("C55", fit.residuals, np.zeros(8))


@ask.scenario("S9")
def points_on_a_line_have_standard_errors_and_residuals_of_zero():
    on_a_line(0, 0)


@ask.scenario("S9")
def points_on_a_line_with_equal_replicates_have_standard_errors_and_residuals_of_zero():
    on_a_line(2, 3)


def multiplied(x, y, ratio):
    plain = ask.call("fit", x, y, ratio=ratio)
    plain_bias = ask.call(plain, "bias_at", 4)
    for c in (1000.0, 0.37, -2.5, 1e-3):
        fit = ask.call("fit", c * x, c * y, ratio=ratio)
        bias = ask.call(fit, "bias_at", 4 * c)
        ask.close("C56", fit.slope, plain.slope)
        ask.close("C57", fit.slope_se, plain.slope_se)
        ask.close("C58", fit.slope_interval, plain.slope_interval)
        ask.close("C59", fit.ratio, plain.ratio)
        ask.close("C60", fit.intercept / c, plain.intercept)
        ask.close("C61", fit.intercept_se / abs(c), plain.intercept_se)
        low, high = (0, 1) if c > 0 else (1, 0)
        ends = fit.intercept_interval
        ask.close(
            "C62", [ends[low] / c, ends[high] / c], [plain.intercept_interval[0], plain.intercept_interval[1]]
        )
        ask.close("C63", fit.true_values / c, plain.true_values)
        ask.close("C64", fit.residuals / c, plain.residuals)
        ask.close("C65", bias.bias / c, plain_bias.bias)
    for c in (1e100, 1e-100):
        ask.close("C56", ask.call("fit", c * x, c * y, ratio=ratio).slope, plain.slope)


@ask.scenario("S10")
def scale_of_x_and_y_with_given_ratio(rng):
    multiplied(*the_thirty(rng), 2.0)


@ask.scenario("S10")
def scale_of_x_and_y_with_replicates_and_estimated_ratio(rng):
    multiplied(*the_twelve(rng), None)


def alike(fit, plain):
    ask.close("C66", fit.slope, plain.slope)
    ask.close("C67", fit.slope_se, plain.slope_se)
    ask.close("C68", fit.true_values, plain.true_values)


def with_none(table):
    return [[None if value != value else value for value in row] for row in table.tolist()]


def masked(table):
    gone = np.isnan(table)
    return np.ma.MaskedArray(np.where(gone, 99.0, table), gone)


@ask.scenario("S11")
def order_of_rows_does_not_matter(rng):
    x, y = the_twelve(rng)
    order = rng.permutation(12).tolist()
    plain = ask.call("fit", x, y, ratio=None)
    fit = ask.call("fit", x[order], y[order], ratio=None)
    ask.close("C66", fit.slope, plain.slope)
    ask.close("C67", fit.slope_se, plain.slope_se)
    ask.close("C68", [fit.true_values[at] for at in range(12)], [plain.true_values[row] for row in order])


@ask.scenario("S11")
def order_of_replicates_in_columns_does_not_matter(rng):
    x, y = the_twelve(rng)
    plain = ask.call("fit", x, y, ratio=None)
    alike(ask.call("fit", x[:, [2, 0, 1]], y[:, ::-1].copy(), ratio=None), plain)
    alike(ask.call("fit", rng.permuted(x, axis=1), rng.permuted(y, axis=1), ratio=None), plain)


@ask.scenario("S11")
def column_of_missing_replicates_does_not_matter(rng):
    x, y = the_twelve(rng)
    plain = ask.call("fit", x, y, ratio=None)
    alike(ask.call("fit", np.column_stack([x, np.full(12, np.nan)]), y, ratio=None), plain)


@ask.scenario("S11")
def lists_and_missing_as_none_are_taken_like_arrays(rng):
    x, y = the_twelve(rng)
    plain = ask.call("fit", x, y, ratio=None)
    alike(ask.call("fit", x.tolist(), y.tolist(), ratio=None), plain)
    alike(ask.call("fit", with_none(x), with_none(y), ratio=None), plain)


@ask.scenario("S11")
def masked_entries_are_missing_replicates(rng):
    x, y = the_twelve(rng)
    plain = ask.call("fit", x, y, ratio=None)
    alike(ask.call("fit", masked(x), masked(y), ratio=None), plain)


@ask.scenario("S11")
def one_column_and_lists_are_taken_like_one_dimension(rng):
    x, y = the_thirty(rng)
    plain = ask.call("fit", x, y, ratio=2.0)
    alike(ask.call("fit", x[:, None], y[:, None], ratio=2.0), plain)
    alike(ask.call("fit", x.tolist(), y.tolist(), ratio=2.0), plain)
