"""Results of a study in a folder: Parquet chunks and `study.json`, which says what they are results of.

Reading takes one column at a time and only the gap-free prefix of a cell's replications, the same for all methods.
"""

from __future__ import annotations

import itertools
import json
from bisect import insort
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statsclaw.errors import InputRefused
from statsclaw.montecarlo.batch import Status
from statsclaw.montecarlo.storage import chunks
from statsclaw.montecarlo.storage.chunks import Chunk, ChunkDamaged
from statsclaw.montecarlo.storage.identity import Description, identity_of
from statsclaw.montecarlo.storage.mixing import mixed_in
from statsclaw.montecarlo.storage.versions import Design, places, versions_of
from statsclaw.montecarlo.table import Table

DESCRIPTION, CHUNKS, ASIDE = "study.json", "chunks", "aside"


@dataclass(frozen=True, slots=True)
class Problem:
    """What a method said in one replication: a failure, or a warning where the status is OK."""

    replication: int
    status: Status
    text: str


def read_description(folder: Path) -> Description | None:
    """None where there are no results."""
    try:
        description = json.loads((folder / DESCRIPTION).read_text(encoding="utf-8"))
        identity_of(description)
    except FileNotFoundError:
        return None
    except NotADirectoryError:
        raise InputRefused(f"{folder} is not a folder", todo="give a folder with --out") from None
    except (ValueError, KeyError, TypeError, OSError):
        todo = "give another folder with --out, or remove this folder of results"
        raise InputRefused(f"{folder / DESCRIPTION} is damaged", kept="nothing was changed", todo=todo) from None
    found: Description = description
    return found


class Store:
    """What there is of a study. `notes`: one line about each file that is not read."""

    def __init__(
        self, folder: Path, description: Description, design: Design | None = None, since: Sequence[str] = ()
    ) -> None:
        self.folder = folder
        self.description = description
        self.design: Design = description["design"] if design is None else design
        self.versions = versions_of(description)
        self.since = tuple(since)
        self.methods: tuple[str, ...] = tuple(self.design["methods"])
        self.notes: list[str] = []
        self._places = {number: places(version.design, self.design) for number, version in self.versions.items()}
        self._names: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._chunks: dict[int, list[Chunk]] = {}
        self._look()

    def _look(self) -> None:
        """What files there are now."""
        self._chunks.clear()
        for path in sorted((self.folder / CHUNKS).glob("*.parquet")):
            try:
                self._add(self._placed(chunks.open_chunk(path, self.versions, self._names)))
            except ChunkDamaged as damage:
                if path.exists():  # not merged away by a run that goes on
                    self._refuse(path, str(damage))

    @classmethod
    def open(cls, folder: Path, design: Design | None = None, since: Sequence[str] = ()) -> Store:
        """`design`: of the study that reads, where it has other levels or methods than the last that was run. `since`:
        what else has changed since that."""
        description = read_description(Path(folder))
        if description is None:
            raise InputRefused(f"there are no results in {folder}", todo="run the study: statsclaw mc run STUDY")
        return cls(Path(folder), description, design, since)

    def chunks(self) -> list[Chunk]:
        """All of them, those of cells that the grid has no more included."""
        return [chunk for held in self._chunks.values() for chunk in held]

    def completed(self, cell: int) -> int:
        """How many replications there are from the first on, without a gap, of all methods."""
        reached = [chunks.without_gaps(held) for held in self._by_methods(cell)]
        return min((pieces[-1][2] if pieces else 0 for pieces in reached), default=0)

    def stored(self, cell: int, most: int | None = None) -> int:
        """How many of the replications 0 … most − 1 there are, gaps or not."""
        end = self.reached(cell) if most is None else most
        return end - sum(stop - first for first, stop in self.missing(cell, end))

    def reached(self, cell: int) -> int:
        """The last replication that there is of any method, and one."""
        return max((chunk.stop for chunk in self._chunks.get(cell, ())), default=0)

    def missing(self, cell: int, planned: int) -> list[tuple[int, int]]:
        """The ranges [first, stop) of 0 … planned − 1 that there are not, of one method or more."""
        found: list[tuple[int, int]] = []
        for first, stop, _ in self.missing_of(cell, planned):
            if found and found[-1][1] == first:
                found[-1] = (found[-1][0], stop)
            else:
                found.append((first, stop))
        return found

    def missing_of(self, cell: int, planned: int) -> list[tuple[int, int, tuple[str, ...]]]:
        """The same with the methods that are there: ranges [first, stop) for each."""
        groups = self._by_methods(cell)
        if len(groups) == 1:
            return [(first, stop, ()) for first, stop in _gaps(groups[0], planned)]
        gaps = {name: _gaps(self._of(cell, name), planned) for name in self.methods}
        cuts = sorted({end for ranges in gaps.values() for gap in ranges for end in gap})
        found = []
        for first, stop in itertools.pairwise(cuts):
            there = tuple(name for name in self.methods if not any(a <= first < b for a, b in gaps[name]))
            if len(there) < len(self.methods):
                found.append((first, stop, there))
        return found

    def _of(self, cell: int, method: str) -> list[Chunk]:
        held = self._chunks.get(cell, [])
        return held if self._is_whole(held) else [chunk for chunk in held if method in chunk.methods]

    def _by_methods(self, cell: int) -> list[list[Chunk]]:
        """The chunks of each method; once, where all of them are of all methods."""
        held = self._chunks.get(cell, [])
        return [held] if self._is_whole(held) else [self._of(cell, name) for name in self.methods]

    def _is_whole(self, held: Sequence[Chunk]) -> bool:
        return all(set(self.methods) <= methods for methods in {chunk.methods for chunk in held})

    def _placed(self, chunk: Chunk) -> Chunk:
        """Where the present grid has its cell; −1 where it has none."""
        there = self._places[chunk.version]
        if there is None:
            return chunk
        place = there[chunk.home] if chunk.home < len(there) else None
        return replace(chunk, cell=-1 if place is None else place)

    def mixed(self) -> list[str]:
        """One sentence about each earlier version of the study that replications are of."""
        return mixed_in(self)

    def versions_in(self, cell: int, method: str) -> list[tuple[int, int, int]]:
        """(version, first, stop) of the pieces that are read, in their order."""
        total = self.completed(cell)
        pieces = chunks.without_gaps(self._of(cell, self._known(method)))
        return [(chunk.version, first, min(stop, total)) for chunk, first, stop in pieces if first < total]

    def columns(self, method: str) -> tuple[str, ...]:
        """What the method gave anywhere, e.g. mu.estimate, mu.se."""
        return chunks.quantities((c for held in self._chunks.values() for c in held), self._known(method))

    def table(self, cell: int, method: str, columns: Sequence[str] | None = None) -> Table:
        """Replications 0 … completed − 1 with these columns (default: all), and always `seconds`."""
        wanted = list(self.columns(method) if columns is None else columns)
        wanted = [name for name in dict.fromkeys([*wanted, chunks.SECONDS]) if name != chunks.STATUS]
        self._known(method)
        while True:
            total = self.completed(cell)
            failed, read = np.zeros(total, np.bool_), {name: np.full(total, np.nan) for name in wanted}
            try:  # chunk by chunk: besides the columns, no more than one chunk is held
                for first, stop, found in self._pieces(cell, method, (chunks.STATUS, *wanted)):
                    failed[first:stop] = found[f"{method}/{chunks.STATUS}"] != Status.OK
                    for name in wanted:
                        if (values := found.get(f"{method}/{name}")) is not None:
                            read[name][first:stop] = values
            except ChunkDamaged:
                continue
            return Table(failed, read)

    def statuses(self, cell: int, method: str) -> NDArray[np.uint8]:
        pieces = self._read(cell, self._known(method), [chunks.STATUS])
        return _joined(pieces, f"{method}/{chunks.STATUS}", np.uint8)

    def warnings(self, cell: int, method: str) -> NDArray[np.uint16]:
        """How many warnings each replication gave."""
        pieces = self._read(cell, self._known(method), [chunks.WARNINGS])
        return _joined(pieces, f"{method}/{chunks.WARNINGS}", np.uint16)

    def problems(self, cell: int, method: str) -> list[Problem]:
        """Every text that was kept, in the order of the replications."""
        found, reached = [], 0
        for size, piece in self._read(cell, self._known(method), [chunks.STATUS, chunks.PROBLEM]):
            status = piece[f"{method}/{chunks.STATUS}"]
            texts = piece.get(f"{method}/{chunks.PROBLEM}", ())
            for place, text in enumerate(texts):
                if text is not None:
                    found.append(Problem(reached + place, Status(int(status[place])), text))
            reached += size
        return found

    def told(self, cell: int, method: str) -> list[Problem]:
        """Every failure and every text, of all that is stored, gaps or not."""
        found: dict[int, Problem] = {}
        prefix = self._known(method)
        names = [f"{prefix}/{name}" for name in (chunks.STATUS, chunks.PROBLEM)]
        for chunk in self._of(cell, method):
            piece = self._columns_of(chunk, names)
            status = piece.get(names[0], np.zeros(0, np.uint8))
            texts = piece.get(names[1]) or [None] * len(status)
            for place in range(len(status)) if any(texts) else np.flatnonzero(status).tolist():
                if status[place] or texts[place] is not None:
                    number = chunk.first + place
                    found[number] = Problem(number, Status(int(status[place])), texts[place] or "")
        return [found[number] for number in sorted(found)]

    def counts(self, cell: int) -> tuple[int, int]:
        """Failures of all methods in all that is stored of the cell, and how often a method warned."""
        failed = warned = 0
        for chunk in self._chunks.get(cell, ()):
            mine = [name for name in self.methods if name in chunk.methods]
            piece = self._columns_of(
                chunk, [f"{name}/{each}" for name in mine for each in (chunks.STATUS, chunks.WARNINGS)]
            )
            for name, values in piece.items():
                if name.endswith(f"/{chunks.STATUS}"):
                    failed += int(np.count_nonzero(values))
                else:
                    warned += int(np.count_nonzero(values))
        return failed, warned

    def warned(self, cell: int, method: str) -> int:
        """In how many of the stored replications the method gave a warning."""
        name = f"{self._known(method)}/{chunks.WARNINGS}"
        pieces = (self._columns_of(chunk, [name]) for chunk in self._of(cell, method))
        return sum(int(np.count_nonzero(piece[name])) for piece in pieces if name in piece)

    def _columns_of(self, chunk: Chunk, names: Sequence[str]) -> Mapping[str, Any]:
        """Nothing where it cannot be read; that is told by who reads the prefix."""
        try:
            return chunks.read_columns(chunk, names)
        except ChunkDamaged:
            return {}

    def row(self, cell: int, method: str, replication: int) -> tuple[Status, dict[str, float]] | None:
        """Status and values of one replication, wherever it stands; None where it is not stored."""
        prefix = f"{self._known(method)}/"
        for chunk in self._chunks.get(cell, ()):
            if chunk.first <= replication < chunk.stop and method in chunk.methods:
                found = chunks.read_columns(chunk, [name for name in chunk.columns if name.startswith(prefix)])
                at = {name[len(prefix) :]: values[replication - chunk.first] for name, values in found.items()}
                values = {name: float(at[name]) for name in at if name not in chunks.OWN and not np.isnan(at[name])}
                return Status(int(at[chunks.STATUS])), values
        return None

    def _known(self, method: str) -> str:
        if method not in self.methods:
            raise KeyError(f"there is no method {method!r} (methods: {', '.join(self.methods)})")
        return method

    def _read(self, cell: int, method: str, names: Sequence[str]) -> list[tuple[int, dict[str, Any]]]:
        """(number of replications, columns) of the pieces of the prefix; a chunk that turns out damaged is left out."""
        while True:
            try:
                return [(stop - first, found) for first, stop, found in self._pieces(cell, method, names)]
            except ChunkDamaged:
                continue

    def _pieces(self, cell: int, method: str, names: Sequence[str]) -> Iterator[tuple[int, int, dict[str, Any]]]:
        """First, stop and columns of each piece of the prefix. ChunkDamaged: ask again, from the start."""
        full, total = [f"{method}/{name}" for name in names], self.completed(cell)
        for chunk, first, end in chunks.without_gaps(self._of(cell, method)):
            if (stop := min(end, total)) <= first:
                return
            try:
                found = chunks.read_columns(chunk, full)
            except ChunkDamaged as damage:
                if chunk.path.exists():
                    self._chunks[cell].remove(chunk)
                    self._refuse(chunk.path, str(damage))
                else:  # a run that goes on has made one chunk of several
                    self._look()
                raise
            part = slice(first - chunk.first, stop - chunk.first)
            yield first, stop, {name: values[part] for name, values in found.items()}

    def _add(self, chunk: Chunk) -> None:
        insort(self._chunks.setdefault(chunk.cell, []), chunk, key=lambda held: (held.first, -held.stop))

    def _refuse(self, path: Path, why: str) -> None:
        self.notes.append(f"{path.name} is not read: {why}")


def _gaps(held: Sequence[Chunk], planned: int) -> list[tuple[int, int]]:
    """The ranges [first, stop) of 0 … planned − 1 that are in no chunk; these in order of their first replication."""
    gaps, reached = [], 0
    for chunk in held:
        if chunk.first > reached:
            gaps.append((reached, min(chunk.first, planned)))
        reached = max(reached, chunk.stop)
        if reached >= planned:
            return [gap for gap in gaps if gap[0] < gap[1]]
    return [gap for gap in [*gaps, (reached, planned)] if gap[0] < gap[1]]


def _joined(pieces: Sequence[tuple[int, dict[str, Any]]], name: str, kind: type[Any]) -> NDArray[Any]:
    parts = [found[name] for _, found in pieces]
    return np.concatenate(parts) if parts else np.zeros(0, kind)
