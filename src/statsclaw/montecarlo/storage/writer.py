"""Adds results to a folder, so that a process killed at any moment leaves nothing that is half there."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from statsclaw.errors import InputRefused, MachineRefused
from statsclaw.montecarlo.batch import Batch, Loaded
from statsclaw.montecarlo.design import Study
from statsclaw.montecarlo.storage import chunks, loaded
from statsclaw.montecarlo.storage.chunks import Chunk, ChunkDamaged
from statsclaw.montecarlo.storage.identity import Description, describe
from statsclaw.montecarlo.storage.lock import locked
from statsclaw.montecarlo.storage.places import WAYS_OUT, apart_folder, compare, look_at, place_of, refused
from statsclaw.montecarlo.storage.redoing import set_failures_aside
from statsclaw.montecarlo.storage.store import ASIDE, CHUNKS, DESCRIPTION, Store
from statsclaw.montecarlo.storage.versions import begun, following, number_of
from statsclaw.words import span

_TOGETHER = 32  # chunks of about one size that become one
_LARGEST = 1 << 23  # values in a merged chunk
_NOTHING_TO_REDO = (
    "nothing is of another version and nothing failed: --redo has nothing to compute again; to compute all of it "
    "again, remove {folder} first"
)


class Writer(Store):
    """A store that is added to. Only under the lock of its folder."""

    def __init__(self, folder: Path, description: Description) -> None:
        for partial in (folder / CHUNKS).glob("*.partial"):
            partial.unlink(missing_ok=True)
        super().__init__(folder, description)
        self._version = self.versions[number_of(description)]
        #: By cell, the last replication that there was of any method, and one: what is missing before it is computed.
        self.reach = {cell: self.reached(cell) for cell in self._chunks}
        for cell, held in self._chunks.items():
            self._drop_covered(cell)
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
                self.folder / CHUNKS, chunks.as_table(batch), batch.task.cell, batch.task.first, self._version
            )
        except OSError as error:
            raise MachineRefused(
                f"results cannot be written to {self.folder}: {error.strerror or error}",
                kept="everything written before is kept",
                todo="make room and run the same command again; it goes on where it stopped",
            ) from None
        self._add(chunk)

    def learn(self, said: Sequence[Loaded]) -> None:
        """Records what a worker has loaded. Refuses what is not the version that is recorded."""
        record: loaded.Record = self.description["loaded"]
        elsewhere = {f"{loaded.PYTHON} {name}" for name in self.description["environment"]}
        found = {name: each for name, each in loaded.states(said, record).items() if name not in elsewhere}
        before = {name: record[name] for name in found if name in record}
        again = loaded.present({name: each for name, each in before.items() if loaded.grown(each, found[name])})
        if changed := loaded.compared(before, found | again).changed:
            raise InputRefused(
                f"while the study ran, its workers loaded something else than before: {'; '.join(changed)}",
                kept="what was stored before is kept",
                todo=f"run it again with {WAYS_OUT}",
            )
        if any(record.get(name) != each for name, each in found.items()):
            record.update(found)
            self.describe()

    def changed(self) -> tuple[str, ...]:
        """What is not any more as it was recorded."""
        return loaded.compared(self.description["loaded"], loaded.present(self.description["loaded"])).changed

    def describe(self) -> None:
        _write_whole(self.folder / DESCRIPTION, json.dumps(self.description, indent=1, ensure_ascii=False))

    def tidy(self, cell: int, *, fully: bool = False) -> None:
        """Makes one chunk of many small neighbours; `fully`: of whatever follows each other."""
        for held in self._alike(cell):
            self._tidy(held, fully)

    def _alike(self, cell: int) -> list[list[Chunk]]:
        """The chunks of a cell, apart by version and methods."""
        groups: dict[tuple[int, frozenset[str]], list[Chunk]] = {}
        for chunk in self._chunks.get(cell, []):
            groups.setdefault((chunk.version, chunk.methods), []).append(chunk)
        return list(groups.values())

    def exchange(self, chunk: Chunk, pieces: Sequence[Chunk], aside: Path) -> None:
        """These pieces of a chunk instead of it; it goes to the folder aside."""
        self._chunks[chunk.cell].remove(chunk)
        chunk.path.replace(aside / chunk.path.name)
        for piece in pieces:
            self._add(piece)

    def _tidy(self, held: list[Chunk], fully: bool) -> None:
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
            whole = chunks.merge_chunks(self.folder / CHUNKS, parts, self.versions[parts[0].version])
        except (ChunkDamaged, OSError, MemoryError):
            return  # the parts are there; what is damaged is noticed when it is read
        self._add(whole)
        self._drop_covered(whole.cell)

    def _drop_covered(self, cell: int) -> None:
        """Removes chunks whose replications another chunk holds as well."""
        for held in self._alike(cell):
            largest: Chunk | None = None
            for chunk in held:  # by first, the longest first
                if largest is not None and chunk.stop <= largest.stop:
                    self._chunks[cell].remove(chunk)
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
def writing(
    folder: Path, study: Study, *, apart: bool = False, redo: bool = False, accept: bool = False
) -> Iterator[Writer]:
    """The writer of the study's results, locked: in the folder, or in one apart in it where these are of the study as
    it is now. What was computed by something else than that is refused, unless a person has said what becomes of it:
    `apart`, `redo` or `accept`. `redo` is also about what failed."""
    found = place_of(folder, study)
    place = found.folder if found is not None else folder
    if apart and found is not None and found.found.refused:
        place = apart_folder(folder, study, found.kept)
    with ExitStack() as held:
        try:
            held.enter_context(locked(place))
            (place / CHUNKS).mkdir(exist_ok=True)
            description, notes = _agreed(place, study, redo=redo, accept=accept)
        except OSError as error:
            todo = "give another folder with --out"
            raise MachineRefused(f"{place} cannot be written: {error.strerror or error}", todo=todo) from None
        writer = Writer(place, description)
        writer.notes += notes
        if redo and not set_failures_aside(writer) and not notes:
            writer.notes.append(_NOTHING_TO_REDO.format(folder=place))
        yield writer


def _agreed(place: Path, study: Study, *, redo: bool, accept: bool) -> tuple[Description, list[str]]:
    """What the folder says from now on, and what was done for that. Under its lock."""
    now, notes = describe(study), list[str]()
    own = loaded.states(loaded.programs_of(study))
    found = look_at(place, study)
    kept = found.kept if found is not None else None
    if found is None or kept is None:
        return _written(place, None, begun(now, own)), notes
    rest, extended = found.found.rest, found.found.extended
    record = loaded.present(kept.get("loaded", {}))
    record = loaded.without_missing(record) if redo else record
    stale = _stale(kept, study) if redo and not accept else set()
    if stale:
        description, notes = _redone(place, kept, study, stale, record)
    elif found.found.design or (rest and not accept):
        raise refused(found)
    elif rest or extended or "loaded" not in kept:
        description = following(kept, now, rest, own | record)
    else:
        description = {**kept, "loaded": record if redo else kept["loaded"] | record}
    return _written(place, kept, description), notes


def _written(place: Path, kept: Description | None, description: Description) -> Description:
    if description != kept:
        _write_whole(place / DESCRIPTION, json.dumps(description, indent=1, ensure_ascii=False))
    return description


def _parts(kept: Description) -> dict[int, Description]:
    return {number_of(each): each for each in [*kept.get("earlier", ()), kept]}


def _stale(kept: Description, study: Study) -> set[int]:
    """The versions whose replications are to be computed again."""
    parts = _parts(kept).items()
    return {number for number, each in parts if "loaded" not in each or compare(each, study).refused}


def _redone(
    place: Path, kept: Description, study: Study, stale: set[int], record: loaded.Record
) -> tuple[Description, list[str]]:
    """Sets aside what was computed by something else than the study is now, and begins a version of its own."""
    parts, counts = _parts(kept), Counter[int]()
    for chunk in Store(place, kept).chunks():
        if chunk.version in stale:
            aside = place / ASIDE / f"version-{chunk.version}"
            aside.mkdir(parents=True, exist_ok=True)
            chunk.path.replace(aside / chunk.path.name)
            counts[chunk.cell] += chunk.count
    for number in stale:
        if (aside := place / ASIDE / f"version-{number}").is_dir():
            _write_whole(aside / DESCRIPTION, json.dumps({**parts[number], "earlier": []}, indent=1))
    left = [each for number, each in parts.items() if number not in stale]
    description = following(kept, describe(study), (), loaded.states(loaded.programs_of(study)) | record)
    notes = []
    if counts:
        said = f"{sum(counts.values()):,} replications of an earlier version are set aside in {place / ASIDE}"
        more = ", --sequential adds to undecided criteria" if max(counts.values()) > min(study.planned) else ""
        notes = [f"{said}, up to {max(counts.values()):,} a cell; the study plans {span(study.planned)} a cell{more}"]
    return {**description, "earlier": [{**_alone(each), "until": []} for each in left]}, notes


def _alone(description: Description) -> Description:
    return {key: value for key, value in description.items() if key != "earlier"} | {"version": number_of(description)}


def _write_whole(path: Path, text: str) -> None:
    partial = path.with_suffix(".partial")
    with partial.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)
