"""Gibbs and Metropolis-Hastings: posteriors, calibration, joint distribution, convergence, degenerate data, form."""

import itertools

import numpy as np
import statsclaw_ask as ask
from reference import (
    B_ORDINARY,
    bernoulli,
    estimate,
    of_the_source,
    one_coefficient,
    posterior_moments,
    separated,
    with_intercept,
)
from rvalues import RStream, seed_from, with_column_names
from scipy.special import ndtr


def gibbs(rng, X, y, **named):
    return ask.seeded(seed_from(rng), ask.call("probit_gibbs", X, y, **named))


def mh(rng, X, y, **named):
    return ask.seeded(seed_from(rng), ask.call("probit_mh", X, y, **named))


# --- posteriors ------------------------------------------------------------------------------------------------------


@ask.scenario("S10")
def posterior_mean_of_both_samplers_near_the_estimate_and_acceptance_rate_by_default(rng):
    for _ in range(3):
        X, y = of_the_source(rng)
        b = estimate(X, y)
        by_gibbs, by_mh = gibbs(rng, X, y), mh(rng, X, y)
        ask.value("T18", abs(by_gibbs.posterior_mean - b))
        ask.value("T19", abs(by_mh.posterior_mean - b))
        ask.value("T20", by_mh.acceptance_rate)


@ask.scenario("S11")
def posterior_mean_and_posterior_sd_of_both_samplers_with_an_informative_prior(rng):
    r = RStream(21)  # the data of the pilot
    X = with_intercept(*r.rnorm(120).reshape(2, 60))
    y = (r.runif(60) < ndtr(X @ B_ORDINARY)).astype(float)
    assert y.sum() == 27
    prior = {"beta0": np.array([0.2, -0.1, 0.0]), "Sigma0": np.eye(3) + 0.3}
    by_gibbs = gibbs(rng, X, y, n_iter=60500, burn_in=500, **prior)
    by_mh = mh(rng, X, y, n_iter=182000, burn_in=2000, scale=1.9, **prior)
    mean, sd = posterior_moments(X, y, **prior)
    ask.close("T21", by_mh.posterior_mean, by_gibbs.posterior_mean)
    ask.close("T21", [by_mh.posterior_mean, by_gibbs.posterior_mean], [mean, mean])
    ask.close("T22", by_mh.posterior_sd, by_gibbs.posterior_sd)
    ask.close("T22", [by_mh.posterior_sd, by_gibbs.posterior_sd], [sd, sd])


@ask.scenario("S12")
def posterior_mean_and_posterior_sd_of_one_coefficient_by_quadrature(rng):
    X, y = np.ones((12, 1)), np.repeat([1.0, 0.0], [9, 3])
    prior = {"beta0": np.array([0.5]), "Sigma0": np.array([[0.25]])}
    mean, sd = one_coefficient(9, 3, 0.5, 0.25)
    by_gibbs = gibbs(rng, X, y, n_iter=20500, burn_in=500, **prior)
    by_mh = mh(rng, X, y, n_iter=42000, burn_in=2000, **prior)
    ask.close("T23", by_gibbs.posterior_mean, np.array([mean]))
    ask.close("T24", by_gibbs.posterior_sd, np.array([sd]))
    ask.close("T25", by_mh.posterior_mean, np.array([mean]))
    ask.close("T26", by_mh.posterior_sd, np.array([sd]))


@ask.scenario("S13")
def the_prior_beta0_and_Sigma0_without_data_no_rows(rng):
    X, y = np.zeros((0, 2)), np.zeros(0)
    beta0, Sigma0 = np.array([1.0, -2.0]), np.array([[2.0, 0.6], [0.6, 1.0]])
    by_gibbs = gibbs(rng, X, y, n_iter=20500, burn_in=500, beta0=beta0, Sigma0=Sigma0)
    by_mh = mh(rng, X, y, n_iter=302000, burn_in=2000, beta0=beta0, Sigma0=Sigma0)
    ask.close("T27", ask.mean(by_gibbs.beta_draws, axis=0), beta0)
    ask.close("T28", ask.cov(by_gibbs.beta_draws), Sigma0)
    ask.close("T29", ask.mean(by_mh.beta_draws, axis=0), beta0)
    ask.close("T30", ask.cov(by_mh.beta_draws), Sigma0)


# --- simulation-based calibration ------------------------------------------------------------------------------------


def chi_square_of_ranks(ranks):
    """Of whole numbers from 0 to 99 in ten bins, for each coefficient; `ranks` are promises of two numbers each."""
    each = ask.transposed(ranks)[:, :, None]
    low = 10.0 * np.arange(10)
    counts = ask.total((each >= low) * (each < low + 10), axis=1)
    expected = len(ranks) / 10
    return ask.total((counts - expected) ** 2 / expected, axis=1)


def calibrated(rng, sampler, thin, **named):
    ranks = []
    for _ in range(400):
        b = rng.standard_normal(2)
        X = with_intercept(rng.standard_normal(8))
        y = bernoulli(rng, X, b)
        fit = sampler(rng, X, y, burn_in=100, beta0=np.zeros(2), Sigma0=np.eye(2), **named)
        ranks.append(ask.total(fit.beta_draws[thin - 1 : 99 * thin : thin] < b, axis=0))
    return chi_square_of_ranks(ranks)


@ask.scenario("S14")
def calibration_ranks_of_probit_gibbs_beta_draws(rng):
    ask.value("T31", calibrated(rng, gibbs, 20, n_iter=2080))


@ask.scenario("S15")
def calibration_ranks_of_probit_mh_beta_draws(rng):
    ask.value("T32", calibrated(rng, mh, 40, n_iter=4060, init=np.zeros(2)))


# --- degenerate data -------------------------------------------------------------------------------------------------


@ask.scenario("S16")
def samplers_under_separation_collinear_columns_and_a_single_row(rng):
    x = rng.standard_normal(10)
    designs = [
        separated("completely"),
        (np.column_stack([x, x]), np.array([0.0, 1, 1, 0, 1, 0, 0, 1, 1, 0])),
        (np.array([[1.0, 0.5]]), np.array([1.0])),
    ]
    lengths = {"n_iter": 2000, "burn_in": 500, "Sigma0": np.eye(2)}
    for X, y in designs:
        by_gibbs, by_mh = gibbs(rng, X, y, **lengths), mh(rng, X, y, **lengths)
        started = mh(rng, X, y, init=np.zeros(2), **lengths)
        for fit in (by_gibbs, by_mh, started):
            ask.finite("T33", fit.beta_draws)
            ask.same("T33", ask.shape(fit.beta_draws), [1500, 2])
            ask.less("T33", 0, ask.sd(fit.beta_draws, axis=0))
        ask.silent("T33", by_gibbs)
        ask.silent("T33", started)
        ask.warns("T34", by_mh)


@ask.scenario("S16")
def probit_mh_is_silent_without_rows(rng):
    for sampler in (gibbs, mh):
        fit = sampler(rng, np.zeros((0, 2)), np.zeros(0), n_iter=2000, burn_in=500, Sigma0=np.eye(2))
        ask.silent("T33", fit)
        ask.finite("T33", fit.beta_draws)


# --- summaries and form ----------------------------------------------------------------------------------------------

SHORT = {"n_iter": 600, "burn_in": 100}


@ask.scenario("S17")
def posterior_mean_and_posterior_sd_are_those_of_beta_draws(rng):
    X, y = of_the_source(rng)
    for sampler in (gibbs, mh):
        fit = sampler(rng, X, y, **SHORT)
        ask.close("T35", fit.posterior_sd, ask.sd(fit.beta_draws, axis=0))
        ask.close("T35", fit.posterior_mean, ask.mean(fit.beta_draws, axis=0))


def accepted_between_rows(draws):
    return ask.total(ask.largest(draws[1:] != draws[:-1], axis=1))


@ask.scenario("S17")
def acceptance_rate_counts_iterations_after_burn_in_only(rng):
    X, y = of_the_source(rng)
    fit = mh(rng, X, y, **SHORT)
    first = 500 * fit.acceptance_rate - accepted_between_rows(fit.beta_draws)  # 0 or 1: was the first one accepted?
    ask.less("T36", abs(first * (first - 1)), 1e-8)
    start = np.array([6.0, 6.0])
    for n_iter in (600, 40):
        fit = mh(rng, X, y, n_iter=n_iter, burn_in=0, init=start)
        moved = ask.largest(fit.beta_draws[0] != start)
        accepted = accepted_between_rows(fit.beta_draws) + moved
        ask.less("T36", abs(n_iter * fit.acceptance_rate - accepted), 1e-8)
        ask.between("T36", 0, fit.acceptance_rate, 1)
    from_far = mh(rng, X, y, init=start, **SHORT)
    first = 500 * from_far.acceptance_rate - accepted_between_rows(from_far.beta_draws)
    ask.less("T36", abs(first * (first - 1)), 1e-8)


@ask.scenario("S17")
def shape_names_nobs_method_and_seed_of_both_samplers(rng):
    X, y = of_the_source(rng)
    named = with_column_names(X, ["constant", "slope"])
    for name, function in (("gibbs", "probit_gibbs"), ("mh", "probit_mh")):
        seed, another = seed_from(rng), seed_from(rng)
        fit, again = (ask.seeded(seed, ask.call(function, X, y, **SHORT)) for _ in range(2))
        other = ask.seeded(another, ask.call(function, X, y, **SHORT))
        ask.same("T37", ask.shape(fit.beta_draws), [500, 2])
        ask.same("T37", [fit.nobs, fit.method], [500, name])
        ask.same("T37", fit.beta_draws, again.beta_draws)
        ask.less("T37", 0.9, ask.rate(fit.beta_draws != other.beta_draws))
        ask.repeatable("T37", fit)
        ask.untouched("T37", fit)
        ask.silent("T37", fit)
        # one kept draw
        single = ask.seeded(seed, ask.call(function, named, y, n_iter=5, burn_in=4))
        ask.same("T37", ask.shape(single.beta_draws), [1, 2])
        ask.same("T37", single.posterior_mean, single.beta_draws[0])
        ask.same("T37", single.posterior_sd, [float("nan")] * 2)
        ask.same("T37", ask.names(single.posterior_mean), ["constant", "slope"])
        ask.same("T37", ask.names(single.posterior_sd), ["constant", "slope"])
        shown = ask.text(single.beta_draws)
        ask.contains("T37", shown, "constant")
        ask.contains("T37", shown, "slope")
        # names change nothing else, the burn-in is what is left out
        whole = ask.seeded(seed, ask.call(function, X, y, n_iter=600, burn_in=0))
        ask.same("T37", whole.beta_draws[100:], fit.beta_draws)
        # one column
        column = ask.seeded(seed, ask.call(function, X[:, :1], y, n_iter=30, burn_in=10))
        ask.same("T37", ask.shape(column.beta_draws), [20, 1])


# --- Geweke ----------------------------------------------------------------------------------------------------------

JOINT_X = with_intercept(np.array([-1.5, -0.5, 0.0, 0.5, 1.5]))
JOINT_MEAN, JOINT_COV = np.array([0.8, -1.0]), np.array([[0.5, 0.2], [0.2, 0.4]])
JOINT = {"n_iter": 5, "burn_in": 0, "beta0": JOINT_MEAN, "Sigma0": JOINT_COV}


def joint_distribution_test(ask, rng, X, mean, covariance):
    """The successive-conditional chain; `ask` asks the package."""
    b = mean + np.linalg.cholesky(covariance) @ rng.standard_normal(2)
    chain = np.empty((16000, 2))
    for row in range(len(chain)):
        y = (X @ b + rng.standard_normal(5) > 0).astype(float)
        fit = ask("probit_mh", X, y, n_iter=5, burn_in=0, beta0=mean, Sigma0=covariance, init=b)
        b = np.array(fit["beta_draws"], dtype=float).reshape(5, 2)[-1]
        chain[row] = b
    t = (chain - mean) / np.sqrt(np.diag(covariance))
    return {
        "T44": (t.mean(axis=0), np.zeros(2)),
        "T45": ((t**2).mean(axis=0), np.ones(2)),
        "T46": (float((t[:, 0] * t[:, 1]).mean()), float(0.2 / np.sqrt(0.2))),
        "T47": bool(np.isfinite(chain).all()),
    }


@ask.scenario("S21")
def joint_distribution_of_probit_mh_beta_draws_and_the_prior():
    ask.dialogue(["T44", "T45", "T46", "T47"], joint_distribution_test, JOINT_X, JOINT_MEAN, JOINT_COV)


@ask.scenario("S21")
def probit_mh_with_init_never_warns_whatever_y_also_constant_y(rng):
    for y in itertools.product([0.0, 1.0], repeat=5):
        b = rng.multivariate_normal(JOINT_MEAN, JOINT_COV)
        fit = mh(rng, JOINT_X, np.array(y), init=b, **JOINT)
        ask.silent("T47", fit)
        ask.finite("T47", fit.beta_draws)


def drift(draws):
    """z of the first 5000 against the last 25000 of 50000 rows, by batches of 125 rows; for each coefficient."""
    early = [ask.mean(draws[at : at + 125], axis=0) for at in range(0, 5000, 125)]
    late = [ask.mean(draws[at : at + 125], axis=0) for at in range(25000, 50000, 125)]
    error = ask.sqrt(ask.var(early, axis=0) / len(early) + ask.var(late, axis=0) / len(late))
    return abs(ask.mean(early, axis=0) - ask.mean(late, axis=0)) / error


def drifting(rng):
    X = with_intercept(rng.standard_normal(50))
    y = bernoulli(rng, X, np.array([-0.5, 0.8]))
    return X, y, {"n_iter": 51000, "burn_in": 1000, "beta0": np.zeros(2), "Sigma0": np.eye(2)}


@ask.scenario("S22")
def convergence_of_probit_gibbs_early_against_late_beta_draws(rng):
    X, y, settings = drifting(rng)
    ask.value("T48", drift(gibbs(rng, X, y, **settings).beta_draws))


@ask.scenario("S23")
def convergence_of_probit_mh_from_a_distant_init(rng):
    X, y, settings = drifting(rng)
    ask.value("T49", drift(mh(rng, X, y, init=np.array([3.0, -3.0]), **settings).beta_draws))
