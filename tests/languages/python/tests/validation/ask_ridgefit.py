import numpy as np
import statsclaw_ask as ask

X6 = [[1.0, 0.2], [1.0, 0.9], [1.0, 0.4], [1.0, 1.1], [1.0, 0.3], [1.0, 0.7]]
Y6 = [1.0, 3.0, 0.5, 4.0, 2.0, 2.5]


def drawn(rng, n=30):
    X = np.column_stack([np.ones(n), rng.normal(size=(n, 2))])
    return X @ [1.0, 2.0, -0.5] + rng.normal(size=n) * (1 + X[:, 1] ** 2), X


def by_definition(y, X, penalty):
    A = np.linalg.inv(X.T @ X + penalty * np.eye(3))
    b = A @ X.T @ y
    e = y - X @ b
    d = np.trace(X @ A @ X.T)
    G = e[:, None] * X
    return b, d, e @ e / (30 - d), G, np.sqrt(np.diag(A @ G.T @ G @ A))


@ask.scenario("S1")
def fit_with_a_penalty(rng):
    y, X = drawn(rng)
    fit = ask.call("fit", y, X, penalty=1.5)
    b, d, variance, G, se = by_definition(y, X, 1.5)
    ask.close("C1", fit.coef, b)
    ask.close("C2", fit.df, d)
    ask.close("C3", fit.scores, G)
    ask.close("C4", fit.variance, variance)
    ask.close("C5", fit.se, se)


@ask.scenario("S2")
def fit_without_a_penalty(rng):
    y, X = drawn(rng)
    fit = ask.call("fit", y, X)
    b, _, variance, _, _ = by_definition(y, X, 0.0)
    ask.close("C1", fit.coef, b)
    ask.close("C4", fit.variance, variance)


@ask.scenario("S3")
def fitted_values_at_new_rows(rng):
    y, X = drawn(rng)
    new = np.column_stack([np.ones(4), rng.normal(size=(4, 2))])
    ask.close("C6", ask.call(ask.call("fit", y, X, 0.5), "predict", new), new @ by_definition(y, X, 0.5)[0])


@ask.scenario("S4")
def trailing_means(rng):
    x = rng.normal(size=20)
    for width in (1, 4, 20):
        expected = [x[t - width : t].mean() for t in range(width, 21)]
        ask.close("C7", ask.call("trailing_mean", x, width), expected)


@ask.scenario("S5")
def what_is_wrong_is_refused():
    ask.raises("C8", ask.call("fit", Y6[:5], X6))
    ask.raises("C9", ask.call("fit", Y6, [[1.0, 2.0]] * 6))
    ask.raises("C10", ask.call("fit", Y6, X6, -1.0))
    ask.raises("C11", ask.call("trailing_mean", Y6, 7))


@ask.scenario("S6")
def arguments_are_left_as_they_were():
    ask.untouched("C12", ask.call("fit", Y6, X6, 1.0))
