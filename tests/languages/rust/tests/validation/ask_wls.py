import numpy as np
import statsclaw_ask as ask


def drawn(rng, n):
    x = np.column_stack([np.ones(n), rng.normal(size=(n, 2))])
    w = rng.uniform(0.5, 2.0, size=n)
    return x @ [1.0, -2.0, 0.5] + rng.normal(size=n), x, w


def by_definition(y, x, w):
    """Coefficients, residuals, scores, and the covariance matrices by kind."""
    n, p = x.shape
    root = np.sqrt(w)
    b = np.linalg.lstsq(root[:, None] * x, root * y, rcond=None)[0]
    e = y - x @ b
    g = (w * e)[:, None] * x
    a = np.linalg.inv(x.T @ np.diag(w) @ x)
    s2 = float(w @ e**2) / (n - p)
    hc0 = a @ g.T @ g @ a
    return b, e, g, s2, {"classical": s2 * a, "HC0": hc0, "HC1": n / (n - p) * hc0}


@ask.scenario("S1")
def fit_of_drawn_data(rng):
    y, x, w = drawn(rng, 40)
    z = rng.normal(size=(4, 3))
    b, e, g, _, _ = by_definition(y, x, w)
    fit = ask.call("fit", y, x, w)
    ask.close("C1", fit.coef, b)
    ask.close("C2", fit.residuals, e)
    ask.close("C3", fit.scores, g)
    ask.close("C4", ask.call(fit, "predict", z), z @ b)
    ask.close("C5", fit.df, 37)
    ask.untouched("C16", fit)
    plain = ask.call("fit", y, x)
    ask.close("C1", plain.coef, by_definition(y, x, np.ones(40))[0])


@ask.scenario("S2")
def standard_errors_of_every_kind(rng):
    y, x, w = drawn(rng, 25)
    _, _, _, s2, covs = by_definition(y, x, w)
    classical = ask.call("fit", y, x, w, kind="classical")
    ask.close("C6", classical.sigma, s2**0.5)
    ask.close("C7", classical.se, np.sqrt(np.diag(covs["classical"])))
    robust = ask.call("fit", y, x, w)
    ask.close("C8", [robust.cov, robust.se], [covs["HC1"], np.sqrt(np.diag(covs["HC1"]))])
    ask.close("C8", ask.call("fit", y, x, w, "HC0").cov, covs["HC0"])


@ask.scenario("S3")
def moving_means_of_a_drawn_series(rng):
    x = rng.normal(size=30)
    for k in (1, 4, 30):
        ask.close("C9", ask.call("moving_mean", x, k), np.convolve(x, np.ones(k) / k, mode="valid"))


def few():
    return [1.0, 2.0, 4.0], np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])


@ask.scenario("S4")
def too_few_rows_are_refused():
    y, x = few()
    ask.raises("C10", ask.call("fit", y[:2], x[:2]))


@ask.scenario("S5")
def lengths_that_differ_are_refused():
    y, x = few()
    ask.raises("C11", ask.call("fit", y, x, [1.0, 1.0]))
    ask.raises("C17", ask.call(ask.call("fit", y, x), "predict", np.ones((2, 3))))


@ask.scenario("S6")
def weights_that_are_not_positive_are_refused():
    y, x = few()
    ask.raises("C12", ask.call("fit", y, x, [1.0, -1.0, 1.0]))


@ask.scenario("S7")
def dependent_columns_are_refused():
    y, x = few()
    ask.raises("C13", ask.call("fit", y, x[:, [1, 1]]))


@ask.scenario("S8")
def unknown_kind_is_refused():
    y, x = few()
    ask.raises("C14", ask.call("fit", y, x, kind="HC9"))


@ask.scenario("S9")
def window_that_does_not_fit_is_refused():
    ask.raises("C15", ask.call("moving_mean", [1.0, 2.0, 3.0], 0))
    ask.raises("C15", ask.call("moving_mean", [1.0, 2.0, 3.0], 4))
