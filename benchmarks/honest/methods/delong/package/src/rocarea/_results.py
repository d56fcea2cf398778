"""The immutable results of the public functions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["AreaComparison", "AreaInterval", "RocCurve"]


@dataclass(frozen=True)
class AreaInterval:
    """Area under an ROC curve with its standard error and confidence limits.

    Parameters
    ----------
    area : float
        Area under the empirical ROC curve.
    se : float
        Standard error of the area.
    lower : float
        Lower confidence limit, never below 0.
    upper : float
        Upper confidence limit, never above 1.

    Notes
    -----
    Made by `rocarea.auc_ci`, where the formulas are. The object is frozen:
    assigning to a field raises `dataclasses.FrozenInstanceError`, which is an
    AttributeError.

    References
    ----------
    DeLong, E. R., DeLong, D. M. and Clarke-Pearson, D. L. (1988). Comparing
    the areas under two or more correlated receiver operating characteristic
    curves: a nonparametric approach. Biometrics 44, 837-845.

    Examples
    --------
    >>> from rocarea import auc_ci
    >>> result = auc_ci([1, 2, 3, 4], [0, 1, 0, 1])
    >>> result.area
    0.75
    >>> result.upper
    1.0
    """

    area: float
    se: float
    lower: float
    upper: float


@dataclass(frozen=True)
class AreaComparison:
    """Comparison of the areas of two markers measured on the same subjects.

    Parameters
    ----------
    area1 : float
        Area under the empirical ROC curve of the first marker.
    area2 : float
        Area under the empirical ROC curve of the second marker.
    difference : float
        First area minus second area.
    se : float
        Standard error of the difference.
    z : float
        Difference divided by its standard error; NaN where undefined.
    p_value : float
        Two-sided standard normal p-value; NaN where undefined.

    Notes
    -----
    Made by `rocarea.compare`, where the formulas are. The object is frozen:
    assigning to a field raises `dataclasses.FrozenInstanceError`, which is an
    AttributeError.

    References
    ----------
    DeLong, E. R., DeLong, D. M. and Clarke-Pearson, D. L. (1988). Comparing
    the areas under two or more correlated receiver operating characteristic
    curves: a nonparametric approach. Biometrics 44, 837-845.

    Examples
    --------
    >>> from rocarea import compare
    >>> result = compare([1, 2, 3, 4], [1, 3, 2, 4], [0, 1, 0, 1])
    >>> result.area1, result.area2, result.difference
    (0.75, 1.0, -0.25)
    """

    area1: float
    area2: float
    difference: float
    se: float
    z: float
    p_value: float


@dataclass(frozen=True, eq=False)
class RocCurve:
    """Empirical ROC curve.

    Parameters
    ----------
    threshold : numpy.ndarray of float64, shape (k + 1,)
        Infinity, then the k distinct scores from the largest to the smallest.
    tpr : numpy.ndarray of float64, shape (k + 1,)
        Share of the diseased whose score is at least the threshold.
    fpr : numpy.ndarray of float64, shape (k + 1,)
        Share of the healthy whose score is at least the threshold.

    Notes
    -----
    Made by `rocarea.roc_curve`, which hands out read-only arrays. The object
    is frozen: assigning to a field raises `dataclasses.FrozenInstanceError`,
    which is an AttributeError. Two curves are equal only if they are the same
    object, because the comparison of arrays has no single truth value.

    References
    ----------
    DeLong, E. R., DeLong, D. M. and Clarke-Pearson, D. L. (1988). Comparing
    the areas under two or more correlated receiver operating characteristic
    curves: a nonparametric approach. Biometrics 44, 837-845.

    Examples
    --------
    >>> from rocarea import roc_curve
    >>> curve = roc_curve([1, 2, 2, 3], [0, 1, 0, 1])
    >>> curve.threshold.tolist()
    [inf, 3.0, 2.0, 1.0]
    """

    threshold: NDArray[np.float64]
    tpr: NDArray[np.float64]
    fpr: NDArray[np.float64]
