"""Distribution functions that the lint needs, to about ten digits, without further packages."""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

_TINY = 1e-300
_PRECISION = 1e-14
_MOST_TERMS = 200_000
_NORMAL = NormalDist()


def normal_cdf(value: float) -> float:
    return 0.5 * math.erfc(-value / math.sqrt(2.0))


def normal_quantile(probability: float) -> float:
    return _NORMAL.inv_cdf(probability)


@lru_cache(maxsize=50_000)
def beta_cdf(value: float, a: float, b: float) -> float:
    """The regularised incomplete beta function, for a, b > 0."""
    if value <= 0.0:
        return 0.0
    if value >= 1.0:
        return 1.0
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(value) + b * math.log1p(-value)
    if value < (a + 1.0) / (a + b + 2.0):
        return min(1.0, math.exp(log_front) * _beta_fraction(value, a, b) / a)
    return max(0.0, 1.0 - math.exp(log_front) * _beta_fraction(1.0 - value, b, a) / b)


def _beta_fraction(x: float, a: float, b: float) -> float:
    """Lentz's evaluation of the continued fraction."""
    c, d = 1.0, 1.0 / _away_from_zero(1.0 - (a + b) * x / (a + 1.0))
    total = d
    for m in range(1, _MOST_TERMS):
        even = m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0))
        for step in (even, odd):
            d = 1.0 / _away_from_zero(1.0 + step * d)
            c = _away_from_zero(1.0 + step / c)
            total *= c * d
        if abs(c * d - 1.0) < _PRECISION:
            break
    return total


def _away_from_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY


def t_quantile(probability: float, degrees: float) -> float:
    """The quantile of Student's distribution, for a probability above one half."""
    low, high = 0.0, 1.0
    while t_cdf(high, degrees) < probability and high < 1e12:
        high *= 2.0
    for _ in range(200):
        middle = (low + high) / 2.0
        low, high = (middle, high) if t_cdf(middle, degrees) < probability else (low, middle)
    return (low + high) / 2.0


def t_cdf(value: float, degrees: float) -> float:
    """For value >= 0."""
    return 1.0 - 0.5 * beta_cdf(degrees / (degrees + value * value), degrees / 2.0, 0.5)
