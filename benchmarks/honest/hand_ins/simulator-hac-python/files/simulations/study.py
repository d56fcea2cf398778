"""Coverage of the interval for a slope with autocorrelated errors: heteroskedasticity and autocorrelation robust
standard errors of the package (`hac`) beside the usual formula, computed here (`usual`)."""

from itertools import accumulate
from math import sqrt

import numpy as np
import statsclaw_ask as ask

N = 200
INTERCEPT, SLOPE = 1.0, 2.0
NORMAL_975 = 1.959963984540054  # the quantile of both methods, by the specification
AT = 1  # place of the slope among the columns (1, z_t)


def stationary_ar1(rng, rho, n=N):
    """n values x_t = rho x_{t-1} + e_t with e_t ~ N(0, 1) and x_1 ~ N(0, 1 / (1 - rho^2))."""
    shocks = rng.standard_normal(n)
    shocks[0] /= sqrt(1.0 - rho * rho)
    return np.array(list(accumulate(shocks.tolist(), lambda before, shock: rho * before + shock)))


def usual_fit(y, X):
    """Estimate and standard error of the last coefficient by the textbook formula s^2 (X'X)^{-1}, s^2 = RSS / (n - k).

    With X = QR the last row of R^{-1} has one entry, 1 / R_kk, so that the last diagonal element of (X'X)^{-1} is
    1 / R_kk^2.
    """
    n, k = X.shape
    Q, R = np.linalg.qr(X)
    coef = np.linalg.solve(R, Q.T @ y)
    residuals = y - X @ coef
    s = sqrt(float(residuals @ residuals) / (n - k))
    return float(coef[-1]), s / abs(float(R[-1, -1]))


@ask.draw
def draw(rng, cell):
    rho = float(cell["rho"])
    z = stationary_ar1(rng, rho)
    u = stationary_ar1(rng, rho)
    return {"y": INTERCEPT + SLOPE * z + u, "X": np.column_stack([np.ones(N), z])}


@ask.method("hac")
def hac(data, cell):
    fit = ask.call("ols_hac", data["y"], data["X"])  # all defaults
    return {
        "slope": {
            "estimate": fit.coef[AT],
            "se": fit.se[AT],
            "low": fit.conf_int[AT, 0],
            "high": fit.conf_int[AT, 1],
        }
    }


@ask.method("usual")
def usual(data, cell):
    estimate, se = usual_fit(data["y"], data["X"])
    half = NORMAL_975 * se
    return {"slope": {"estimate": estimate, "se": se, "low": estimate - half, "high": estimate + half}}
