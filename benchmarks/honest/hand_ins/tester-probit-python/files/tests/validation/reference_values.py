"""What the questions share: data of the specification and reference values computed without any package."""

import numpy as np
from oracles import gradient, hessian, loglik
from scipy.special import log_ndtr, ndtri_exp


# --- data ------------------------------------------------------------------------------------------------------------


def outcomes(rng, X, beta):
    """y = 1(x'beta + eps > 0)."""
    return (X @ np.asarray(beta, float) + rng.normal(size=len(X)) > 0).astype(float)


def document_data(rng, n):
    while True:
        X = np.column_stack([np.ones(n), rng.normal(size=n)])
        y = outcomes(rng, X, [-1.0, 0.5])
        if overlap(X[:, 1], y):
            return X, y


def five_columns(rng, n=400):
    X = np.column_stack([np.ones(n), rng.normal(size=(n, 4))])
    X[:, 4] *= 100.0
    return X, outcomes(rng, X, [0.2, 0.5, -0.8, 0.3, 0.004])


def correlated_columns(rng, n):
    common = rng.normal(size=(n, 1))
    return np.column_stack([np.ones(n), np.sqrt(0.9) * common + np.sqrt(0.1) * rng.normal(size=(n, 3))])


def overlap(x, y):
    """Whether the data (1, x), y have a maximum: the two groups of x overlap in both directions."""
    a, b = x[y == 0], x[y == 1]
    return bool(len(a) and len(b) and a.max() > b.min() and b.max() > a.min())


def separated():
    x = np.arange(-4.5, 5.0)
    return np.column_stack([np.ones(10), x]), (x > 0).astype(float)


def seed_of(rng):
    return int(rng.integers(2**31))


# --- maximum likelihood ----------------------------------------------------------------------------------------------


def maximum_likelihood(X, y):
    """Newton's method with halved steps on columns of unit length; coefficients, covariance, log-likelihood."""
    X = np.asarray(X, float)
    size = np.abs(X).max(axis=0)
    Z = X / size
    b = np.zeros(X.shape[1])
    at = loglik(b, Z, y)
    for _ in range(500):
        g, H = gradient(b, Z, y), -hessian(b, Z, y)
        d = 1.0 / np.sqrt(np.diag(H))
        step = d * np.linalg.solve(H * np.outer(d, d), d * g)
        decrement = np.sqrt(max(g @ step, 0.0))
        share = 1.0
        while decrement > 1e-6 and loglik(b + share * step, Z, y) < at:
            share /= 2
        b = b + share * step
        at = loglik(b, Z, y)
        if decrement < 1e-10:
            break
    else:
        raise ArithmeticError("the reference did not converge")
    H = -hessian(b, Z, y)
    d = 1.0 / np.sqrt(np.diag(H))
    V = np.linalg.solve(H * np.outer(d, d), np.eye(len(b))) * np.outer(d, d)
    return b / size, (V + V.T) / 2 / np.outer(size, size), at


# --- posteriors ------------------------------------------------------------------------------------------------------


def posterior_mode(X, y, beta0, Sigma0):
    P = np.linalg.solve(Sigma0, np.eye(len(beta0)))
    b = np.array(beta0, float)
    goal = lambda v: loglik(v, X, y) - 0.5 * (v - beta0) @ P @ (v - beta0)  # noqa: E731
    for _ in range(200):
        g = gradient(b, X, y) - P @ (b - beta0)
        step = np.linalg.solve(P - hessian(b, X, y), g)
        share = 1.0
        while g @ step > 1e-10 and goal(b + share * step) < goal(b):
            share /= 2
        b = b + share * step
        if g @ step < 1e-20:
            break
    return b, P - hessian(b, X, y)


def posterior_on_grid(X, y, beta0, Sigma0, points=401, reach=9.0):
    """Mean and standard deviations by summing the posterior over a grid; the grid is laid twice."""
    beta0, Sigma0 = np.atleast_1d(np.asarray(beta0, float)), np.atleast_2d(np.asarray(Sigma0, float))
    m, H = posterior_mode(X, y, beta0, Sigma0)
    centre, sd = m, np.sqrt(np.diag(np.linalg.inv(H)))
    q = 2 * y - 1
    P = np.linalg.inv(Sigma0)
    for number in (101, points):
        axes = [np.linspace(c - reach * s, c + reach * s, number) for c, s in zip(centre, sd)]
        B = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(centre))
        logp = -0.5 * np.einsum("ij,jk,ik->i", B - beta0, P, B - beta0)
        for row, sign in zip(X, q):
            logp += log_ndtr(sign * (B @ row))
        w = np.exp(logp - logp.max())
        w /= w.sum()
        centre = w @ B
        sd = np.sqrt(w @ (B - centre) ** 2)
    return centre, sd


def posterior_by_importance(rng, X, y, beta0, Sigma0, draws=100_000, df=10):
    """Self-normalized importance sampling from the multivariate t with 10 degrees of freedom at the mode."""
    m, H = posterior_mode(X, y, beta0, Sigma0)
    k = len(m)
    C = np.linalg.cholesky(H)
    Z = np.linalg.solve(C.T, rng.normal(size=(k, draws))).T
    B = m + Z / np.sqrt(rng.chisquare(df, size=draws) / df)[:, None]
    away = np.sum(((B - m) @ C) ** 2, axis=1)
    logq = -0.5 * (df + k) * np.log1p(away / df)
    P = np.linalg.inv(Sigma0)
    logp = -0.5 * np.einsum("ij,jk,ik->i", B - beta0, P, B - beta0)
    for row, sign in zip(X, 2 * y - 1):
        logp += log_ndtr(sign * (B @ row))
    w = np.exp(logp - logq - (logp - logq).max())
    w /= w.sum()
    centre = w @ B
    return centre, np.sqrt(w @ (B - centre) ** 2)


def far_from_zero(c, beta0):
    """The log-posterior 20 log Phi(c b) - (b - beta0)^2 / 0.08, summed on a fine grid."""
    b = np.linspace(-100.0, 30.0, 1_300_001)
    logp = 20 * log_ndtr(c * b) - (b - beta0) ** 2 / 0.08
    w = np.exp(logp - logp.max())
    w /= w.sum()
    centre = w @ b
    return centre, np.sqrt(w @ (b - centre) ** 2)


# --- truncated normal ------------------------------------------------------------------------------------------------


def truncated_quantile(u, mu, lo, hi):
    """The u-quantile of N(mu, 1) on (lo, hi), through the tail in log space that holds the mass."""
    if hi < np.inf and (lo == -np.inf or (lo + hi) / 2 < mu):
        return -truncated_quantile(1 - u, -mu, -hi, -lo)
    at_lo = log_ndtr(mu - lo)  # log of the mass above lo
    at_hi = log_ndtr(mu - hi)
    return mu - ndtri_exp(np.logaddexp(np.log1p(-u) + at_lo, np.log(u) + at_hi))
