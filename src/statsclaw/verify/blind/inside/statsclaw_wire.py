"""Plain values as bytes, so that every number arrives exactly as it was. Little-endian; a value is a tag and the rest.

    n t f        nothing, true, false
    i d          a whole number (int64), a number (float64)
    s            text: int32 length, UTF-8 (length -1: missing)
    v            a list of numbers: int32 count, float64 each
    a            an array: a letter for its elements (d f i j l z s), int32 dimensions, int32 each, elements row by row
                 (l: one byte each, 2 is missing; z: two float64; s: texts)
    l            a list: int32 count, values
    m            names and values in their order: int32 count, (text, value) each
    x            anything else: a text that names its kind, and a value

A frame is an int64 length and one value. The same file is used on both sides of every conversation and needs nothing
but the standard library; arrays need numpy, which is loaded only where one arrives or is handed over.
"""

from __future__ import annotations

import struct
import sys
from dataclasses import dataclass
from typing import IO, Any

LARGEST_FRAME = 2**31
_DEEPEST = 200
#: Values in a frame: a few bytes can stand for many times as much memory.
_MOST_VALUES = 5_000_000
_INT, _LONG, _DOUBLE, _SIZE = struct.Struct("<i"), struct.Struct("<q"), struct.Struct("<d"), struct.Struct("<q")
_ELEMENTS = {"d": "<f8", "f": "<f4", "i": "<i8", "j": "<i4", "l": "u1", "z": "<c16"}
_MISSING_TEXT = -1
_SINGLE = {b"n": None, b"t": True, b"f": False}
_EIGHT_BYTES = {b"d": _DOUBLE, b"i": _LONG}
_PAIRS = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow")
_ARITHMETIC = [f"__{side}{name}__" for name in _PAIRS for side in ("", "r")]
_ARITHMETIC += [f"__{name}__" for name in ("float", "int", "index", "complex", "neg", "pos", "abs", "eq", "lt", "gt")]


class Unsendable(TypeError):
    """A value that has no plain form; the message names its type."""


class Garbled(ValueError):
    """Bytes that are no value."""


@dataclass(frozen=True)
class Extra:
    """A value of a further kind, such as a table or a handle. `kind` names it; `value` is plain."""

    kind: str
    value: Any


def encode(value: Any) -> bytes:
    out = bytearray()
    _write(out, value, 0)
    return bytes(out)


def decode(data: bytes) -> Any:
    """Arrays become numpy arrays, further kinds `Extra`; see `restored` for what a program would use."""
    reader = _Reader(bytes(data))
    found = reader.value(0)
    if reader.at != len(data):
        raise Garbled("bytes are left over")
    return found


def framed(value: Any) -> bytearray:
    out = bytearray(_SIZE.size)
    _write(out, value, 0)
    _SIZE.pack_into(out, 0, len(out) - _SIZE.size)
    return out


def send(stream: IO[bytes], value: Any) -> None:
    stream.write(framed(value))
    stream.flush()


def receive(stream: IO[bytes], largest: int = LARGEST_FRAME) -> Any:
    """The next value; None (which nobody sends) where the other side has closed."""
    head = exactly(stream, _SIZE.size)
    if head is None:
        return None
    (size,) = _SIZE.unpack(head)
    if not 0 <= size <= largest:
        raise Garbled(f"a frame of {size} bytes")
    body = exactly(stream, size)
    return None if body is None else decode(body)


def exactly(stream: IO[bytes], size: int) -> bytes | None:
    found = bytearray()
    while len(found) < size:
        part = stream.read(size - len(found))
        if not part:
            return None
        found += part
    return bytes(found)


# --- writing ---------------------------------------------------------------------------------------------------------


def _write(out: bytearray, value: Any, depth: int) -> None:
    kind = type(value)
    if depth > _DEEPEST:
        raise Unsendable("a value that is nested too deeply")
    if value is None:
        out += b"n"
    elif kind is bool:
        out += b"t" if value else b"f"
    elif kind is float:
        out += b"d" + _DOUBLE.pack(value)
    elif kind is int and -(2**63) <= value < 2**63:
        out += b"i" + _LONG.pack(value)
    elif kind is str:
        out += b"s"
        _text(out, value)
    elif kind in (list, tuple):
        _items(out, value, depth)
    elif kind is dict and all(type(key) is str for key in value):
        out += b"m" + _INT.pack(len(value))
        for key, part in value.items():
            _text(out, key)
            _write(out, part, depth + 1)
    elif kind is Extra:
        out += b"x"
        _text(out, value.kind)
        _write(out, value.value, depth + 1)
    else:
        _further(out, value, kind, depth)


def _items(out: bytearray, value: Any, depth: int) -> None:
    if type(value) is list and value and all(type(part) is float for part in value):
        out += b"v" + _INT.pack(len(value)) + struct.pack(f"<{len(value)}d", *value)
        return
    if type(value) is tuple:
        out += b"x"
        _text(out, "tuple")
    out += b"l" + _INT.pack(len(value))
    for part in value:
        _write(out, part, depth + 1)


def _further(out: bytearray, value: Any, kind: type, depth: int) -> None:
    numpy: Any = sys.modules.get("numpy")
    pandas: Any = sys.modules.get("pandas")
    if kind is int:
        _write(out, Extra("integer", hex(value)), depth)
    elif kind is complex:
        _write(out, Extra("complex", [value.real, value.imag]), depth)
    elif kind in (bytes, bytearray):
        _write(out, Extra(kind.__name__, bytes(value).hex()), depth)
    elif kind in (set, frozenset):
        _write(out, Extra(kind.__name__, sorted(value, key=repr)), depth)
    elif kind is dict:
        _write(out, Extra("pairs", [[key, part] for key, part in value.items()]), depth)
    elif numpy is not None and isinstance(value, numpy.generic):
        _write(out, Extra("scalar", numpy.asarray(value)), depth)
    elif numpy is not None and kind is numpy.ma.MaskedArray:
        _write(out, Extra("masked", [numpy.asarray(value.data), numpy.ma.getmaskarray(value)]), depth)
    elif numpy is not None and isinstance(value, numpy.ndarray):
        _array(out, numpy.asarray(value), numpy, depth)
    elif pandas is not None and isinstance(value, pandas.DataFrame):
        columns = {str(name): _column(value.iloc[:, number]) for number, name in enumerate(value.columns)}
        _write(out, Extra("table", {"columns": columns, "index": _labels(value.index, pandas)}), depth)
    elif pandas is not None and isinstance(value, pandas.Series):
        found = {"values": _column(value), "index": _labels(value.index, pandas), "name": _plain_label(value.name)}
        _write(out, Extra("series", found), depth)
    else:
        for base in (int, float, complex, str, bytes, list, tuple, dict, set, frozenset):
            if issubclass(kind, base) and not _calculates_otherwise(kind, base):
                _write(out, _flattened(value, base), depth)
                return
        raise Unsendable(f"a {kind.__module__}.{kind.__qualname__}")


def _calculates_otherwise(kind: type, base: type) -> bool:
    """A number whose class has its own arithmetic is not, for a user, the number that it holds."""
    if base not in (int, float, complex):
        return False
    return any(getattr(kind, name) is not getattr(base, name) for name in _ARITHMETIC if hasattr(base, name))


def _flattened(value: Any, base: Any) -> Any:
    """An object of a class derived from `base` as a plain one, whatever its own methods say."""
    if base in (int, float):
        return base.__pos__(value)
    return str.__str__(value) if base is str else base(value)


def _array(out: bytearray, value: Any, numpy: Any, depth: int) -> None:
    kind, size = value.dtype.kind, value.dtype.itemsize
    letter = {"f": "d" if size >= 8 else "f", "i": "i" if size == 8 else "j", "u": "i", "b": "l", "c": "z"}.get(kind)
    if kind in "SU" or (kind == "O" and all(part is None or type(part) is str for part in value.ravel())):
        letter = "s"
    if letter is None:
        raise Unsendable(f"an array of {value.dtype}")
    if value.ndim > 1 and value.flags.f_contiguous and not value.flags.c_contiguous:
        out += b"x"
        _text(out, "fortran")
    if not value.flags.writeable:
        out += b"x"
        _text(out, "readonly")
    out += b"a" + letter.encode() + _INT.pack(value.ndim) + struct.pack(f"<{value.ndim}i", *value.shape)
    if letter == "s":
        for part in value.ravel():
            _text(out, None if part is None else part.decode() if isinstance(part, bytes) else str(part))
    else:
        out += numpy.ascontiguousarray(value, dtype=_ELEMENTS[letter]).tobytes()


def _column(values: Any) -> Any:
    raw = values.to_numpy()
    return raw if raw.dtype.kind in "biufc" else list(raw)


def _labels(index: Any, pandas: Any) -> Any:
    return None if isinstance(index, pandas.RangeIndex) else [_plain_label(part) for part in index.tolist()]


def _plain_label(label: Any) -> Any:
    return label if label is None or type(label) in (str, int, float, bool) else str(label)


def _text(out: bytearray, text: str | None) -> None:
    if text is None:
        out += _INT.pack(_MISSING_TEXT)
        return
    raw = text.encode("utf-8", "surrogatepass")
    out += _INT.pack(len(raw)) + raw


# --- reading ---------------------------------------------------------------------------------------------------------


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data, self.at, self.end, self.made = data, 0, len(data), 0

    def take(self, size: int) -> bytes:
        at = self.at
        if size < 0 or at + size > self.end:
            raise Garbled("it ends too early")
        self.at = at + size
        return self.data[at : at + size]

    def number(self) -> int:
        at = self.at
        if at + 4 > self.end:
            raise Garbled("it ends too early")
        self.at = at + 4
        found: int = _INT.unpack_from(self.data, at)[0]
        return found

    def count(self, least: int = 1) -> int:
        """A number of parts, each of which takes at least so many bytes."""
        found = self.number()
        if found < 0 or found * least > self.end - self.at:
            raise Garbled("it names more parts than there are bytes")
        return found

    def text(self) -> str | None:
        size = self.number()
        at, stop = self.at, self.at + size
        if size == _MISSING_TEXT:
            return None
        if size < 0 or stop > self.end:
            raise Garbled("it ends too early")
        self.at = stop
        try:
            return self.data[at:stop].decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            raise Garbled("a text that is not UTF-8") from None

    def name(self) -> str:
        found = self.text()
        if found is None:
            raise Garbled("a name is missing")
        return found

    def value(self, depth: int) -> Any:
        self.made += 1
        if depth > _DEEPEST or self.made > _MOST_VALUES:
            raise Garbled("it is nested too deeply, or of too many parts")
        tag = self.take(1)
        if tag in _SINGLE:
            return _SINGLE[tag]
        if tag in _EIGHT_BYTES:
            return _EIGHT_BYTES[tag].unpack(self.take(8))[0]
        if tag == b"s":
            return self.text()
        if tag == b"m":
            return {self.name(): self.value(depth + 1) for _ in range(self.count(5))}
        if tag == b"l":
            return [self.value(depth + 1) for _ in range(self.count())]
        if tag == b"a":
            return self.array()
        if tag == b"x":
            return Extra(self.name(), self.value(depth + 1))
        if tag == b"v":
            count = self.count(8)
            return list(struct.unpack(f"<{count}d", self.take(8 * count)))
        raise Garbled(f"an unknown tag {tag!r}")

    def array(self) -> Any:
        import numpy

        letter, dimensions = self.take(1).decode("latin-1"), self.number()
        if not 0 <= dimensions <= 32:
            raise Garbled("an array of so many dimensions")
        shape = tuple(self.number() for _ in range(dimensions))
        if min(shape, default=0) < 0:
            raise Garbled("an array of a negative size")
        count = 1
        for size in shape:
            count *= size
        if letter == "s":
            if count * 4 > self.end - self.at:
                raise Garbled("an array of more elements than there are bytes")
            found = numpy.empty(count, dtype=object)
            found[:] = [self.text() for _ in range(count)]
            return (found if any(part is None for part in found) else found.astype(str)).reshape(shape)
        if letter not in _ELEMENTS:
            raise Garbled(f"an array of {letter!r}")
        kind = numpy.dtype(_ELEMENTS[letter])
        at, stop = self.at, self.at + count * kind.itemsize
        if stop > self.end:
            raise Garbled("it ends too early")
        self.at = stop
        raw = numpy.frombuffer(memoryview(self.data)[at:stop], dtype=kind).reshape(shape).copy()
        if letter != "l":
            return raw
        if not (raw > 1).any():
            return raw.astype(bool)
        return Extra("logical", numpy.where(raw > 1, numpy.nan, raw).astype(float))  # R's truth values with NA


# --- as a program uses it --------------------------------------------------------------------------------------------


def restored(value: Any, further: Any = None) -> Any:
    """What was encoded, as a Python program would have it. `further(kind, value)` makes what is not known here."""
    if isinstance(value, list):
        return [restored(part, further) for part in value]
    if isinstance(value, dict):
        return {key: restored(part, further) for key, part in value.items()}
    if not isinstance(value, Extra):
        return value
    kind, inner = value.kind, value.value
    if kind in _PLAIN_KINDS:
        return _PLAIN_KINDS[kind](restored(inner, further))
    if kind in ("fortran", "readonly"):
        return _as_it_lay(kind, restored(inner, further))
    if kind in ("table", "series"):
        return _of_pandas(kind, restored(inner, further))
    if kind == "masked":
        import numpy

        data, mask = restored(inner, further)
        return numpy.ma.MaskedArray(data, mask)
    if further is None:
        raise Garbled(f"an unknown kind {kind!r}")
    return further(kind, inner)


_PLAIN_KINDS: dict[str, Any] = {
    "tuple": tuple,
    "integer": lambda text: int(text, 16),
    "complex": lambda parts: complex(*parts),
    "bytes": bytes.fromhex,
    "bytearray": bytearray.fromhex,
    "set": set,
    "frozenset": frozenset,
    "pairs": lambda rows: {row[0]: row[1] for row in rows},
    "scalar": lambda array: array[()],
    "logical": lambda array: array,
    "named": lambda parts: parts["value"],
    "factor": lambda parts: [parts["levels"][code - 1] if code else None for code in parts["codes"]],
    "formula": str,
}


def _as_it_lay(kind: str, array: Any) -> Any:
    import numpy

    if kind == "fortran":
        return numpy.asfortranarray(array)
    array.flags.writeable = False
    return array


def _of_pandas(kind: str, parts: Any) -> Any:
    try:
        import pandas
    except ImportError:
        return parts["columns"] if kind == "table" else parts["values"]
    if kind == "table":
        return pandas.DataFrame(parts["columns"], index=parts["index"])
    return pandas.Series(parts["values"], index=parts["index"], name=parts["name"])
