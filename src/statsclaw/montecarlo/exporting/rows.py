"""Every replication of a study as rows of one table, in blocks: few of them are in memory at any time.

Long: one row per cell × method × replication × parameter. Wide: one row per cell × method × replication.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statsclaw.errors import MachineRefused
from statsclaw.montecarlo.batch import Status
from statsclaw.montecarlo.design import Cell, Study, cell_name
from statsclaw.montecarlo.metrics.summary import parameters_of
from statsclaw.montecarlo.programs.r import r_states
from statsclaw.montecarlo.storage.results import SECONDS
from statsclaw.montecarlo.storage.store import Store
from statsclaw.montecarlo.streams import DATA, stream_key

#: Replications of one cell and method that are made to rows at once.
BLOCK = 1 << 14
#: The first fields of a parameter, in this order; others follow as they were given.
_FIELDS = ("estimate", "se", "low", "high", "reject")
_MOST_INT32, _MOST_EXACT = 2**31 - 1, 2**53
_LONG_ONLY = ("parameter", *_FIELDS, "truth")
_FIXED = (
    "cell", "cell_name", "method", "replication", "status", "problem", "warnings", "seconds", "seed", "version",
    "data_stream", "method_stream",
)  # fmt: skip


class Kind(Enum):
    """What a column holds."""

    TEXT = "text"
    NUMBER = "number"
    WHOLE = "whole number below 2^31"
    FLAG = "true or false"


@dataclass(frozen=True, slots=True)
class Words:
    """A column of texts: `words[code]`, missing where the code is −1."""

    codes: NDArray[np.int64]
    words: Sequence[str]


#: Numbers are missing where they are NaN.
Values = NDArray[Any] | Words


@dataclass(frozen=True, slots=True)
class _Part:
    """A cell and a method, whose replications follow each other in the table."""

    cell: int
    levels: Cell
    method: str
    parameters: tuple[str, ...]
    count: int

    @property
    def width(self) -> int:
        """Rows of one replication."""
        return len(self.parameters)


@dataclass(frozen=True, slots=True)
class _Block:
    """Some replications of a part, and whatever of it was read already."""

    part: _Part
    first: int
    stop: int
    read: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Column:
    """`make` gives the values of a block; `needs`: the quantities that are read for it."""

    name: str
    kind: Kind
    make: Callable[[_Block], Values]
    needs: Callable[[_Part], tuple[str, ...]] = lambda part: ()


class Replications:
    """The table. What is there when it is made is what it holds, also while a run goes on."""

    def __init__(self, study: Study, store: Store, *, wide: bool = False, streams: bool = False) -> None:
        self._study, self._store, self._wide = study, store, wide
        self._quantities = {method: store.columns(method) for method in study.method_names}
        self._parts = tuple(self._all_parts())
        self.columns: tuple[Column, ...] = tuple(self._all_columns(streams))
        self.rows = sum(part.count * part.width for part in self._parts)

    def blocks(self, columns: Sequence[Column] | None = None) -> Iterator[list[Values]]:
        """The values of these columns (default: all), block after block."""
        wanted = self.columns if columns is None else columns
        for part in self._parts:
            needs = dict.fromkeys(name for column in wanted for name in column.needs(part))
            read = self._read(part, tuple(needs))
            for first in range(0, part.count, BLOCK):
                block = _Block(part, first, min(first + BLOCK, part.count), read)
                yield [column.make(block) for column in wanted]

    def _all_parts(self) -> Iterator[_Part]:
        for number in range(len(self._study.cells())):
            if count := self._store.completed(number):
                levels = self._study.cell(number)
                for method in self._study.method_names:
                    found = ("",) if self._wide else tuple(parameters_of(self._quantities[method])) or ("",)
                    yield _Part(number, levels, method, found, count)

    def _read(self, part: _Part, names: tuple[str, ...]) -> dict[str, Any]:
        """Columns of the store by name; what a method never gave is not there."""
        own = {"status": self._store.statuses, "warnings": self._store.warnings, "problem": self._store.problems}
        found: dict[str, Any] = {name: read(part.cell, part.method) for name, read in own.items() if name in names}
        given = (*self._quantities[part.method], SECONDS)
        if numbers := [name for name in names if name in given]:
            found |= self._store.table(part.cell, part.method, numbers).columns
        if any(len(values) < part.count for name, values in found.items() if name != "problem"):
            raise MachineRefused("the results were changed or damaged while they were read", todo="export them again")
        return found

    def _all_columns(self, streams: bool) -> Iterator[Column]:
        taken = set(_FIXED) | (set() if self._wide else {*_LONG_ONLY, *self._fields()})
        yield _constant("cell", Kind.WHOLE, lambda part: part.cell)
        yield _constant("cell_name", Kind.TEXT, lambda part: cell_name(part.levels))
        for axis, levels in self._study.grid.items():
            yield _axis(_free(axis, "axis", taken), axis, levels)
        yield _constant("method", Kind.TEXT, lambda part: part.method)
        yield Column("replication", Kind.NUMBER, lambda block: _each(block, np.arange(block.first, block.stop)))
        yield from self._of_the_parameters(taken)
        for name in self._scalars():
            yield _quantity(_free(name, "field", taken), Kind.NUMBER, _only(name))
        yield Column("status", Kind.TEXT, _status, lambda part: ("status",))
        yield Column("problem", Kind.TEXT, _problem, lambda part: ("problem",))
        yield Column(
            "warnings", Kind.WHOLE, lambda block: _each(block, _of(block, "warnings")), lambda _: ("warnings",)
        )
        yield _quantity("seconds", Kind.NUMBER, lambda part: (SECONDS,))
        exact = self._study.seed <= _MOST_EXACT
        seed = float(self._study.seed) if exact else str(self._study.seed)
        yield _constant("seed", Kind.NUMBER if exact else Kind.TEXT, lambda part: seed)
        yield Column("version", Kind.WHOLE, self._version)
        if streams:
            yield Column("data_stream", Kind.TEXT, lambda block: self._stream(block, DATA))
            yield Column("method_stream", Kind.TEXT, lambda block: self._stream(block, f"method:{block.part.method}"))

    def _version(self, block: _Block) -> NDArray[Any]:
        """Of the study, that a replication is of."""
        found = np.zeros(block.stop - block.first, np.int32)
        for number, first, stop in self._store.versions_in(block.part.cell, block.part.method):
            found[max(first - block.first, 0) : max(stop - block.first, 0)] = number
        return _each(block, found)

    def _of_the_parameters(self, taken: set[str]) -> Iterator[Column]:
        truths = [self._study.truth_in(self._study.cell(part.cell)) for part in self._parts]
        known = dict(zip((part.cell for part in self._parts), truths, strict=True))
        if not self._wide:
            yield Column("parameter", Kind.TEXT, _parameter)
            for field in self._fields():
                kind = Kind.FLAG if field == "reject" else Kind.NUMBER
                yield _quantity(_drawn(field), kind, _for_each(field))
            yield Column("truth", Kind.NUMBER, lambda block: _truth(block, known[block.part.cell]))
            return
        for parameter in self._parameters():
            for name in self._names(parameter):
                kind = Kind.FLAG if name.endswith(".reject") else Kind.NUMBER
                yield _quantity(_free(_drawn(name), "field", taken), kind, _only(name))
            yield _constant(f"{parameter}.truth", Kind.NUMBER, _true(parameter, known))

    def _parameters(self) -> list[str]:
        return list(dict.fromkeys(name for names in self._quantities.values() for name in parameters_of(names)))

    def _names(self, parameter: str) -> list[str]:
        """The quantities of a parameter, the usual ones first."""
        given = dict.fromkeys(name for names in self._quantities.values() for name in names)
        own = [name for name in given if name.rpartition(".")[0] == parameter]
        usual = [f"{parameter}.{field}" for field in _FIELDS]
        return [name for name in usual if name in own] + [name for name in own if name not in usual]

    def _fields(self) -> list[str]:
        given = [name.rpartition(".")[2] for parameter in self._parameters() for name in self._names(parameter)]
        return list(dict.fromkeys((*("estimate", "se"), *(f for f in _FIELDS if f in given), *given)))

    def _scalars(self) -> list[str]:
        given = dict.fromkeys(name for names in self._quantities.values() for name in names)
        of_parameters = {name for parameter in self._parameters() for name in self._names(parameter)}
        return [name for name in given if name not in of_parameters and name != SECONDS]

    def _stream(self, block: _Block, purpose: str) -> Words:
        """What a generator is set to: .Random.seed in R, the key of the stream elsewhere."""
        key = stream_key(self._study.seed, block.part.levels, purpose)
        if self._study.program is not None and self._study.program.language == "r":
            states = r_states(key, block.first, block.stop - block.first).tolist()
            words = [" ".join(map(str, state)) for state in states]
            return Words(_each(block, np.arange(len(words))), words)
        return Words(_each(block, np.zeros(block.stop - block.first, np.int64)), [key.hex()])


def _drawn(name: str) -> str:
    """`truth` is what the estimate is to be compared with; a truth that depends on the data was taken off already."""
    return f"{name.removesuffix('truth')}drawn_truth" if name.rpartition(".")[2] == "truth" else name


def _free(name: str, prefix: str, taken: set[str]) -> str:
    """The name, or one with a prefix where another column is called so."""
    while name in taken:
        name = f"{prefix}_{name}"
    taken.add(name)
    return name


def _only(name: str) -> Callable[[_Part], tuple[str, ...]]:
    return lambda part: (name,)


def _for_each(field: str) -> Callable[[_Part], tuple[str, ...]]:
    return lambda part: tuple(f"{parameter}.{field}" for parameter in part.parameters)


def _true(parameter: str, known: dict[int, dict[str, float]]) -> Callable[[_Part], float]:
    return lambda part: known[part.cell].get(parameter, np.nan)


def _each(block: _Block, values: NDArray[Any]) -> NDArray[Any]:
    """One value for each replication, in all of its rows."""
    return np.repeat(values, block.part.width)


def _of(block: _Block, name: str) -> NDArray[Any]:
    values: NDArray[Any] = block.read[name][block.first : block.stop]
    return values


def _constant(name: str, kind: Kind, value: Callable[[_Part], Any]) -> Column:
    def make(block: _Block) -> Values:
        rows = (block.stop - block.first) * block.part.width
        if kind is Kind.TEXT:
            return Words(np.zeros(rows, np.int64), [value(block.part)])
        return np.full(rows, value(block.part), np.int32 if kind is Kind.WHOLE else np.float64)

    return Column(name, kind, make)


def _axis(name: str, axis: str, levels: Sequence[Any]) -> Column:
    """Numbers where all levels are numbers, truth values where all are, else texts."""
    if all(isinstance(level, bool) for level in levels):
        return Column(name, Kind.FLAG, lambda block: np.full(_rows(block), block.part.levels[axis], np.float64))
    if any(isinstance(level, (bool, str)) for level in levels):
        return _constant(name, Kind.TEXT, lambda part: str(part.levels[axis]))
    whole = all(isinstance(level, int) and abs(level) <= _MOST_INT32 for level in levels)
    return _constant(name, Kind.WHOLE if whole else Kind.NUMBER, lambda part: part.levels[axis])


def _rows(block: _Block) -> int:
    return (block.stop - block.first) * block.part.width


def _quantity(name: str, kind: Kind, needs: Callable[[_Part], tuple[str, ...]]) -> Column:
    """Numbers as they were recorded: one for each row of a replication, or the same in all."""

    def make(block: _Block) -> Values:
        missing = np.full(block.stop - block.first, np.nan)
        found = [_of(block, own) if own in block.read else missing for own in needs(block.part)]
        return np.stack(found, axis=1).ravel() if len(found) > 1 else _each(block, found[0])

    return Column(name, kind, make, needs)


def _parameter(block: _Block) -> Words:
    codes = np.tile(np.arange(block.part.width), block.stop - block.first)
    return Words(codes if block.part.parameters != ("",) else codes - 1, block.part.parameters)


def _truth(block: _Block, known: dict[str, float]) -> Values:
    values = [known.get(parameter, np.nan) for parameter in block.part.parameters]
    return np.tile(np.array(values, np.float64), block.stop - block.first)


def _status(block: _Block) -> Words:
    return Words(_each(block, _of(block, "status").astype(np.int64)), [status.name.lower() for status in Status])


def _problem(block: _Block) -> Words:
    own = [each for each in block.read["problem"] if block.first <= each.replication < block.stop]
    codes = np.full(block.stop - block.first, -1, np.int64)
    codes[[each.replication - block.first for each in own]] = np.arange(len(own))
    return Words(_each(block, codes), [each.text for each in own])
