"""Ridge regression with robust standard errors, and trailing means."""

from dataclasses import dataclass

import numpy as np

__all__ = ["Fit", "SingularError", "fit", "trailing_mean"]


class SingularError(ValueError):
    """The penalised cross products have no inverse."""


@dataclass(frozen=True)
class Fit:
    """What `fit` returns."""

    coef: np.ndarray
    se: np.ndarray
    scores: np.ndarray
    variance: float
    df: float

    def predict(self, X):
        return np.asarray(X, dtype=float) @ self.coef


def fit(y, X, penalty=0.0):
    """Ridge regression of y on the columns of X."""
    y, X = np.asarray(y, dtype=float), np.asarray(X, dtype=float)
    if len(y) != len(X):
        raise ValueError("the lengths of y and X differ")
    if penalty < 0:
        raise ValueError(f"the penalty {penalty} is negative")
    cross = X.T @ X + penalty * np.eye(X.shape[1])
    if np.linalg.cond(cross) > 1e12:
        raise SingularError("the columns of X are linearly dependent")
    inverse = np.linalg.inv(cross)
    coef = inverse @ X.T @ y
    residuals = y - X @ coef
    df = float(np.trace(X @ inverse @ X.T))
    scores = residuals[:, None] * X
    middle = scores.T @ scores
    variance = float(residuals @ residuals / (len(y) - df))
    return Fit(coef, np.sqrt(np.diag(inverse @ middle @ inverse)), scores, variance, df)


def trailing_mean(x, width):
    """The mean of each window of so many numbers."""
    x = np.asarray(x, dtype=float)
    if not 1 <= width <= len(x):
        raise ValueError(f"a width of {width} does not fit {len(x)} numbers")
    return np.array([x[t - width : t].mean() for t in range(width, len(x) + 1)])
