import numpy as np
import statsclaw_ask as ask
from scipy.optimize import minimize

#: Counts that grow, with rows for them.
Y = [2, 3, 6, 7, 8, 9, 10, 12]
X = [[1.0, k / 8] for k in range(1, 9)]


def by_definition(y, x):
    """Newton steps on the likelihood from where a general optimiser ends."""

    def loss(b):
        return float(np.exp(x @ b).sum() - y @ (x @ b))

    b = minimize(loss, np.zeros(x.shape[1]), method="BFGS").x
    for _ in range(20):
        mu = np.exp(x @ b)
        b = b + np.linalg.solve(x.T @ (x * mu[:, None]), x.T @ (y - mu))
    mu = np.exp(x @ b)
    v = np.linalg.inv(x.T @ (x * mu[:, None]))
    psi = (x * (y - mu)[:, None]) @ v
    n, p = x.shape
    se = np.sqrt(n / (n - p) * (psi**2).sum(axis=0))
    logs = np.where(y > 0, y * np.log(np.where(y > 0, y, 1.0) / mu), 0.0)
    return b, v, psi, se, 2 * float(np.sum(logs - (y - mu)))


def drawn(rng):
    x = np.column_stack([np.ones(60), rng.normal(size=(60, 2))])
    return rng.poisson(np.exp(x @ [0.8, 0.3, -0.4])).astype(float), x


@ask.scenario("S1")
def regression_of_drawn_counts(rng):
    y, x = drawn(rng)
    b, v, psi, se, deviance = by_definition(y, x)
    fit = ask.call("fitPoisson", y, x)
    ask.close("C1", fit.coef, b)
    ask.close("C2", fit.cov, v)
    ask.close("C3", fit.influence, psi)
    ask.close("C4", fit.se, se)
    ask.close("C5", fit.deviance, deviance)
    ask.value("C13", fit.iterations)
    other = rng.normal(size=(4, 3))
    ask.close("C6", ask.call(fit, "predict", other), np.exp(other @ b))


@ask.scenario("S2")
def moving_means(rng):
    y = rng.normal(size=20)
    for width in (1, 3, 7, 20):
        expected = [y[t : t + width].mean() for t in range(20 - width + 1)]
        ask.close("C7", ask.call("movingMean", y, width), expected)


@ask.scenario("S3")
def negative_or_broken_count():
    ask.raises("C8", ask.call("fitPoisson", [1, -1, 2], [[1.0], [1.0], [1.0]]))
    ask.raises("C8", ask.call("fitPoisson", [1, 0.5, 2], [[1.0], [1.0], [1.0]]))


@ask.scenario("S4")
def equal_columns():
    ask.raises("C9", ask.call("fitPoisson", Y, [[row[1], row[1]] for row in X]))


@ask.scenario("S5")
def one_iteration():
    ask.raises("C10", ask.call("fitPoisson", Y, X, maxIter=1))


@ask.scenario("S6")
def wide_window():
    ask.raises("C11", ask.call("movingMean", [1.0, 2.0], 3))


@ask.scenario("S7")
def arguments_stay():
    ask.untouched("C12", ask.call("fitPoisson", Y, X))
    ask.untouched("C12", ask.call("movingMean", X[0], width=2))


@ask.scenario("S8")
def rows_that_do_not_fit():
    ask.raises("C14", ask.call("fitPoisson", [1, 2, 3], [[1.0], [1.0]]))
    ask.raises("C15", ask.call("fitPoisson", [1, 2], [[1.0, 2.0], [1.0, 3.0]]))
