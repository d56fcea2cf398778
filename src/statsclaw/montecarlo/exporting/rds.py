"""R's own format for one object, version 2 (R 1.4.0 and later): a data frame, written one column after another.

See "Serialization Formats" in the manual R Internals. Doubles are written as they are, so nothing is lost.
"""

from __future__ import annotations

import gzip
import struct
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

from statsclaw.montecarlo.exporting.rows import Kind, Values, Words

_SYMBOL, _PAIRS, _CHARS, _LOGICALS, _INTEGERS, _DOUBLES, _TEXTS, _LIST = 1, 2, 9, 10, 13, 14, 16, 19
_NOTHING = 254  # ends a list of pairs
_IS_OBJECT, _HAS_ATTRIBUTES, _HAS_TAG = 1 << 8, 1 << 9, 1 << 10
_UTF8, _ASCII = 1 << 15, 1 << 18
_MISSING_INTEGER = -(2**31)
_MISSING_TEXT = struct.pack(">ii", _CHARS, -1)
#: The NaN that R shows as NA.
_MISSING_NUMBER = np.array([0x7FF00000000007A2], np.uint64).view(np.float64)[0]
_WRITTEN_BY, _READ_BY = 0x30500, 0x20300
_QUICKLY = 3  # of gzip's levels: half the time of R's own 6, a tenth more bytes
MOST_ROWS = 2**31 - 1


def write_rds(
    path: Path, names: Sequence[str], kinds: Sequence[Kind], rows: int, values: Callable[[int], Iterable[Values]]
) -> None:
    """`values(i)`: the blocks of column i."""
    with path.open("wb") as plain, gzip.GzipFile("", "wb", _QUICKLY, plain, mtime=0) as file:
        file.write(b"X\n" + struct.pack(">iii", 2, _WRITTEN_BY, _READ_BY))
        file.write(struct.pack(">ii", _LIST | _IS_OBJECT | _HAS_ATTRIBUTES, len(names)))
        for place, kind in enumerate(kinds):
            _column(file, kind, rows, values(place))
        _attribute(file, "names", _texts(names))
        _attribute(file, "row.names", struct.pack(">iiii", _INTEGERS, 2, _MISSING_INTEGER, -rows))
        _attribute(file, "class", _texts(["data.frame"]))
        file.write(struct.pack(">i", _NOTHING))


_TYPES = {Kind.TEXT: _TEXTS, Kind.NUMBER: _DOUBLES, Kind.WHOLE: _INTEGERS, Kind.FLAG: _LOGICALS}


def _column(file: gzip.GzipFile, kind: Kind, rows: int, blocks: Iterable[Values]) -> None:
    file.write(struct.pack(">ii", _TYPES[kind], rows))
    for values in blocks:
        if isinstance(values, Words):
            encoded = [*map(_text, values.words), _MISSING_TEXT]
            file.write(b"".join([encoded[code] for code in values.codes.tolist()]))
        elif kind is Kind.NUMBER:
            numbers = values.astype(np.float64)
            file.write(np.where(np.isnan(numbers), _MISSING_NUMBER, numbers).astype(">f8").tobytes())
        else:
            missing = np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), np.bool_)
            file.write(np.where(missing, _MISSING_INTEGER, np.where(missing, 0, values)).astype(">i4").tobytes())


def _text(text: str) -> bytes:
    """R has no texts with NUL in them."""
    encoded = text.replace("\0", "\ufffd").encode("utf-8", "replace")
    return struct.pack(">ii", _CHARS | (_ASCII if encoded.isascii() else _UTF8), len(encoded)) + encoded


def _texts(texts: Sequence[str]) -> bytes:
    return struct.pack(">ii", _TEXTS, len(texts)) + b"".join(map(_text, texts))


def _attribute(file: gzip.GzipFile, name: str, value: bytes) -> None:
    file.write(struct.pack(">ii", _PAIRS | _HAS_TAG, _SYMBOL) + _text(name) + value)
