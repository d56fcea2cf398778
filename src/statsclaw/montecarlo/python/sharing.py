"""The same data for every method of a replication, whatever a method does to them."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np


def own_copy(data: Any) -> Any:
    """For one method alone. Every method is given one, not only those that are seen to write: what is read-only makes
    a method that catches its own errors do something else, and a copy lies in memory otherwise than what it is of, so
    that sums are rounded otherwise. A copy takes about a hundredth of what drawing the numbers did."""
    if type(data) is np.ndarray and not data.dtype.hasobject:
        return data.copy("K")
    return copy.deepcopy(data)
