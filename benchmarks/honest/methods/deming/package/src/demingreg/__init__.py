"""Deming regression.

A straight line between the measurements of the same specimens by two methods
that both err, with jackknife standard errors and the bias at decision levels.
See `fit`.
"""

from demingreg._deming import Bias, DemingFit, fit

__all__ = ["Bias", "DemingFit", "fit"]
