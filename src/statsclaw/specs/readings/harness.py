"""Runs in a sandbox: calls the functions of one reading and writes what they return.

    python -I -B harness.py DEFINITIONS.py CALLS.json OUT.json
    python -I -B harness.py --pilot FUNCTION DRAWS SEED DEFINITIONS.py OUT.json

The definitions are arbitrary code. They run in a child of this process that has no output but one pipe; a child that
is late, gone or says too much is ended, and the next call gets a new one. Standard library only; numpy if it is there.
"""

from __future__ import annotations

import ast
import contextlib
import json
import math
import os
import select
import signal
import sys
import time
import types
from functools import partial
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn

    Says = Callable[[Any], None]

CALL_SECONDS, LOAD_SECONDS, TOTAL_SECONDS, PILOT_SECONDS = 5.0, 20.0, 90.0, 60.0
MOST_NUMBERS, MOST_AXES, MOST_BYTES, ALL_BYTES = 1_000_000, 4, 40_000_000, 100_000_000
MEMORY = 4 << 30
#: A function that had to be ended this often is not tried again.
STRIKES = 2
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


class Ended(Exception):
    """The child was Late, is Gone, or says TooMuch."""


class Unfit(Exception):
    """What a function returned is NotNumbers or TooLarge, or the function was Replaced after its definition."""


def numpy_or_none() -> Any:
    for name in THREADS:
        os.environ.setdefault(name, "1")
    try:
        numpy = import_module("numpy")
    except Exception:
        return None
    numpy.seterr(all="ignore")
    return numpy


def load(path: str) -> dict[str, Any]:
    """The functions as they are written; one that was replaced after its definition is left out."""
    with open(path, encoding="utf-8") as file:  # noqa: PTH123 - every import costs a start
        text = file.read()
    module = types.ModuleType("definitions")
    sys.modules["definitions"] = module
    exec(compile(text, "definitions.py", "exec"), module.__dict__)
    found: dict[str, Any] = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef):
            function = module.__dict__.get(node.name)
            code = getattr(function, "__code__", None)
            same = code is not None and code.co_filename == "definitions.py" and code.co_firstlineno == node.lineno
            found[node.name] = function if same or node.decorator_list else None
    return found


def numbers(value: Any, numpy: Any, depth: int = 0) -> Any:
    """Nested lists of floats, "nan", "inf" and "-inf"."""
    if numpy is not None and isinstance(value, (numpy.ndarray, numpy.generic)):
        if value.size > MOST_NUMBERS:
            raise Unfit("TooLarge")
        if value.dtype.kind not in "biuf" or value.ndim > MOST_AXES:
            raise Unfit("NotNumbers")
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        if depth >= MOST_AXES:
            raise Unfit("NotNumbers")
        if len(value) > MOST_NUMBERS:
            raise Unfit("TooLarge")
        return [numbers(part, numpy, depth + 1) for part in value]
    if not isinstance(value, (bool, int, float)):
        raise Unfit("NotNumbers")
    number = float(value)
    if math.isfinite(number):
        return number
    return "nan" if math.isnan(number) else "inf" if number > 0 else "-inf"


def size(value: Any) -> int:
    return sum(size(part) for part in value) if isinstance(value, list) else 1


def alike(first: Any, second: Any) -> bool:
    """The same to twelve digits: where an array begins in memory may change the last one."""
    if isinstance(first, list) and isinstance(second, list):
        return len(first) == len(second) and all(alike(a, b) for a, b in zip(first, second, strict=True))
    if isinstance(first, float) and isinstance(second, float):
        return math.isclose(first, second, rel_tol=1e-12, abs_tol=1e-300)
    return bool(first == second)


def called(function: Any, arguments: dict[str, Any], numpy: Any) -> Any:
    """One call with fresh copies, so that a function may spoil what it is given."""
    if function is None:
        raise Unfit("Replaced")
    fresh = json.loads(json.dumps(arguments))
    if numpy is not None:
        fresh = {name: numpy.array(value) if isinstance(value, list) else value for name, value in fresh.items()}
    value = numbers(function(**fresh), numpy)
    if size(value) > MOST_NUMBERS:
        raise Unfit("TooLarge")
    return value


def outcome(function: Any, call: dict[str, Any], numpy: Any) -> dict[str, Any]:
    """Called twice with the same input, and once with one that is a touch different."""
    try:
        value = called(function, call["arguments"], numpy)
    except BaseException as error:
        return {"error": class_name(error)}
    try:
        if not alike(value, called(function, call["arguments"], numpy)):
            return {"unsteady": True}
    except BaseException:
        return {"unsteady": True}
    try:
        return {"value": value, "nudged": called(function, call["nudged"], numpy)}
    except BaseException:
        return {"value": value}


def class_name(error: BaseException) -> str:
    name = str(error) if isinstance(error, Unfit) else str(type(error).__name__)
    return name[:60] if name.isidentifier() else "Exception"


class Child:
    """A process that works and says what it found, one JSON value per line."""

    def __init__(self, work: Callable[[Says], None]) -> None:
        self.channel, writing = os.pipe()
        self.pending, self.heard = bytearray(), 0
        self.pid = os.fork()
        if not self.pid:
            os.close(self.channel)
            in_the_child(work, writing)
        os.close(writing)

    def hears(self, seconds: float) -> Any:
        until = time.monotonic() + seconds
        searched = 0
        while (end := self.pending.find(b"\n", searched)) < 0:
            searched = len(self.pending)
            if searched > MOST_BYTES:
                raise Ended("TooMuch")
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.channel], [], [], left)[0]:
                raise Ended("Late")
            part = os.read(self.channel, 1 << 20)
            if not part:
                raise Ended("Gone")
            self.pending += part
            self.heard += len(part)
        line = bytes(self.pending[:end])
        del self.pending[: end + 1]
        try:
            return json.loads(line)
        except (ValueError, RecursionError):
            raise Ended("Gone") from None

    def end(self) -> None:
        with contextlib.suppress(OSError):
            os.killpg(self.pid, signal.SIGKILL)
        with contextlib.suppress(OSError):
            os.kill(self.pid, signal.SIGKILL)
        with contextlib.suppress(OSError):
            os.waitpid(self.pid, 0)
        os.close(self.channel)


def in_the_child(work: Callable[[Says], None], writing: int) -> NoReturn:
    try:
        os.setsid()
        nowhere = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(nowhere, number)
        with contextlib.suppress(Exception):
            resource = import_module("resource")
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        with os.fdopen(writing, "wb") as pipe:

            def says(what: Any) -> None:
                pipe.write(json.dumps(what).encode() + b"\n")
                pipe.flush()

            work(says)
    finally:
        os._exit(0)


def run_calls(path: str, calls: list[dict[str, Any]], numpy: Any) -> list[Any]:
    found: list[Any] = []
    strikes: dict[str, int] = {}
    until, heard = time.monotonic() + TOTAL_SECONDS, 0
    while len(found) < len(calls):
        skipped = {name for name, count in strikes.items() if count >= STRIKES}
        child = Child(partial(work_on, path, calls, len(found), numpy, skipped))
        loaded = False
        try:
            loaded = child.hears(LOAD_SECONDS) == "loaded"
            while loaded and len(found) < len(calls):
                found.append(child.hears(CALL_SECONDS))
        except Ended as reason:
            if loaded:
                name = calls[len(found)]["function"]
                strikes[name] = strikes.get(name, 0) + 1
                found.append({"error": str(reason)})
        finally:
            child.end()
        heard += child.heard
        if not loaded or time.monotonic() > until or heard > ALL_BYTES:
            found += [{"error": "NotTried" if loaded else "NotLoaded"}] * (len(calls) - len(found))
    return found


def work_on(path: str, calls: list[dict[str, Any]], first: int, numpy: Any, skipped: set[str], says: Says) -> None:
    functions = load(path)
    says("loaded")
    until = time.monotonic() + TOTAL_SECONDS
    for number, call in enumerate(calls[first:], start=first):
        name = call["function"]
        tried = name not in skipped and time.monotonic() < until
        seeded(number, numpy)
        says(outcome(functions.get(name), call, numpy) if tried else {"error": "NotTried"})


def seeded(seed: int, numpy: Any) -> None:
    """Once per input, not once per call: whoever draws random numbers differs between two calls, and shows it."""
    import_module("random").seed(seed)
    if numpy is not None:
        numpy.random.seed(seed % 2**32)


def run_pilot(function: str, draws: int, seed: int, path: str, numpy: Any) -> list[float]:
    """As many draws as there are before the first that fails; who reads them counts them."""
    values: list[float] = []
    child = Child(partial(draw, function, draws, seed, path, numpy))
    until = time.monotonic() + PILOT_SECONDS
    try:
        while len(values) < draws:
            said = child.hears(max(0.0, until - time.monotonic()))
            if not isinstance(said, float) or not math.isfinite(said):
                break
            values.append(said)
    except Ended:
        pass
    finally:
        child.end()
    return values


def draw(function: str, draws: int, seed: int, path: str, numpy: Any, says: Says) -> None:
    drawn = load(path).get(function)
    rng = numpy.random.default_rng(seed) if numpy is not None else import_module("random").Random(seed)
    for _ in range(draws):
        says(numbers(drawn(rng), numpy) if drawn is not None else None)


def main(arguments: list[str]) -> int:
    numpy = numpy_or_none()
    if arguments[:1] == ["--pilot"]:
        _, function, draws, seed, path, out = arguments
        written: list[Any] = run_pilot(function, int(draws), int(seed), path, numpy)
    else:
        path, calls, out = arguments
        with open(calls, encoding="utf-8") as file:  # noqa: PTH123
            written = run_calls(path, json.load(file), numpy)
    with open(out, "w", encoding="utf-8") as file:  # noqa: PTH123
        json.dump(written, file)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
