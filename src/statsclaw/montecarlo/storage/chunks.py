"""One chunk of results in a Parquet file: one row per replication, one column per method and quantity."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]

from statsclaw.montecarlo.batch import Batch
from statsclaw.montecarlo.storage.versions import Version

STATUS, SECONDS, WARNINGS, PROBLEM = "status", "seconds", "warnings", "problem"
OWN = frozenset({STATUS, SECONDS, WARNINGS, PROBLEM})
_ROW_GROUP = 1 << 17


class ChunkDamaged(Exception):
    """A file that is no whole chunk of this study; the message says why."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Replications first … stop − 1 of a cell. `columns`: method/quantity. `home`: the number of the cell in the
    version of the study that computed them."""

    path: Path
    cell: int
    first: int
    stop: int
    columns: tuple[str, ...]
    version: int = 1
    home: int = 0

    @property
    def count(self) -> int:
        return self.stop - self.first

    @property
    def methods(self) -> frozenset[str]:
        return _methods_in(self.columns)


@lru_cache(maxsize=1024)
def _methods_in(columns: tuple[str, ...]) -> frozenset[str]:
    return frozenset(name.removesuffix(f"/{STATUS}") for name in columns if name.endswith(f"/{STATUS}"))


def file_name(cell: int, first: int, count: int, version: int = 1) -> str:
    return f"{'' if version == 1 else f'v{version}-'}cell{cell:06d}-{first:011d}+{count}.parquet"


def as_table(batch: Batch) -> Any:
    """The batch with one column `method/quantity` for each."""
    columns: dict[str, Any] = {}
    for method, rows in batch.methods.items():
        numbers: dict[str, np.ndarray[Any, Any]] = {
            STATUS: rows.status,
            SECONDS: rows.seconds,
            WARNINGS: rows.warnings,
            **rows.columns,
        }
        columns |= {f"{method}/{name}": _as_arrow(values) for name, values in numbers.items()}
        if rows.problems:
            texts = [rows.problems.get(place) for place in range(batch.task.count)]
            columns[f"{method}/{PROBLEM}"] = pa.array(texts, pa.string())
    return pa.table(columns)


def _as_arrow(values: np.ndarray[Any, Any]) -> Any:
    """Without pa.array, which imports pandas (a quarter of a second) to see whether it is given some of it."""
    kind = pa.from_numpy_dtype(values.dtype)
    return pa.Array.from_buffers(kind, len(values), [None, pa.py_buffer(np.ascontiguousarray(values))])


def write_chunk(folder: Path, table: Any, cell: int, first: int, version: Version) -> Chunk:
    """Whole or not at all: written under another name, forced to the disk, then renamed. `cell`: in this version."""
    count = table.num_rows
    metadata = {**version.identity.metadata(), "version": str(version.number)}
    metadata |= {"cell": str(cell), "first": str(first), "count": str(count)}
    table = table.replace_schema_metadata({f"statsclaw.{key}": value for key, value in metadata.items()})
    path = folder / file_name(cell, first, count, version.number)
    partial = path.with_suffix(f".{os.getpid()}.partial")
    repeating = [name for name in table.column_names if name.rpartition("/")[2] in (STATUS, WARNINGS, PROBLEM)]
    try:
        with partial.open("wb") as file:
            pq.write_table(
                table,
                file,
                compression="zstd",
                compression_level=1,
                use_dictionary=repeating,
                write_statistics=False,
                row_group_size=_ROW_GROUP,
                write_page_checksum=True,
            )
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    return Chunk(path, cell, first, first + count, tuple(table.column_names), version.number, cell)


def open_chunk(path: Path, versions: Mapping[int, Version], names: dict[tuple[str, ...], tuple[str, ...]]) -> Chunk:
    """The chunk in a file, by what its footer says; `names` keeps one copy of each list of column names."""
    try:
        footer = pq.read_metadata(path)
        schema = footer.schema.to_arrow_schema()
    except (OSError, pa.ArrowException) as error:
        raise ChunkDamaged(f"it cannot be read ({type(error).__name__})") from None
    said = {key.decode(): value.decode() for key, value in (schema.metadata or {}).items()}
    version = versions.get(_whole(said.get("statsclaw.version", "1")))
    if version is None:
        raise ChunkDamaged("it belongs to another version of the study")
    for key, value in version.identity.metadata().items():
        if said.get(f"statsclaw.{key}") != value:
            raise ChunkDamaged(f"it belongs to another {key}")
    try:
        cell, first, count = (int(said[f"statsclaw.{key}"]) for key in ("cell", "first", "count"))
    except (KeyError, ValueError):
        raise ChunkDamaged("it does not say which replications it holds") from None
    if count != footer.num_rows or path.name != file_name(cell, first, count, version.number):
        raise ChunkDamaged("it holds other replications than its name says")
    columns = tuple(schema.names)
    return Chunk(path, cell, first, first + count, names.setdefault(columns, columns), version.number, cell)


def _whole(text: str) -> int:
    return int(text) if text.isdecimal() else 0


def check_pages(chunk: Chunk) -> None:
    """Reads all of it, for its checksums. ChunkDamaged if a page is not what was written."""
    try:
        file = pq.ParquetFile(chunk.path, page_checksum_verification=True)
        for _ in file.iter_batches(batch_size=_ROW_GROUP, use_threads=False):
            pass
        file.close()
    except (OSError, pa.ArrowException) as error:
        raise ChunkDamaged(f"it cannot be read ({type(error).__name__})") from None


def _read(chunk: Chunk, columns: Sequence[str] | None = None) -> Any:
    """A table. Not by pq.read_table, which loads all of pyarrow.dataset first."""
    try:
        with pq.ParquetFile(chunk.path, page_checksum_verification=True) as file:
            return file.read(columns, use_threads=False)
    except (OSError, pa.ArrowException) as error:
        raise ChunkDamaged(f"it cannot be read ({type(error).__name__})") from None


def read_columns(chunk: Chunk, names: Sequence[str]) -> Mapping[str, Any]:
    """The named columns, those that the chunk has, as numpy arrays or lists of texts."""
    wanted = [name for name in names if name in chunk.columns]
    table = _read(chunk, wanted)
    found: dict[str, Any] = {}
    for name in wanted:
        column = table.column(name)
        found[name] = column.to_pylist() if column.type == pa.string() else _as_numpy(column)
    return found


def _as_numpy(column: Any) -> Any:
    """A copy. Not by `to_numpy` where it can be helped, which loads pandas if it is installed."""
    if column.null_count or not (pa.types.is_floating(column.type) or pa.types.is_integer(column.type)):
        return column.to_numpy()
    parts = [np.from_dlpack(part) for part in column.chunks]
    return np.concatenate(parts) if parts else column.to_numpy()


def merge_chunks(folder: Path, parts: Sequence[Chunk], version: Version) -> Chunk:
    """One chunk of parts of one version that follow each other. The parts are left as they are."""
    whole = pa.concat_tables([_read(part) for part in parts], promote_options="default")
    floats = [name for name in whole.column_names if pa.types.is_floating(whole.schema.field(name).type)]
    for name in floats:
        if whole.column(name).null_count:
            place = whole.column_names.index(name)
            whole = whole.set_column(place, name, whole.column(name).fill_null(float("nan")))
    return replace(write_chunk(folder, whole, parts[0].home, parts[0].first, version), cell=parts[0].cell)


def write_pieces(folder: Path, chunk: Chunk, ranges: Iterable[tuple[int, int]], version: Version) -> list[Chunk]:
    """Chunks of these rows [first, stop) of a chunk. That one is left as it is."""
    whole = _read(chunk)
    return [
        replace(write_chunk(folder, whole.slice(first, stop - first), chunk.home, chunk.first + first, version),
                cell=chunk.cell)
        for first, stop in ranges
    ]  # fmt: skip


def quantities(chunks: Iterable[Chunk], method: str) -> tuple[str, ...]:
    """What a method gave in any of the chunks, beside what the engine records, in the order it was first given."""
    prefix = f"{method}/"
    lists = dict.fromkeys(chunk.columns for chunk in chunks)
    names = dict.fromkeys(name[len(prefix) :] for columns in lists for name in columns if name.startswith(prefix))
    return tuple(name for name in names if name not in OWN)


def without_gaps(chunks: Iterable[Chunk]) -> list[tuple[Chunk, int, int]]:
    """The longest prefix 0 … k − 1 of replications: pieces (chunk, from, to) of it, each replication once."""
    ordered = sorted(chunks, key=lambda chunk: (chunk.first, -chunk.stop))
    pieces: list[tuple[Chunk, int, int]] = []
    reached = 0
    best: Chunk | None = None
    for chunk in [*ordered, None]:
        if chunk is not None and chunk.first <= reached:
            if best is None or chunk.stop > best.stop:
                best = chunk
            continue
        if best is not None and best.stop > reached:
            pieces.append((best, reached, best.stop))
            reached = best.stop
            best = None
        if chunk is None or chunk.first > reached:
            break
        best = chunk
    return pieces
