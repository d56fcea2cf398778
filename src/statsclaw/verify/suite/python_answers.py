"""Which answers of the package an expression of a suite is made of: the element, and how the package was called."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from statsclaw.verify.suite.python_tests import Case
from statsclaw.verify.suite.python_values import Bound

_MOST_NODES = 300  # on the way of one value; more would be deep for Python and strange for a test


@dataclass(frozen=True, slots=True)
class Answer:
    """`interval.se` of a call with so many arguments and these keywords."""

    element: str
    arguments: int
    keywords: frozenset[str | None]


@dataclass(frozen=True, slots=True)
class _Part:
    """A node of an expression. `below`: the attributes taken from it. `chosen`: only an item of it is used."""

    node: ast.AST
    below: str = ""
    chosen: bool = False


def answers_of(row: Bound, case: Case, *, deep: bool = False) -> set[Answer]:
    """What of the package a value is computed from, here or under a name; `deep`: or by a function of the suite."""
    found: set[Answer] = set()
    seen: set[tuple[int, str]] = set()
    queue = [(row, _Part(row.node))]
    while queue and len(seen) < _MOST_NODES:
        start, outer = queue.pop()
        for item in case.values.of(start):
            if (id(item.node), outer.below) in seen:
                continue
            seen.add((id(item.node), outer.below))
            for part in _parts(_Part(item.node, outer.below, outer.chosen), item.file, case):
                node = part.node
                if isinstance(node, ast.Call) and _is_package(node, item.file, case):
                    name = case.suite.called(node, item.file).partition(".")[2]
                    found.add(Answer(name + part.below, len(node.args), frozenset(row.arg for row in node.keywords)))
                elif isinstance(node, ast.Name) and node is not item.node:
                    queue.append((Bound(node, item.user, item.file), part))
                elif isinstance(node, ast.Call) and deep and not part.chosen:
                    queue += [(value, part) for value in _returned(Bound(node, item.user, item.file), case)]
    return found


def _parts(part: _Part, file: str, case: Case) -> Iterator[_Part]:
    """Every node below, without the arguments the package is called with: those are its own affair."""
    yield part
    node = part.node
    if isinstance(node, ast.Attribute):
        yield from _parts(_Part(node.value, f".{node.attr}{part.below}", part.chosen), file, case)
    elif isinstance(node, ast.Subscript):
        yield from _parts(_Part(node.value, part.below, chosen=True), file, case)
    elif not _is_package(node, file, case):
        for child in ast.iter_child_nodes(node):
            yield from _parts(_Part(child), file, case)


def _is_package(node: ast.AST, file: str, case: Case) -> bool:
    return case.suite.called(node, file).split(".")[0] in case.suite.package


def _returned(row: Bound, case: Case) -> list[Bound]:
    """What a function of the suite returns, where a call of it is used as a whole."""
    function = case.suite.function(row.node.func, row.user, row.file) if isinstance(row.node, ast.Call) else None
    if function is None:
        return []
    values = [node.value for node in function.body if isinstance(node, ast.Return) and node.value is not None]
    return [Bound(value, function, function.file) for value in values]
