"""Which lines of a package are executed, and in which order: recorded in the process that runs the package.

Self-contained and of the standard library alone, since it also runs outside of this project: `start` before the
package is imported, `dump` before the process ends by os._exit (otherwise it dumps by itself). Every process writes a
file of its own, `OUT-<process id>.json`. The package runs in the same process and could spoil the record: what is
measured says how thorough a suite is, and nothing about whether the package is right.
"""

from __future__ import annotations

import atexit
import importlib
import json
import os
import sys
import threading
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any

#: In place of a line: a step from outside into a function, and out of it.
ENTERED, LEFT = -1, 0
#: A function is left alone after so many lines without a new step; while it has lines never seen, only when called
#: again after ten times as many. What happens for the first time after that is missed: it counts as not executed.
QUIET = 20_000

Trace = Callable[[FrameType, str, Any], Any]


class _Code:
    """What was seen of one code object. `left`: its lines that were never seen; `quiet`: lines since a new step."""

    __slots__ = ("arcs", "left", "quiet")

    def __init__(self, code: CodeType) -> None:
        self.arcs: set[tuple[int, int]] = set()
        self.left = {line for _, _, line in code.co_lines() if line} - {code.co_firstlineno}
        self.quiet = 0

    def is_known(self, most: int) -> bool:
        return self.quiet > (10 * most if self.left else most)


class _Recorder:
    def __init__(self, site: str, package: str, out: str, quiet: int) -> None:
        self.site, self.out, self.quiet = os.path.realpath(site), os.path.realpath(out), quiet
        base = self.site + os.sep + package.split(".")[0]
        self.below, self.alone = base + os.sep, base + ".py"
        self.seen: dict[CodeType, _Code | None] = {}
        self.library: Any = None
        self.by_library: dict[str, set[tuple[int, int]]] = {}

    def use_library(self) -> bool:
        """The library `coverage` is faster, where this interpreter has it."""
        try:
            coverage = importlib.import_module("coverage")
            include = [self.alone, self.below + "*"]
            library = coverage.Coverage(data_file=None, branch=True, config_file=False, include=include)
            library.start()
        except Exception:
            return False
        self.library = library
        return True

    def entered(self, frame: FrameType, event: str, arg: Any) -> Trace | None:
        code = frame.f_code
        try:
            seen = self.seen[code]
        except KeyError:
            path = code.co_filename
            inside = self._is_inside(path) or self._is_inside(os.path.realpath(path))
            seen = self.seen[code] = _Code(code) if inside else None
        if seen is None or (seen.quiet > self.quiet and seen.is_known(self.quiet)):
            return None
        return _of_frame(seen, self.quiet)

    def _is_inside(self, path: str) -> bool:
        return path.startswith(self.below) or path == self.alone

    def _ask_library(self) -> None:
        """What the library gives once, it may not give again: what it gave is kept."""
        data = self.library.get_data()
        for path in data.measured_files():
            arcs = self.by_library.setdefault(os.path.realpath(path), set())
            arcs.update((a, max(b, LEFT)) for a, b in data.arcs(path) or () if a > 0)
            arcs.update((ENTERED, line) for line in data.lines(path) or ())

    def files(self) -> dict[str, list[tuple[int, int]]]:
        if self.library is not None:
            self._ask_library()
        found = {path: set(arcs) for path, arcs in self.by_library.items()}
        for code, seen in list(self.seen.items()):
            if seen is not None:
                found.setdefault(os.path.realpath(code.co_filename), set()).update(list(seen.arcs))
        cut = len(self.site) + 1
        return {path[cut:].replace(os.sep, "/"): sorted(arcs) for path, arcs in found.items() if len(path) > cut}


def _of_frame(seen: _Code, most: int) -> Trace:
    arcs, left = seen.arcs, seen.left
    before, raised = ENTERED, False

    def step(frame: FrameType, event: str, arg: Any) -> Trace:
        nonlocal before, raised
        if event == "line":
            line = frame.f_lineno
            arc = (before, line)
            before, raised = line, False
            if arc not in arcs:
                arcs.add(arc)
                left.discard(line)
                seen.quiet = 0
            else:
                seen.quiet += 1
                if seen.quiet > most and not left:  # what comes after a long loop must still be seen
                    frame.f_trace_lines = False
                    before = ENTERED
        elif event == "exception":
            raised = True
        elif event == "return" and not raised:
            arcs.add((before, LEFT))
        return step

    return step


_recorder: _Recorder | None = None


def start(site: str, package: str, out: str, *, quiet: int = QUIET, library: bool = True) -> None:
    """Record everything executed below SITE/PACKAGE (a folder, or one module) from now on, in all threads to come."""
    global _recorder
    _recorder = _Recorder(site, package, out, quiet)
    atexit.register(dump)
    if library and _recorder.use_library():
        return
    threading.settrace(_recorder.entered)
    sys.settrace(_recorder.entered)


def dump() -> None:
    """Write what was seen so far. May be called any number of times, and never raises."""
    if _recorder is None:
        return
    place = f"{_recorder.out}-{os.getpid()}.json"
    try:
        with open(f"{place}.part", "w", encoding="utf-8") as file:  # noqa: PTH123
            json.dump({"files": _recorder.files()}, file)
        os.replace(f"{place}.part", place)  # noqa: PTH105
    except Exception as error:
        print("coverage was not written:", error, file=sys.stderr)
