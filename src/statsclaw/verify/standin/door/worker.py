"""Holds the package under judgement and answers calls: python -I -B worker.py SOCKET SITE PACKAGE [DISTURBANCE]

The judge is elsewhere and believes nothing but values in a reply, so nothing in here needs to be defended.
"""

from __future__ import annotations

import builtins
import contextlib
import importlib
import io
import json
import operator
import os
import pickle
import random
import runpy
import signal
import socket
import struct
import sys
import traceback
import warnings
from array import array
from pathlib import Path
from typing import Any

_REQUEST = struct.Struct(">QQI")
_REPLY = struct.Struct(">4sIQ")
_LARGEST_HEADER, _LARGEST_BODY = 64 * 2**20, 2**30
_DEEPEST, _LONGEST_TEXT, _MOST_WARNINGS = 60, 10_000, 1000
_PLAIN = (type(None), bool, float, str)
_FIXED = frozenset({*_PLAIN, int, complex, bytes})
_MANY_FLOATS = 32
_LONGEST_ADDRESS = 107
BESIDE = Path(__file__).parent


class Encoder:
    """Writes a value as nodes for the header and raw buffers for the body."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.buffers: list[Any] = []

    def node(self, value: Any, expected: str | None = None, depth: int = 0) -> Any:
        kind = type(value)
        if kind in _PLAIN:
            return value
        if depth > _DEEPEST:
            raise TypeError("the package returned a value that is nested too deeply")
        numpy: Any = sys.modules.get("numpy")
        if kind in (int, complex, list, tuple, dict, set, frozenset, bytes, bytearray):
            return self.builtin(value, kind, depth + 1)
        if numpy is not None and (kind is numpy.ndarray or issubclass(kind, numpy.generic)):
            return self.array(value, numpy)
        declared = self.session.declared_class(kind, expected)
        if declared is not None:
            return self.object(value, declared, depth + 1)
        for base in (int, float, complex, str, bytes, bytearray, list, tuple, dict, set, frozenset):
            if issubclass(kind, base):
                return self.node(flattened(value, base), None, depth + 1)
        if numpy is not None and issubclass(kind, numpy.ndarray) and not issubclass(kind, numpy.ma.MaskedArray):
            return self.array(numpy.asarray(value), numpy)
        pandas: Any = sys.modules.get("pandas")
        if pandas is not None and issubclass(kind, (pandas.Series, pandas.DataFrame)):
            return self.table(value, pandas, depth + 1)
        raise TypeError(f"the package returned a {kind.__name__}, which the interface does not describe")

    def builtin(self, value: Any, kind: type, depth: int) -> Any:
        if kind is int:
            return value if -(2**63) <= value < 2**63 else ["int", hex(value)]
        if kind is complex:
            return ["complex", value.real, value.imag]
        if kind in (bytes, bytearray):
            return [kind.__name__, self.buffer(bytes(value))]
        if kind is dict:
            return ["dict", [[self.key(key), self.node(part, None, depth)] for key, part in value.items()]]
        if kind is list and len(value) >= _MANY_FLOATS and all(type(part) is float for part in value):
            return ["floats", self.buffer(array("d", value).tobytes())]
        return [kind.__name__, [self.node(part, None, depth) for part in value]]

    def key(self, value: Any) -> Any:
        if isinstance(value, str):
            return str.__str__(value)
        if not hasattr(type(value), "__index__"):
            raise TypeError(f"the package returned a dict with a key of type {type(value).__name__}")
        return self.node(value if type(value) in (int, bool) else int(value))

    def array(self, value: Any, numpy: Any) -> Any:
        if value.dtype.kind not in "biufcSU":
            raise TypeError(f"the package returned an array of {value.dtype}, which the interface does not describe")
        if value.dtype.itemsize == 0:
            return self.node(value.astype(value.dtype.kind + "1") if value.shape else value.item())
        if isinstance(value, numpy.generic):
            return ["scalar", value.dtype.str, self.buffer(value.tobytes())]
        order = "F" if value.flags.f_contiguous and not value.flags.c_contiguous else "C"
        flat = value.T if order == "F" else value if value.flags.c_contiguous else value.copy(order="C")
        raw = flat.reshape(-1).view("u1") if flat.size else b""
        return ["array", value.dtype.str, list(value.shape), order, self.buffer(memoryview(raw))]

    def table(self, value: Any, pandas: Any, depth: int) -> Any:
        index = self.labels(value.index, pandas, depth)
        if isinstance(value, pandas.Series):
            return ["series", self.column(value, depth), index, self.node(value.name, None, depth)]
        columns = [self.column(value.iloc[:, number], depth) for number in range(value.shape[1])]
        return ["frame", self.labels(value.columns, pandas, depth), columns, index]

    def column(self, values: Any, depth: int) -> Any:
        raw = values.to_numpy()
        return self.node(raw if raw.dtype.kind in "biufc" else list(raw), None, depth)

    def labels(self, index: Any, pandas: Any, depth: int) -> Any:
        if isinstance(index, pandas.RangeIndex):
            return ["range", int(index.start), int(index.stop), int(index.step)]
        return self.node(index.tolist(), None, depth)

    def object(self, value: Any, declared: str, depth: int) -> Any:
        if declared in self.session.remotes:
            return ["remote", declared, {}, self.session.keep(value, shared=True)]
        fields = {}
        for name in self.session.results[declared]:
            try:
                part = getattr(value, name)
            except Exception:
                continue
            fields[name] = self.node(self.session.shown(name, part), None, depth)
        if not fields:
            raise TypeError(f"the package returned a {type(value).__name__}, which the interface does not describe")
        return ["result", declared, fields, self.session.keep(value, shared=False)]

    def buffer(self, raw: Any) -> int:
        self.buffers.append(raw)
        return len(self.buffers) - 1


class Session:
    """Serves one connection, in a process of its own."""

    def __init__(self, connection: socket.socket, module: Any, failure: BaseException | None) -> None:
        self.connection, self.module, self.failure = connection, module, failure
        self.results: dict[str, list[str]] = {}
        self.remotes: list[str] = []
        self.objects: dict[int, list[Any]] = {}  # number: [object, how often the judge was told]
        self.numbers: dict[int, int] = {}  # id of a shared object: its number
        self.last, self.current = 0, 0
        self.warned: list[list[Any]] = []

    def run(self) -> None:
        warnings.showwarning = self.warn
        _, (self.results, self.remotes) = self.read()
        while True:
            self.serve(*self.read())

    def serve(self, number: int, request: Any) -> None:
        if isinstance(request, Exception):
            return self.reply({"number": number, "error": described(request)}, Encoder(self))
        kind, target, args, kwargs, expected, dropped = request
        outer, warned, self.current, self.warned = self.current, self.warned, number, []
        self.forget(dropped)
        places = [(place, value) for place, value in [*enumerate(args), *kwargs.items()] if changeable(value)]
        before = [content(value) for _, value in places]
        answer, encoder = self.answer(number, kind, target, args, kwargs, expected)
        if self.warned:
            answer["warnings"] = self.warned
        for (place, value), was in zip(places, before, strict=True):
            if not same(value, was):
                with contextlib.suppress(TypeError):  # what it holds now cannot be handed over
                    answer.setdefault("changed", []).append([place, encoder.node(state(value))])
        sys.stdout.flush()
        self.reply(answer, encoder)
        self.current, self.warned = outer, warned
        return None

    def answer(self, number: int, kind: str, target: str, args: Any, kwargs: Any, expected: Any) -> Any:
        encoder = Encoder(self)
        try:
            value = self.perform(kind, target, args, kwargs)
            node = self.keep(value, shared=True) if kind == "new" else encoder.node(value, expected)
            return {"number": number, "value": node}, encoder
        except (SystemExit, KeyboardInterrupt):
            os._exit(1)
        except BaseException as error:
            return {"number": number, "error": described(error)}, Encoder(self)

    def perform(self, kind: str, target: str, args: Any, kwargs: Any) -> Any:
        if self.failure is not None:
            raise self.failure
        if kind == "field":
            return getattr(args[0], target)
        if kind == "text":
            return str(args[0])[:_LONGEST_TEXT]
        if kind == "method":
            return getattr(args[0], target)(*args[1:], **kwargs)
        found = getattr(self.module, target)
        return ancestors(found) if kind == "ancestors" else found(*args, **kwargs)

    def shown(self, name: str, value: Any) -> Any:
        """The field of a result as the judge is to see it."""
        return value

    def declared_class(self, kind: type, expected: str | None) -> str | None:
        """The first of its ancestors that the interface names; `expected` where it names none for this function."""
        names = [cls.__name__ for cls in kind.__mro__ if cls.__module__ != "builtins"]
        return next((name for name in names if name in self.results or name in self.remotes), expected)

    def keep(self, value: Any, *, shared: bool) -> int:
        number = self.numbers.get(id(value)) if shared else None
        if number is None:
            self.last += 1
            number = self.last
            self.objects[number] = [value, 0]
            if shared:
                self.numbers[id(value)] = number
        self.objects[number][1] += 1
        return number

    def forget(self, dropped: list[tuple[int, int]]) -> None:
        for number, times in dropped:
            row = self.objects.get(number)
            if row is not None:
                row[1] -= times
                if row[1] <= 0:
                    del self.objects[number]
                    if self.numbers.get(id(row[0])) == number:
                        del self.numbers[id(row[0])]

    def warn(self, message: Any, category: Any, *_: Any, **__: Any) -> None:
        if len(self.warned) < _MOST_WARNINGS:
            self.warned.append([ancestors(category), str(message)[:_LONGEST_TEXT]])

    def call_back(self, function: int, args: Any, kwargs: Any) -> Any:
        encoder = Encoder(self)
        row = [function, encoder.node(args), encoder.node(kwargs)]
        self.reply({"number": self.current, "callback": row}, encoder)
        while True:
            number, answer = self.read()
            if number == 0:
                break
            self.serve(number, answer)
        if isinstance(answer, Exception):
            raise answer
        if answer[0] == "returned":
            return answer[1]
        name, message = answer[1]
        error = getattr(builtins, name, RuntimeError)
        raise error(message) if isinstance(error, type) and issubclass(error, Exception) else RuntimeError(message)

    def read(self) -> tuple[int, Any]:
        """The next request and its number; an exception in place of one that cannot be unpickled."""
        number, size, count = _REQUEST.unpack(exactly(self.connection, _REQUEST.size))
        sizes = struct.unpack(f">{count}Q", exactly(self.connection, 8 * count))
        text = exactly(self.connection, size)
        buffers = [exactly(self.connection, length) for length in sizes]
        try:
            return number, Unpickler(self, io.BytesIO(text), buffers=buffers).load()
        except Exception as error:
            return number, TypeError(f"an argument cannot be handed to the package: {error}")

    def reply(self, answer: dict[str, Any], encoder: Encoder) -> None:
        raw = [memoryview(part).cast("B") if len(part) else memoryview(b"") for part in encoder.buffers]
        answer["buffers"] = [len(part) for part in raw]
        header = json.dumps(answer).encode("ascii")
        body = sum(-(-len(part) // 16) * 16 for part in raw)
        if len(header) > _LARGEST_HEADER or body > _LARGEST_BODY:
            error = ValueError("the package returned more than can be handed over")
            return self.reply({"number": answer["number"], "error": described(error)}, Encoder(self))
        head = _REPLY.pack(b"SCD1", len(header), body) + header
        padded = [piece for part in raw for piece in (part, bytes(-len(part) % 16))]
        for piece in [b"".join([head, *padded])] if body < 2**16 else [head, *padded]:
            self.connection.sendall(piece)
        return None


class Unpickler(pickle.Unpickler):
    def __init__(self, session: Session, stream: io.BytesIO, *, buffers: list[bytearray]) -> None:
        super().__init__(stream, buffers=buffers)
        self.session = session

    def find_class(self, module: str, name: str) -> Any:
        if module.endswith("._statsclaw_connection"):
            session = self.session
            if name == "kept":
                return lambda number: session.objects[number][0]
            return lambda number: lambda *args, **kwargs: session.call_back(number, args, kwargs)
        return super().find_class(module, name)


def flattened(value: Any, base: Any) -> Any:
    """An object of a class derived from `base` as a plain one."""
    if base in (int, float):
        return base.__pos__(value)
    return str.__str__(value) if base is str else base(value)


def changeable(value: Any) -> bool:
    numpy: Any = sys.modules.get("numpy")
    if type(value) in (list, dict, bytearray, random.Random):
        return True
    if numpy is None or type(value) not in (numpy.ndarray, numpy.random.Generator):
        return False
    return type(value) is numpy.random.Generator or not value.dtype.hasobject


def content(value: Any, depth: int = 0) -> Any:
    """What an argument holds, to be compared later; parts that cannot change are kept as they are."""
    if not changeable(value) or depth > _DEEPEST:
        return value
    if type(value) is list:
        return [part if type(part) in _FIXED else content(part, depth + 1) for part in value]
    if type(value) is dict:
        return {key: content(part, depth + 1) for key, part in value.items()}
    found = state(value)
    return found if found is not value else value.copy()


def state(value: Any) -> Any:
    """What is handed over of a changed argument: of a generator of random numbers its state."""
    if type(value) is random.Random:
        return value.getstate()
    return value.bit_generator.state if hasattr(type(value), "bit_generator") else value


def same(value: Any, was: Any) -> bool:
    """Whether an argument still holds what `content` found in it."""
    if value is was:
        return True
    if not changeable(value):
        return False
    if type(value) is list:
        if type(was) is not list or len(value) != len(was):
            return False
        return all(map(operator.is_, value, was)) or all(map(same, value, was))
    if type(value) is dict:
        return type(was) is dict and list(value) == list(was) and all(map(same, value.values(), was.values()))
    if type(value) is bytearray or state(value) is not value:
        return bool(repr(state(value)) == repr(was))
    return same_array(value, was)


def same_array(value: Any, was: Any) -> bool:
    if type(was) is not type(value) or value.shape != was.shape or value.dtype != was.dtype:
        return False
    words = "u8" if value.nbytes % 8 == 0 else "u1"
    return bool((value.ravel(order="K").view(words) == was.ravel(order="K").view(words)).all())


def ancestors(cls: Any) -> list[str]:
    return [f"{row.__module__}.{row.__name__}"[:200] for row in cls.__mro__[:20]]


def described(error: BaseException) -> dict[str, Any]:
    found: dict[str, Any] = {"names": ancestors(type(error)), "message": "", "trace": ""}
    with contextlib.suppress(Exception):
        found["message"] = str(error)[:_LONGEST_TEXT]
        found["trace"] = "".join(traceback.format_exception(error, limit=-20))[-_LONGEST_TEXT:]
        if all(type(part) in _PLAIN or type(part) is int for part in error.args):
            found["arguments"] = list(error.args)
    return found


def exactly(connection: socket.socket, size: int) -> bytearray:
    """That many bytes; where the judge has closed, this process has done its work."""
    found = bytearray(size)
    view, filled = memoryview(found), 0
    while filled < size:
        got = connection.recv_into(view[filled:])
        if got == 0:
            written()
            os._exit(0)
        filled += got
    return found


#: Writes what was executed of the package, where that is measured.
written: Any = bool


def measure(site: str, package: str) -> None:
    """Follow what is executed of the package from its first line on, where the engine asks for it."""
    global written
    place = os.environ.pop("STATSCLAW_COVERAGE", None)  # the package need not know that it is measured
    if place:
        tracer = runpy.run_path(str(BESIDE / "coverage_tracer.py"))
        tracer["start"](site, package, place, library=False)
        written = tracer["dump"]


def load(site: str, package: str) -> tuple[Any, BaseException | None]:
    """The package from `site`, which comes behind the standard library and before what is installed."""
    places = [number for number, path in enumerate(sys.path) if path.endswith(("site-packages", "dist-packages"))]
    sys.path.insert(places[0] if places else len(sys.path), site)
    sys.argv = [""]
    warnings.resetwarnings()
    warnings.simplefilter("always")
    try:
        return importlib.import_module(package), None
    except BaseException as error:
        return None, error


def session_class(order: str) -> type[Session]:
    """Where the engine tries whether the judge looks, one that disturbs what it hands out."""
    if not order:
        return Session
    found: type[Session] = runpy.run_path(str(BESIDE / "disturbance.py"))["disturbed"](Session, json.loads(order))
    return found


def main(address: str, site: str, package: str, order: str = "") -> None:
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    new = Path(address + "~")
    place = os.open(new.parent, os.O_RDONLY | os.O_DIRECTORY)
    short = len(os.fsencode(new)) <= _LONGEST_ADDRESS
    listener.bind(str(new) if short else f"/proc/self/fd/{place}/{new.name}")
    os.close(place)
    listener.listen(128)
    new.rename(address)  # from here on a connection is answered
    measure(site, package)
    serving = session_class(order)
    module, failure = load(site, package)
    written()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        connection, _ = listener.accept()
        sys.stdout.flush()
        if os.fork() == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            listener.close()
            try:
                serving(connection, module, failure).run()
            finally:
                written()
                os._exit(1)
        connection.close()


if __name__ == "__main__":
    main(*sys.argv[1:5])
