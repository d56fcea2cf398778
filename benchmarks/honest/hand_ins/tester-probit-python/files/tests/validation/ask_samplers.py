"""Decisions on the samplers: reported numbers, start, proposal, scale, units of a column, defaults."""

import numpy as np
import statsclaw_ask as ask
from reference_values import document_data, maximum_likelihood, outcomes, seed_of, separated


def reported(of_mean, of_sd, of_interval, fit):
    draws = fit.beta_draws
    ask.close(of_mean, fit.posterior_mean, ask.mean(draws, axis=0))
    for criterion in of_sd:
        ask.close(criterion, fit.posterior_sd, ask.sd(draws, axis=0))
    for criterion in of_interval:
        ask.close(criterion, [fit.interval[:, 0], fit.interval[:, 1]],
                  [ask.quantile(draws, 0.025, axis=0), ask.quantile(draws, 0.975, axis=0)])


@ask.scenario("S12")
def posterior_mean_posterior_sd_divisor_interval_quantile_of_the_kept_draws(rng):
    X, y = document_data(rng, 100)
    gibbs = ask.call("probit_gibbs", X, y, n_iter=60, burn_in=20, rng=seed_of(rng))
    reported("T68", ["T33"], ["T34"], gibbs)
    mh = ask.call("probit_mh", X, y, n_iter=60, burn_in=20, rng=seed_of(rng))
    reported("T68", ["T33", "T35"], ["T34", "T35"], mh)
    two = ask.call("probit_gibbs", X, y, n_iter=60, burn_in=58, rng=seed_of(rng))
    reported("T68", ["T33"], ["T34"], two)


@ask.scenario("S12")
def probit_mle_interval_from_coefficients_se_vcov(rng):
    X, y = document_data(rng, 100)
    fit = ask.call("probit_mle", X, y)
    for se in (fit.se, ask.sqrt(ask.diag(fit.vcov))):
        ask.close("T5", [fit.interval[:, 0], fit.interval[:, 1]],
                  [fit.coefficients - 1.96 * se, fit.coefficients + 1.96 * se])


@ask.scenario("S12")
def probit_mh_acceptance_rate_counts_kept_iterations_only(rng):
    X, y = document_data(rng, 100)
    for options in ({}, {"init": [3.0, 3.0]}, {"init": [3.0, 3.0], "scale": 0.5}):
        seed = seed_of(rng)
        short = ask.call("probit_mh", X, y, n_iter=60, burn_in=20, rng=seed, **options)
        longer = ask.call("probit_mh", X, y, n_iter=60, burn_in=19, rng=seed, **options)
        kept = short.beta_draws
        moves = ask.total(ask.largest(kept[1:] != kept[:-1], axis=1)) + ask.largest(kept[0] != longer.beta_draws[0])
        ask.close("T36", short.acceptance_rate * 40, moves)


def dependent(rng):
    X, y = document_data(rng, 40)
    return np.column_stack([X, 2 * X[:, 1]]), y


@ask.scenario("S13")
def probit_mh_warns_when_it_starts_at_the_prior_mean_without_init(rng):
    cases = [separated(), (np.empty((0, 2)), np.empty(0)), dependent(rng), (np.ones((1, 1)), np.ones(1))]
    for X, y in cases:
        ask.warns("T37", ask.call("probit_mh", X, y, n_iter=300, burn_in=100, Sigma0=np.eye(X.shape[1]),
                                  rng=seed_of(rng)))


@ask.scenario("S13")
def probit_mh_first_draw_at_init_at_the_estimate_or_at_beta0(rng):
    short = {"n_iter": 2, "burn_in": 0, "scale": 1e-9}
    X, y = document_data(rng, 100)
    apart, up = separated()
    three, z = dependent(rng)
    empty, none = np.empty((0, 2)), np.empty(0)
    two, beta0, beta03 = np.array([0.7, -1.3]), np.array([0.4, -0.3]), np.array([0.2, -0.6, 0.5])
    cases = [
        (X, y, {}, maximum_likelihood(X, y)[0]),
        (X, y, {"beta0": beta0}, maximum_likelihood(X, y)[0]),
        (X, y, {"init": two}, two),
        (apart, up, {"beta0": beta0, "Sigma0": np.eye(2)}, beta0),
        (apart, up, {"Sigma0": np.eye(2)}, np.zeros(2)),
        (apart, up, {"beta0": beta0, "Sigma0": np.eye(2), "init": two}, two),
        (empty, none, {"beta0": beta0, "Sigma0": np.eye(2)}, beta0),
        (empty, none, {"beta0": beta0, "Sigma0": np.eye(2), "init": two}, two),
        (three, z, {"beta0": beta03, "Sigma0": np.eye(3)}, beta03),
        (three, z, {"beta0": beta03, "Sigma0": np.eye(3), "init": -beta03}, -beta03),
    ]
    for A, b, options, start in cases:
        fit = ask.call("probit_mh", A, b, **short, **options, rng=seed_of(rng))
        ask.close("T71", fit.beta_draws, np.tile(start, (2, 1)))
        ask.close("T71", fit.posterior_mean, start)


@ask.scenario("S17")
def samplers_units_of_a_column_with_the_prior_in_the_new_units(rng):
    X, y = document_data(rng, 200)
    seed = seed_of(rng)
    beta0, Sigma0, init = np.array([0.1, 0.2]), np.array([[1.0, 0.3], [0.3, 2.0]]), np.array([-0.8, 0.4])
    runs = [("T47", "probit_gibbs", False), ("T48", "probit_mh", False), ("T48", "probit_mh", True)]
    for criterion, sampler, started in runs:

        def chain(c):
            prior = {"beta0": beta0 / c, "Sigma0": Sigma0 / np.outer(c, c)} | ({"init": init / c} if started else {})
            return ask.call(sampler, X * c, y, n_iter=60, burn_in=20, rng=seed, **prior)

        old = chain(np.ones(2))
        for size in (1e9, 1e-9):
            for c in (np.array([size, 1.0]), np.array([1.0, size]), np.array([size, size])):
                fit = chain(c)
                ask.close(criterion, fit.beta_draws * c, old.beta_draws)
                if sampler == "probit_mh":
                    ask.close(criterion, fit.acceptance_rate, old.acceptance_rate)


@ask.scenario("S22")
def probit_mh_default_scale_by_the_number_of_coefficients_acceptance_rate(rng):
    X = np.column_stack([np.ones(400), rng.normal(size=(400, 19))])
    y = outcomes(rng, X, np.r_[0.0, 0.5, np.zeros(18)])
    many = ask.call("probit_mh", X, y, n_iter=4000, burn_in=1000, rng=seed_of(rng))
    ask.value("T61", many.acceptance_rate)
    one = ask.call("probit_mh", X[:, :1], y, n_iter=4000, burn_in=1000, rng=seed_of(rng))
    ask.value("T62", one.acceptance_rate)
    for k in (1, 2, 4, 20):
        seed = seed_of(rng)
        default = ask.call("probit_mh", X[:, :k], y, n_iter=60, burn_in=20, scale=None, rng=seed)
        given = ask.call("probit_mh", X[:, :k], y, n_iter=60, burn_in=20, scale=2.4 * np.sqrt(2 / k).item(), rng=seed)
        ask.close("T63", default.beta_draws, given.beta_draws)
    stuck = ask.call("probit_mh", X, y, n_iter=4000, burn_in=1000, scale=2.4, rng=seed_of(rng))
    ask.warns("T64", stuck)


@ask.scenario("S22")
def probit_mh_warns_twice_starts_at_prior_mean_and_hardly_a_proposal_accepted(rng):
    X, y = separated()
    fit = ask.call("probit_mh", X, y, n_iter=1000, burn_in=100, scale=1e6, Sigma0=np.eye(2), rng=seed_of(rng))
    ask.warns("T64", fit)
    ask.warns("T64", fit, message="prior mean")


def argument(name, default=None, keyword_only=False):
    return {"name": name, "default": default, "keyword_only": keyword_only}


def declared_mle(found):
    """As text a default of 1e-8 may be written in several ways, so it is read as a number."""
    *first, last = found
    return (
        first == [argument("X"), argument("y"), argument("max_iter", "100")]
        and last["name"] == "tol" and float(last["default"]) == 1e-8 and last["keyword_only"] is False
    )  # fmt: skip


@ask.scenario("S24")
def signatures_and_their_defaults():
    prior = [argument("beta0", "None"), argument("Sigma0", "None")]
    rng = argument("rng", "None", True)
    ask.observe("T70", declared_mle, ask.signature("probit_mle"))
    ask.same("T70", ask.signature("probit_gibbs"),
             [argument("X"), argument("y"), argument("n_iter", "3500"), argument("burn_in", "500"), *prior, rng])
    ask.same("T70", ask.signature("probit_mh"),
             [argument("X"), argument("y"), argument("n_iter", "10000"), argument("burn_in", "2000"),
              argument("scale", "None"), *prior, argument("init", "None"), rng])
    ask.same("T70", ask.signature("safe_log_Phi"), [argument("x")])
    ask.same("T70", ask.signature("safe_Phi"), [argument("x")])
    ask.same("T70", ask.signature("rtruncnorm"), [argument("mu"), argument("lo"), argument("hi"), rng])


@ask.scenario("S24")
def same_draws_with_defaults_n_iter_burn_in_beta0_Sigma0_init_scale_written_out(rng):
    X, y = document_data(rng, 50)
    seed = seed_of(rng)
    mle = ask.call("probit_mle", X, y)
    written = ask.call("probit_mle", X, y, max_iter=100, tol=1e-8)
    ask.same("T70", [mle.coefficients, mle.iterations, mle.converged],
             [written.coefficients, written.iterations, written.converged])
    prior = {"beta0": np.zeros(2), "Sigma0": 100 * np.eye(2)}
    gibbs = ask.call("probit_gibbs", X, y, rng=seed)
    ask.same("T70", gibbs.beta_draws,
             ask.call("probit_gibbs", X, y, n_iter=3500, burn_in=500, **prior, rng=seed).beta_draws)
    ask.same("T70", ask.shape(gibbs.beta_draws), [3000, 2])
    mh = ask.call("probit_mh", X, y, rng=seed)
    ask.same("T70", ask.shape(mh.beta_draws), [8000, 2])
    options = {"n_iter": 10000, "burn_in": 2000, **prior}
    for more in ({}, {"init": mle.coefficients}, {"scale": 2.4}):
        ask.same("T70", mh.beta_draws, ask.call("probit_mh", X, y, **options, **more, rng=seed).beta_draws)
