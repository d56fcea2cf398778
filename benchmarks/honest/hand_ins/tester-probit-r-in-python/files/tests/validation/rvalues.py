"""Values of R that Python has not: formulas, factors, data frames, names, NA, and R's own random numbers."""

import numpy as np
from scipy.special import ndtri
from statsclaw_wire import Extra

#: R's NA_real_ is a NaN with the lower word 1954.
NA = np.array([0x7FF00000000007A2], dtype=np.uint64).view(np.float64)


def formula(text):
    return Extra("formula", text)


def factor(codes, levels):
    """Codes count from 1; 0 is missing."""
    return Extra("factor", {"levels": list(levels), "codes": np.asarray(codes, dtype=np.int32)})


def table(**columns):
    return Extra("table", {"columns": columns, "index": None})


def with_column_names(X, names):
    return Extra("named", {"value": np.asarray(X, dtype=float), "names": [None, list(names)]})


def with_na(values, *places):
    found = np.array(values, dtype=float)
    for place in places:
        found.reshape(-1)[place] = np.nan
        found.view(np.uint64).reshape(-1)[place] = 0x7FF00000000007A2
    return found


def seed_from(rng):
    return int(rng.integers(1, 2**31 - 1))


class RStream:
    """set.seed(seed) with R's default kinds (Mersenne-Twister, Inversion)."""

    def __init__(self, seed):
        state = seed & 0xFFFFFFFF
        for _ in range(50):
            state = (69069 * state + 1) & 0xFFFFFFFF
        words = []
        for _ in range(625):
            state = (69069 * state + 1) & 0xFFFFFFFF
            words.append(state)
        self._bits = np.random.MT19937()
        key = np.array(words[1:], dtype=np.uint32)
        self._bits.state = {"bit_generator": "MT19937", "state": {"key": key, "pos": 624}}

    def runif(self, n):
        return np.clip(self._bits.random_raw(n) * 2.3283064365386963e-10, 1.2e-10, 1 - 1.2e-10)

    def rnorm(self, n):
        u = self.runif(2 * n).reshape(n, 2)
        return ndtri((np.floor(134217728.0 * u[:, 0]) + u[:, 1]) / 134217728.0)
