"""Tables as Stata's own files: format 118, which Stata 14 and everything newer reads; see `help dta`.

Numbers are doubles, so they arrive exactly as they are; truth values are bytes; texts have up to 2045 bytes.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Columns = Mapping[str, NDArray[np.generic]]

_DOUBLE, _BYTE = 65526, 65530
_MISSING = struct.unpack("<d", bytes.fromhex("000000000000e07f"))[0]
_LARGEST = float.fromhex("0x1.fffffffffffffp+1022")
_LONGEST_TEXT, _MOST_COLUMNS = 2045, 32767
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,31}")


class Unwritable(ValueError):
    """A table that Stata cannot hold; the message says why."""


def write_dta(place: Path, columns: Columns) -> None:
    """`columns`: of one length, of numbers, truth values or texts (str)."""
    lengths = {len(column) for column in columns.values()}
    if len(lengths) > 1 or any(column.ndim != 1 for column in columns.values()):
        raise Unwritable("the columns of the data have different lengths")
    if len(columns) > _MOST_COLUMNS:
        raise Unwritable(f"the data have more than {_MOST_COLUMNS} columns")
    if wrong := next((name for name in columns if not _NAME.fullmatch(name)), None):
        raise Unwritable(f"{wrong!r} cannot be the name of a variable")
    packed = [_packed(name, column) for name, column in columns.items()]
    rows = lengths.pop() if lengths else 0
    table = np.empty(rows, dtype=[(f"c{number}", data.dtype) for number, (_, _, data) in enumerate(packed)])
    for number, (_, _, data) in enumerate(packed):
        table[f"c{number}"] = data
    place.write_bytes(_file(list(columns), packed, rows, table.tobytes()))


def _packed(name: str, column: NDArray[np.generic]) -> tuple[int, str, NDArray[np.generic]]:
    """Type, display format, and the elements as they lie in the file."""
    if column.dtype.kind == "b":
        return _BYTE, "%8.0g", column.astype("i1")
    if column.dtype.kind in "iuf":
        numbers = column.astype("<f8")
        if np.isinf(numbers).any() or (np.abs(numbers) > _LARGEST).any():
            raise Unwritable(f"{name} holds a number that Stata does not have (infinite, or too large)")
        return _DOUBLE, "%10.0g", np.where(np.isnan(numbers), _MISSING, numbers)
    texts = [str(text).encode() for text in column]
    longest = max(map(len, texts), default=0) or 1
    if longest > _LONGEST_TEXT:
        raise Unwritable(f"{name} holds a text of more than {_LONGEST_TEXT} bytes")
    return longest, f"%{longest}s", np.array(texts, dtype=f"S{longest}")


def _file(names: list[str], packed: list[tuple[int, str, NDArray[np.generic]]], rows: int, data: bytes) -> bytes:
    count = len(names)
    numbers = {"K": struct.pack("<H", count), "N": struct.pack("<Q", rows), "label": bytes(2), "timestamp": bytes(1)}
    about = {"release": b"118", "byteorder": b"LSF", **numbers}
    header = _section("header", b"".join(_section(name, content) for name, content in about.items()))
    sections = [
        ("variable_types", b"".join(struct.pack("<H", kind) for kind, _, _ in packed)),
        ("varnames", _padded(names, 129)),
        ("sortlist", bytes(2 * (count + 1))),
        ("formats", _padded([display for _, display, _ in packed], 57)),
        ("value_label_names", bytes(129 * count)),
        ("variable_labels", bytes(321 * count)),
        ("characteristics", b""),
        ("data", data),
        ("strls", b""),
        ("value_labels", b""),
    ]
    begin = b"<stata_dta>"
    offsets = [0, len(begin) + len(header)]
    at = offsets[1] + len(b"<map></map>") + 14 * 8
    body = b""
    for name, content in sections:
        offsets.append(at + len(body))
        body += _section(name, content)
    end = b"</stata_dta>"
    offsets += [at + len(body), at + len(body) + len(end)]
    return begin + header + _section("map", struct.pack("<14Q", *offsets)) + body + end


def _section(name: str, content: bytes) -> bytes:
    return f"<{name}>".encode() + content + f"</{name}>".encode()


def _padded(texts: list[str], size: int) -> bytes:
    return b"".join(text.encode().ljust(size, b"\0") for text in texts)
