"""Holds the package and answers calls: python -I -B worker.py INPUT OUTPUT SITE PACKAGE

INPUT and OUTPUT are pipes or files with frames of statsclaw_wire. What is asked and answered is in
docs/reference/worker-protocol.md. Whoever compares is elsewhere and believes nothing but values, so nothing in here
needs to be defended: a package that changes this process can only change its own answers.
"""

from __future__ import annotations

import builtins
import importlib
import inspect
import os
import random
import resource
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
import statsclaw_wire as wire

del sys.path[0]

_LONGEST_TEXT, _MOST_WARNINGS = 4000, 200


class Worker:
    """One conversation. `kept`: what calls have returned, for later calls on it, until `forget`."""

    def __init__(self, module: Any, failure: BaseException | None, printed: int) -> None:
        self.module, self.failure, self.printed = module, failure, printed
        self.kept: dict[int, Any] = {}
        self.generators: dict[str, Any] = {}

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        self.silence()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            reply = self.performed(request)
        size = os.fstat(self.printed).st_size
        reply |= {
            "id": request["id"],
            "warnings": [_condition(row.category, row.message) for row in caught[:_MOST_WARNINGS]],
            "printed": os.pread(self.printed, _LONGEST_TEXT, 0).decode("utf-8", "replace") if size else "",
        }
        return reply

    def silence(self) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        if os.fstat(self.printed).st_size:
            os.ftruncate(self.printed, 0)

    def performed(self, request: dict[str, Any]) -> dict[str, Any]:
        begun = time.perf_counter()
        reply: dict[str, Any] = {"changed": []}
        try:
            if self.failure is not None:
                raise self.failure
            arguments = [self.made(part) for part in request.get("arguments", [])]
            named = {name: self.made(part) for name, part in request.get("named", {}).items()}
            before = {place: _content(part) for place, part in [*enumerate(arguments), *named.items()]}
            if request.get("seed") is not None:
                _seed(int(request["seed"]))
            resting = _reset_peak()
            begun = time.perf_counter()
            value = self.perform(request, arguments, named)
            found = _read(value, request.get("fields"))  # a field may be computed only now
            reply["seconds"] = time.perf_counter() - begun
            reply["peak"] = _peak() - resting
            after = {place: _content(part) for place, part in [*enumerate(arguments), *named.items()]}
            reply["changed"] = [str(place) for place in before if before[place] != after[place]]
            self.kept[request["id"]] = value
            reply["value"] = _described(value, found)
        except BaseException as error:
            reply.setdefault("seconds", time.perf_counter() - begun)
            reply["error"] = _condition(type(error), error)
            reply.pop("value", None)
        sys.stdout.flush()
        sys.stderr.flush()
        return reply

    def perform(self, request: dict[str, Any], arguments: list[Any], named: dict[str, Any]) -> Any:
        what = request.get("what", "call")
        if what == "exports":
            return _exports(self.module)
        if what == "signature":
            return _signature(_found(self.module, request["function"]))
        if what == "text":
            return str(arguments[0])
        if request.get("on") is not None:
            return getattr(self.made(request["on"]), request["function"])(*arguments, **named)
        return _found(self.module, request["function"])(*arguments, **named)

    def made(self, value: Any) -> Any:
        return wire.restored(value, self.further)

    def further(self, kind: str, inner: Any) -> Any:
        if kind == "generator":
            return self.generator(inner["seed"], inner.get("name"))
        if kind == "answer":
            found = self.kept[inner["call"]]
            for step in inner["path"]:
                found = _part(found, step)
            return found
        raise TypeError(f"an argument of the kind {kind!r}")

    def generator(self, seed: Any, name: str | None) -> Any:
        """A named one is the same, further on, in later calls."""
        import numpy

        if name is None:
            return numpy.random.default_rng(seed)
        return self.generators.setdefault(name, numpy.random.default_rng(seed))


def _read(value: Any, fields: list[str] | None) -> dict[str, tuple[Any, ...]] | None:
    return None if fields is None else {name: _field(value, name) for name in fields}


def _described(value: Any, found: dict[str, tuple[Any, ...]] | None) -> Any:
    if found is None:
        return _plain(value)
    there = {name: _plain(part[0]) for name, part in found.items() if part}
    missing = [name for name, part in found.items() if not part]
    classes = [row.__name__ for row in type(value).__mro__]
    return wire.Extra("object", {"classes": classes, "fields": there, "missing": missing})


def _found(module: Any, name: str) -> Any:
    found = module
    for part in name.split("."):
        found = getattr(found, part)
    return found


def _part(value: Any, step: Any) -> Any:
    if isinstance(step, str) and not isinstance(value, dict):
        return getattr(value, step)
    return value[step]


def _field(value: Any, name: str) -> tuple[Any, ...]:
    """The field in a tuple, nothing in it where the object has none of that name."""
    if isinstance(value, dict):
        return (value[name],) if name in value else ()
    try:
        return (getattr(value, name),)
    except AttributeError:
        return ()


def _plain(value: Any) -> Any:
    """What can be handed over; of anything else its type."""
    try:
        wire.encode(value)
    except (wire.Unsendable, RecursionError):
        kind = "method" if callable(value) else "opaque"
        return wire.Extra(kind, f"{type(value).__module__}.{type(value).__qualname__}")
    return value


def _content(value: Any) -> Any:
    """What an argument holds, to be compared later. A generator of random numbers is there to be used."""
    numpy: Any = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.random.Generator):
        return None
    try:
        return wire.encode(value)
    except (wire.Unsendable, RecursionError):
        return None


def _exports(module: Any) -> list[str]:
    names = getattr(module, "__all__", None)
    if names is None:
        names = [name for name in vars(module) if name[0] != "_" and not inspect.ismodule(getattr(module, name))]
    return sorted(map(str, names))


def _signature(function: Any) -> list[dict[str, Any]]:
    rows = inspect.signature(function).parameters.values()
    return [
        {
            "name": row.name,
            "default": None if row.default is row.empty else repr(row.default),
            "keyword_only": row.kind is row.KEYWORD_ONLY,
        }
        for row in rows
    ]


def _condition(kind: type, said: Any) -> dict[str, Any]:
    try:
        message = str(said)[:_LONGEST_TEXT]
    except Exception:
        message = ""
    return {"classes": [_called(row) for row in kind.__mro__][:20], "message": message}


def _called(kind: type) -> str:
    """A class that is called like one of Python's own and is another one does not go by that name."""
    same = getattr(builtins, kind.__name__, kind) is kind
    return kind.__name__ if same else f"{kind.__module__}.{kind.__qualname__}"


def _seed(seed: int) -> None:
    random.seed(seed)
    numpy: Any = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(seed % 2**32)


def _reset_peak() -> int:
    """From here on the peak counts anew, where the kernel can do that. What is in use now, in bytes."""
    try:
        _of_process("clear_refs", os.O_WRONLY, lambda handle: os.write(handle, b"5"))
    except OSError:
        return 0
    return _peak()


def _peak() -> int:
    try:
        status = _of_process("status", os.O_RDONLY, lambda handle: os.read(handle, 1 << 16))
        return int(status.partition(b"VmHWM:")[2].split(maxsplit=1)[0]) * 1024
    except (OSError, IndexError, ValueError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _of_process(name: str, flags: int, act: Callable[[int], Any]) -> Any:
    """By bare handles: this is done for every call, and a file object takes longer than the kernel."""
    handle = os.open(f"/proc/self/{name}", flags)
    try:
        return act(handle)
    finally:
        os.close(handle)


def load(site: str, package: str) -> tuple[Any, BaseException | None]:
    """The package from `site`, which comes behind the standard library and before what is installed."""
    places = [number for number, path in enumerate(sys.path) if path.endswith(("site-packages", "dist-packages"))]
    sys.path.insert(places[0] if places else len(sys.path), site)
    sys.argv = [""]
    try:
        return importlib.import_module(package), None
    except BaseException as error:
        return None, error


def measure(site: str, package: str) -> Any:
    """Follow what is executed of the package from its first line on, where the engine asks for it."""
    place = os.environ.pop("STATSCLAW_COVERAGE", None)
    if not place:
        return None
    import runpy

    tracer = runpy.run_path(str(Path(__file__).parent / "coverage_tracer.py"))
    tracer["start"](site, package, place, library=False)
    return tracer["dump"]


def main(incoming: str, outgoing: str, site: str, package: str) -> None:
    with Path(incoming).open("rb", buffering=0) as questions, Path(outgoing).open("wb") as answers:
        written = measure(site, package)
        loaded = load(site, package)  # what it prints now belongs to no call
        sys.stdout.flush()
        printed = os.open(os.environ.get("TMPDIR", "/tmp"), os.O_TMPFILE | os.O_RDWR | os.O_APPEND)
        for stream in (1, 2):
            os.dup2(printed, stream)
        worker = Worker(*loaded, printed)
        while True:
            request = wire.receive(questions)
            if request is None or request["do"] == "end":
                break
            if request["do"] == "forget":
                worker.kept.clear()
                worker.generators.clear()
            else:
                wire.send(answers, worker.answer(request))
        if written is not None:
            written()
            wire.send(answers, {"id": -1})


if __name__ == "__main__":
    main(*sys.argv[1:5])
