import numpy as np
import statsclaw_ask as ask
from scipy.optimize import root
from scipy.special import expit

X8 = [[1.0, 0.2], [1.0, 0.9], [1.0, 0.4], [1.0, 1.1], [1.0, 0.3], [1.0, 0.7], [1.0, 0.1], [1.0, 0.8]]
Y8 = [0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0]


def drawn(rng, n=80):
    X = np.column_stack([np.ones(n), rng.normal(size=(n, 2))])
    return (rng.uniform(size=n) < expit(X @ [0.3, 0.8, -0.5])).astype(float), X


def solved(y, X):
    return root(lambda b: X.T @ (y - expit(X @ b)), np.zeros(3), tol=1e-13).x


@ask.scenario("S1")
def fit_of_drawn_responses(rng):
    y, X = drawn(rng)
    fit = ask.call("logit_fit", y, X)
    b = solved(y, X)
    p = expit(X @ b)
    G = (y - p)[:, None] * X
    A = np.linalg.inv(X.T @ ((p * (1 - p))[:, None] * X))
    V = 80 / 77 * A @ G.T @ G @ A
    ask.close("C1", fit.coef, b)
    ask.close("C2", ask.total(fit.scores, axis=0), np.zeros(3))
    ask.close("C3", fit.scores, G)
    ask.close("C4", fit.covariance, V)
    ask.close("C5", fit.se, np.sqrt(np.diag(V)))


@ask.scenario("S2")
def probabilities_of_new_rows(rng):
    y, X = drawn(rng)
    new = np.column_stack([np.ones(5), rng.normal(size=(5, 2))])
    ask.close("C7", ask.call(ask.call("logit_fit", y, X), "predict", new), expit(new @ solved(y, X)))


@ask.scenario("S3")
def trailing_sums(rng):
    z = rng.normal(size=20)
    for width in (1, 4, 20):
        ask.close("C6", ask.call("trailing_sums", z, width), [z[t - width : t].sum() for t in range(width, 21)])


@ask.scenario("S4")
def what_is_wrong_is_refused():
    X = np.array(X8)
    ask.raises("C8", ask.call("logit_fit", [*Y8[:7], 2.0], X))
    ask.raises("C9", ask.call("logit_fit", Y8[:2], X[:2]))
    ask.raises("C10", ask.call("logit_fit", Y8, X, max_iter=1))
    ask.raises("C11", ask.call("trailing_sums", Y8, 9))


@ask.scenario("S5")
def arguments_are_left_as_they_were():
    ask.untouched("C12", ask.call("logit_fit", Y8, np.array(X8)))
