"""Conversion and checks of arguments."""

from __future__ import annotations

import numbers
import reprlib
import warnings
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Entries of an object array that ``astype(float)`` might convert although they
# are not real numbers: it would parse text, count truth values and times, and
# unpack arrays.
_NOT_REAL = (
    str,
    bytes,
    bytearray,
    bool,
    np.bool_,
    np.flexible,
    np.datetime64,
    np.timedelta64,
    np.ndarray,
)


def _uncover(value: Any, depth: int = 0) -> Any:
    """Replace what is masked by NaN, also in lists of masked arrays.

    `numpy.asarray` would show the values that a mask hides. Arrays that are not
    of numbers are left as they are; they are refused later.
    """
    if isinstance(value, np.ma.MaskedArray):
        mask = np.ma.getmaskarray(value)
        kind = value.dtype.kind
        if kind in "iuf":
            data = np.asarray(value.data).astype(np.float64)
        elif kind == "O":
            data = np.array(value.data, dtype=object)
        else:
            return np.asarray(value.data)
        data[mask] = np.nan
        return data
    if isinstance(value, (list, tuple)) and depth < 3:
        return [_uncover(entry, depth + 1) for entry in value]
    return value


def _is_not_real(entry: Any) -> bool:
    if isinstance(entry, _NOT_REAL):
        return True
    return isinstance(entry, numbers.Complex) and not isinstance(entry, numbers.Real)


def real_array(value: Any, message: str) -> NDArray[np.float64]:
    """Return `value` as a new float64 array, or raise ValueError(message).

    Masked entries and None become NaN. Text, truth values, complex numbers,
    times, ragged rows and whatever cannot be converted are refused.
    """
    try:
        # Warnings of numpy on the way (ragged rows in old releases, masked
        # entries hidden in other sequences) must not reach the caller.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            array = np.asarray(_uncover(value))
            kind = array.dtype.kind
            if kind in "iuf":
                return array.astype(np.float64, order="C")
            if kind == "O":
                entries = np.empty(array.size, dtype=object)
                for j, entry in enumerate(array.flat):
                    if entry is not np.ma.masked:
                        if _is_not_real(entry):
                            raise TypeError(f"{reprlib.repr(entry)} is none")
                        entries[j] = entry  # what is left out stays None
                return entries.astype(np.float64).reshape(array.shape)
    except MemoryError:
        raise
    except Exception as error:
        raise ValueError(f"{message} ({error})") from error
    raise ValueError(f"{message}, not of the type {array.dtype}")


def real_number(value: Any) -> float | None:
    """Return `value` as a float, or None where it is not a real number."""
    if isinstance(value, (bool, np.bool_, np.timedelta64)):
        return None
    if not isinstance(value, (numbers.Real, Decimal)):
        return None
    try:
        return float(value)
    except (OverflowError, TypeError, ValueError):
        return None


def measurements(
    x: Any, y: Any
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Check x and y and return them with one row for each specimen."""
    arrays = {
        name: real_array(value, f"{name} must be an array of real numbers")
        for name, value in (("x", x), ("y", y))
    }
    for name, array in arrays.items():
        if array.ndim not in (1, 2):
            raise ValueError(
                f"{name} must have one or two dimensions, not {array.ndim}"
            )
    first, second = arrays["x"], arrays["y"]
    if first.ndim != second.ndim:
        raise ValueError(
            "x and y must have the same number of dimensions, "
            f"not {first.ndim} and {second.ndim}"
        )
    if first.shape[0] != second.shape[0]:
        raise ValueError(
            "x and y must have the same number of specimens, "
            f"not {first.shape[0]} and {second.shape[0]}"
        )
    if first.shape[0] < 3:
        raise ValueError(f"there must be at least 3 specimens, not {first.shape[0]}")
    if first.ndim == 1:
        arrays = {name: array[:, np.newaxis] for name, array in arrays.items()}
    for name, array in arrays.items():
        rows = np.flatnonzero(np.isinf(array).any(axis=1))
        if rows.size:
            raise ValueError(f"{name} contains an infinite value in row {rows[0]}")
    for name, array in arrays.items():
        rows = np.flatnonzero(np.isnan(array).all(axis=1))
        if rows.size:
            raise ValueError(
                f"{name} has a specimen without a measurement in row {rows[0]}"
            )
    return arrays["x"], arrays["y"]


def confidence_level(level: Any) -> float:
    """Check the level of confidence."""
    number = real_number(level)
    if number is None or not 0.0 < number < 1.0:
        raise ValueError(
            "level must be a real number strictly between 0 and 1, "
            f"not {reprlib.repr(level)}"
        )
    return number


def bad_ratio(ratio: Any) -> ValueError:
    """Return the error about a ratio that cannot be used."""
    return ValueError(
        "ratio must be None or a positive finite real number that is not too "
        f"extreme for the numbers of replicates, not {reprlib.repr(ratio)}"
    )


def error_ratio(ratio: Any) -> float | None:
    """Check the ratio of error variances."""
    if ratio is None:
        return None
    number = real_number(ratio)
    if number is None or not 0.0 < number < np.inf:
        raise bad_ratio(ratio)
    return number


def decision_levels(levels: Any) -> NDArray[np.float64]:
    """Check decision levels and return them in one dimension."""
    message = "levels must be finite real numbers"
    array = real_array(levels, message)
    if not np.isfinite(array).all():
        bad = array[~np.isfinite(array)].flat[0]
        raise ValueError(f"{message}, not {float(bad)}")
    if array.ndim > 1:
        raise ValueError(
            f"levels must have at most one dimension, not {array.ndim}"
        )
    if array.size == 0:
        raise ValueError("no levels: at least one is needed")
    return array.reshape(-1)
