"""Which changed lines did the tester's questions execute? The figures come from the process that ran the package."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable, Iterator

from statsclaw.review.case import Case, FileCoverage
from statsclaw.review.findings import bounded
from statsclaw.runlog.events.finding import Finding
from statsclaw.runlog.findings import finding
from statsclaw.verify.measure_coverage import executable_lines

_CHECK = "coverage"
#: Of the executable lines of a changed file; below it, the missed lines are told.
ENOUGH = 0.8
_MOST_RANGES = 12
_MEASURED = (".py", ".R", ".r")
_NOT_PACKAGE = ("tests/", "test/", "simulations/", "inst/simulations/", "docs/", "vignettes/")


def check(case: Case) -> list[Finding]:
    if case.coverage is None:
        text = f"coverage was not measured: {case.why_not_measured or 'no figures reached the review'}"
        return [finding(_CHECK, "note", text, key="not-computed:coverage")]
    found = []
    for row in case.coverage:
        if fault := _fault(row):
            text = f"the figures of {row.path} contradict each other: {fault}"
            found.append(finding(_CHECK, "error", text, where=row.path, route_to="", key=f"figures:{row.path}"))
            continue
        found += _of_file(row)
        found += _of_functions(case, row)
    return bounded(_CHECK, [*found, *_not_measured(case)])


def _fault(row: FileCoverage) -> str:
    if min(row.lines, row.lines_hit, row.branches, row.branches_hit) < 0:
        return "a number is negative"
    if row.lines_hit > row.lines or row.branches_hit > row.branches:
        return "more was executed than there is"
    if len(set(row.missed)) != row.lines - row.lines_hit:
        return f"{len(set(row.missed))} lines are named as missed, and {row.lines - row.lines_hit} are missing"
    return ""


def _of_file(row: FileCoverage) -> Iterator[Finding]:
    if row.lines and row.lines_hit / row.lines < ENOUGH:
        branches = f" and {row.branches_hit} of {row.branches} branches" if row.branches else ""
        text = (
            f"the questions execute {row.lines_hit} of {row.lines} lines{branches} of {row.path}; "
            f"not executed: {ranges(row.missed)}"
        )
        yield finding(_CHECK, "warning", text, where=row.path, route_to="tester", key=f"lines:{row.path}")


def _of_functions(case: Case, row: FileCoverage) -> Iterator[Finding]:
    """Of Python only: where an R function ends is not known here. Compiled functions leave no traces: a suspicion."""
    source = case.changed_sources.get(row.path, "")
    if not row.path.endswith(".py") or not source or row.path.startswith(_NOT_PACKAGE):
        return
    missed = set(row.missed)
    for name, line, lines in _public_functions(case, source):
        if lines and lines <= missed:
            text = f"no line of the public function {name} is executed by the questions"
            where = f"{row.path}:{line}"
            yield finding(_CHECK, "warning", text, where=where, route_to="tester", key=f"never-called:{name}")


def _public_functions(case: Case, source: str) -> Iterator[tuple[str, int, set[int]]]:
    """(name, line, executable lines of its body) of functions and methods that the interface names, or all public."""
    interface = case.contract.interface if case.contract else None
    named = set(interface.elements()) if interface else None
    executable = executable_lines(source)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for name, node in _defined(tree.body, ""):
        public = name in named if named is not None else not any(part.startswith("_") for part in name.split("."))
        if public and node.body:
            inside = range(node.body[0].lineno, (node.end_lineno or node.lineno) + 1)
            yield name, node.lineno, {line for line in inside if line in executable} - {node.lineno}


def _defined(body: Iterable[ast.stmt], owner: str) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for row in body:
        if isinstance(row, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{owner}{row.name}", row
        elif isinstance(row, ast.ClassDef) and not owner:
            yield from _defined(row.body, f"{row.name}.")


def _not_measured(case: Case) -> list[Finding]:
    there = {row.path for row in case.coverage or ()}
    missing = [
        path
        for path in case.changed_sources
        if path.endswith(_MEASURED) and path not in there and not path.startswith(_NOT_PACKAGE)
    ]
    if not missing:
        return []
    text = f"coverage was not measured of {len(missing)} changed files: {', '.join(sorted(missing)[:10])}"
    return [finding(_CHECK, "note", text, key="not-computed:coverage")]


def ranges(lines: Iterable[int]) -> str:
    """1, 2, 3, 7 as `1–3, 7`."""
    spans: list[list[int]] = []
    for line in sorted(set(lines)):
        if spans and line == spans[-1][1] + 1:
            spans[-1][1] = line
        else:
            spans.append([line, line])
    told = [str(first) if first == last else f"{first}–{last}" for first, last in spans[:_MOST_RANGES]]
    return ", ".join(told) + (f" and {len(spans) - _MOST_RANGES} more places" if len(spans) > _MOST_RANGES else "")
