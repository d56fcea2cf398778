"""Reads replies of the worker. It trusts nothing in them: only plain values come out, and nothing is run.

A reply is a fixed head (magic, size of the header, size of the body), a header in JSON, and a body of raw buffers.
"""

from __future__ import annotations

import importlib
import json
import math
import re
import socket
import struct
from array import array
from collections.abc import Callable
from typing import Any

HEAD = struct.Struct(">4sIQ")
MAGIC = b"SCD1"
_LARGEST_HEADER = 64 * 2**20
_LARGEST_BODY = 2**30
_DEEPEST = 60
_MOST_DIMENSIONS = 32
_LARGEST_DIMENSION = 2**40
_COPIED_BELOW = 2**20
_TYPE = re.compile(r"[<>|=]?(?:[biufc][0-9]{1,2}|[SU][0-9]{1,6})")
_PLAIN = (type(None), bool, int, float, str)
#: Makes the object of a declared class: (tag, name of the class, decoded fields, number in the worker).
Make = Callable[[str, str, dict[str, Any], int], Any]


class Malformed(Exception):
    """What came is no reply."""


def receive(connection: socket.socket) -> tuple[dict[str, Any], list[memoryview]]:
    """The next reply: its header and its buffers. EOFError if the other side has ended."""
    magic, header_size, body_size = HEAD.unpack(_exactly(connection, HEAD.size))
    if magic != MAGIC:
        raise Malformed("it does not begin as a reply does")
    if header_size > _LARGEST_HEADER or body_size > _LARGEST_BODY:
        raise Malformed("it claims to be larger than a reply may be")
    text = _exactly(connection, header_size)
    body = memoryview(_exactly(connection, body_size))
    try:
        header = json.loads(bytes(text).decode("ascii"))
    except (ValueError, RecursionError, MemoryError):
        raise Malformed("its header cannot be read") from None
    if not isinstance(header, dict):
        raise Malformed("its header is no header")
    return header, _cut(header.get("buffers"), body)


def _exactly(connection: socket.socket, size: int) -> bytearray:
    found = bytearray(size)
    view, filled = memoryview(found), 0
    while filled < size:
        got = connection.recv_into(view[filled:])
        if got == 0:
            raise EOFError
        filled += got
    return found


def _cut(sizes: object, body: memoryview) -> list[memoryview]:
    """Every buffer begins at a multiple of 16, so that arrays are aligned."""
    if not isinstance(sizes, list):
        raise Malformed("its buffers are not described")
    found, start = [], 0
    for size in sizes:
        if type(size) is not int or not 0 <= size <= len(body) - start:
            raise Malformed("a buffer lies outside of it")
        found.append(body[start : start + size])
        start += -(-size // 16) * 16
    if start != len(body):
        raise Malformed("its buffers do not fill it")
    return found


class Decoder:
    """Turns nodes of the header into values."""

    def __init__(self, buffers: list[memoryview], make: Make) -> None:
        self._buffers = buffers
        self._make = make

    def value(self, node: object, depth: int = 0) -> Any:
        """The value, of plain types only. Malformed for everything that is none."""
        if type(node) in _PLAIN:
            return node
        if type(node) is not list or not node or type(node[0]) is not str or depth > _DEEPEST:
            raise Malformed("a value in it is nested too deeply or of no known kind")
        read = _READERS.get(node[0])
        if read is None:
            raise Malformed("a value in it is of no known kind")
        try:
            return read(self, node, depth + 1)
        except (TypeError, ValueError, IndexError, KeyError, OverflowError, AttributeError, MemoryError):
            raise Malformed(f"a value of the kind {node[0][:20]!r} in it cannot be read") from None

    def _buffer(self, number: object) -> memoryview:
        if type(number) is not int or not 0 <= number < len(self._buffers):
            raise Malformed("a value points to a buffer that is not there")
        return self._buffers[number]

    def _items(self, nodes: object, depth: int) -> list[Any]:
        if type(nodes) is not list:
            raise Malformed("a list in it is none")
        return [node if type(node) in _PLAIN else self.value(node, depth) for node in nodes]

    def _dict(self, pairs: object, depth: int) -> dict[Any, Any]:
        if type(pairs) is not list:
            raise Malformed("a dict in it is none")
        found = {}
        for key, node in pairs:
            plain = self.value(key, depth)
            if type(plain) not in (str, int, bool):
                raise Malformed("a key in it is neither text nor a whole number")
            found[plain] = self.value(node, depth)
        return found

    def _floats(self, number: object) -> list[float]:
        found = array("d")
        found.frombytes(self._buffer(number))
        return found.tolist()

    def _array(self, node: list[Any]) -> Any:
        _, kind, shape, order, number = node
        if type(kind) is not str or not _TYPE.fullmatch(kind) or order not in ("C", "F"):
            raise Malformed("an array in it is of no known type")
        if type(shape) is not list or len(shape) > _MOST_DIMENSIONS:
            raise Malformed("an array in it has no shape")
        if not all(type(size) is int and 0 <= size <= _LARGEST_DIMENSION for size in shape):
            raise Malformed("an array in it has no shape")
        numpy = _module("numpy")
        dtype, buffer = numpy.dtype(kind), self._buffer(number)
        if dtype.itemsize == 0 or math.prod(shape) * dtype.itemsize != len(buffer):
            raise Malformed("an array in it does not have the size it claims")
        found = numpy.ndarray(tuple(shape), dtype, buffer=buffer, order=order)
        if dtype.kind == "b":  # a byte that is neither 0 nor 1 would be true and compare as false
            return numpy.ndarray(tuple(shape), "u1", buffer=buffer, order=order) != 0
        if dtype.kind == "U":
            letters = numpy.frombuffer(buffer, numpy.dtype("u4").newbyteorder(dtype.byteorder)) if len(buffer) else None
            if letters is not None and letters.max() > 0x10FFFF:
                raise Malformed("a text in it is none")
        return found.copy(order="K") if len(buffer) < _COPIED_BELOW else found

    def _series(self, node: list[Any], depth: int) -> Any:
        values, index, name = (self.value(part, depth) for part in node[1:])
        return _module("pandas").Series(values, index=index, name=name)

    def _frame(self, node: list[Any], depth: int) -> Any:
        pandas = _module("pandas")
        names, columns, index = node[1:]
        found = self._items(columns, depth)
        labels, rows = self.value(names, depth), self.value(index, depth)
        table = pandas.DataFrame(dict(enumerate(found)), index=rows)
        table.columns = labels
        return table

    def _object(self, node: list[Any], depth: int) -> Any:
        tag, name, fields, number = node
        if type(name) is not str or type(fields) is not dict or type(number) is not int:
            raise Malformed("an object in it is none")
        return self._make(tag, name, {key: self.value(part, depth) for key, part in fields.items()}, number)


_READERS: dict[str, Callable[[Decoder, list[Any], int], Any]] = {
    "list": lambda decoder, node, depth: decoder._items(node[1], depth),
    "tuple": lambda decoder, node, depth: tuple(decoder._items(node[1], depth)),
    "set": lambda decoder, node, depth: set(decoder._items(node[1], depth)),
    "frozenset": lambda decoder, node, depth: frozenset(decoder._items(node[1], depth)),
    "dict": lambda decoder, node, depth: decoder._dict(node[1], depth),
    "floats": lambda decoder, node, depth: decoder._floats(node[1]),
    "int": lambda decoder, node, depth: int(str(node[1]), 16),
    "complex": lambda decoder, node, depth: complex(float(node[1]), float(node[2])),
    "bytes": lambda decoder, node, depth: bytes(decoder._buffer(node[1])),
    "bytearray": lambda decoder, node, depth: bytearray(decoder._buffer(node[1])),
    "array": lambda decoder, node, depth: decoder._array(node),
    "scalar": lambda decoder, node, depth: decoder._array(["array", node[1], [], "C", node[2]])[()],
    "range": lambda decoder, node, depth: _module("pandas").RangeIndex(int(node[1]), int(node[2]), int(node[3])),
    "series": lambda decoder, node, depth: decoder._series(node, depth),
    "frame": lambda decoder, node, depth: decoder._frame(node, depth),
    "result": lambda decoder, node, depth: decoder._object(node, depth),
    "remote": lambda decoder, node, depth: decoder._object(node, depth),
}


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise Malformed(f"it needs {name}, which is not installed here") from None
