"""Adds results to a folder, so that a process killed at any moment leaves nothing that is half there."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from statsclaw.errors import InputRefused, MachineRefused
from statsclaw.montecarlo.batch import Batch, Loaded
from statsclaw.montecarlo.design import Study
from statsclaw.montecarlo.storage import chunks, loaded
from statsclaw.montecarlo.storage.chunks import Chunk, ChunkDamaged
from statsclaw.montecarlo.storage.identity import Description, describe, identity_of
from statsclaw.montecarlo.storage.lock import locked
from statsclaw.montecarlo.storage.store import ASIDE, CHUNKS, DESCRIPTION, Store, read_description
from statsclaw.montecarlo.storage.versions import Changes, begun, changes, following, number_of

_TOGETHER = 32  # chunks of about one size that become one
_LARGEST = 1 << 23  # values in a merged chunk


class Writer(Store):
    """A store that is added to. Only under the lock of its folder."""

    def __init__(self, folder: Path, description: Description) -> None:
        for partial in (folder / CHUNKS).glob("*.partial"):
            partial.unlink(missing_ok=True)
        super().__init__(folder, description)
        self._version = self.versions[number_of(description)]
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
                todo=f"run it again with {_WAYS_OUT}",
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
    """The folder's writer, locked. What was computed by something else than the study is now is refused, unless a
    person has said what becomes of it: `apart`, `redo` or `accept`."""
    place, kept = folder, read_description(folder)
    if apart and kept is not None:
        found = compare(kept, study)
        if found.refused or found.extended:
            place = apart_folder(folder, study, kept)
    with ExitStack() as held:
        try:
            held.enter_context(locked(place))
            (place / CHUNKS).mkdir(exist_ok=True)
            description = _agreed(place, study, redo=redo, accept=accept)
        except OSError as error:
            todo = "give another folder with --out"
            raise MachineRefused(f"{place} cannot be written: {error.strerror or error}", todo=todo) from None
        yield Writer(place, description)


def compare(kept: Description, study: Study) -> Changes:
    """What is not as it was when the results in a folder were computed."""
    return changes(kept, describe(study, kept.get("format", 1)))


def _agreed(place: Path, study: Study, *, redo: bool, accept: bool) -> Description:
    """What the folder says from now on. Under its lock."""
    now = describe(study)
    own = loaded.states(loaded.programs_of(study))
    kept = read_description(place)
    if kept is None:
        description = begun(now, own)
    else:
        found = compare(kept, study)
        stale = _stale(kept, study) if redo else set()
        if stale:
            description = _redone(place, kept, study, stale)
        elif found.design or (found.rest and not accept):
            raise InputRefused(_refusal(place, found), kept="nothing was changed", todo=_todo(found))
        elif found.rest or found.extended or "loaded" not in kept:
            record = own | loaded.present(kept.get("loaded", {}))
            description = following(kept, now, found.rest, record)
        else:
            description = {**kept, "loaded": kept["loaded"] | loaded.present(kept["loaded"])}
    if description != kept:
        _write_whole(place / DESCRIPTION, json.dumps(description, indent=1, ensure_ascii=False))
    return description


def _parts(kept: Description) -> dict[int, Description]:
    return {number_of(each): each for each in [*kept.get("earlier", ()), kept]}


def _stale(kept: Description, study: Study) -> set[int]:
    """The versions whose replications are to be computed again."""
    parts = _parts(kept).items()
    return {number for number, each in parts if "loaded" not in each or compare(each, study).refused}


def _redone(place: Path, kept: Description, study: Study, stale: set[int]) -> Description:
    """Sets aside what was computed by something else than the study is now, and begins a version of its own."""
    record, parts = loaded.present(kept.get("loaded", {})), _parts(kept)
    for path, chunk in ((chunk.path, chunk) for held in Store(place, kept)._chunks.values() for chunk in held):
        if chunk.version in stale:
            aside = place / ASIDE / f"version-{chunk.version}"
            aside.mkdir(parents=True, exist_ok=True)
            path.replace(aside / path.name)
    for number in stale:
        if (aside := place / ASIDE / f"version-{number}").is_dir():
            _write_whole(aside / DESCRIPTION, json.dumps({**parts[number], "earlier": []}, indent=1))
    left = [each for number, each in parts.items() if number not in stale]
    description = following(kept, describe(study), (), loaded.states(loaded.programs_of(study)) | record)
    return {**description, "earlier": [{**_alone(each), "until": []} for each in left]}


def _alone(description: Description) -> Description:
    return {key: value for key, value in description.items() if key != "earlier"} | {"version": number_of(description)}


def _refusal(place: Path, found: Changes) -> str:
    shown = "; ".join(found.refused[:3]) + ("; …" if len(found.refused) > 3 else "")
    if found.design:
        return f"{place} holds results of another study ({shown})"
    return f"the study is not as it was when {place} was computed: {shown}"


_WAYS_OUT = (
    "--apart (keep new results apart), --redo (compute the replications concerned again; the old ones are set aside) "
    "or --accept (go on; summaries and verdicts then say what is mixed)"
)


def _todo(found: Changes) -> str:
    if found.design:
        return (
            "undo the change, or run it with --apart (keep new results apart) or --redo (compute all again; the old "
            "results are set aside), or give another folder with --out"
        )
    return f"undo the change, or run it with {_WAYS_OUT}"


def refuse_unless_same(place: Path, found: Changes) -> None:
    """For whoever reads results."""
    if found.refused:
        raise InputRefused(_refusal(place, found), kept="nothing was changed", todo=_todo(found))


def apart_folder(folder: Path, study: Study, kept: Description) -> Path:
    """Where the results of a study are kept apart from those in the folder."""
    identity = identity_of(describe(study, kept.get("format", 1)))
    text = "".join((identity.design, identity.code, identity.environment))
    record = loaded.present(kept.get("loaded", {}))
    if loaded.compared(kept.get("loaded", {}), record).changed:
        text += json.dumps({name: [each["version"], each["hash"]] for name, each in sorted(record.items())})
    return folder / f"apart-{hashlib.sha256(text.encode()).hexdigest()[:12]}"


def _write_whole(path: Path, text: str) -> None:
    partial = path.with_suffix(".partial")
    with partial.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)
