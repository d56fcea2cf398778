import numpy as np
import statsclaw_ask as ask
from scipy.optimize import root

X6 = [[1.0, 0.2], [1.0, 0.9], [1.0, 0.4], [1.0, 1.1], [1.0, 0.3], [1.0, 0.7]]
Y6 = [1.0, 3.0, 0.0, 4.0, 2.0, 2.0]


def drawn(rng, n=40):
    X = np.column_stack([np.ones(n), rng.normal(size=n), rng.uniform(-1, 1, size=n)])
    return rng.poisson(np.exp(X @ [0.6, 0.4, -0.3])).astype(float), X


def solved(y, X):
    """Newton's method from scipy, on the estimating equation."""
    found = root(
        lambda b: X.T @ (y - np.exp(X @ b)),
        np.zeros(X.shape[1]),
        jac=lambda b: -X.T @ (np.exp(X @ b)[:, None] * X),
        tol=1e-14,
    )
    return found.x, np.exp(X @ found.x)


def window(y, X, lags):
    _, mu = solved(y, X)
    s = X * (y - mu)[:, None]
    middle = sum(
        max(0.0, 1 - abs(i - j) / (lags + 1)) * np.outer(s[i], s[j]) for i in range(len(y)) for j in range(len(y))
    )
    inverse = np.linalg.inv(X.T @ (mu[:, None] * X))
    return inverse @ middle @ inverse


@ask.scenario("S1")
def fit_of_drawn_counts(rng):
    y, X = drawn(rng)
    fit = ask.call("fit", y, X)
    coef, mu = solved(y, X)
    phi = np.sum((y - mu) ** 2 / mu) / (40 - 3)
    ask.close("C1", fit.coef, coef)
    ask.close("C2", fit.scores, X * (y - mu)[:, None])
    ask.close("C3", fit.dispersion, phi)
    ask.close("C4", fit.se, np.sqrt(phi * np.diag(np.linalg.inv(X.T @ (mu[:, None] * X)))))
    ask.between("C16", 1, fit.iterations, 99)
    ask.returns("C16", fit)


@ask.scenario("S2")
def window_of_three_lags(rng):
    y, X = drawn(rng)
    fit = ask.call("fit", y, X, lags=3)
    expected = window(y, X, 3)
    ask.close("C5", fit.covariance, expected)
    ask.close("C6", fit.robust_se, np.sqrt(np.diag(expected)))


@ask.scenario("S3")
def window_without_lags(rng):
    y, X = drawn(rng)
    ask.close("C7", ask.call("fit", y, X, tolerance=1e-12).covariance, window(y, X, 0))


@ask.scenario("S4")
def prediction_of_new_rows(rng):
    y, X = drawn(rng)
    new, offset = np.column_stack([np.ones(5), rng.normal(size=(5, 2))]), rng.normal(size=5)
    fit = ask.call("fit", y, X)
    expected = np.exp(new @ solved(y, X)[0])
    ask.close("C8", ask.call(fit, "predict", new), expected)
    ask.close("C8", ask.call(fit, "predict", new, offset), expected * np.exp(offset))


@ask.scenario("S5")
def moving_sums_of_two_series(rng):
    x = rng.normal(size=(2, 12))
    expected = [[row[max(0, t - 2) : t + 1].sum() for t in range(12)] for row in x]
    ask.close("C9", ask.call("window_sums", x, 3), expected)


@ask.scenario("S6")
def counts_and_lags_are_refused():
    ask.raises("C10", ask.call("fit", [1.0, -1.0, 0.0, 4.0, 2.0, 2.0], X6))
    ask.raises("C11", ask.call("fit", Y6, X6, 6))


@ask.scenario("S7")
def shapes_are_refused():
    ask.raises("C12", ask.call("fit", Y6, [[1.0, 2.0]] * 6))
    ask.raises("C13", ask.call("fit", Y6[:2], X6[:2]))
    ask.raises("C14", ask.call(ask.call("fit", Y6, X6), "predict", [[1.0]]))


@ask.scenario("S8")
def arguments_are_left_as_they_were():
    ask.untouched("C15", ask.call("fit", Y6, X6, 1))


@ask.scenario("S9")
def settings_are_refused():
    ask.raises("C17", ask.call("fit", Y6[:5], X6))
    ask.raises("C18", ask.call("window_sums", [[1.0, 2.0]], 0))
    ask.raises("C19", ask.call("fit", Y6, X6, 0, 0.0))
