"""The posteriors of both samplers against numerical integration, importance sampling, each other and the prior."""

import numpy as np
import statsclaw_ask as ask
from reference_values import (
    correlated_columns, document_data, far_from_zero, maximum_likelihood, outcomes, overlap, posterior_by_importance,
    posterior_on_grid, seed_of, separated,
)  # fmt: skip


def three_posteriors(rng):
    few = np.ones((5, 1)), np.array([1.0, 1, 0, 1, 1]), np.zeros(1), np.array([[4.0]])
    apart = (*separated(), np.zeros(2), np.eye(2))
    while True:
        X = np.column_stack([np.ones(60), rng.normal(size=60)])
        y = outcomes(rng, X, [-0.4, 0.8])
        if overlap(X[:, 1], y):
            break
    return few, apart, (X, y, np.array([0.5, 0.0]), np.array([[1.0, 0.3], [0.3, 2.0]]))


def against_the_integral(rng, sampler, sizes, burn_in, criteria, criterion_sd, options):
    for number, (X, y, beta0, Sigma0) in enumerate(three_posteriors(rng)):
        fit = ask.call(sampler, X, y, n_iter=sizes[number], burn_in=burn_in, beta0=beta0, Sigma0=Sigma0,
                       rng=seed_of(rng), **options[number])
        centre, sd = posterior_on_grid(X, y, beta0, Sigma0)
        ask.close(criteria[number], fit.posterior_mean, centre)
        ask.close(criteria[number], ask.mean(fit.beta_draws, axis=0), centre)
        if number == 2:
            ask.close(criterion_sd, fit.posterior_sd, sd)
            ask.close(criterion_sd, ask.sd(fit.beta_draws, axis=0), sd)


@ask.scenario("S6")
def probit_gibbs_posterior_mean_and_sd_prior_beta0_Sigma0(rng):
    against_the_integral(rng, "probit_gibbs", (41000, 81000, 21000), 1000, ("T13", "T14", "T15"), "T16", ({}, {}, {}))


@ask.scenario("S7")
def probit_mh_posterior_mean_and_sd_prior_beta0_Sigma0(rng):
    options = ({}, {"init": np.zeros(2)}, {})
    against_the_integral(rng, "probit_mh", (42000, 82000, 42000), 2000, ("T17", "T18", "T19"), "T20", options)


@ask.scenario("S8")
def probit_gibbs_and_probit_mh_default_posterior_mean_and_acceptance_rate(rng):
    for n in (500, 500, 500, 1000):
        X, y = document_data(rng, n)
        b = maximum_likelihood(X, y)[0]
        gibbs = ask.call("probit_gibbs", X, y, rng=seed_of(rng))
        mh = ask.call("probit_mh", X, y, rng=seed_of(rng))
        ask.value("T21", abs(gibbs.posterior_mean - b))
        ask.value("T22", abs(mh.posterior_mean - b))
        ask.close("T23", mh.posterior_mean, gibbs.posterior_mean)
        ask.value("T24", mh.acceptance_rate)


def calibration(rng, sampler, thin, chi_squared, centre, options):
    beta0, Sigma0 = np.array([0.3, -0.5, 0.2, 0.0]), 0.5 * np.eye(4) + 0.2
    L = np.linalg.cholesky(Sigma0)
    X = correlated_columns(rng, 12)
    ranks = []
    for _ in range(300):
        beta = beta0 + L @ rng.normal(size=4)
        y = outcomes(rng, X, beta)
        fit = ask.call(sampler, X, y, burn_in=100, beta0=beta0, Sigma0=Sigma0, rng=seed_of(rng), **options)
        ranks.append(ask.total(fit.beta_draws[thin - 1 :: thin] < beta, axis=0))
    table = ask.transposed(ranks)  # four coefficients, 300 ranks from 0 to 99
    low = np.arange(0, 100, 10)[:, None, None]
    counts = ask.total((table >= low) * (table < low + 10), axis=2)  # ten bins, four coefficients
    ask.value(chi_squared, ask.total((counts - 30) ** 2 / 30, axis=0))
    ask.close(centre, (ask.mean(ranks, axis=0) + 0.5) / 100, np.full(4, 0.5))


@ask.scenario("S9")
def probit_gibbs_calibration_of_beta_draws(rng):
    calibration(rng, "probit_gibbs", 10, "T25", "T72", {"n_iter": 1090})


@ask.scenario("S9")
def probit_mh_calibration_of_beta_draws(rng):
    init = np.array([0.3, -0.5, 0.2, 0.0])
    calibration(rng, "probit_mh", 40, "T26", "T73", {"n_iter": 4060, "init": init})


@ask.scenario("S10")
def prior_without_data_beta_draws_and_acceptance_rate(rng):
    beta0, Sigma0 = np.array([1.0, -2.0]), np.array([[2.0, 0.5], [0.5, 1.0]])
    back = np.linalg.inv(np.linalg.cholesky(Sigma0)).T
    for criterion, sampler, n_iter, burn_in in (("T27", "probit_gibbs", 20500, 500), ("T28", "probit_mh", 102000, 2000)):
        fit = ask.call(sampler, np.empty((0, 2)), np.empty(0), n_iter=n_iter, burn_in=burn_in, beta0=beta0,
                       Sigma0=Sigma0, rng=seed_of(rng))
        z = (fit.beta_draws - beta0) @ back
        ask.close(criterion, ask.mean(z, axis=0), np.zeros(2))
        ask.close(criterion, ask.transposed(z) @ z / (n_iter - burn_in), np.eye(2))
        if sampler == "probit_mh":
            ask.value("T38", fit.acceptance_rate)


@ask.scenario("S18")
def probit_gibbs_linear_predictor_far_from_zero_both_signs(rng):
    x = np.tile([1.0, -1.0], 10)
    for criterion, beta0, y, c in (("T49", 12.0, x < 0, -1), ("T49", -80.0, x > 0, 1), ("T50", 6.0, x > 0, 1)):
        fit = ask.call("probit_gibbs", x[:, None], y.astype(float), n_iter=10200, burn_in=200, beta0=[beta0],
                       Sigma0=[[0.04]], rng=seed_of(rng))
        centre, sd = far_from_zero(c, beta0)
        ask.close(criterion, fit.posterior_mean, np.array([centre]))
        ask.close(criterion, ask.mean(fit.beta_draws, axis=0), np.array([centre]))
        ask.close("T51", fit.posterior_sd, np.array([sd]))
        ask.close("T51", ask.sd(fit.beta_draws, axis=0), np.array([sd]))


def four_columns(rng):
    beta0, Sigma0 = np.array([0.2, 0.0, -0.1, 0.3]), np.full((4, 4), 0.3)
    np.fill_diagonal(Sigma0, [1.0, 2.0, 1.0, 2.0])
    X = correlated_columns(rng, 80)
    y = outcomes(rng, X, [0.3, 0.6, -0.4, 0.5])
    gibbs = ask.call("probit_gibbs", X, y, n_iter=20500, burn_in=500, beta0=beta0, Sigma0=Sigma0, rng=seed_of(rng))
    mh = ask.call("probit_mh", X, y, n_iter=42000, burn_in=2000, beta0=beta0, Sigma0=Sigma0, rng=seed_of(rng))
    return X, y, beta0, Sigma0, gibbs, mh


@ask.scenario("S19")
def four_correlated_columns_posterior_mean_sd_acceptance_rate(rng):
    X, y, beta0, Sigma0, gibbs, mh = four_columns(rng)
    centre, sd = posterior_by_importance(rng, X, y, beta0, Sigma0)
    for of_mean, of_sd, fit in (("T52", "T53", gibbs), ("T54", "T55", mh)):
        ask.close(of_mean, (fit.posterior_mean - centre) / sd, np.zeros(4))
        ask.close(of_mean, (ask.mean(fit.beta_draws, axis=0) - centre) / sd, np.zeros(4))
        ask.close(of_sd, fit.posterior_sd / sd, np.ones(4))
        ask.close(of_sd, ask.sd(fit.beta_draws, axis=0) / sd, np.ones(4))
    ask.value("T56", mh.acceptance_rate)


def joint_test(question, rng, X, beta0, Sigma0, seed):
    """Geweke (2004): beta and y in turn; beta has the prior as its distribution at every step."""
    L = np.linalg.cholesky(Sigma0)
    beta = beta0 + L @ rng.normal(size=2)
    kept = np.empty((8000, 2))
    for step in range(len(kept)):
        y = (X @ beta + rng.normal(size=len(X)) > 0).astype(float)
        fit = question("probit_mh", X, y, n_iter=30, burn_in=0, beta0=beta0, Sigma0=Sigma0, init=beta,
                       rng=ask.generator(seed, name="throughout"))
        beta = np.array(fit["beta_draws"], float)[-1]
        kept[step] = beta
    z = np.linalg.solve(L, (kept - beta0).T).T
    return {"T57": (z.mean(axis=0), np.zeros(2)), "T58": (z.T @ z / len(z), np.eye(2))}


@ask.scenario("S20")
def probit_mh_joint_distribution_test_of_beta_draws(rng):
    X = np.column_stack([np.ones(5), np.linspace(-1.4, 1.4, 5)])
    beta0, Sigma0 = np.array([0.3, -0.5]), np.array([[0.5, 0.2], [0.2, 0.8]])
    ask.dialogue(["T57", "T58"], joint_test, X, beta0, Sigma0, seed_of(rng))


def convergence(draws, kept):
    """Geweke (1992), with variances of the two means by batch means."""

    def part(start, stop, batches):
        size = (stop - start) // batches
        means = [ask.mean(draws[start + b * size : start + (b + 1) * size], axis=0) for b in range(batches)]
        return ask.mean(draws[start:stop], axis=0), ask.var(means, axis=0) / batches

    first, v1 = part(0, kept // 10, 20)
    last, v2 = part(kept // 2, kept, 50)
    return abs(first - last) / ask.sqrt(v1 + v2)


@ask.scenario("S21")
def convergence_diagnostic_of_beta_draws_drift(rng):
    X, y = document_data(rng, 500)
    gibbs = ask.call("probit_gibbs", X, y, n_iter=10500, burn_in=500, rng=seed_of(rng))
    mh = ask.call("probit_mh", X, y, n_iter=22000, burn_in=2000, rng=seed_of(rng))
    ask.value("T59", convergence(gibbs.beta_draws, 10000))
    ask.value("T60", convergence(mh.beta_draws, 20000))
    *_, gibbs, mh = four_columns(rng)
    ask.value("T59", convergence(gibbs.beta_draws, 20000))
    ask.value("T60", convergence(mh.beta_draws, 40000))
