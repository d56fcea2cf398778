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
import types
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
import statsclaw_wire as wire

del sys.path[0]

_LONGEST_TEXT, _MOST_WARNINGS = 4000, 200
#: Objects inside of objects are followed so far where nobody has declared them.
_DEEPEST = 3
#: As Python has them, whatever the class of a class says of itself.
_NAME, _MRO = type.__dict__["__name__"].__get__, type.__dict__["__mro__"].__get__
_OF_PYTHON = dict(vars(builtins))


class Worker:
    """One conversation. `kept`: what calls have returned, for later calls on it, until `forget`."""

    def __init__(self, module: Any, failure: BaseException | None, printed: int) -> None:
        self.module, self.failure, self.printed = module, failure, printed
        self.kept: dict[int, Any] = {}
        self.fields: dict[int, list[Any]] = {}
        self.generators: dict[str, Any] = {}

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        self.silence()
        with warnings.catch_warnings(record=True) as caught:  # what the package silenced for its users stays so
            warnings.onceregistry.clear()  # type: ignore[attr-defined]
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
        changed: Any = list
        try:
            if self.failure is not None:
                raise self.failure
            arguments = [self.made(part) for part in request.get("arguments", [])]
            named = {name: self.made(part) for name, part in request.get("named", {}).items()}
            before = {place: self.content(part) for place, part in [*enumerate(arguments), *named.items()]}

            def changed() -> list[str]:
                after = {place: self.content(part) for place, part in [*enumerate(arguments), *named.items()]}
                return [str(place) for place in before if before[place] != after[place]]

            if request.get("seed") is not None:
                _seed(int(request["seed"]))
            resting = _reset_peak() if request.get("measured", True) else None
            begun = time.perf_counter()
            value = self.perform(request, arguments, named)
            fields = request.get("fields") if request.get("fields") != ["*"] or _is_opaque(value) else None
            found = _read(value, fields) if fields is not None else None  # a field may be computed only now
            reply["seconds"] = time.perf_counter() - begun
            if resting is not None:
                reply["peak"] = _peak() - resting
            reply["changed"] = changed()
            self.kept[request["id"]], self.fields[request["id"]] = value, request.get("fields") or []
            reply["value"] = _figure(value) if request.get("figure") else _described(value, found)
        except BaseException as error:
            reply.setdefault("seconds", time.perf_counter() - begun)
            reply["error"] = _condition(type(error), error)
            reply["changed"] = reply["changed"] or changed()
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

    def content(self, value: Any) -> Any:
        """What an argument holds, to be compared later: of an earlier answer, its declared fields."""
        call = next((call for call, kept in self.kept.items() if kept is value), None)
        fields = self.fields.get(call) if call is not None else None
        try:
            return _content(_described(value, _read(value, fields)) if fields else value)
        except Exception:  # a field that cannot be read
            return None

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


Found = dict[str, tuple[Any, ...]]


def _read(value: Any, fields: list[Any]) -> Found:
    """By name; nothing where the object has no such field. `*` stands for all that it holds and shows."""
    found: Found = {}
    for row in fields:
        if row == "*":
            found |= {name: _whole(_field(value, name)) for name in _held(value) if name not in found}
        elif isinstance(row, dict):
            part = _field(value, row["name"])
            inner = part and (_described(part[0], _read(part[0], row["fields"])) if part[0] is not None else None)
            found[row["name"]] = (inner,) if part else ()
        else:
            found[row] = _field(value, row)
    return found


def _held(value: Any) -> list[str]:
    names = [*getattr(value, "__dict__", ()), *getattr(type(value), "__slots__", ()), *getattr(value, "_fields", ())]
    return [name for name in names if isinstance(name, str) and not name.startswith("_")]


def _is_opaque(value: Any) -> bool:
    """Whether it cannot be handed over as it is."""
    found = _plain(value)
    has_names = isinstance(value, tuple) and hasattr(value, "_fields")
    return has_names or (isinstance(found, wire.Extra) and found.kind in ("opaque", "method") and bool(_held(value)))


def _whole(part: tuple[Any, ...], depth: int = 0) -> tuple[Any, ...]:
    """Of a part that is an object itself, all that it holds and shows."""
    if not part or depth >= _DEEPEST or not _is_opaque(part[0]):
        return part
    inner = {name: _whole(_field(part[0], name), depth + 1) for name in _held(part[0])}
    return (_described(part[0], inner),)


def _described(value: Any, found: Found | None) -> Any:
    if found is None:
        return _plain(value)
    there = {name: _plain(part[0]) for name, part in found.items() if part}
    missing = [name for name, part in found.items() if not part]
    classes = [_NAME(row) for row in _MRO(type(value))]
    return wire.Extra("object", {"classes": classes, "fields": there, "missing": missing})


def _figure(value: Any) -> Any:
    """What a figure shows: whether it renders, and its layers with their data. Of matplotlib, or what draws with it."""
    fields: dict[str, Any]
    try:
        figure = value.draw() if hasattr(value, "draw") and hasattr(value, "layers") else value
        figure = next((part for part in (figure, getattr(figure, "figure", None)) if hasattr(part, "savefig")), None)
        if figure is None:
            return _plain(value)
        with Path(os.devnull).open("wb") as nowhere:
            figure.savefig(nowhere, format="png")
        fields = _drawn(figure)
    except Exception as error:
        fields = {"rendered": False, "why": f"{type(error).__name__}: {error}"[:_LONGEST_TEXT]}
    return wire.Extra("object", {"classes": ["figure"], "fields": fields, "missing": []})


def _drawn(figure: Any) -> dict[str, Any]:
    import numpy

    layers: list[tuple[str, Any, Any]] = []
    for axes in figure.axes:
        layers += [("line", *line.get_data()) for line in axes.get_lines()]
        layers += [
            ("points", *numpy.asarray(part.get_offsets()).T) for part in axes.collections if len(part.get_offsets())
        ]
        bars = [part for part in axes.patches if hasattr(part, "get_height")]
        if bars:
            layers.append(("bars", [part.get_x() for part in bars], [part.get_height() for part in bars]))
    first = figure.axes[0] if figure.axes else None
    found: dict[str, Any] = {
        "rendered": True,
        "layers": len(layers),
        "kinds": [kind for kind, _, _ in layers],
        "title": first.get_title() if first else "",
        "xlabel": first.get_xlabel() if first else "",
        "ylabel": first.get_ylabel() if first else "",
    }
    for number, (kind, x, y) in enumerate(layers, 1):
        sides = {"x": numpy.asarray(x, dtype=float), "y": numpy.asarray(y, dtype=float)}
        found[f"layer{number}"] = {"kind": kind, **sides}
    return found


def _found(module: Any, name: str) -> Any:
    found = module
    for part in name.split("."):
        found = getattr(found, part)
    return found


def _part(value: Any, step: Any) -> Any:
    if not isinstance(step, str):
        return value[step]
    found = _field(value, step)
    if not found:
        raise AttributeError(f"the answer has no {step}")
    return found[0]


def _field(value: Any, name: str) -> tuple[Any, ...]:
    """The field in a tuple, nothing in it where the object has none of that name. Users read it as an attribute."""
    item = (value[name],) if isinstance(value, dict) and name in value else ()
    if item and hasattr(dict, name):
        return item  # the attribute is a method that every dict has
    try:
        found = (getattr(value, name),)
    except AttributeError:
        return item
    if item and _content(_plain(item[0])) != _content(_plain(found[0])):
        raise TypeError(f"{name} is one thing as an attribute and another as an item")
    return found


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
    return sorted(name for name in map(str, names) if hasattr(module, name))


def _signature(function: Any) -> list[dict[str, Any]]:
    rows = _parameters(function)
    return [
        {
            "name": row.name,
            "default": None if row.default is row.empty else repr(row.default),
            "keyword_only": row.kind is row.KEYWORD_ONLY,
        }
        for row in rows
    ]


def _parameters(function: Any) -> list[inspect.Parameter]:
    """What a plain function takes by its code; what it says of itself counts where its code takes anything."""
    told = list(inspect.signature(function).parameters.values())
    if not isinstance(function, types.FunctionType):
        return told
    bare = types.FunctionType(function.__code__, {}, argdefs=function.__defaults__, closure=function.__closure__)
    bare.__kwdefaults__ = function.__kwdefaults__
    rows = list(inspect.signature(bare).parameters.values())
    return told if any(row.kind in (row.VAR_POSITIONAL, row.VAR_KEYWORD) for row in rows) else rows


def _condition(kind: type, said: Any) -> dict[str, Any]:
    try:
        message = str(said)[:_LONGEST_TEXT]
    except Exception:
        message = ""
    return {"classes": [_called(row) for row in _MRO(kind)][:20], "message": message}


def _called(kind: type) -> str:
    """A class that is called like one of Python's own and is another one does not go by that name."""
    name = _NAME(kind)
    return name if _OF_PYTHON.get(name, kind) is kind else f"{kind.__module__}.{name}"


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
        warnings.simplefilter("always")
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
                worker.fields.clear()
                worker.generators.clear()
            else:
                wire.send(answers, worker.answer(request))
        if written is not None:
            written()
            wire.send(answers, {"id": -1})


if __name__ == "__main__":
    main(*sys.argv[1:5])
