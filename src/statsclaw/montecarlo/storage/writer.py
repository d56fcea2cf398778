"""Adds results to a folder, so that a process killed at any moment leaves nothing that is half there."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from statsclaw.errors import InputRefused, MachineRefused
from statsclaw.montecarlo.batch import Batch
from statsclaw.montecarlo.design import Study
from statsclaw.montecarlo.storage import chunks
from statsclaw.montecarlo.storage.chunks import Chunk, ChunkDamaged
from statsclaw.montecarlo.storage.identity import Description, describe, differences, identity_of
from statsclaw.montecarlo.storage.lock import locked
from statsclaw.montecarlo.storage.store import ASIDE, CHUNKS, DESCRIPTION, Store, read_description

_TOGETHER = 32  # chunks of about one size that become one
_LARGEST = 1 << 23  # values in a merged chunk


class Writer(Store):
    """A store that is added to. Only under the lock of its folder."""

    def __init__(self, folder: Path, description: Description) -> None:
        for partial in (folder / CHUNKS).glob("*.partial"):
            partial.unlink(missing_ok=True)
        super().__init__(folder, description)
        for held in self._chunks.values():
            self._drop_covered(held)
            for chunk in list(held):
                try:
                    chunks.check_pages(chunk)
                except ChunkDamaged as damage:  # its replications are missing, and computed again
                    held.remove(chunk)
                    self._refuse(chunk.path, str(damage))

    def add(self, batch: Batch) -> None:
        """On the disk when this returns."""
        try:
            chunk = chunks.write_chunk(
                self.folder / CHUNKS, chunks.as_table(batch), batch.task.cell, batch.task.first, self.identity
            )
        except OSError as error:
            raise MachineRefused(
                f"results cannot be written to {self.folder}: {error.strerror or error}",
                kept="everything written before is kept",
                todo="make room and run the same command again; it goes on where it stopped",
            ) from None
        self._add(chunk)

    def tidy(self, cell: int, *, fully: bool = False) -> None:
        """Makes one chunk of many small neighbours; `fully`: of whatever follows each other."""
        held = self._chunks.get(cell, [])
        run: list[Chunk] = []
        for chunk in [*held, None]:
            fits = chunk is not None and (not run or _belongs(run, chunk, fully))
            if chunk is not None and fits:
                run.append(chunk)
            if not fits or (not fully and len(run) == _TOGETHER):
                if len(run) >= (2 if fully else _TOGETHER):
                    self._merge(run)
                run = [chunk] if chunk is not None and not fits else []

    def _merge(self, parts: list[Chunk]) -> None:
        try:
            whole = chunks.merge_chunks(self.folder / CHUNKS, parts, self.identity)
        except (ChunkDamaged, OSError, MemoryError):
            return  # the parts are there; what is damaged is noticed when it is read
        self._add(whole)
        self._drop_covered(self._chunks[whole.cell])

    def _drop_covered(self, held: list[Chunk]) -> None:
        """Removes chunks whose replications another chunk holds as well."""
        largest: Chunk | None = None
        for chunk in list(held):  # by first, the longest first
            if largest is not None and chunk.stop <= largest.stop:
                held.remove(chunk)
                chunk.path.unlink(missing_ok=True)
            else:
                largest = chunk

    def _refuse(self, path: Path, why: str) -> None:
        aside = self.folder / ASIDE
        aside.mkdir(exist_ok=True)
        path.replace(aside / path.name)
        self.notes.append(f"{path.name} was set aside in {aside}: {why}")


def _belongs(run: list[Chunk], chunk: Chunk, fully: bool) -> bool:
    if run[-1].stop != chunk.first:
        return False
    rows = chunk.stop - run[0].first
    if rows * max(len(run[0].columns), len(chunk.columns)) > _LARGEST:
        return False
    similar = chunk.count <= 8 * run[0].count and run[0].count <= 8 * chunk.count
    return fully or similar


@contextmanager
def writing(folder: Path, study: Study, *, apart: bool = False) -> Iterator[Writer]:
    """The folder's writer, locked. Results of another design, code or environment are never mixed with this one's."""
    now = describe(study)
    place = folder
    kept = read_description(place)
    if kept is not None and differences(kept, now) and apart:
        place = apart_folder(folder, now)
        kept = read_description(place)
    if kept is not None and (changed := differences(kept, now)):
        raise InputRefused(
            f"{place} holds results of another study ({'; '.join(changed[:3])}{'; …' if len(changed) > 3 else ''})",
            kept="nothing was changed",
            todo="undo the change, add --apart to keep new results apart, or give another folder with --out",
        )
    with ExitStack() as held:
        try:
            held.enter_context(locked(place))
            (place / CHUNKS).mkdir(exist_ok=True)
            kept = read_description(place)  # another process may have been first
            if kept is not None and differences(kept, now):
                raise InputRefused(f"{place} has just become the folder of another study", todo="try it again")
            if kept is None:
                _write_whole(place / DESCRIPTION, json.dumps(now, indent=1, ensure_ascii=False))
        except OSError as error:
            todo = "give another folder with --out"
            raise MachineRefused(f"{place} cannot be written: {error.strerror or error}", todo=todo) from None
        yield Writer(place, now)


def apart_folder(folder: Path, description: Description) -> Path:
    """Where the results of this study are kept apart from those of another."""
    identity = identity_of(description)
    text = "".join((identity.design, identity.code, identity.environment))
    return folder / f"apart-{hashlib.sha256(text.encode()).hexdigest()[:12]}"


def _write_whole(path: Path, text: str) -> None:
    partial = path.with_suffix(".partial")
    with partial.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)
