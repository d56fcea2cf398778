"""The formula interface, the methods, the exports and the defaults."""

import numpy as np
import statsclaw_ask as ask
from oracles import loglik
from reference import bernoulli, covariance, estimate, of_the_source
from rvalues import factor, formula, seed_from, table, with_column_names, with_na
from scipy.special import ndtr

NAMES = ["(Intercept)", "x", "gb", "gc"]
SHORT = {"n_iter": 600, "burn_in": 100}
MODEL = "y ~ x + g"


class Survey:
    """100 rows, two of them with missing values; X and y are of the complete rows."""

    def __init__(self, rng):
        x = rng.standard_normal(100)
        codes = rng.permutation(np.arange(100) % 3) + 1
        full = np.column_stack([np.ones(100), x, codes == 2, codes == 3]).astype(float)
        y = bernoulli(rng, full, np.array([-0.3, 0.7, 0.5, -0.4]))
        self.z = rng.standard_normal(100)
        kept = np.delete(np.arange(100), [4, 57])
        self.full_y, self.X, self.y = y, full[kept], y[kept]
        self.x = with_na(x, 4)
        codes[57] = 0
        self.g = factor(codes, ["a", "b", "c"])
        self.matrix = with_column_names(self.X, NAMES)

    def data(self, response=None):
        return table(y=self.full_y if response is None else response, x=self.x, g=self.g, z=self.z)

    def responses(self):
        return [self.full_y, self.full_y == 1, factor(self.full_y.astype(int) + 1, ["no", "yes"])]


def near(observed, expected, tolerance=1e-8):
    ask.less("T39", abs(observed - expected), tolerance)


@ask.scenario("S18")
def probit_by_mle_equals_the_matrix_function_for_each_kind_of_response_with_missing_rows(rng):
    survey = Survey(rng)
    of_matrix = ask.call("probit_mle", survey.matrix, survey.y)
    for response in survey.responses():
        fit = ask.call("probit", formula(MODEL), survey.data(response))
        for name in ("coefficients", "se", "vcov"):
            ask.close("T38", fit[name], of_matrix[name])
            ask.close("T38", fit.fit[name], of_matrix[name])
        ask.same("T39", [fit.method, fit.nobs, fit.fit.method, fit.fit.nobs], ["mle", 98, "mle", 98])
        ask.same("T39", ask.names(fit.coefficients), NAMES)
        ask.same("T39", ask.names(fit.se), NAMES)
        ask.untouched("T39", fit)
        ask.silent("T39", fit)
    # an anchor outside of the package, with a stricter stop passed on by the dots
    strict = ask.call("probit", formula(MODEL), survey.data(), method="mle", tol=1e-11)
    ask.close("T38", strict.coefficients, estimate(survey.X, survey.y))


@ask.scenario("S18")
def probit_by_gibbs_and_mh_equals_the_matrix_function_with_the_same_seed(rng):
    survey = Survey(rng)
    for method in ("gibbs", "mh"):
        seed = seed_from(rng)
        fit = ask.seeded(seed, ask.call("probit", formula(MODEL), survey.data(), method=method, **SHORT))
        of_matrix = ask.seeded(seed, ask.call(f"probit_{method}", survey.matrix, survey.y, **SHORT))
        ask.close("T38", fit.coefficients, of_matrix.posterior_mean)
        ask.close("T38", fit.se, of_matrix.posterior_sd)
        ask.close("T38", fit.vcov, ask.cov(of_matrix.beta_draws))
        ask.close("T38", fit.fit.beta_draws, of_matrix.beta_draws)
        ask.same("T39", [fit.method, fit.nobs, fit.fit.method], [method, 98, method])
        ask.same("T39", ask.names(fit.coefficients), NAMES)


@ask.scenario("S18")
def probit_without_data_and_without_intercept(rng):
    survey = Survey(rng)
    y, x = [0, 1, 0, 1, 0, 1], [-2, -1, 0, 1, 2, 3]
    X = np.column_stack([np.ones(6), x])
    written = f"c({', '.join(map(str, y))}) ~ c({', '.join(map(str, x))})"
    of_matrix = ask.call("probit_mle", X, np.array(y, dtype=float))
    ask.close("T38", ask.call("probit", formula(written)).coefficients, of_matrix.coefficients)
    slope = ask.call("probit", formula("y ~ z - 1"), survey.data())
    of_matrix = ask.call("probit_mle", with_column_names(survey.z[:, None], ["z"]), survey.full_y)
    ask.close("T38", slope.coefficients, of_matrix.coefficients)
    ask.same("T39", slope.nobs, 100)


def shown(values):
    """Two decimals of those numbers that begin with them whatever the number of digits printed."""
    return [f"{v:.2f}" for v in values if 0.1 < abs(v) and 0.05 < (abs(v) * 100) % 1 < 0.45]


@ask.scenario("S18")
def coef_vcov_nobs_logLik_summary_and_print_of_maximum_likelihood(rng):
    survey = Survey(rng)
    b = estimate(survey.X, survey.y)
    V = covariance(survey.X, survey.y, b)
    se = np.sqrt(np.diag(V))
    wanted = np.column_stack([b, se, b / se, 2 * ndtr(-abs(b / se))])
    fits = [
        ask.call("probit", data=survey.data(), formula=formula(MODEL)),
        ask.call("probit_mle", survey.matrix, survey.y),
    ]
    for fit in fits:
        near(ask.call(fit, "coef"), b)
        ask.same("T39", ask.names(ask.call(fit, "coef")), NAMES)
        near(ask.call(fit, "vcov"), V)
        ask.same("T39", ask.call(fit, "nobs"), 98)
        likelihood = ask.call(fit, "logLik")
        near(likelihood, loglik(survey.X, survey.y, b))
        ask.contains("T39", ask.text(likelihood), "df=4")
        ask.same("T39", ask.call(likelihood, "nobs"), 98)
        summary = ask.call(fit, "summary")
        near(summary.coefficients, wanted, 1e-7)
        ask.same("T39", [summary.method, summary.nobs], ["mle", 98])
        for text in ("Estimate", "Std. Error", "z value", "Pr(>|z|)", *NAMES):
            ask.contains("T39", ask.text(summary), text)
        for text in ("98", *NAMES, *shown(b)):
            ask.contains("T39", ask.text(fit), text)
        ask.same("T39", ask.call(fit, "print").coefficients, fit.coefficients)
    ask.contains("T39", ask.text(fits[0].formula), MODEL)
    ask.contains("T39", ask.text(fits[0].call), "formula")
    ask.contains("T39", ask.text(fits[1].vcov), "gb")


@ask.scenario("S18")
def coef_vcov_nobs_logLik_summary_and_print_of_the_samplers(rng):
    survey = Survey(rng)
    for method in ("gibbs", "mh"):
        fit = ask.seeded(seed_from(rng), ask.call(f"probit_{method}", survey.matrix, survey.y, **SHORT))
        by_formula = ask.seeded(
            seed_from(rng), ask.call("probit", formula(MODEL), survey.data(), method=method, **SHORT)
        )
        for one, draws in ((fit, fit.beta_draws), (by_formula, by_formula.fit.beta_draws)):
            near(ask.call(one, "coef"), ask.mean(draws, axis=0), 1e-10)
            near(ask.call(one, "vcov"), ask.cov(draws), 1e-10)
            ask.same("T39", ask.call(one, "nobs"), 98)
            summary = ask.call(one, "summary")
            table_ = summary.coefficients
            near(table_[:, 0], ask.mean(draws, axis=0), 1e-10)
            near(table_[:, 1], ask.sd(draws, axis=0), 1e-10)
            near(table_[:, 2], ask.quantile(draws, 0.025, axis=0), 1e-10)
            near(table_[:, 3], ask.quantile(draws, 0.975, axis=0), 1e-10)
            ask.same("T39", ask.shape(table_), [4, 4])
            ask.same("T39", [summary.method, summary.nobs], [method, 98])
            for text in ("Mean", "SD", "2.5%", "97.5%", *NAMES):
                ask.contains("T39", ask.text(summary), text)
            for text in ("98", *NAMES):
                ask.contains("T39", ask.text(one), text)
            ask.raises("T39", ask.call(one, "logLik"), message="maximum likelihood")


@ask.scenario("S18")
def probit_refuses_a_bad_formula_method_offset_or_response(rng):
    survey = Survey(rng)
    data = survey.data()

    def refused(message, text, of=data, **named):
        given = text if not isinstance(text, str) else formula(text)
        ask.raises("T39", ask.call("probit", given, of, **named), message=message)

    refused("formula", "~ x + g")
    refused("formula", 1.0)
    refused("method", MODEL, method="ols")
    refused("offset", "y ~ x + offset(z)")
    bad = [
        np.where(survey.full_y == 1, 2.0, 0.0),
        factor(np.arange(100) % 3 + 1, ["p", "q", "r"]),
        np.array(["no", "yes"] * 50),
    ]
    for response in bad:
        refused("response", MODEL, survey.data(response))
    refused("formula", "~ x + offset(z)", method="ols")
    refused("method", "y ~ x + offset(z)", method="ols")
    refused("offset", "y ~ x + offset(z)", survey.data(bad[0]))


# --- the package -----------------------------------------------------------------------------------------------------

EXPORTED = ("probit", "probit_gibbs", "probit_mh", "probit_mle", "rtruncnorm", "safe_Phi", "safe_log_Phi")


@ask.scenario("S20")
def each_of_the_seven_exported_functions_can_be_called(rng):
    exported = ask.exports()
    ask.same("T42", ask.length(exported), len(EXPORTED))
    for name in EXPORTED:
        ask.contains("T42", exported, name)
    X, y = of_the_source(rng, 100)
    z = np.array([-1.0, 0.0, 2.0])
    calls = [
        ask.call("safe_log_Phi", z),
        ask.call("safe_Phi", z),
        ask.seeded(seed_from(rng), ask.call("rtruncnorm", z, 0.0, 1.0)),
        ask.call("probit_mle", X, y),
        ask.seeded(seed_from(rng), ask.call("probit_gibbs", X, y, **SHORT)),
        ask.seeded(seed_from(rng), ask.call("probit_mh", X, y, **SHORT)),
        ask.call("probit", formula("y ~ x"), table(y=y, x=X[:, 1])),
    ]
    for one in calls:
        ask.returns("T42", one)


#: Numbers may be written with an L behind them, and 1e-8 is shown as 1e-08.
DEFAULTS = {
    "probit_mle": {"X": None, "y": None, "max_iter": "100", "tol": "1e-"},
    "probit_gibbs": {"X": None, "y": None, "n_iter": "3500", "burn_in": "500", "beta0": "NULL", "Sigma0": "NULL"},
    "probit_mh": {
        "X": None, "y": None, "n_iter": "10000", "burn_in": "2000", "scale": "2.4", "beta0": "NULL", "Sigma0": "NULL",
        "init": "NULL",
    },
    "probit": {"formula": None, "data": "NULL", "method": "mle", "...": None},
}  # fmt: skip


@ask.scenario("S20")
def default_of_scale_and_the_other_defaults_are_those_of_the_source():
    for function, arguments in DEFAULTS.items():
        signature = ask.signature(function)
        ask.same("T43", ask.length(signature), len(arguments))
        for place, (name, default) in enumerate(arguments.items()):
            ask.same("T43", signature[place]["name"], name)
            if default is not None:
                ask.contains("T43", signature[place]["default"], default)
    ask.same("T43", ask.signature("probit_mh")[4]["default"], "2.4")


@ask.scenario("S20")
def default_scale_n_iter_burn_in_and_prior_act_as_when_given(rng):
    X, y = of_the_source(rng, 100)
    seed = seed_from(rng)
    prior = {"beta0": np.zeros(2), "Sigma0": 100.0 * np.eye(2)}
    left_out = ask.seeded(seed, ask.call("probit_mh", X, y))
    given = ask.seeded(seed, ask.call("probit_mh", X, y, n_iter=10000, burn_in=2000, scale=2.4, **prior))
    ask.less("T43", abs(left_out.acceptance_rate - given.acceptance_rate), 1e-9)
    ask.less("T43", abs(left_out.posterior_mean - given.posterior_mean), 1e-9)
    ask.same("T43", ask.shape(left_out.beta_draws), [8000, 2])
    by_gibbs = ask.seeded(seed, ask.call("probit_gibbs", X, y))
    given = ask.seeded(seed, ask.call("probit_gibbs", X, y, n_iter=3500, burn_in=500, **prior))
    ask.less("T43", abs(by_gibbs.posterior_mean - given.posterior_mean), 1e-9)
    ask.same("T43", ask.shape(by_gibbs.beta_draws), [3000, 2])
