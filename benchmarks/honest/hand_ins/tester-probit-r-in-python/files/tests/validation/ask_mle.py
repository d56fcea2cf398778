"""Maximum likelihood: values, bad scaling, separation, rank, limits, time."""

import numpy as np
import statsclaw_ask as ask
from oracles import hessian, loglik, score
from reference import SEPARATED, covariance, estimate, of_the_source, ordinary, separated, with_intercept
from rvalues import seed_from

@ask.scenario("S1")
def probit_mle_coefficients_vcov_se_and_loglik_of_ordinary_data(rng):
    for _ in range(20):
        X, y = ordinary(rng)
        b = estimate(X, y)
        V = covariance(X, y, b)
        fit = ask.call("probit_mle", X, y)
        ask.close("T1", fit.coefficients, b)
        ask.close("T2", fit.vcov, V)
        ask.close("T3", fit.se, np.sqrt(np.diag(V)))
        ask.close("T4", fit.loglik, loglik(X, y, b))
        # The score where it is small is linear in the coefficients: the remainder is of order 1e-12 at the bound.
        ask.value("T5", abs(score(X, y, b) + hessian(X, y, b) @ (fit.coefficients - b)))
        ask.same("T6", [fit.converged, fit.nobs, fit.method], [True, 200, "mle"])
        ask.between("T6", 1, fit.iterations, 20)
        ask.less("T6", abs(fit.vcov - ask.transposed(fit.vcov)), 1e-12)
        ask.less("T6", 200 * np.log(0.5), fit.loglik)
        ask.untouched("T6", fit)
        ask.silent("T6", fit)


@ask.scenario("S1")
def probit_mle_uses_no_random_numbers_and_keeps_the_seed(rng):
    X, y = ordinary(rng)
    one, other = (ask.seeded(seed_from(rng), ask.call("probit_mle", X, y)) for _ in range(2))
    for name in ("coefficients", "vcov", "se", "loglik", "iterations"):
        ask.same("T6", one[name], other[name])
    ask.repeatable("T6", one)


@ask.scenario("S1")
def probit_mle_converged_is_false_at_the_iteration_limit_max_iter(rng):
    X, y = ordinary(rng)
    fit = ask.call("probit_mle", X, y, max_iter=1)
    ask.same("T6", [fit.converged, fit.iterations, fit.nobs, fit.method], [False, 1, 200, "mle"])
    ask.finite("T6", fit.coefficients)


@ask.scenario("S1")
def probit_mle_sign_when_y_is_swapped_and_order_of_rows(rng):
    X, y = ordinary(rng)
    b = estimate(X, y)
    V = covariance(X, y, b)
    swapped = ask.call("probit_mle", X, 1 - y)
    ask.close("T1", swapped.coefficients, -b)
    ask.close("T2", swapped.vcov, V)
    ask.close("T4", swapped.loglik, loglik(X, y, b))
    order = rng.permutation(len(y))
    permuted = ask.call("probit_mle", X[order], y[order])
    ask.close("T1", permuted.coefficients, b)
    ask.close("T3", permuted.se, np.sqrt(np.diag(V)))


@ask.scenario("S1")
def probit_mle_of_logical_y_integer_X_and_one_column(rng):
    X, y = ordinary(rng)
    ask.close("T1", ask.call("probit_mle", X, y == 1).coefficients, estimate(X, y))
    whole = np.column_stack([np.ones(200), np.rint(2 * X[:, 1])])
    ask.close("T1", ask.call("probit_mle", whole.astype(np.int64), y.astype(np.int64)).coefficients, estimate(whole, y))
    single = X[:, 1:2]
    b = estimate(single, y)
    fit = ask.call("probit_mle", single, y)
    ask.close("T1", fit.coefficients, b)
    ask.close("T2", fit.vcov, covariance(single, y, b))


@ask.scenario("S2")
def probit_mle_coefficients_with_badly_scaled_columns(rng):
    scale = np.array([1.0, 1e5, 1e-4])
    X, y = ordinary(rng)
    fit = ask.call("probit_mle", X * scale, y)
    why = "all coefficients, but scaled back, as the scenario says"
    ask.close("T1", fit.coefficients * scale, estimate(X, y), part=why)


@ask.scenario("S2")
def probit_mle_coefficients_with_few_observations():
    X = with_intercept(np.array([-2.0, -1, 0, 1, 2, 3]))
    y = np.array([0.0, 1, 0, 1, 0, 1])
    ask.close("T1", ask.call("probit_mle", X, y).coefficients, estimate(X, y))


@ask.scenario("S6")
def probit_mle_refuses_separation_and_constant_y_also_with_small_max_iter():
    for name in SEPARATED:
        X, y = separated(name)
        ask.raises("T14", ask.call("probit_mle", X, y))
        ask.raises("T14", ask.call("probit_mle", X, y, max_iter=2))
        ask.raises("T14", ask.call("probit_mle", X, 1 - y))


@ask.scenario("S7")
def probit_mle_refuses_X_without_full_column_rank():
    x = np.array([-2.0, -1, 0, 1, 2, 3])
    y = np.array([0.0, 1, 0, 1, 0, 1])
    ask.raises("T15", ask.call("probit_mle", np.zeros((0, 2)), np.zeros(0)))
    ask.raises("T15", ask.call("probit_mle", np.array([[1.0, 2, 3], [1, -1, 0]]), np.array([0.0, 1])))
    ask.raises("T15", ask.call("probit_mle", with_intercept(x, 2 * x), y))
    ask.raises("T15", ask.call("probit_mle", with_intercept(x, 0 * x), y))


@ask.scenario("S9")
def probit_mle_warns_at_the_iteration_limit_max_iter(rng):
    X, y = ordinary(rng)
    ask.warns("T17", ask.call("probit_mle", X, y, max_iter=1))


@ask.scenario("S19")
def time_of_probit_gibbs_against_probit_mle(rng):
    X, y = of_the_source(rng, 1000)
    fits = [ask.call("probit_mle", X, y) for _ in range(20)]
    gibbs = ask.seeded(seed_from(rng), ask.call("probit_gibbs", X, y))
    ask.value("T40", ask.seconds(gibbs) / ask.median([ask.seconds(fit) for fit in fits]))
