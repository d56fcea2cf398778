"""Where summaries, verdicts and figures read replications from: a store on disk, or plain tables in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from statsclaw.montecarlo.table import Table

#: The column that holds what a method took, in seconds.
SECONDS = "seconds"


class Results(Protocol):
    """Replications 0 … completed − 1 of every cell, the same for all of its methods."""

    def completed(self, cell: int) -> int: ...

    def table(self, cell: int, method: str, columns: Sequence[str] | None = None) -> Table:
        """In the order of the replications; only `columns` need be read, all where None."""
        ...


@runtime_checkable
class NamedColumns(Protocol):
    """Results that know what a method records without reading it."""

    def columns(self, method: str) -> tuple[str, ...]: ...


@runtime_checkable
class WithStatuses(Protocol):
    """Results that keep why a replication failed."""

    def statuses(self, cell: int, method: str) -> NDArray[np.uint8]: ...


@dataclass(frozen=True, slots=True)
class MemoryResults:
    """Tables by (cell, method). The shortest table of a cell says how many of its replications are complete."""

    tables: Mapping[tuple[int, str], Table]
    #: Why replications failed, where that is known: `Status` by (cell, method).
    reasons: Mapping[tuple[int, str], NDArray[np.uint8]] = field(default_factory=dict)
    _counts: dict[int, int] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        for (cell, _), table in self.tables.items():
            self._counts[cell] = min(len(table.failed), self._counts.get(cell, len(table.failed)))

    def completed(self, cell: int) -> int:
        return self._counts.get(cell, 0)

    def table(self, cell: int, method: str, columns: Sequence[str] | None = None) -> Table:
        found = self.tables.get((cell, method))
        if found is None:
            return Table(np.zeros(0, dtype=bool), {})
        wanted = found.columns if columns is None else {name: found.columns[name] for name in columns}
        return first_of(Table(found.failed, wanted), self.completed(cell))

    def columns(self, method: str) -> tuple[str, ...]:
        return next((tuple(table.columns) for (_, name), table in self.tables.items() if name == method), ())


def column_names(results: Results, cell: int, method: str) -> tuple[str, ...]:
    """What a method records; reads everything only where the results cannot say."""
    known = results.columns(method) if isinstance(results, NamedColumns) else results.table(cell, method).columns
    return tuple(known)


def first_of(table: Table, count: int) -> Table:
    """The first `count` replications, without a copy."""
    if count >= len(table.failed):
        return table
    return Table(table.failed[:count], {name: values[:count] for name, values in table.columns.items()})
