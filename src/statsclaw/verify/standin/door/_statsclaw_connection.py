"""A connection to the worker that holds the package: requests go out pickled, replies come in as plain values."""

from __future__ import annotations

import io
import os
import pickle
import random
import socket
import struct
import sys
import threading
import time
import types
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from . import _statsclaw_conditions as _conditions
from ._statsclaw_plain import Decoder, Make, Malformed, receive

_HEAD = struct.Struct(">QQI")
_LONGEST_WAIT = 20.0
_LONGEST_ADDRESS = 107
_MOST_FUNCTIONS = 1000
_SMALL = 2**16
#: Functions of these are the same in the worker; any other function is called here, on its behalf.
_SHARED = frozenset(sys.stdlib_module_names) - {"__main__"} | {"numpy", "scipy", "pandas"}
_waited = False


class FromWorker:
    """What stands for an object in the worker. The worker forgets it when nothing here stands for it any more."""

    __slots__ = ("__dict__", "__weakref__", "_connection", "_number", "_times")
    _parts: ClassVar[tuple[tuple[str, str, tuple[str, ...]], ...]] = ()
    _connection: Connection | None
    _number: int
    _times: int

    def __del__(self) -> None:
        connection = getattr(self, "_connection", None)
        if connection is not None:
            connection.dropped.append((self._number, self._times))

    def _bind(self, connection: Connection | None, number: int) -> None:
        object.__setattr__(self, "_connection", connection)
        object.__setattr__(self, "_number", number)
        object.__setattr__(self, "_times", 1)

    def __getitem__(self, key: str) -> Any:
        if any(key == part[0] for part in self._parts):
            return getattr(self, key)
        raise KeyError(key)


class Connection:
    """A connection to the worker, which serves it in a process of its own."""

    def __init__(self, results: dict[str, list[str]], classes: list[str], make: Callable[[Connection], Make]) -> None:
        """`results`: fields by class of result; `classes`: of objects that stay in the worker."""
        self.pid = os.getpid()
        self.ended = False
        self.dropped: list[tuple[int, int]] = []
        self.alive: weakref.WeakValueDictionary[int, FromWorker] = weakref.WeakValueDictionary()
        self._functions: dict[int, Callable[..., Any]] = {}
        self._number = 0
        self._lock = threading.RLock()
        self._make = make(self)
        self._socket = _connect()
        try:
            self._send(0, *self._dumped((results, classes)))
        except OSError:
            self.close()

    def call(
        self, kind: str, target: str, args: tuple[Any, ...], kwargs: dict[str, Any], result: str | None
    ) -> tuple[dict[str, Any], Decoder]:
        """The reply to one request. RuntimeError if the worker ends or answers with something else."""
        with self._lock:
            if self.ended:
                raise RuntimeError(_conditions.ENDED)
            self._number += 1
            number, dropped, self.dropped = self._number, self.dropped, []
            message = self._dumped((kind, target, args, kwargs, result, dropped))
            try:
                self._expect_silence()
                self._send(number, *message)
                return self._reply_to(number)
            except (EOFError, OSError):
                self.close()
                raise RuntimeError(_conditions.ENDED) from None
            except Malformed as error:
                self.close()
                raise RuntimeError(f"the package sent something that is no answer: {error}") from None
            except BaseException:
                self.close()
                raise

    def close(self) -> None:
        self.ended = True
        self._socket.close()

    def _reply_to(self, number: int) -> tuple[dict[str, Any], Decoder]:
        while True:
            header, buffers = receive(self._socket)
            decoder = Decoder(buffers, self._make)
            if header.get("number") != number:
                raise Malformed("it answers another question")
            if "callback" not in header:
                return header, decoder
            self._send(0, *self._called_back(header["callback"], decoder))

    def _called_back(self, row: Any, decoder: Decoder) -> tuple[bytes, list[pickle.PickleBuffer]]:
        """The package calls a function that it was given."""
        if type(row) is not list or len(row) != 3 or row[0] not in self._functions:
            raise Malformed("it calls a function it was not given")
        args, kwargs = decoder.value(row[1]), decoder.value(row[2])
        try:
            return self._dumped(("returned", self._functions[row[0]](*args, **kwargs)))
        except Exception as error:
            return self._dumped(("raised", (type(error).__name__, str(error))))

    def _expect_silence(self) -> None:
        """The worker speaks when it is asked; whatever lies there now was sent by the package on its own."""
        try:
            said = self._socket.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
        except BlockingIOError:
            return
        if not said:
            raise EOFError
        raise Malformed("it was sent without being asked for")

    def _dumped(self, request: object) -> tuple[bytes, list[pickle.PickleBuffer]]:
        buffers: list[pickle.PickleBuffer] = []
        stream = io.BytesIO()
        try:
            _Pickler(self, stream, buffers).dump(request)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise TypeError(f"an argument cannot be handed to the package: {error}") from None
        return stream.getvalue(), buffers

    def _send(self, number: int, text: bytes, buffers: list[pickle.PickleBuffer]) -> None:
        raw = [buffer.raw() for buffer in buffers]
        head = _HEAD.pack(number, len(text), len(raw)) + b"".join(struct.pack(">Q", len(part)) for part in raw) + text
        pieces: list[bytes | memoryview] = [head, *raw]
        for piece in [b"".join(pieces)] if sum(map(len, raw)) < _SMALL else pieces:
            self._socket.sendall(piece)

    def given(self, called: Callable[..., Any]) -> int:
        number = id(called)
        self._functions[number] = called
        while len(self._functions) > _MOST_FUNCTIONS:
            del self._functions[next(iter(self._functions))]
        return number


class _Pickler(pickle.Pickler):
    def __init__(self, connection: Connection, stream: io.BytesIO, buffers: list[pickle.PickleBuffer]) -> None:
        super().__init__(stream, protocol=5, buffer_callback=buffers.append)
        self._connection = connection

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, FromWorker):
            if getattr(value, "_connection", None) is not self._connection:
                raise TypeError(f"this {type(value).__name__} is not of the package's process")
            return kept, (value._number,)
        if value is kept or value is callback:
            return NotImplemented
        module = str(getattr(value, "__module__", "")).split(".")[0]
        local = isinstance(value, types.FunctionType) and "<" in value.__qualname__
        if callable(value) and not isinstance(value, type) and (local or module not in _SHARED):
            return callback, (self._connection.given(value),)
        if isinstance(value, types.MethodType):
            return callback, (self._connection.given(value),)
        return NotImplemented


def kept(number: int) -> Any:
    """Stands in a request for an object of the worker."""


def callback(number: int) -> Any:
    """Stands in a request for a function of the judge."""


def _reach(found: socket.socket, address: str) -> None:
    """The system takes no longer address than 107 bytes; behind a barrier it never is, without one it may be."""
    if len(os.fsencode(address)) <= _LONGEST_ADDRESS:
        found.connect(address)
        return
    place = os.open(Path(address).parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        found.connect(f"/proc/self/fd/{place}/{Path(address).name}")
    finally:
        os.close(place)


def _connect() -> socket.socket:
    """Waits for a worker that is still starting, once; a worker that has ended refuses at once."""
    global _waited
    until = time.monotonic() + (0.0 if _waited else _LONGEST_WAIT)
    found = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    while True:
        try:
            _reach(found, os.environ.get("STATSCLAW_DOOR", ""))
            _waited = True
            return found
        except FileNotFoundError:
            if time.monotonic() > until:
                _waited = True
                found.close()
                raise RuntimeError("the package's process cannot be reached") from None
            time.sleep(0.01)
        except OSError:
            found.close()
            raise RuntimeError(_conditions.ENDED) from None


def write_into(old: Any, new: Any) -> Any:
    """Puts changed content into the caller's own object; gives what stands in its place."""
    kind = type(old)
    if kind is list and type(new) is list:
        old[:] = [*map(write_into, old, new), *new[len(old) :]]
        return old
    if kind is dict and type(new) is dict:
        merged = {key: write_into(old[key], value) if key in old else value for key, value in new.items()}
        old.clear()
        old.update(merged)
        return old
    if kind is bytearray and type(new) is bytearray:
        old[:] = new
        return old
    if kind is random.Random and type(new) is tuple:
        old.setstate(new)
        return old
    numpy: Any = sys.modules.get("numpy")
    if numpy is not None and kind is numpy.ndarray and type(new) is numpy.ndarray:
        if old.dtype != new.dtype or old.shape != new.shape:
            raise Malformed("an array would change its type or shape")
        old[...] = new
        return old
    if numpy is not None and kind is numpy.random.Generator and type(new) is dict:
        old.bit_generator.state = new
        return old
    return new
