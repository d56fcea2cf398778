"""Checks of the arguments, the same for all public functions."""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

_NUMERIC_KINDS = "biuf"
_ABSENT: Any = object()


def check_arguments(
    markers: Mapping[str, ArrayLike],
    labels: ArrayLike,
    at_least: int,
    level: Any = _ABSENT,
) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Check all arguments in the documented order and split by label.

    Parameters
    ----------
    markers : mapping of str to array-like, shape (N,)
        Scores under the name of their argument, in the order of the arguments.
    labels : array-like, shape (N,)
        1 or True for a diseased, 0 or False for a healthy subject.
    at_least : {1, 2}
        Number of subjects that each group needs.
    level : float, optional
        Confidence level; checked, before everything else, only if given.

    Returns
    -------
    list of (numpy.ndarray, numpy.ndarray)
        For each marker the float64 scores of the diseased and of the healthy,
        in the order of the subjects. The arrays are copies.

    Raises
    ------
    TypeError
        If the level or the scores are not numeric.
    ValueError
        If any other condition on the arguments fails.
    """
    if level is not _ABSENT:
        _check_level(level)

    scores = {name: _read_scores(name, given) for name, given in markers.items()}
    label_array = np.asarray(labels)
    _check_one_dimension("labels", label_array)

    lengths = [array.size for array in scores.values()] + [label_array.size]
    if len(set(lengths)) > 1:
        names = [*scores, "labels"]
        raise ValueError(
            f"{_enumerate(names)} must have the same length, "
            f"got {_enumerate([str(length) for length in lengths])}"
        )

    for name, array in scores.items():
        _check_finite(name, array, _mask_of(markers[name]))
    diseased = _check_labels(label_array, _mask_of(labels))

    m = int(np.count_nonzero(diseased))
    for group, count, value in (
        ("diseased", m, 1),
        ("healthy", diseased.size - m, 0),
    ):
        if count < at_least:
            if at_least == 1:
                raise ValueError(f"no {group} subjects: no label is {value}")
            raise ValueError(
                f"at least two {group} subjects are needed, "
                f"but {count} of the labels {'is' if count == 1 else 'are'} {value}"
            )
    return [(array[diseased], array[~diseased]) for array in scores.values()]


def _check_level(level: Any) -> None:
    if not isinstance(level, numbers.Real):
        raise TypeError(f"level must be a number, got {level!r}")
    if not 0 < level < 1:  # type: ignore[operator]
        raise ValueError(f"level must lie strictly between 0 and 1, got {level!r}")


def _read_scores(name: str, given: ArrayLike) -> NDArray[np.float64]:
    array = np.asarray(given)
    if array.dtype.kind not in _NUMERIC_KINDS:
        raise TypeError(f"{name} must be numeric, got dtype {array.dtype}")
    _check_one_dimension(name, array)
    # An extended-precision score may overflow here; it is then refused as
    # infinite. Adding zero turns -0.0 into 0.0, so that the two are one
    # threshold, and makes the result a copy in any case.
    with np.errstate(all="ignore"):
        return array.astype(np.float64) + 0.0


def _check_one_dimension(name: str, array: NDArray[Any]) -> None:
    if array.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got shape {array.shape}")


def _mask_of(given: ArrayLike) -> NDArray[np.bool_] | None:
    """Return the mask of a masked array, None for anything else."""
    if isinstance(given, np.ma.MaskedArray):
        return np.ma.getmaskarray(given)
    return None


def _check_finite(
    name: str, array: NDArray[np.float64], mask: NDArray[np.bool_] | None
) -> None:
    bad = ~np.isfinite(array)
    if mask is not None:
        bad |= mask
    if bad.any():
        found = _describe_first(bad, array, mask)
        raise ValueError(f"{name} must be finite, got {found}")


def _check_labels(
    array: NDArray[Any], mask: NDArray[np.bool_] | None
) -> NDArray[np.bool_]:
    """Return which labels are 1."""
    if array.dtype.kind not in _NUMERIC_KINDS:
        raise ValueError(f"labels must be 0 or 1, got dtype {array.dtype}")
    diseased: NDArray[np.bool_] = array == 1
    bad = ~(diseased | (array == 0))
    if mask is not None:
        bad |= mask
    if bad.any():
        found = _describe_first(bad, array, mask)
        raise ValueError(f"labels must be 0 or 1, got {found}")
    return diseased


def _describe_first(
    bad: NDArray[np.bool_], array: NDArray[Any], mask: NDArray[np.bool_] | None
) -> str:
    position = int(np.argmax(bad))
    if mask is not None and mask[position]:
        return f"a masked element at position {position}"
    return f"{array[position]} at position {position}"


def _enumerate(words: list[str]) -> str:
    return f"{', '.join(words[:-1])} and {words[-1]}"
