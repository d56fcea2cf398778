"""What a study recorded of one cell and method: the form in which every metric, verdict and figure reads it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """One cell and method, in the order of the replications; the columns hold NaN exactly where `failed` is true."""

    failed: Flags
    columns: Mapping[str, Floats]

    def usable(self, column: str) -> Floats:
        """The values of the replications that did not fail."""
        return self.columns[column][~self.failed]
