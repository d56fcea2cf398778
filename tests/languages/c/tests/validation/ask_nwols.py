import numpy as np
import statsclaw_ask as ask

X6 = [[1.0, 0.2], [1.0, 0.9], [1.0, 0.4], [1.0, 1.1], [1.0, 0.3], [1.0, 0.7]]
Y6 = [1.0, 3.0, 0.5, 4.0, 2.0, 2.5]


def drawn(rng, n=30):
    X = np.column_stack([np.ones(n), rng.normal(size=(n, 2))])
    return X @ [1.0, 2.0, -0.5] + np.convolve(rng.normal(size=n + 2), [1, 0.5, 0.25], "valid"), X


def influence(y, X):
    coef = np.linalg.lstsq(X, y, rcond=None)[0]
    return (y - X @ coef)[:, None] * np.linalg.solve(X.T @ X, X.T).T


def newey_west(y, X, lags):
    h = influence(y, X)
    window = np.array([[max(0.0, 1 - abs(i - j) / (lags + 1)) for j in range(len(y))] for i in range(len(y))])
    return np.sqrt(np.diag(h.T @ window @ h))


@ask.scenario("S1")
def fit_of_drawn_observations(rng):
    y, X = drawn(rng)
    fit = ask.call("nwols_estimate", y, X)
    coef = np.linalg.lstsq(X, y, rcond=None)[0]
    ask.close("C1", fit.coef, coef)
    ask.close("C2", fit.variance, np.sum((y - X @ coef) ** 2) / 27)
    ask.close("C3", fit.influence, influence(y, X))


@ask.scenario("S2")
def window_of_four_lags(rng):
    y, X = drawn(rng)
    ask.close("C4", ask.call("nwols_estimate", y, X, lags=4).se, newey_west(y, X, 4))


@ask.scenario("S3")
def window_without_lags(rng):
    y, X = drawn(rng)
    ask.close("C5", ask.call("nwols_estimate", y, X, 0).se, newey_west(y, X, 0))


@ask.scenario("S4")
def fitted_values_at_new_rows(rng):
    y, X = drawn(rng)
    new = np.column_stack([np.ones(4), rng.normal(size=(4, 2))])
    expected = new @ np.linalg.lstsq(X, y, rcond=None)[0]
    ask.close("C6", ask.call(ask.call("nwols_estimate", y, X), "predict", new), expected)


@ask.scenario("S5")
def line_of_theil_and_sen(rng):
    x, y = rng.integers(0, 9, size=15).astype(float), rng.normal(size=15)
    pairs = [(i, j) for i in range(15) for j in range(i + 1, 15) if x[i] != x[j]]
    slope = np.median([(y[j] - y[i]) / (x[j] - x[i]) for i, j in pairs])
    line = ask.call("nwols_theil_sen", x, y)
    ask.close("C7", [line.slope, line.intercept], [slope, np.median(y - slope * x)])
    ask.same("C8", line.pairs, len(pairs))


@ask.scenario("S6")
def moments_and_weights(rng):
    x = rng.normal(size=20)
    found = ask.call("nwols_moments", x, 3)
    c = x - x.mean()
    expected = [np.sum(c[lag:] * c[: 20 - lag]) / 20 for lag in range(4)]
    ask.close("C9", [found.mean, found.autocovariances], [x.mean(), expected])
    ask.close("C10", ask.call("nwols_weight", 1, 3), 0.75)


@ask.scenario("S7")
def wrong_fits_are_refused():
    ask.raises("C11", ask.call("nwols_estimate", Y6, [[1.0, 2.0]] * 6))
    ask.raises("C12", ask.call("nwols_estimate", Y6, X6, 6))
    ask.raises("C13", ask.call("nwols_estimate", [*Y6[:5], float("nan")], X6))
    ask.raises("C14", ask.call("nwols_estimate", Y6[:5], X6))
    ask.raises("C15", ask.call("nwols_estimate", Y6[:2], X6[:2]))
    ask.raises("C16", ask.call(ask.call("nwols_estimate", Y6, X6), "predict", [[1.0]]))


@ask.scenario("S8")
def wrong_points_are_refused():
    ask.raises("C17", ask.call("nwols_theil_sen", [1.0, 2.0], [1.0]))
    ask.raises("C18", ask.call("nwols_theil_sen", [1.0], [1.0]))
    ask.raises("C19", ask.call("nwols_theil_sen", [1.0, float("inf")], [1.0, 2.0]))
    ask.raises("C20", ask.call("nwols_theil_sen", [1.0, 1.0], [1.0, 2.0]))
    ask.raises("C21", ask.call("nwols_moments", [1.0], 0))
    ask.raises("C22", ask.call("nwols_moments", [1.0, 2.0], 2))


@ask.scenario("S9")
def arguments_are_left_as_they_were():
    ask.untouched("C23", ask.call("nwols_estimate", Y6, X6, 1))
