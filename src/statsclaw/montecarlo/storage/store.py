"""Results of a study in a folder: Parquet chunks and `study.json`, which says what they are results of.

Reading takes one column at a time and only the gap-free prefix of a cell's replications, the same for all methods.
"""

from __future__ import annotations

import json
from bisect import insort
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statsclaw.errors import InputRefused
from statsclaw.montecarlo.batch import Status
from statsclaw.montecarlo.storage import chunks
from statsclaw.montecarlo.storage.chunks import Chunk, ChunkDamaged
from statsclaw.montecarlo.storage.identity import Description, Identity, identity_of
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

    def __init__(self, folder: Path, description: Description) -> None:
        self.folder = folder
        self.description = description
        self.identity: Identity = identity_of(description)
        self.methods: tuple[str, ...] = tuple(description["design"]["methods"])
        self.notes: list[str] = []
        self._names: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._chunks: dict[int, list[Chunk]] = {}
        self._look()

    def _look(self) -> None:
        """What files there are now."""
        self._chunks.clear()
        for path in sorted((self.folder / CHUNKS).glob("*.parquet")):
            try:
                self._add(chunks.open_chunk(path, self.identity, self._names))
            except ChunkDamaged as damage:
                if path.exists():  # not merged away by a run that goes on
                    self._refuse(path, str(damage))

    @classmethod
    def open(cls, folder: Path) -> Store:
        description = read_description(Path(folder))
        if description is None:
            raise InputRefused(f"there are no results in {folder}", todo="run the study: statsclaw mc run STUDY")
        return cls(Path(folder), description)

    def completed(self, cell: int) -> int:
        """How many replications there are from the first on, without a gap."""
        pieces = chunks.without_gaps(self._chunks.get(cell, ()))
        return pieces[-1][2] if pieces else 0

    def stored(self, cell: int, most: int | None = None) -> int:
        """How many of the replications 0 … most − 1 there are, gaps or not."""
        held = [(chunk.first, chunk.stop) for chunk in self._chunks.get(cell, ())]
        end = max((stop for _, stop in held), default=0) if most is None else most
        return end - sum(stop - first for first, stop in self.missing(cell, end))

    def missing(self, cell: int, planned: int) -> list[tuple[int, int]]:
        """The ranges [first, stop) of 0 … planned − 1 that there are not."""
        gaps, reached = [], 0
        for chunk in self._chunks.get(cell, ()):  # in order of their first replication
            if chunk.first > reached:
                gaps.append((reached, min(chunk.first, planned)))
            reached = max(reached, chunk.stop)
            if reached >= planned:
                return [gap for gap in gaps if gap[0] < gap[1]]
        return [gap for gap in [*gaps, (reached, planned)] if gap[0] < gap[1]]

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
                for first, stop, found in self._pieces(cell, [f"{method}/{name}" for name in (chunks.STATUS, *wanted)]):
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

    def row(self, cell: int, method: str, replication: int) -> tuple[Status, dict[str, float]] | None:
        """Status and values of one replication, wherever it stands; None where it is not stored."""
        prefix = f"{self._known(method)}/"
        for chunk in self._chunks.get(cell, ()):
            if chunk.first <= replication < chunk.stop:
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
        full = [f"{method}/{name}" for name in names]
        while True:
            try:
                return [(stop - first, found) for first, stop, found in self._pieces(cell, full)]
            except ChunkDamaged:
                continue

    def _pieces(self, cell: int, names: Sequence[str]) -> Iterator[tuple[int, int, dict[str, Any]]]:
        """First, stop and columns of each piece of the prefix. ChunkDamaged: ask again, from the start."""
        for chunk, first, stop in chunks.without_gaps(self._chunks.get(cell, ())):
            try:
                found = chunks.read_columns(chunk, names)
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


def _joined(pieces: Sequence[tuple[int, dict[str, Any]]], name: str, kind: type[Any]) -> NDArray[Any]:
    parts = [found[name] for _, found in pieces]
    return np.concatenate(parts) if parts else np.zeros(0, kind)
