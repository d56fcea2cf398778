"""What a shipped suite must calculate as numpy does, as the data of such a suite."""

from __future__ import annotations

from typing import Any

import numpy as np

X = np.random.default_rng(3).normal(size=(5, 3))
S = X.T @ X


def calculations(wrong: bool) -> dict[str, Any]:
    """Criteria and claims, one for each thing that can be calculated. `wrong`: none of them holds."""

    def do(name: str, *of: Any, **settings: Any) -> dict[str, Any]:
        return {"do": name, "of": [{"array": np.asarray(part).tolist(), "dtype": ""} for part in of], "with": settings}

    rows = [
        (do("mean", X), X.mean()), (do("mean", X, axis=0), X.mean(0)), (do("total", X, axis=-1), X.sum(1)),
        (do("median", X, axis=1), np.median(X, 1)), (do("sd", X, axis=0), X.std(0, ddof=1)),
        (do("var", X, divisor=0), X.var()),
        (do("quantile", X, probability=0.3), np.quantile(X, 0.3)),
        (do("quantile", X, axis=0, probability=[0.1, 0.9]), np.quantile(X, [0.1, 0.9], 0)),
        (do("cov", X), np.cov(X.T)), (do("cor", X), np.corrcoef(X.T)), (do("sorted", X), np.sort(X, None)),
        (do("transposed", X), X.T), (do("diag", S), np.diag(S)), (do("diag", X[0]), np.diag(X[0])),
        (do("eigenvalues", S), np.linalg.eigvalsh(S)), (do("solve", S, X.T), np.linalg.solve(S, X.T)),
        (do("solve", S, X[0]), np.linalg.solve(S, X[0])), (do("matmul", X, S), X @ S),
        (do("matmul", X, X[0]), X @ X[0]),
        (do("matmul", X[0], X[1]), X[0] @ X[1]), (do("plus", X, X[0]), X + X[0]),
        (do("over", X[:, :1], X), X[:, :1] / X),
        (do("power", np.abs(X), 0.5), np.abs(X) ** 0.5), (do("below", X, 0.0), X < 0), (do("at most", 0.0, X), X >= 0),
        (do("equal", X[0], X[0]), [1, 1, 1]), (do("different", X[0], X[1]), [1, 1, 1]), (do("shape", X), [5, 3]),
        (do("length", X), 5), (do("smallest", X, axis=0), X.min(0)), (do("largest", X), X.max()),
        (do("exp", X), np.exp(X)),
        (do("part", X, at=[1]), X[1]), (do("part", X, at=[-1, 2]), X[-1, 2]),
        (do("part", X, at=[{"slice": [1, None, 2]}, 0]), X[1::2, 0]),
        (do("part", X, at=[{"slice": [None, None, -1]}]), X[::-1]),
        (do("part", X, at=[{"slice": [-2, None, None]}]), X[-2:]),
        (do("part", X, at=[{"slice": [None, None, None]}, 1]), X[:, 1]),
    ]  # fmt: skip
    claims = [
        {"scenario": "S", "case": f"row {number}", "criterion": "C", "rule": "close", "observed": observed,
         "expected": {"array": (np.asarray(expected) * 1.0 + wrong).tolist(), "dtype": "float64"}}
        for number, (observed, expected) in enumerate(rows)
    ]  # fmt: skip
    rule = {"quantity": "a number", "rule": "close", "absolute": 1e-12, "relative": 1e-12}
    return {"criteria": {"C": rule}, "calls": [], "claims": claims, "data": {}, "functions": {}, "methods": {}}
