"""Reference values by a second way: Fisher scoring (as glm does), the observed information, quadrature."""

import itertools

import numpy as np
from oracles import hessian, logposterior, score
from scipy.integrate import quad
from scipy.special import log_ndtr, ndtr

B_ORDINARY = np.array([-0.5, 0.8, -0.4])
B_SOURCE = np.array([-1.0, 0.5])


def with_intercept(*columns):
    return np.column_stack([np.ones(len(columns[0])), *columns])


SEPARATED = {
    "completely": ([1, 2, 3, 4, 5, 6], [0, 0, 0, 1, 1, 1]),
    "quasi": ([1, 2, 3, 3, 4, 5], [0, 0, 0, 1, 1, 1]),
    "one cell of a dummy": ([0, 0, 0, 0, 1, 1], [0, 1, 1, 0, 1, 1]),
    "constant y": ([1, 2, 3, 4, 5, 6], [1, 1, 1, 1, 1, 1]),
}


def separated(name):
    x, y = SEPARATED[name]
    return with_intercept(np.array(x, dtype=float)), np.array(y, dtype=float)


def bernoulli(rng, X, b):
    return (rng.random(len(X)) < ndtr(X @ b)).astype(float)


def ordinary(rng, n=200):
    """The design of S1."""
    X = with_intercept(*rng.standard_normal((2, n)))
    return X, bernoulli(rng, X, B_ORDINARY)


def of_the_source(rng, n=500):
    """The design of S10."""
    X = with_intercept(rng.standard_normal(n))
    return X, bernoulli(rng, X, B_SOURCE)


def estimate(X, y):
    """Maximum likelihood by iteratively reweighted least squares, the last steps by Newton's."""
    b = np.zeros(X.shape[1])
    for _ in range(200):
        eta = X @ b
        logphi = -0.5 * eta**2 - 0.5 * np.log(2 * np.pi)
        weight = np.exp(2 * logphi - log_ndtr(eta) - log_ndtr(-eta))  # expected information of one row
        step = np.linalg.solve(X.T @ (weight[:, None] * X), score(X, y, b))
        b = b + step
        if np.abs(step).max() < 1e-12:
            break
    for _ in range(2):
        b = b + np.linalg.solve(-hessian(X, y, b), score(X, y, b))
    assert np.abs(score(X, y, b)).max() < 1e-9
    return b


def covariance(X, y, b):
    return np.linalg.inv(-hessian(X, y, b))


def one_coefficient(ones, zeros, mean, variance):
    """Posterior mean and sd of an intercept alone, by quadrature."""

    def moment(power):
        def weight(b):
            return b**power * np.exp(ones * log_ndtr(b) + zeros * log_ndtr(-b) - (b - mean) ** 2 / (2 * variance) + 6)

        return quad(weight, -4, 5, epsabs=0, epsrel=1e-11, limit=200, points=[0.6])[0]

    whole = moment(0)
    first = moment(1) / whole
    return first, np.sqrt(moment(2) / whole - first**2)


def posterior_moments(X, y, beta0, Sigma0, order=24):
    """Posterior means and sds by Gauss-Hermite quadrature on a product grid about the mode."""
    k = X.shape[1]
    P = np.linalg.inv(Sigma0)
    b = np.zeros(k)
    for _ in range(100):
        step = np.linalg.solve(P - hessian(X, y, b), score(X, y, b) - P @ (b - beta0))
        b = b + step
        if np.abs(step).max() < 1e-12:
            break
    L = np.linalg.cholesky(np.linalg.inv(P - hessian(X, y, b)))
    nodes, weights = np.polynomial.hermite_e.hermegauss(order)
    z = np.array(list(itertools.product(nodes, repeat=k)))
    w = np.prod(np.array(list(itertools.product(weights, repeat=k))), axis=1)
    points = b + z @ L.T
    q = 2 * y - 1
    r = points - beta0
    logs = log_ndtr(points @ (X * q[:, None]).T).sum(axis=1) - 0.5 * np.einsum("ij,jk,ik->i", r, P, r)
    w = w * np.exp(logs - logposterior(X, y, b, beta0, Sigma0) + 0.5 * (z**2).sum(axis=1))
    w = w / w.sum()
    mean = w @ points
    return mean, np.sqrt(w @ (points - mean) ** 2)
