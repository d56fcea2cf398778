import numpy as np
import statsclaw_ask as ask


def weights(X, at, h, degree):
    k = np.exp(-((X - at) ** 2).sum(axis=1) / (2 * h**2))
    if degree == 0:
        return k / k.sum()
    Z = np.column_stack([np.ones(len(X)), X - at])
    return np.linalg.solve(Z.T @ (k[:, None] * Z), (k[:, None] * Z).T)[0]


def by_definition(X, y, h, degree):
    """Fitted values, hat matrix, residuals by leaving out, variance, standard errors."""
    n = len(y)
    H = np.array([weights(X, at, h, degree) for at in X])
    rest = [np.delete(np.arange(n), i) for i in range(n)]
    left_out = np.array([y[i] - weights(X[j], X[i], h, degree) @ y[j] for i, j in enumerate(rest)])
    fitted = H @ y
    sigma2 = ((y - fitted) ** 2).sum() / (n - 2 * np.trace(H) + np.trace(H @ H.T))
    return fitted, H, left_out, sigma2, np.sqrt(sigma2 * (H**2).sum(axis=1))


def agreement(rng, n, h, degree):
    X = rng.normal(size=(n, 2))
    y = np.sin(X[:, 0]) + X[:, 1] + 0.3 * rng.normal(size=n)
    fit = ask.call("Smooth", X, y, h, degree)
    fitted, H, left_out, sigma2, se = by_definition(X, y, h, degree)
    ask.close("C1", fit.Fitted, fitted)
    ask.close("C2", fit.Hat, H)
    ask.close("C3", fit.LeaveOneOut, left_out)
    ask.close("C4", fit.Sigma2, sigma2)
    ask.close("C5", fit.StdErr, se)


@ask.scenario("S1")
def weights_of_nadaraya_and_watson(rng):
    agreement(rng, 20, 0.8, 0)


@ask.scenario("S2")
def local_linear_weights(rng):
    agreement(rng, 25, 1.2, 1)


@ask.scenario("S3")
def plane_is_reproduced(rng):
    X, at = rng.normal(size=(15, 2)), rng.normal(size=(4, 2))
    slope = np.array([2.0, -0.5])
    fit = ask.call("Smooth", X, 1 + X @ slope, 1.5, 1)
    ask.close("C6", ask.call(fit, "Predict", at), 1 + at @ slope)


@ask.scenario("S4")
def moving_mean_by_definition(rng):
    y = rng.normal(size=30)
    for reach in (0, 3):
        wanted = [y[max(i - reach, 0) : i + reach + 1].mean() for i in range(30)]
        ask.close("C7", ask.call("MovingMean", y, reach=reach), np.array(wanted))


@ask.scenario("S5")
def bad_input_is_refused():
    ask.raises("C8", ask.call("MovingMean", [], 1))
    ask.raises("C14", ask.call("Smooth", np.empty((0, 1)), [], 1.0, 0))
    ask.raises("C9", ask.call("Smooth", [[1.0], [2.0]], [1.0], 1.0, 0))
    ask.raises("C10", ask.call("Smooth", [[1.0], [2.0]], [1.0, 2.0], 0.0, 0))
    ask.raises("C11", ask.call("MovingMean", [1.0, 2.0], -1))


@ask.scenario("S6")
def point_far_away_is_refused():
    fit = ask.call("Smooth", [[1.0], [2.0], [4.0]], [1.0, 2.0, 3.0], 1.0, 0)
    ask.raises("C12", ask.call(fit, "Predict", [[1000.0]]))


@ask.scenario("S7")
def arguments_are_left_as_they_were(rng):
    X, y = rng.normal(size=(10, 1)), rng.normal(size=10)
    ask.untouched("C13", ask.call("Smooth", X, y, 1.0, 0))
