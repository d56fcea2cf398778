"""Takes out of a folder what is to be computed again. It is set aside, not removed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from statsclaw.montecarlo.storage import chunks
from statsclaw.montecarlo.storage.chunks import Chunk
from statsclaw.montecarlo.storage.store import ASIDE, CHUNKS

if TYPE_CHECKING:
    from statsclaw.montecarlo.storage.writer import Writer

#: A chunk becomes at most about so many: what succeeded between two failures that are close is computed again as well.
_MOST_PIECES = 500


def set_failures_aside(writer: Writer) -> int:
    """The replications in which a method failed are missing from now on, of all methods. How many there were."""
    count, aside = 0, None
    for held in writer.chunks():
        failed = _failed_in(held, writer.methods)
        if not failed.any():
            continue
        count += int(np.count_nonzero(failed))
        aside = aside or _next_folder(writer.folder)
        pieces = chunks.write_pieces(writer.folder / CHUNKS, held, _kept(failed), writer.versions[held.version])
        writer.exchange(held, pieces, aside)
    if aside is not None:
        said = f"{count:,} failed replication{'s are' if count > 1 else ' is'} computed again, on the same data"
        writer.notes.append(f"{said}; as they were, they are in {aside}")
    return count


def _failed_in(chunk: Chunk, methods: Sequence[str]) -> NDArray[np.bool_]:
    names = [f"{name}/{chunks.STATUS}" for name in methods if name in chunk.methods]
    found = np.zeros(chunk.count, np.bool_)
    for values in chunks.read_columns(chunk, names).values():
        found |= np.asarray(values) != 0
    return found


def _kept(failed: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """The runs of rows without a failure, the short ones of very many left out."""
    edges = np.flatnonzero(np.diff(np.concatenate(([True], failed, [True])).astype(np.int8)))
    runs = edges.reshape(-1, 2)
    if len(runs) > _MOST_PIECES:
        lengths = runs[:, 1] - runs[:, 0]
        runs = runs[lengths >= np.sort(lengths)[-_MOST_PIECES]]
    return [(int(first), int(stop)) for first, stop in runs[:_MOST_PIECES]] if len(runs) else []


def _next_folder(folder: Path) -> Path:
    number = 1
    while (aside := folder / ASIDE / f"failures-{number}").exists():
        number += 1
    aside.mkdir(parents=True)
    return aside
