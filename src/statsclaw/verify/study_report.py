"""What a study reports of every replication, read strictly: nothing missing, doubled, repeated or left out unseen.

The report comes from a harness that a role wrote. Sizes are bounded before anything is parsed.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from statsclaw.montecarlo.table import Flags, Floats, Table
from statsclaw.montecarlo.verdicts.questions import columns_needed, methods_of
from statsclaw.specs.sim_spec import Study, as_criterion

Key = tuple[str, str]

_LARGEST_REPORT = 64 * 1024 * 1024
_MOST_NUMBERS = 20_000_000
_SHOWN = 60
#: Estimates that are hardly ever the same by chance: this share of them differs from all others.
_MOSTLY_DIFFERENT = 0.5
_REPEATED = 0.9
_FEW_VALUES = 10
#: So many values may by chance return at the same distance.
_MOST_BY_CHANCE = 4


class RecordsRefused(Exception):
    """The report of a study is not what was asked for; the message is one sentence."""


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """Replications first … first + count − 1 of every cell and method of a study."""

    seed: int
    first: int
    count: int
    tables: Mapping[Key, Table]


def packed(data: bytes) -> bytes:
    """A report as it is kept: the same bytes for the same report."""
    return gzip.compress(data, mtime=0)


def unpacked(data: bytes) -> bytes:
    """A report as it was written; nothing that unpacks to more than a report may hold."""
    try:
        unpack = zlib.decompressobj(wbits=31)
        found = unpack.decompress(data, _LARGEST_REPORT + 1)
    except zlib.error:
        return b""
    return found if len(found) <= _LARGEST_REPORT else b""


def read_records(data: bytes, study: Study, *, first: int, count: int, seed: int) -> Records:
    """The report of replications first … first + count − 1, or RecordsRefused with what is wrong with it."""
    report = _parsed(data)
    rows = report.get("cells")
    if not isinstance(rows, list):
        raise RecordsRefused('the report has no list "cells"')
    found = report.get("seed")
    if isinstance(found, bool) or not isinstance(found, int | float) or found != seed:
        raise RecordsRefused(f"changed seed: the report names {_shown(found)}, and {seed} was given")
    wanted = {(cell, method) for cell in study.cells() for method in study.methods}
    tables: dict[Key, Table] = {}
    for row in rows:
        key = _key(row, wanted)
        if key in tables:
            raise RecordsRefused(f"{_name(key)} is reported twice")
        tables[key] = _table(row, key, first, count)
    if missing := [key for key in sorted(wanted) if key not in tables]:
        raise RecordsRefused(f"{_name(missing[0])} is missing from the report ({len(missing)} of {len(wanted)} are)")
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
        _refuse_repetition(key, old, new)
        columns = {
            name: np.concatenate([values, new.columns[name]])
            for name, values in old.columns.items()
            if name in new.columns
        }
        tables[key] = Table(np.concatenate([old.failed, new.failed]), MappingProxyType(columns))
        _refuse_shifted_copies(key, tables[key])
    return Records(a.seed, a.first, a.count + b.count, MappingProxyType(tables))


# --- parsing ---------------------------------------------------------------------------------------------------------


def _parsed(data: bytes) -> dict[str, object]:
    if len(data) > _LARGEST_REPORT:
        raise RecordsRefused(f"the report is larger than {_LARGEST_REPORT // 1024**2} MB")
    if data.count(b",") > _MOST_NUMBERS:
        raise RecordsRefused(f"the report holds more than {_MOST_NUMBERS:,} numbers")
    try:
        report = json.loads(data.decode("utf-8"), object_pairs_hook=_once)
    except (ValueError, RecursionError, MemoryError):
        raise RecordsRefused("the report is not JSON") from None
    if not isinstance(report, dict):
        raise RecordsRefused("the report is not a JSON object")
    return report


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise RecordsRefused("a key stands twice in one object of the report")
    return found


def _key(row: object, wanted: set[Key]) -> Key:
    if not isinstance(row, dict):
        raise RecordsRefused('an entry of "cells" is not an object')
    cell, method = row.get("cell"), row.get("method")
    if not isinstance(cell, str) or not isinstance(method, str):
        raise RecordsRefused('an entry of "cells" does not name its cell and its method')
    if (cell, method) not in wanted:
        raise RecordsRefused(f"the study has no cell {_shown(cell)} with the method {_shown(method)}")
    return cell, method


def _table(row: dict[str, object], key: Key, first: int, count: int) -> Table:
    order = _order(row.get("replication"), key, first, count)
    failed = row.get("failed")
    if not isinstance(failed, list) or set(map(type, failed)) - {bool}:
        raise RecordsRefused(f'"failed" is not a list of true and false in {_name(key)}')
    if len(failed) != count:
        raise RecordsRefused(f'the lengths of "failed" and "replication" differ in {_name(key)}')
    flags = np.array(failed, dtype=np.bool_)
    columns = row.get("columns")
    if not isinstance(columns, dict):
        raise RecordsRefused(f"there are no columns in {_name(key)}")
    read = {name: _column(name, values, flags, key)[order] for name, values in columns.items()}
    table = Table(flags[order], MappingProxyType(read))
    _refuse_copies(key, table)
    return table


def _order(values: object, key: Key, first: int, count: int) -> NDArray[np.intp]:
    """The order that sorts the replications; they may have been computed in any."""
    if not isinstance(values, list) or set(map(type, values)) - {int, float}:
        raise RecordsRefused(f'"replication" is not a list of whole numbers in {_name(key)}')
    if len(values) < count:
        raise RecordsRefused(
            f"fewer replications than planned: {len(values):,} of {count:,} are reported in {_name(key)}"
        )
    numbers = _floats(values, f'"replication" in {_name(key)}')
    order = np.argsort(numbers, kind="stable")
    if len(values) > count or not np.array_equal(numbers[order], np.arange(first, first + count, dtype=np.float64)):
        planned = f"{first:,} … {first + count - 1:,}"
        raise RecordsRefused(f"the replications of {_name(key)} are not exactly {planned}, each of them once")
    return order


def _column(name: str, values: object, failed: Flags, key: Key) -> Floats:
    where = f"the column {_shown(name)} in {_name(key)}"
    truth = name.endswith(".reject")
    allowed = {int, float, type(None)} | ({bool} if truth else set())
    if not isinstance(values, list) or set(map(type, values)) - allowed:
        raise RecordsRefused(f"{where} holds something that is not a number")
    if len(values) != len(failed):
        raise RecordsRefused(f"the lengths of {where} and of its replications differ: {len(values):,}, {len(failed):,}")
    numbers = _floats(values, where)
    if not np.all(np.isfinite(numbers[~failed])):
        raise RecordsRefused(f"{where} holds a value that is missing or not finite in a replication that did not fail")
    if not np.all(np.isnan(numbers[failed])):
        raise RecordsRefused(f"{where} holds a value in a replication that is reported as failed")
    if truth and not np.all(np.isin(numbers[~failed], (0.0, 1.0))):
        raise RecordsRefused(f"{where} holds something other than 0 and 1")
    return numbers


def _floats(values: list[object], where: str) -> Floats:
    try:
        return np.array(values, dtype=np.float64)
    except (OverflowError, ValueError, TypeError):
        raise RecordsRefused(f"{where} holds a number beyond any this machine has") from None


def _check_columns(study: Study, tables: Mapping[Key, Table]) -> None:
    """Without these columns a criterion has no answer."""
    for criterion in study.criteria:
        asked = as_criterion(criterion)
        for cell, method in product(study.selected(criterion), methods_of(asked)):
            for column in columns_needed(asked):
                if column not in tables[cell, method].columns:
                    where = _name((cell, method))
                    raise RecordsRefused(f"{criterion.id} needs the column {column}, which is missing in {where}")


# --- replications that are not new -----------------------------------------------------------------------------------


def _estimates(table: Table) -> list[tuple[str, Floats]]:
    return [(name, table.usable(name)) for name in table.columns if name.endswith(".estimate")]


def _refuse_copies(key: Key, table: Table) -> None:
    """Every estimate there k times: chance does not do that, a harness that repeats its draws does."""
    for name, values in _estimates(table):
        times = np.unique(values, return_counts=True)[1]
        if len(times) > _FEW_VALUES and times.min() == times.max() > 1:
            raise RecordsRefused(f"every value of {_shown(name)} stands {times[0]} times in {_name(key)}: draws repeat")
    _refuse_shifted_copies(key, table)


def _refuse_shifted_copies(key: Key, table: Table) -> None:
    """Values that return after always as many replications: chance, or an estimate of few values, does not do that."""
    places = np.flatnonzero(~table.failed)
    for name, values in _estimates(table):
        order = np.argsort(values, kind="stable")
        again = values[order][1:] == values[order][:-1]
        if not again.any():
            continue
        apart = np.diff(places[order])[again]
        distances, times = np.unique(apart, return_counts=True)
        usual = distances[np.argmax(times)]
        copied = len(np.unique(values[order][1:][again][apart == usual]))
        if times.max() > 0.5 * len(apart) and copied > max(_MOST_BY_CHANCE, 0.01 * len(values)):
            raise RecordsRefused(
                f"{copied:,} values of {_shown(name)} stand in {_name(key)} a second time, "
                f"{usual:,} replications after the first: draws repeat"
            )


def _refuse_repetition(key: Key, old: Table, new: Table) -> None:
    """Further replications that are the earlier ones under other numbers are no evidence."""
    before = dict(_estimates(old))
    for name, values in _estimates(new):
        if name not in before or len(values) <= _FEW_VALUES or len(np.unique(values)) < _MOSTLY_DIFFERENT * len(values):
            continue
        if np.mean(np.isin(values, before[name])) > _REPEATED:
            raise RecordsRefused(f"the further replications of {_name(key)} repeat the estimates of the earlier ones")


def _name(key: Key) -> str:
    return f"cell {_shown(key[0])}, method {_shown(key[1])}"


def _shown(value: object) -> str:
    """A value of a report in a sentence: nothing that a terminal would obey, nothing that is no character."""
    text = " ".join(str(value).split()) if isinstance(value, str | int | float) else type(value).__name__
    text = "".join(c if c.isprintable() else "�" for c in text[: _SHOWN + 1])
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
