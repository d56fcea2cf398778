"""Maximum likelihood: values, iterations, separation and rank, units, a dominating value."""

import numpy as np
import statsclaw_ask as ask
from oracles import hessian
from reference_values import document_data, five_columns, maximum_likelihood, outcomes, overlap, separated


def agrees(fit, X, y):
    b, V, at = maximum_likelihood(X, y)
    ask.close("T1", fit.coefficients, b)
    ask.close("T2", fit.se, np.sqrt(np.diag(V)))
    ask.close("T3", fit.vcov, V)
    ask.close("T4", fit.loglik, at)
    ask.close("T5", [fit.interval[:, 0], fit.interval[:, 1]],
              [fit.coefficients - 1.96 * fit.se, fit.coefficients + 1.96 * fit.se])
    return b, V, at


@ask.scenario("S1")
def probit_mle_coefficients_se_vcov_loglik_interval(rng):
    for n in (50, 200, 1000, 5000):
        X, y = document_data(rng, n)
        agrees(ask.call("probit_mle", X, y), X, y)
    X, y = five_columns(rng)
    agrees(ask.call("probit_mle", X, y), X, y)


@ask.scenario("S1")
def probit_mle_invariances_swap_outcomes_permute_rows_exchange_columns_double_data(rng):
    X, y = document_data(rng, 200)
    b, V, at = maximum_likelihood(X, y)
    fit = ask.call("probit_mle", X, y)
    swapped = ask.call("probit_mle", X, 1 - y)
    ask.close("T1", swapped.coefficients, -b)
    ask.close("T4", swapped.loglik, at)
    ask.close("T1", swapped.coefficients, -fit.coefficients)
    order = rng.permutation(len(y))
    permuted = ask.call("probit_mle", X[order], y[order])
    ask.close("T1", permuted.coefficients, fit.coefficients)
    ask.close("T3", permuted.vcov, V)
    twice = ask.call("probit_mle", np.vstack([X, X]), np.concatenate([y, y]))
    ask.close("T1", twice.coefficients, b)
    ask.close("T3", twice.vcov, V / 2)
    ask.close("T4", twice.loglik, 2 * at)
    Z, z = five_columns(rng)
    columns = [3, 0, 4, 1, 2]
    c, W, _ = maximum_likelihood(Z, z)
    exchanged = ask.call("probit_mle", Z[:, columns], z)
    ask.close("T1", exchanged.coefficients, c[columns])
    ask.close("T3", exchanged.vcov, W[np.ix_(columns, columns)])


@ask.scenario("S1")
def probit_mle_argument_types_boolean_y_lists(rng):
    X, y = document_data(rng, 50)
    agrees(ask.call("probit_mle", X.tolist(), y.astype(bool)), X, y)
    Z = np.column_stack([np.ones(60, int), rng.integers(-3, 4, size=60)])
    while True:
        z = outcomes(rng, Z.astype(float), [0.2, 0.3])
        if overlap(Z[:, 1], z):
            break
    agrees(ask.call("probit_mle", Z, z.astype(int)), Z, z)


@ask.scenario("S2")
def probit_mle_max_iter_warning_converged_false_iterations(rng):
    X, y = document_data(rng, 200)
    default = ask.call("probit_mle", X, y)
    ask.same("T69", default.converged, True)
    ask.silent("T69", default)
    ask.less("T69", 2, default.iterations)
    ask.less("T69", default.iterations, 20)
    for allowed in range(1, 21):  # one more than the iterations of the default call lies in this range
        fit = ask.call("probit_mle", X, y, max_iter=allowed)
        enough = default.iterations <= allowed
        ask.same("T69", fit.converged, enough)
        ask.same("T69", fit.iterations, ask.smallest([default.iterations, allowed]))
        ask.same("T69", fit.coefficients * enough, default.coefficients * enough)
        if allowed <= 2:
            ask.warns("T6", fit)
            ask.warns("T69", fit, message="did not converge")
            ask.same("T69", fit.converged, False)
            ask.same("T69", fit.iterations, allowed)
            ask.finite("T69", [fit.coefficients, fit.vcov, fit.se, fit.loglik])


@ask.scenario("S2")
def probit_mle_tol_below_the_limit_of_rounding_converged(rng):
    X, y = document_data(rng, 200)
    fit = ask.call("probit_mle", X, y, tol=1e-300)
    ask.same("T69", fit.converged, True)
    ask.silent("T69", fit)
    ask.same("T69", fit.coefficients, ask.call("probit_mle", X, y, tol=1e-12).coefficients)
    rough = ask.call("probit_mle", X, y, tol=0.5)
    ask.same("T69", rough.converged, True)
    ask.less("T69", rough.iterations, fit.iterations)


@ask.scenario("S3")
def probit_mle_separation_whatever_max_iter_tol_units(rng):
    complete, up = separated()
    x = np.array([-2.0, -1, 0, 0, 1, 2])
    quasi = np.column_stack([np.ones(6), x])
    drawn = np.column_stack([np.ones(20), rng.normal(size=20)])
    cases = [(complete, up), (quasi, np.array([0.0, 0, 0, 1, 1, 1])), (drawn, np.zeros(20)), (drawn, np.ones(20))]
    for X, y in cases:
        for options in ({}, {"max_iter": 1}, {"max_iter": 1000}, {"tol": 0.5}):
            ask.raises("T7", ask.call("probit_mle", X, y, **options))
        for c in (1000.0, 1e9, 1e-9):
            ask.raises("T7", ask.call("probit_mle", X * [1.0, c], y))
    for outcome in (0, 1):
        ask.raises("T7", ask.call("probit_mle", [[1.0]], [outcome]))


@ask.scenario("S3")
def probit_mle_rank_linearly_dependent_columns(rng):
    X, y = document_data(rng, 40)
    ask.raises("T8", ask.call("probit_mle", np.column_stack([X, 2 * X[:, 1]]), y))
    ask.raises("T8", ask.call("probit_mle", np.column_stack([X, np.zeros(40)]), y))
    ask.raises("T8", ask.call("probit_mle", np.column_stack([X, 2e9 * X[:, 1]]), y))
    ask.raises("T8", ask.call("probit_mle", rng.normal(size=(2, 3)), [0, 1]))


@ask.scenario("S17")
def probit_mle_units_of_a_column(rng):
    for X, y in (document_data(rng, 200), five_columns(rng)):
        k = X.shape[1]
        old = ask.call("probit_mle", X, y)
        for size in (1e9, 1e-9):
            for columns in [[j] for j in range(k)] + [list(range(k))]:
                c = np.ones(k)
                c[columns] = size
                fit = ask.call("probit_mle", X * c, y)
                ask.close("T44", fit.coefficients * c, old.coefficients)
                ask.close("T44", fit.se * c, old.se)
                ask.close("T44", fit.vcov * np.outer(c, c), old.vcov)
                ask.close("T45", fit.loglik, old.loglik)
                ask.same("T46", fit.iterations, old.iterations)
                ask.same("T46", fit.converged, old.converged)
                ask.same("T46", fit.converged, True)
                ask.silent("T46", fit)


@ask.scenario("S23")
def probit_mle_single_value_dominates_its_column(rng):
    while True:
        x = rng.normal(size=40)
        X = np.column_stack([np.ones(40), x])
        y = outcomes(rng, X, [0.3, 0.8])
        if overlap(x[1:], y[1:]):
            others = maximum_likelihood(X[1:], y[1:])[0]
            if others[1] > 0.05:
                break
    for large in (1e6, 1e8, 1e10):
        for first in (0.0, 1.0):
            Z, z = X.copy(), y.copy()
            Z[0, 1], z[0] = large, first
            fit = ask.call("probit_mle", Z, z)
            if first == 1.0:
                ask.close("T65", fit.coefficients, others)
            # near the maximum b the gradient is H (b - estimate), so g' H^-1 g is (b - estimate)' H (b - estimate)
            b = maximum_likelihood(Z, z)[0]
            H = -hessian(b, Z, z)
            d = np.sqrt(np.diag(H))
            r = (fit.coefficients - b) * d
            ask.value("T66", ask.sqrt(abs(r @ (H / np.outer(d, d)) @ r)))
            ask.same("T67", fit.converged, True)
            ask.silent("T67", fit)
            ask.finite("T67", [fit.coefficients, fit.se, fit.vcov, fit.loglik])
