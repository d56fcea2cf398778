"""The table of replications in a file, whole or not at all."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]

from statsclaw.errors import InputRefused
from statsclaw.montecarlo.exporting.rds import MOST_ROWS, write_rds
from statsclaw.montecarlo.exporting.rows import Kind, Replications, Values, Words

_ARROW = {Kind.TEXT: pa.string(), Kind.NUMBER: pa.float64(), Kind.WHOLE: pa.int32(), Kind.FLAG: pa.bool_()}


def export(table: Replications, path: Path, format: str) -> None:
    """`format`: csv, parquet or rds. What stood in the file before is replaced when the new one is complete."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        try:
            _WRITERS[format](table, partial)
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)
    except OSError as error:
        raise InputRefused(f"{path} cannot be written: {error.strerror or error}", todo="give another --to") from None


def print_csv(table: Replications) -> None:
    """To standard output."""
    sys.stdout.flush()
    for piece in _csv_pieces(table):
        sys.stdout.write(piece.decode())


def _csv(table: Replications, path: Path) -> None:
    """Numbers with as many digits as give the same double again (at most 17)."""
    with path.open("wb") as file:
        for piece in _csv_pieces(table):
            file.write(piece)


def _csv_pieces(table: Replications) -> Iterator[bytes]:
    from pyarrow import csv

    yield _lines(csv, pa.RecordBatch.from_pylist([], schema=_schema(table)), header=True)
    for batch in _batches(table):
        yield _lines(csv, batch, header=False)


def _lines(csv: Any, batch: Any, *, header: bool) -> bytes:
    sink = pa.BufferOutputStream()
    csv.write_csv(batch, sink, csv.WriteOptions(include_header=header))
    text: bytes = sink.getvalue().to_pybytes()
    return text


def _parquet(table: Replications, path: Path) -> None:
    import pyarrow.parquet as pq  # type: ignore[import-untyped]

    with pq.ParquetWriter(path, _schema(table), compression="zstd") as writer:
        for batch in _batches(table):
            writer.write_batch(batch)


def _rds(table: Replications, path: Path) -> None:
    if table.rows > MOST_ROWS:
        raise InputRefused(f"a data frame of R cannot have {table.rows:,} rows", todo="export them with --parquet")
    names, kinds = [column.name for column in table.columns], [column.kind for column in table.columns]

    def values(place: int) -> Iterator[Values]:
        return (block[0] for block in table.blocks([table.columns[place]]))

    write_rds(path, names, kinds, table.rows, values)


_WRITERS: dict[str, Callable[[Replications, Path], None]] = {"csv": _csv, "parquet": _parquet, "rds": _rds}
FORMATS = tuple(_WRITERS)


def _schema(table: Replications) -> Any:
    return pa.schema([(column.name, _ARROW[column.kind]) for column in table.columns])


def _batches(table: Replications) -> Iterator[Any]:
    schema = _schema(table)
    for block in table.blocks():
        arrays = [_array(column.kind, values) for column, values in zip(table.columns, block, strict=True)]
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)


def _array(kind: Kind, values: Values) -> Any:
    if isinstance(values, Words):
        codes = pa.array(values.codes, pa.int64(), mask=values.codes < 0)
        return pa.array(values.words, pa.string()).take(codes)
    missing = np.isnan(values) if values.dtype.kind == "f" else None
    if kind is Kind.FLAG:
        return pa.array(np.nan_to_num(values).astype(np.bool_), mask=missing)
    return pa.array(values, _ARROW[kind], mask=missing)
