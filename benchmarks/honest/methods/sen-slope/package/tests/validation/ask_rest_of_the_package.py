"""Everything else of the package is as it was."""

import numpy as np
import statsclaw_ask as ask
from definition import T1, with_gaps

OF_A_SERIES = (
    "sens_slope", "seasonal_sens_slope", "original_test", "hamed_rao_modification_test", "yue_wang_modification_test",
    "pre_whitening_modification_test", "trend_free_pre_whitening_modification_test", "seasonal_test",
    "correlated_seasonal_test",
)  # fmt: skip
OF_A_MATRIX = ("multivariate_test", "regional_test", "correlated_multivariate_test")


def kinds_of(rng, x):
    """As it is, rounded so that there are ties, and with a tenth of the values missing."""
    return [x, np.round(2 * x) / 2, with_gaps(rng, x.ravel(), x.size // 10).reshape(x.shape)]


@ask.scenario("S26")
def functions_of_a_series_unchanged(rng):
    for _ in range(20):
        for x in kinds_of(rng, rng.standard_normal(60)):
            for function in OF_A_SERIES:
                ask.unchanged("C45", ask.call(function, x))


@ask.scenario("S26")
def functions_of_a_matrix_unchanged(rng):
    for _ in range(20):
        for x in kinds_of(rng, rng.standard_normal((20, 3))):
            for function in OF_A_MATRIX:
                ask.unchanged("C45", ask.call(function, x))
        for x in kinds_of(rng, rng.standard_normal((60, 2))):
            ask.unchanged("C45", ask.call("partial_test", x))


@ask.scenario("S26")
def further_arguments_and_lists_unchanged(rng):
    x = rng.standard_normal(60) + 0.03 * np.arange(60)
    for function in OF_A_SERIES:
        ask.unchanged("C45", ask.call(function, x.tolist()))
    for function in ("seasonal_sens_slope", "seasonal_test", "correlated_seasonal_test"):
        ask.unchanged("C45", ask.call(function, x, period=4))
    for function in ("hamed_rao_modification_test", "yue_wang_modification_test"):
        ask.unchanged("C45", ask.call(function, x, alpha=0.1, lag=2))
    for function in OF_A_SERIES[2:]:
        ask.unchanged("C45", ask.call(function, x, alpha=0.2))
    for function in ("sens_slope", "seasonal_sens_slope", "original_test", "seasonal_test"):
        ask.unchanged("C45", ask.call(function, np.zeros(0)))
        ask.unchanged("C45", ask.call(function, np.array([1.0])))
    for function in OF_A_MATRIX:
        ask.unchanged("C45", ask.call(function, rng.standard_normal((20, 3)), alpha=0.2))
    ask.unchanged("C45", ask.call("partial_test", rng.standard_normal((60, 2)), alpha=0.2))


@ask.scenario("S26")
def arguments_of_functions_unchanged():
    for function in (*OF_A_SERIES, *OF_A_MATRIX, "partial_test"):
        ask.unchanged("C45", ask.signature(function))


@ask.scenario("S27")
def package_imports_with_both_functions():
    # installing and importing are checks of the engine; that both functions can be reached is asked here
    ask.exports()
    ask.call("sens_slope_ci", T1)
    ask.call("seasonal_sens_slope_ci", T1, 2)
