"""Formulas of metrics that are smooth functions of means, each with the error that its docstring states."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from statsclaw.montecarlo.metrics.estimates import Found
from statsclaw.montecarlo.metrics.sample import FOURTH_MOMENT, OF_SQUARES, SECOND_MOMENT, Sample, deviation, spread
from statsclaw.montecarlo.table import Floats

_EXACT = "the estimates do not vary and are the truth, so that bias / EmpSE is 0 / 0"
_NO_SPREAD = "the estimates do not vary and their standard errors are 0, so that their ratio is 0 / 0"


def mean(values: Floats) -> Found:
    """S / √n."""
    if len(values) < 2:
        return Found(float(np.mean(values)), None)
    return Found(float(np.mean(values)), deviation(values) / math.sqrt(len(values)))


def _scaled(found: Found, factor: float) -> Found:
    return Found(found.value * factor, None if found.mcse is None else found.mcse * abs(factor))


def _bias(sample: Sample, parameter: str, truth: float) -> Found:
    """S / √n."""
    return mean(sample[f"{parameter}.estimate"] - truth)


def _relative_bias(sample: Sample, parameter: str, truth: float) -> Found:
    """Bias over the truth, and its error over the size of the truth; none where the truth is zero."""
    if truth == 0:
        return Found(math.nan, None, undefined="the truth is 0, so that there is no relative bias")
    return _scaled(_bias(sample, parameter, truth), 1 / truth)


def _standardised_bias(sample: Sample, parameter: str, truth: float) -> Found:
    """Bias over the empirical standard error. Influence of x: (x − x̄)/S − b ((x − x̄)²/S² − 1)/2, b the value: for any
    distribution with a fourth moment. Where the tail of the estimates shows none, EmpSE is taken to be up to twice what
    was found: a limit that excludes zero lies half as far from it. Where it shows no variance, there are no limits.
    """
    column = f"{parameter}.estimate"
    values = sample[column]
    if len(values) < 2:
        return Found(math.nan, None)
    size = deviation(values)
    if not size > 0:
        return Found(math.nan, None, undefined=_EXACT if np.all(values == truth) else "")
    centred = (values - np.mean(values)) / size
    value = float(np.mean(values) - truth) / size
    influence = centred - value * (np.square(centred) - 1) / 2
    error, index = deviation(influence) / math.sqrt(len(values)), sample.tail(column)
    wide = math.inf if index < SECOND_MOMENT else 1.0
    nearer = 0.5 if index < FOURTH_MOMENT else 1.0
    return Found(value, error, wider_below=wide, wider_above=wide, nearer=nearer)


def _mse(sample: Sample, parameter: str, truth: float) -> Found:
    """√(Σ ((θ̂ − θ)² − MSE)² / (n (n − 1)))."""
    errors = sample[f"{parameter}.estimate"] - truth
    found = mean(np.square(errors))
    return Found(found.value, found.mcse, log_shift=0.0, wider_above=sample.reach(f"{parameter}.estimate"))


def _rmse(sample: Sample, parameter: str, truth: float) -> Found:
    """By the delta method: the error of the MSE over twice its root."""
    mse = _mse(sample, parameter, truth)
    root = math.sqrt(mse.value) if mse.value >= 0 else math.nan
    error = 0.0 if root == 0 and mse.mcse == 0 else _over(mse.mcse, 2 * root)
    return Found(root, error, log_shift=0.0, wider_above=mse.wider_above)


def _empse(sample: Sample, parameter: str, _: float) -> Found:
    """S / √(2 (n − 1)), of normal estimates; of others √((m₄ − S⁴) / n) / (2 S)."""
    values = sample[f"{parameter}.estimate"]
    if len(values) < 2:
        return Found(math.nan, None)
    size, robust = spread(values)
    formula = size / math.sqrt(2 * (len(values) - 1))
    return Found(size, formula, robust, log_shift=0.0, wider_above=sample.reach(f"{parameter}.estimate"))


def _modse(sample: Sample, parameter: str, _: float) -> Found:
    """Root of the mean of the squared standard errors: √(Var(V̂) / (4 n M²)). No upper limit where they have a tail."""
    errors = sample[f"{parameter}.se"]
    if np.any(errors < 0):
        return Found(math.nan, None)
    square = mean(np.square(errors))
    root = math.sqrt(square.value)
    wide = math.inf if sample.tail(f"{parameter}.se", from_zero=True) < OF_SQUARES else 1.0
    return Found(root, 0.0 if root == 0 else _over(square.mcse, 2 * root), log_shift=0.0, wider_above=wide)


def _se_ratio(sample: Sample, parameter: str, truth: float) -> Found:
    """Mean of the standard errors (not the root of their mean square) over the standard deviation of the estimates."""
    column = f"{parameter}.se"
    wide = math.inf if sample.tail(column, from_zero=True) < OF_SQUARES / 2 else 1.0
    top = replace(mean(sample[column]), wider_above=wide)
    return _over_empse(sample, parameter, top, sample[column])


def _rms_se_ratio(sample: Sample, parameter: str, truth: float) -> Found:
    """ModSE / EmpSE, root of the mean of the squared standard errors: (M/E) √(Var(V̂) / (4 n M⁴) + 1 / (2 (n − 1)))."""
    modse = _modse(sample, parameter, truth)
    errors = sample[f"{parameter}.se"]
    if not modse.value > 0:
        if modse.value == 0 and deviation(sample[f"{parameter}.estimate"]) == 0:
            return Found(math.nan, None, undefined=_NO_SPREAD)
        return Found(0.0, 0.0, log_shift=0.0) if modse.value == 0 else Found(math.nan, None)
    # The influence on log M of one replication is (V − M²) / (2 M²), as if M were the mean of these:
    linear = np.square(errors) / (2 * modse.value) + modse.value / 2
    return _over_empse(sample, parameter, modse, linear)


def _relative_error_modse(sample: Sample, parameter: str, truth: float) -> Found:
    """100 (ModSE / EmpSE − 1), with 100 times the error of the ratio."""
    ratio = _rms_se_ratio(sample, parameter, truth)
    error, robust = (None if found is None else 100 * found for found in (ratio.mcse, ratio.robust))
    return replace(ratio, value=100 * (ratio.value - 1), mcse=error, robust=robust, log_shift=100.0)


def _over_empse(sample: Sample, parameter: str, top: Found, values: Floats) -> Found:
    """`top`, the mean of `values`, over EmpSE. Its formula ignores their covariance, as in Morris et al.; robust:
    the influence of a replication on the logarithm is values/mean − 1 − ((x − x̄)²/S² − 1)/2."""
    estimates = sample[f"{parameter}.estimate"]
    if len(estimates) < 2 or np.any(values < 0) or top.mcse is None:
        return Found(math.nan, None)
    size = deviation(estimates)
    if not size > 0:
        return Found(math.nan, None, undefined=_NO_SPREAD if size == 0 and top.value == 0 else "")
    if top.value == 0:
        return Found(0.0, 0.0)
    ratio, count = top.value / size, len(estimates)
    influence = values / top.value - np.square((estimates - np.mean(estimates)) / size) / 2
    formula = ratio * math.hypot(top.mcse / top.value, 1 / math.sqrt(2 * (count - 1)))
    robust = ratio * deviation(influence) / math.sqrt(count)
    wide = sample.reach(f"{parameter}.estimate")
    return Found(ratio, formula, robust, log_shift=0.0, wider_below=wide, wider_above=top.wider_above)


def _width(sample: Sample, parameter: str, _: float) -> Found:
    """Mean of high − low; no value where an interval is infinite."""
    return mean(sample[f"{parameter}.high"] - sample[f"{parameter}.low"])


def _time(sample: Sample, _: str, __: float) -> Found:
    """Mean seconds of a replication."""
    return mean(sample["seconds"])


def _over(error: float | None, scale: float) -> float | None:
    return error / scale if error is not None and scale > 0 else None


FORMULAS: Mapping[str, Callable[[Sample, str, float], Found]] = {
    "bias": _bias,
    "relative_bias": _relative_bias,
    "standardised_bias": _standardised_bias,
    "empse": _empse,
    "modse": _modse,
    "mse": _mse,
    "rmse": _rmse,
    "relative_error_modse": _relative_error_modse,
    "se_ratio": _se_ratio,
    "rms_se_ratio": _rms_se_ratio,
    "width": _width,
    "time": _time,
}
