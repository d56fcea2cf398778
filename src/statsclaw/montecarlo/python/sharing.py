"""The same data for every method of a replication, whatever a method does to them."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any

import numpy as np

_UNCHANGEABLE = frozenset(
    {int, float, complex, str, bytes, bool, type(None), range, slice, np.float64, np.int64, np.bool_}
)
#: What numpy, Cython, numba and torch say when somebody writes into an array that is for reading only.
_COMPLAINTS = ("read-only", "readonly", "not writable", "not writeable", "writeable flag")


def protected(data: Any) -> Any:
    """The data in a form whose change nobody else sees: arrays as read-only views (cheap), containers of them made
    anew, everything else as a deep copy."""
    try:
        return _protected(data)
    except RecursionError:  # it contains itself
        return copy.deepcopy(data)


def _protected(data: Any) -> Any:
    kind = type(data)
    if kind in _UNCHANGEABLE:
        return data
    if kind is np.ndarray and not data.dtype.hasobject:
        view = data.view()
        view.flags.writeable = False
        return view
    if kind is tuple or kind is list:
        return kind([_protected(item) for item in data])
    if kind is dict:
        return {key: _protected(value) for key, value in data.items()}
    if isinstance(data, tuple) and hasattr(kind, "_make"):
        return kind._make(_protected(item) for item in data)
    if dataclasses.is_dataclass(data) and not isinstance(data, type):
        return _protected_fields(data)
    return copy.deepcopy(data)


def _protected_fields(data: Any) -> Any:
    names = {field.name for field in dataclasses.fields(data)}
    if set(getattr(data, "__dict__", names)) != names:  # more than its fields
        return copy.deepcopy(data)
    twin = copy.copy(data)
    for name in names:
        object.__setattr__(twin, name, _protected(getattr(data, name)))
    return twin


def is_about_writing(text: str) -> bool:
    """An exception or warning that a read-only view caused, and a copy of the data would not."""
    lowered = text.lower()
    return any(complaint in lowered for complaint in _COMPLAINTS)
