"""Coverage of a package's sources from what the worker recorded: `coverage_tracer`, or in R the counters of covr.

Lines: those that hold code after compiling. Branches: both ways out of `if`, `while` and `for`, of a `case` that can
fail, of a conditional expression written over several lines; of `try`, that its body ends and that a handler runs.
What stands on one line cannot be told apart and is not counted. Sources are compiled here and never run; records come
from the package's own process, so lines that the source does not have are left out, and size and form are checked.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from types import CodeType

from statsclaw.review.case import FileCoverage
from statsclaw.sandbox.left_behind import json_left_behind
from statsclaw.verify.coverage_tracer import LEFT

_LARGEST_SOURCE = 1_000_000
_LARGEST_DUMP = 64 * 1024 * 1024
_MOST_DUMPS = 2000
_MOST_ARCS = 200_000

#: Lines that no tool should count: empty, a comment, or closing brackets alone.
_NO_CODE = re.compile(r"\s*(?://.*|[\])};,]*\s*)")

Arc = tuple[int, int]
Span = tuple[int, int, int, int]
Dump = Mapping[str, object]


def read_dumps(paths: Iterable[Path]) -> list[Dump]:
    """The records that can be read; links, special files, and what is too large or no JSON object are passed over."""
    found = [json_left_behind(path, _LARGEST_DUMP) for path in sorted(paths)[:_MOST_DUMPS]]
    return [read for read in found if isinstance(read, dict)]


def measured(data: Sequence[Dump], sources: Mapping[str, str]) -> tuple[FileCoverage, ...]:
    """Of every source that a worker has followed. `data`: one record per process; `sources`: path to text."""
    return (*measured_in_python(data, sources), *measured_in_r(data, sources), *measured_by_lines(data, sources))


def measured_by_lines(data: Sequence[Dump], sources: Mapping[str, str]) -> tuple[FileCoverage, ...]:
    """Of every source of which workers tell lines: [line, how often], of all that hold code."""
    counted: dict[str, dict[int, int]] = {}
    for dump in data:
        for path, rows in _rows([{"files": dump.get("lines")}], 2):
            seen = counted.setdefault(path, {})
            for line, count in rows:
                seen[line] = seen.get(line, 0) + max(count, 0)
    found = []
    for path in sorted(sources):
        text = ["", *sources[path].split("\n")]
        told = {line: count for line, count in counted.get(path, {}).items() if 0 < line < len(text)}
        lines = {line: count for line, count in told.items() if _NO_CODE.fullmatch(text[line]) is None}
        if lines:
            missed = tuple(sorted(line for line, count in lines.items() if not count))
            found.append(FileCoverage(path, len(lines), len(lines) - len(missed), missed=missed))
    return tuple(found)


def measured_in_python(data: Sequence[Dump], sources: Mapping[str, str]) -> tuple[FileCoverage, ...]:
    """Of every Python source, in order of their paths. `data`: one record per process; `sources`: path to text."""
    arcs = _merged(data)
    found = []
    for path in sorted(path for path in sources if path.endswith(".py")):
        lines = executable_lines(sources[path])
        if not lines:
            continue
        seen = {arc for arc in _of_source(arcs, path, sources) if arc[1] in lines or arc[1] == LEFT}
        hit = lines & {line for _, line in seen}
        branches = branches_of(sources[path])
        steps = _steps(seen)
        taken = sum(branch.taken(steps) for branch in branches)
        missed = tuple(sorted(lines - hit))
        found.append(FileCoverage(path, len(lines), len(hit), len(branches), taken, missed))
    return tuple(found)


def measured_in_r(data: Sequence[Dump], sources: Mapping[str, str]) -> tuple[FileCoverage, ...]:
    """Of every R source with counters of covr, which knows no branches. A line is executed if all on it was."""
    counters = _counters(data)
    found = []
    for path in sorted(path for path in sources if path.endswith((".R", ".r"))):
        spans: dict[Span, bool] = {}
        for name, counted in counters.items():
            if name.endswith(f"/{path}"):
                spans |= {span: hit or spans.get(span, False) for span, hit in counted.items()}
        text = sources[path].split("\n")
        code = {number for number, line in enumerate(text, start=1) if line.strip() and line.lstrip()[0] != "#"}
        lines = code & _spanned(spans, len(text))
        missed = code & _spanned((span for span, hit in spans.items() if not hit), len(text))
        if lines:
            found.append(FileCoverage(path, len(lines), len(lines - missed), missed=tuple(sorted(missed))))
    return tuple(found)


_MISSING = {"covr": "the R package covr is not installed", "gcov": "gcov is not installed"}


def why_not_measured(data: Sequence[Dump]) -> str:
    """The reason to give where there was nothing to measure with; "" where there was."""
    return next((why for name, why in _MISSING.items() if any(dump.get("missing") == name for dump in data)), "")


def _counters(data: Sequence[Dump]) -> dict[str, dict[Span, bool]]:
    """By file: of every expression (first line, byte, last line, byte) whether any process reached it."""
    found: dict[str, dict[Span, bool]] = {}
    for path, rows in _rows(data, 5):
        seen = found.setdefault(path, {})
        for *span, count in rows:
            place = (span[0], span[1], span[2], span[3])
            seen[place] = seen.get(place, False) or count > 0
    return found


def _spanned(spans: Iterable[Span], length: int) -> set[int]:
    """The lines of all spans, as far as the source has them."""
    opened = [0] * (length + 2)
    for first, _, last, _ in spans:
        if 0 < first <= last <= length:
            opened[first] += 1
            opened[last + 1] -= 1
    return {number for number, depth in enumerate(accumulate(opened)) if depth}


def _merged(data: Sequence[Dump]) -> dict[str, set[Arc]]:
    """Steps from line to line of every file."""
    found: dict[str, set[Arc]] = {}
    for path, rows in _rows(data, 2):
        found.setdefault(path, set()).update((before, line) for before, line in rows)
    return found


def _rows(data: Sequence[Dump], width: int) -> Iterator[tuple[str, list[list[int]]]]:
    """Of every file and process, the rows of so many whole numbers; what has another form is passed over."""
    for dump in data:
        files = dump.get("files")
        for path, rows in files.items() if isinstance(files, dict) else ():
            if isinstance(rows, list):
                sound = [row for row in rows[:_MOST_ARCS] if isinstance(row, list | tuple) and len(row) == width]
                yield str(path), [[*row] for row in sound if all(type(part) is int for part in row)]


def _steps(arcs: Iterable[Arc]) -> dict[int, set[int]]:
    found: dict[int, set[int]] = {}
    for before, line in arcs:
        found.setdefault(before, set()).add(line)
    return found


def _of_source(arcs: Mapping[str, set[Arc]], path: str, sources: Mapping[str, str]) -> set[Arc]:
    """An installed file is found again by the end of its path; where several sources end so, by the shortest."""
    parts = path.split("/")
    for cut in range(len(parts)):
        tail = "/".join(parts[cut:])
        if tail in arcs:
            rivals = [other for other in sources if other == tail or other.endswith(f"/{tail}")]
            return arcs[tail] if min(rivals, key=lambda other: (len(other), other)) == path else set()
    return set()


# --- what a source could execute -----------------------------------------------------------------------------------


def executable_lines(source: str) -> frozenset[int]:
    """Lines with code, functions and classes included; none if it cannot be compiled."""
    if len(source) > _LARGEST_SOURCE:
        return frozenset()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            code = compile(source, "<source>", "exec", dont_inherit=True, optimize=0)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
        return frozenset()
    return frozenset(line for part in _codes(code) for _, _, line in part.co_lines() if line)


def _codes(code: CodeType) -> Iterator[CodeType]:
    waiting = [code]
    while waiting:
        part = waiting.pop()
        yield part
        waiting += [constant for constant in part.co_consts if isinstance(constant, CodeType)]


class Branch:
    """One way out of `head`: into `inside`, or (`into` False) to anywhere but there."""

    def __init__(self, head: range, inside: range, *, into: bool) -> None:
        self.head, self.inside, self.into = head, inside, into

    def taken(self, steps: Mapping[int, set[int]]) -> bool:
        """`steps`: for each line, those that followed it."""
        reached = (line for at in self.head for line in steps.get(at, ()))
        return any(line not in self.head and (line in self.inside) == self.into for line in reached)


def branches_of(source: str) -> list[Branch]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    return [branch for node in ast.walk(tree) for branch in _of_node(node)]


def _of_node(node: ast.AST) -> list[Branch]:
    if isinstance(node, ast.Try | ast.TryStar) and node.handlers:
        body, handlers = _span(node.body), range(node.handlers[0].lineno, (node.handlers[-1].end_lineno or 0) + 1)
        return [Branch(body, handlers, into=True), Branch(body, handlers, into=False)]
    if isinstance(node, ast.If | ast.While) and not isinstance(node.test, ast.Constant):
        return _two_ways(range(node.lineno, _end(node.test) + 1), _span(node.body))
    if isinstance(node, ast.For | ast.AsyncFor):
        return _two_ways(range(node.lineno, _end(node.iter) + 1), _span(node.body))
    if isinstance(node, ast.match_case) and not (
        isinstance(node.pattern, ast.MatchAs) and node.pattern.pattern is None
    ):
        return _two_ways(range(node.pattern.lineno, _end(node.guard or node.pattern) + 1), _span(node.body))
    if isinstance(node, ast.IfExp):
        test, body, other = (range(part.lineno, _end(part) + 1) for part in (node.test, node.body, node.orelse))
        apart = len({*test, *body, *other}) == len(test) + len(body) + len(other)
        return [Branch(test, body, into=True), Branch(test, other, into=True)] if apart else []
    return []


def _two_ways(head: range, body: range) -> list[Branch]:
    """A body that begins on the line on which its head ends cannot be told apart from it."""
    if not body or body.start < head.stop:
        return []
    return [Branch(head, body, into=True), Branch(head, body, into=False)]


def _span(body: Sequence[ast.stmt]) -> range:
    return range(body[0].lineno, _end(body[-1]) + 1)


def _end(node: ast.stmt | ast.expr | ast.pattern) -> int:
    return node.end_lineno or node.lineno
