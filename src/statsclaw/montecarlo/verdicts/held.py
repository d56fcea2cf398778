"""Results whose columns are kept in memory for the next question, as far as there is room."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from statsclaw.montecarlo.storage.store import Store
from statsclaw.montecarlo.table import Flags, Floats, Table

#: Sixteen columns of eight million replications.
_MOST_BYTES = 1 << 30


@dataclass(slots=True)
class Held:
    """A store that is read once: criteria, findings and perturbations ask for the same columns."""

    store: Store
    most: int = _MOST_BYTES
    _columns: OrderedDict[tuple[int, str, str], Floats] = field(default_factory=OrderedDict)
    _failed: dict[tuple[int, str], Flags] = field(default_factory=dict)

    def completed(self, cell: int) -> int:
        return self.store.completed(cell)

    def columns(self, method: str) -> tuple[str, ...]:
        return self.store.columns(method)

    def mixed(self) -> list[str]:
        return self.store.mixed()

    def versions_in(self, cell: int, method: str) -> list[tuple[int, int, int]]:
        return self.store.versions_in(cell, method)

    def statuses(self, cell: int, method: str) -> NDArray[np.uint8]:
        return self.store.statuses(cell, method)

    def table(self, cell: int, method: str, columns: Sequence[str] | None = None) -> Table:
        wanted = list(self.store.columns(method) if columns is None else columns)
        missing = [name for name in wanted if (cell, method, name) not in self._columns]
        failed = self._failed.get((cell, method))
        found: dict[str, Floats] = {}
        if missing or failed is None:
            read = self.store.table(cell, method, missing)
            if failed is not None and len(read.failed) != len(failed):
                return self.store.table(cell, method, columns)  # a run has added some meanwhile
            failed = self._failed[cell, method] = read.failed
            found = dict(read.columns)
        for name in wanted:
            key = (cell, method, name)
            if name not in found:
                found[name] = self._columns[key]
            self._columns[key] = found[name]
            self._columns.move_to_end(key)
        self._make_room()
        return Table(failed, found)

    def _make_room(self) -> None:
        held = sum(values.nbytes for values in self._columns.values())
        while held > self.most and len(self._columns) > 1:
            _, values = self._columns.popitem(last=False)
            held -= values.nbytes
