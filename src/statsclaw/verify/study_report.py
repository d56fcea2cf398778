"""The records of a study: written by the engine, kept with the run, and read again wherever they are judged.

They are read strictly all the same: what a log names may have been changed. Sizes are bounded before anything is
parsed.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from types import MappingProxyType
from typing import Any

import numpy as np

from statsclaw.montecarlo.table import Table
from statsclaw.montecarlo.verdicts.questions import columns_needed, methods_of
from statsclaw.specs.sim_spec import Study, as_criterion
from statsclaw.verify.blind.inside import statsclaw_wire as wire

Key = tuple[str, str]

#: More than a hundred million numbers.
_LARGEST = 2**30
_SHOWN = 60
_UNREADABLE = (ArithmeticError, AttributeError, LookupError, MemoryError, RecursionError, TypeError, ValueError)


class RecordsRefused(Exception):
    """The records of a study are not what was asked for; the message is one sentence."""


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """Replications first … first + count − 1 of every cell and method of a study."""

    seed: int
    first: int
    count: int
    tables: Mapping[Key, Table]


def written(records: Records) -> bytes:
    """Numbers as they are, eight bytes each."""
    cells = [
        {
            "cell": cell,
            "method": method,
            "failed": np.array(table.failed),
            "columns": {name: np.array(values) for name, values in table.columns.items()},
        }
        for (cell, method), table in records.tables.items()
    ]
    return wire.encode({"seed": records.seed, "first": records.first, "cells": cells})


def packed(data: bytes) -> bytes:
    """Records as they are kept: the same bytes for the same records."""
    return gzip.compress(data, 1, mtime=0)


def unpacked(data: bytes) -> bytes:
    """Records as they were written; nothing that unpacks to more than records may hold."""
    try:
        unpack = zlib.decompressobj(wbits=31)
        found = unpack.decompress(data, _LARGEST + 1)
    except zlib.error:
        return b""
    return found if len(found) <= _LARGEST else b""


def read_records(data: bytes, study: Study, *, seed: int) -> Records:
    """One batch, or RecordsRefused with what is wrong with it."""
    try:
        found = _from_json(data) if data.startswith(b"{") else wire.decode(data)
        named, first, rows = int(found["seed"]), int(found["first"]), list(found["cells"])
        tables = {(row["cell"], row["method"]): Table(row["failed"], MappingProxyType(row["columns"])) for row in rows}
    except _UNREADABLE:
        raise RecordsRefused("the records of the study cannot be read") from None
    if named != seed:
        raise RecordsRefused(f"changed seed: the records name {named}, and {seed} was given")
    wanted = set(product(study.cells(), study.methods))
    if len(tables) != len(rows) or set(tables) != wanted:
        some = next(iter(sorted(wanted - set(tables))), None)
        missing = f"{_name(some)} is missing" if some else "a cell is there twice, or none of the study's"
        raise RecordsRefused(f"the records are not one table for each cell and method: {missing}")
    count = len(tables[min(wanted)].failed)
    for key, table in tables.items():
        for fault in _faults(table, count):
            raise RecordsRefused(f"{fault} in {_name(key)}")
    _check_columns(study, tables)
    return Records(seed, first, count, MappingProxyType(tables))


def merge(a: Records, b: Records) -> Records:
    """Two batches of the same study that follow each other. Columns that only one of them has are left out."""
    a, b = sorted((a, b), key=lambda records: records.first)
    if a.seed != b.seed or set(a.tables) != set(b.tables):
        raise RecordsRefused("the batches are not of the same study with the same seed")
    if a.first + a.count != b.first:
        raise RecordsRefused(f"replications {b.first:,} … do not follow {a.first:,} … {a.first + a.count - 1:,}")
    tables: dict[Key, Table] = {}
    for key, old in a.tables.items():
        new = b.tables[key]
        columns = {
            name: np.concatenate([values, new.columns[name]])
            for name, values in old.columns.items()
            if name in new.columns
        }
        tables[key] = Table(np.concatenate([old.failed, new.failed]), MappingProxyType(columns))
    return Records(a.seed, a.first, a.count + b.count, MappingProxyType(tables))


def _from_json(data: bytes) -> dict[str, Any]:
    """As runs of earlier versions wrote them, the recorded demonstrations among them."""
    found: dict[str, Any] = json.loads(data)
    for row in found["cells"]:
        row["failed"] = np.array(row["failed"])
        row["columns"] = {name: np.array(values, dtype=float) for name, values in row["columns"].items()}
        found["first"] = row["replication"][0]
    return found


def _faults(table: Table, count: int) -> Iterator[str]:
    if not _is_array(table.failed, "b", count):
        yield f'"failed" is not {count:,} times true or false'
        return
    for name, values in table.columns.items():
        if not _is_array(values, "f", count):
            yield f"the column {_shown(name)} is not {count:,} numbers"
            return
        sound = values[~table.failed]
        if not np.all(np.isfinite(sound)):
            yield f"the column {_shown(name)} holds no finite value where no replication failed"
        if not np.all(np.isnan(values[table.failed])):
            yield f"the column {_shown(name)} holds a value where a replication failed"
        if name.endswith(".reject") and not np.all(np.isin(sound, (0.0, 1.0))):
            yield f"the column {_shown(name)} holds something other than 0 and 1"


def _is_array(values: object, kind: str, count: int) -> bool:
    return isinstance(values, np.ndarray) and values.dtype.kind == kind and values.shape == (count,)


def _check_columns(study: Study, tables: Mapping[Key, Table]) -> None:
    """Without these columns a criterion has no answer."""
    for criterion in study.criteria:
        asked = as_criterion(criterion)
        for cell, method in product(study.selected(criterion), methods_of(asked)):
            for column in columns_needed(asked):
                if column not in tables[cell, method].columns:
                    where = _name((cell, method))
                    raise RecordsRefused(f"{criterion.id} needs the column {column}, which is missing in {where}")


def _name(key: Key) -> str:
    return f"cell {_shown(key[0])}, method {_shown(key[1])}"


def _shown(value: object) -> str:
    """A value of records in a sentence: nothing that a terminal would obey, nothing that is no character."""
    text = " ".join(str(value).split()) if isinstance(value, str) else type(value).__name__
    text = "".join(c if c.isprintable() else "�" for c in text[: _SHOWN + 1])
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
