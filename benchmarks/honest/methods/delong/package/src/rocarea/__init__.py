"""Areas under ROC curves.

Empirical ROC curves, the areas under them, confidence intervals for one area
and the comparison of two correlated areas by the method of DeLong, DeLong and
Clarke-Pearson (1988), in time that grows like N log N with the number of
subjects.
"""

from rocarea._results import AreaComparison, AreaInterval, RocCurve
from rocarea._roc import auc, auc_ci, compare, roc_curve

__all__ = [
    "AreaComparison",
    "AreaInterval",
    "RocCurve",
    "auc",
    "auc_ci",
    "compare",
    "roc_curve",
]
