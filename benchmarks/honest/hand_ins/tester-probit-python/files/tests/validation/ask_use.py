"""Using the package: reproducible, readable, untouched arguments, time, every function called."""

import re

import numpy as np
import statsclaw_ask as ask
from reference_values import document_data, outcomes, seed_of, separated

NUMBER = re.compile(r"(?<![A-Za-z_0-9.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
SHORT = {"n_iter": 60, "burn_in": 20}


# --- reading summaries -----------------------------------------------------------------------------------------------


def numbers(line):
    return [float(found) for found in NUMBER.findall(line.replace("\N{MINUS SIGN}", "-"))]


def shown(value, found):
    """Whether one of the numbers agrees with the value to three significant digits; that one is taken away."""
    unit = 10.0 ** (np.floor(np.log10(abs(value))) - 2) if value else 1e-3
    for number in found:
        if abs(number - value) <= 0.5001 * unit:
            found.remove(number)
            return True
    return False


def readable(text, words, n, estimate, spread, interval, singles):
    """One line for each coefficient, in their order; elsewhere n, k and the single numbers; the words anywhere."""
    rows = [[float(e), float(s), float(low), float(high)] for e, s, (low, high) in zip(estimate, spread, interval)]
    lines = text.splitlines()
    at, others = 0, []
    for line in lines:
        found = numbers(line)
        if at < len(rows) and len(found) >= 4 and all(shown(value, found) for value in rows[at]):
            at += 1
        else:
            others += numbers(line)
    lower = text.lower()
    return bool(
        len(lines) > len(rows) and at == len(rows)
        and n in others and len(rows) in others
        and all(shown(float(value), others) for value in singles)
        and all(any(word in lower for word in several) for several in words)
    )  # fmt: skip


def readable_mle(text, n, coefficients, se, interval, loglik):
    words = [("maximum likelihood", "maximum-likelihood", "mle"), ("converge",), ("likelihood",)]
    return readable(text, words, n, coefficients, se, interval, [loglik])


def readable_gibbs(text, n, centre, sd, interval):
    return readable(text, [("gibbs",)], n, centre, sd, interval, [])


def readable_mh(text, n, centre, sd, interval, rate):
    """The rate may be shown as a share or in per cent."""
    words = [("metropolis",), ("accept",)]
    return any(readable(text, words, n, centre, sd, interval, [value]) for value in (rate, 100 * rate))


def convergence_differs(good, stopped):
    """Whether the summary says of one that it converged and of the other that it did not."""

    def said(text):
        lines = [line.lower() for line in text.splitlines() if "converge" in line.lower()]
        return [re.sub(r"[^a-z]+", " ", line).strip() for line in lines]

    return bool(said(good) and said(stopped) and said(good) != said(stopped))


@ask.scenario("S14")
def summary_shows_estimate_interval_loglik_converged_acceptance_rate_and_equals_str(rng):
    X, y = document_data(rng, 100)
    mle = ask.call("probit_mle", X, y)
    ask.observe("T74", readable_mle, mle.summary, 100, mle.coefficients, mle.se, mle.interval, mle.loglik)
    ask.same("T74", ask.text(mle), mle.summary)
    stopped = ask.call("probit_mle", X, y, max_iter=1)
    ask.observe("T74", convergence_differs, mle.summary, stopped.summary)
    gibbs = ask.call("probit_gibbs", X, y, **SHORT, rng=seed_of(rng))
    ask.observe("T75", readable_gibbs, gibbs.summary, 100, gibbs.posterior_mean, gibbs.posterior_sd, gibbs.interval)
    ask.same("T75", ask.text(gibbs), gibbs.summary)
    mh = ask.call("probit_mh", X, y, **SHORT, rng=seed_of(rng))
    ask.observe("T39", readable_mh, mh.summary, 100, mh.posterior_mean, mh.posterior_sd, mh.interval, mh.acceptance_rate)
    ask.same("T39", ask.text(mh), mh.summary)


@ask.scenario("S14")
def same_seed_same_draws_generator_arguments_untouched_shapes(rng):
    X, y = document_data(rng, 100)
    seed = seed_of(rng)
    ask.untouched("T39", ask.call("probit_mle", X, y))
    for sampler in ("probit_gibbs", "probit_mh"):
        prior = {"beta0": np.array([0.1, 0.2]), "Sigma0": np.array([[1.0, 0.3], [0.3, 2.0]])}
        if sampler == "probit_mh":
            prior["init"] = np.array([-0.8, 0.4])
        fit = ask.call(sampler, X, y, **SHORT, rng=seed)
        ask.repeatable("T39", fit)
        ask.returns("T39", fit)
        ask.silent("T39", fit)
        ask.same("T39", ask.shape(fit.beta_draws), [40, 2])
        ask.same("T39", fit.beta_draws, ask.call(sampler, X, y, **SHORT, rng=ask.generator(seed)).beta_draws)
        other = ask.call(sampler, X, y, **SHORT, rng=seed + 1)
        ask.less("T39", 0, ask.largest(abs(other.beta_draws - fit.beta_draws)))
        full = ask.call(sampler, X, y, n_iter=60, burn_in=0, rng=seed)
        ask.same("T39", full.beta_draws[20:], fit.beta_draws)
        two = ask.call(sampler, X, y, n_iter=60, burn_in=58, rng=seed)
        ask.same("T39", two.beta_draws, fit.beta_draws[38:])
        for A, b in ((X.tolist(), y.tolist()), (np.asfortranarray(X), y.astype(bool)), (X, y.astype(int)),
                     (readonly(X), readonly(y))):  # fmt: skip
            again = ask.call(sampler, A, b, **SHORT, **prior, rng=seed)
            plain = ask.call(sampler, X, y, **SHORT, **prior, rng=seed)
            if isinstance(A, np.ndarray) and not A.flags.c_contiguous:  # another memory order may round differently
                ask.less("T39", abs(again.beta_draws - plain.beta_draws), 1e-8)
            else:
                ask.same("T39", again.beta_draws, plain.beta_draws)
            ask.untouched("T39", again)
        whole = np.column_stack([np.ones(100, int), rng.integers(-2, 3, size=100)])
        ask.same("T39", ask.call(sampler, whole, y, **SHORT, **prior, rng=seed).beta_draws,
                 ask.call(sampler, whole.astype(float), y, **SHORT, **prior, rng=seed).beta_draws)
    draws = ask.call("rtruncnorm", X[:, 1], 0.0, 2.0, rng=seed)
    ask.repeatable("T39", draws)
    ask.untouched("T39", draws)
    ask.same("T39", draws, ask.call("rtruncnorm", X[:, 1], 0.0, 2.0, rng=ask.generator(seed)))


def readonly(array):
    found = array.copy()
    found.flags.writeable = False
    return found


@ask.scenario("S15")
def time_of_probit_gibbs_over_time_of_probit_mle(rng):
    data = [document_data(rng, n) for n in (200, 2000)]
    ask.call("probit_mle", *data[0])
    ask.call("probit_gibbs", *data[0], rng=seed_of(rng))
    for X, y in data:
        quick = ask.median([ask.seconds(ask.call("probit_mle", X, y)) for _ in range(5)])
        ask.value("T40", ask.seconds(ask.call("probit_gibbs", X, y, rng=seed_of(rng))) / quick)


@ask.scenario("S16")
def every_public_function_can_be_called_without_warnings(rng):
    public = ask.exports()
    for name in ("probit_mle", "probit_gibbs", "probit_mh", "safe_log_Phi", "safe_Phi", "rtruncnorm", "ProbitMLE",
                 "ProbitGibbs", "ProbitMH"):  # fmt: skip
        ask.contains("T42", public, name)
    X, y = document_data(rng, 60)
    x = np.array([-50.0, -1.0, 0.0, 2.0])
    mle = ask.call("probit_mle", X, y)
    answers = [
        mle,
        ask.call("probit_gibbs", X, y, **SHORT, rng=seed_of(rng)),
        ask.call("probit_mh", X, y, **SHORT, rng=seed_of(rng)),
        ask.call("safe_log_Phi", x),
        ask.call("safe_Phi", x),
        ask.call("rtruncnorm", x, 0.0, 3.0, rng=seed_of(rng)),
    ]
    for answer in answers:
        ask.returns("T42", answer)
        ask.silent("T42", answer)
        ask.repeatable("T42", answer)
    ask.finite("T42", [mle.coefficients, mle.se, mle.vcov, mle.interval, mle.loglik])
    ask.same("T42", mle.converged, True)


@ask.scenario("S16")
def safe_log_Phi_safe_Phi_rtruncnorm_missing_infinite_empty_without_warnings(rng):
    odd = np.array([-np.inf, np.inf, np.nan, -1e8, 40.0])
    for name in ("safe_log_Phi", "safe_Phi"):
        ask.silent("T42", ask.call(name, odd))
        empty = ask.call(name, np.empty(0))
        ask.same("T42", ask.shape(empty), [0])
        ask.silent("T42", empty)
    none = ask.call("rtruncnorm", np.empty(0), 0.0, 1.0, rng=seed_of(rng))
    ask.same("T42", ask.shape(none), [0])
    ask.silent("T42", none)
    ask.silent("T42", ask.call("rtruncnorm", np.array([-1000.0, 40.0]), [0.0, -np.inf], [np.inf, 0.0], rng=seed_of(rng)))


@ask.scenario("S16")
def samplers_degenerate_data_finite_draws_init_given_without_warnings(rng):
    """No warning with init, none with the default scale for twenty coefficients: only `holds` can say that."""
    X, y = document_data(rng, 40)
    cases = [separated(), (np.empty((0, 2)), np.empty(0)), (np.column_stack([X, 2 * X[:, 1]]), y),
             (np.ones((1, 1)), np.ones(1)), (np.ones((1, 1)), np.zeros(1))]  # fmt: skip
    for A, b in cases:
        k = A.shape[1]
        gibbs = ask.call("probit_gibbs", A, b, n_iter=300, burn_in=100, Sigma0=np.eye(k), rng=seed_of(rng))
        mh = ask.call("probit_mh", A, b, n_iter=300, burn_in=100, Sigma0=np.eye(k), init=np.zeros(k), rng=seed_of(rng))
        for fit in (gibbs, mh):
            ask.silent("T42", fit)
            ask.finite("T42", fit.beta_draws)
            ask.same("T42", ask.shape(fit.beta_draws), [200, k])
        ask.less("T42", 0.0, mh.acceptance_rate)
        ask.less("T42", mh.acceptance_rate, 1.0)
    Z = np.column_stack([np.ones(400), rng.normal(size=(400, 19))])
    z = outcomes(rng, Z, np.r_[0.0, 0.5, np.zeros(18)])
    ask.silent("T42", ask.call("probit_mh", Z, z, n_iter=1500, burn_in=500, rng=seed_of(rng)))
