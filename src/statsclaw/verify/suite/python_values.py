"""What an expression of a suite may stand for: constants, through names and parameters; outputs of the package."""

from __future__ import annotations

import ast
import builtins
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from statsclaw.verify.suite.python_code import Function, Suite

_DEEPEST = 6
_MOST = 60
_EPSILON = 2.0**-52
_SAME_NUMBER = {"float", "int", "abs", "numpy.float64", "numpy.array", "numpy.asarray", "max", "min", "str"}
_ENVIRONMENT = {"os.environ.get", "os.getenv"}


@dataclass(frozen=True)
class Bound:
    """An expression, and the function in which its names have their meaning (None: the module's top)."""

    node: ast.expr
    user: Function | None
    file: str


class Values:
    """Resolution within what one test reaches: a parameter stands for what callers within `reach` hand over."""

    def __init__(self, suite: Suite, reach: tuple[Function, ...]) -> None:
        self.suite = suite
        self.reach = reach
        self._touched: dict[int, bool | None] = {}
        self._numbers: dict[int, list[float]] = {}

    def of(self, row: Bound, depth: int = 0) -> list[Bound]:
        """The expressions a name may stand for; the expression itself where it is no name or cannot be followed."""
        if not isinstance(row.node, ast.Name) or depth > _DEEPEST:
            return [row]
        found: list[Bound] = []
        for next_row in self._bindings(row.node.id, row.user, row.file):
            found += self.of(next_row, depth + 1)
            if len(found) > _MOST:
                break
        return found[:_MOST] or [row]

    def _bindings(self, name: str, user: Function | None, file: str) -> list[Bound]:
        scope = user
        while scope is not None:
            found = [Bound(node, scope, file) for node in scope.bindings.get(name, [])[-_MOST:]]
            if name in scope.parameters:
                found += self._handed_over(name, scope)[:_MOST]
            if found:
                return found
            scope = scope.outer
        return [Bound(node, None, file) for node in self.suite.modules[file].constants.get(name, [])]

    def _handed_over(self, name: str, function: Function) -> list[Bound]:
        found = [Bound(node, None, function.file) for node in parametrized(self.suite, function, name)]
        default = _default(function, name)
        if default is not None:
            found.append(Bound(default, None, function.file))
        fixture = self.suite.fixture(name, function.file)
        if fixture is not None:
            found += [
                Bound(row.value, fixture, fixture.file)
                for row in fixture.body
                if isinstance(row, ast.Return | ast.Yield) and row.value is not None
            ]
        shift = 1 if function.classes and function.parameters[:1] == ("self",) else 0
        position = function.parameters.index(name) - shift
        for caller, call in self._callers.get(function, []):
            given = argument(call, position, name)
            if given is not None:
                found.append(Bound(given, caller, caller.file))
        return found

    @cached_property
    def _callers(self) -> dict[Function, list[tuple[Function, ast.Call]]]:
        found: dict[Function, list[tuple[Function, ast.Call]]] = {}
        for caller in self.reach:
            for node in caller.body:
                if isinstance(node, ast.Call):
                    function = self.suite.function(node.func, caller, caller.file)
                    if function is not None:
                        found.setdefault(function, []).append((caller, node))
        return found

    def numbers(self, row: Bound, depth: int = 0) -> list[float]:
        """The constant numbers an expression may be; empty where it cannot be told."""
        key = id(row.node)
        if key not in self._numbers:
            self._numbers[key] = []  # a circle of names adds nothing
            self._numbers[key] = self._constant_numbers(row, depth)
        return self._numbers[key]

    def _constant_numbers(self, row: Bound, depth: int) -> list[float]:
        node = row.node
        if depth > 2 * _DEEPEST:
            return []
        if isinstance(node, ast.Constant):
            return _number_of(node.value)
        if isinstance(node, ast.Name):
            rows = self.of(row)
            return [n for r in rows if not isinstance(r.node, ast.Name) for n in self.numbers(r, depth + 1)][:_MOST]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return [-n for n in self.numbers(Bound(node.operand, row.user, row.file), depth + 1)]
        if isinstance(node, ast.BinOp):
            left = self.numbers(Bound(node.left, row.user, row.file), depth + 1)
            right = self.numbers(Bound(node.right, row.user, row.file), depth + 1)
            return [n for a in left[:8] for b in right[:8] for n in _calculated(node.op, a, b)]
        if isinstance(node, ast.Attribute) and node.attr == "eps":
            return [_EPSILON]
        parts = self._parts_that_decide(node, row.file)
        return [n for part in parts for n in self.numbers(Bound(part, row.user, row.file), depth + 1)][:_MOST]

    def _parts_that_decide(self, node: ast.expr, file: str) -> list[ast.expr]:
        if isinstance(node, ast.IfExp):
            return [node.body, node.orelse]
        if isinstance(node, ast.List | ast.Tuple):
            return node.elts
        name = self.suite.called(node, file)
        if isinstance(node, ast.Call) and name in _ENVIRONMENT:
            return node.args[1:2]
        return node.args if isinstance(node, ast.Call) and name in _SAME_NUMBER else []

    def texts(self, row: Bound) -> list[str]:
        """The constant texts an expression may be, or may run through."""
        rows = [
            part
            for item in self.of(row)
            for part in (item.node.elts if isinstance(item.node, ast.List | ast.Tuple) else [item.node])
        ]
        return [part.value for part in rows if isinstance(part, ast.Constant) and isinstance(part.value, str)]

    # --- the package under test -----------------------------------------------------------------------------------

    def touches(self, row: Bound, depth: int = 0) -> bool | None:
        """Whether a value comes out of the package under test; None where that cannot be told."""
        key = id(row.node)
        if key not in self._touched:
            self._touched[key] = False  # a circle of names adds nothing
            self._touched[key] = self._touches(row, depth)
        return self._touched[key]

    def _touches(self, row: Bound, depth: int) -> bool | None:
        if depth > _DEEPEST:
            return None
        unknown = False
        for node in ast.walk(row.node):
            if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load):
                continue
            answer = self._name_touches(node, row, depth)
            if answer:
                return True
            unknown = unknown or answer is None
        return None if unknown else False

    def _name_touches(self, node: ast.Name, row: Bound, depth: int) -> bool | None:
        root = self.suite.modules[row.file].aliases.get(node.id, "").split(".")[0]
        if root in self.suite.package:
            return True
        bindings = self._bindings(node.id, row.user, row.file)
        if bindings:
            answers = [self.touches(item, depth + 1) for item in bindings]
            return True if True in answers else None if None in answers else False
        function = self.suite.function(node, row.user, row.file)
        if function is not None:
            return any(self.mentions_package(item) for item in self.suite.reach(function))
        if root or node.id in _own_names(row.node):
            return False
        return False if hasattr(builtins, node.id) else None

    def touches_any(self, nodes: list[ast.expr], file: str) -> bool:
        return any(self.touches(Bound(node, None, file)) for node in nodes)

    def mentions_package(self, function: Function) -> bool:
        aliases = self.suite.modules[function.file].aliases
        for node in function.body:
            if isinstance(node, ast.Name) and aliases.get(node.id, "").split(".")[0] in self.suite.package:
                return True
            text = node.value[:2000] if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
            if any(name in text for name in self.suite.package):
                return True
        return False


def _own_names(node: ast.AST) -> set[str]:
    """Names an expression binds itself: arguments of lambdas and variables of comprehensions."""
    found: set[str] = set()
    for part in ast.walk(node):
        if isinstance(part, ast.arg):
            found.add(part.arg)
        elif isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            found.add(part.id)
    return found


def argument(call: ast.Call, position: int, *names: str) -> ast.expr | None:
    """An argument by keyword or by position; None after `*args` or where it is not given."""
    for row in call.keywords:
        if row.arg in names:
            return row.value
    if 0 <= position < len(call.args) and not any(isinstance(row, ast.Starred) for row in call.args[: position + 1]):
        return call.args[position]
    return None


def parametrized(suite: Suite, function: Function, name: str) -> Iterator[ast.expr]:
    """The values `pytest.mark.parametrize` gives to a parameter, as far as they are written out."""
    for row in (*function.node.decorator_list, *(item for cls in function.classes for item in cls.decorator_list)):
        if not isinstance(row, ast.Call) or suite.called(row, function.file) != "pytest.mark.parametrize":
            continue
        names, values = argument(row, 0, "argnames"), argument(row, 1, "argvalues")
        known = _argument_names(names)
        for value in _written_out(suite, function, values) if name in known else []:
            if isinstance(value, ast.Call) and suite.called(value, function.file) == "pytest.param":
                parts = value.args
            else:
                parts = value.elts if len(known) > 1 and isinstance(value, ast.Tuple | ast.List) else [value]
            if len(parts) == len(known):
                yield parts[known.index(name)]


def _argument_names(node: ast.expr | None) -> list[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [part.strip() for part in node.value.split(",") if part.strip()]
    if isinstance(node, ast.List | ast.Tuple):
        return [str(row.value) for row in node.elts if isinstance(row, ast.Constant)]
    return []


def _written_out(suite: Suite, function: Function, node: ast.expr | None) -> list[ast.expr]:
    if isinstance(node, ast.Name):
        rows = suite.modules[function.file].constants.get(node.id, [])
        node = rows[-1] if rows else None
    return list(node.elts) if isinstance(node, ast.List | ast.Tuple | ast.Set) else []


def _default(function: Function, name: str) -> ast.expr | None:
    rows = function.node.args
    plain = [*rows.posonlyargs, *rows.args]
    for row, value in zip(plain[len(plain) - len(rows.defaults) :], rows.defaults, strict=True):
        if row.arg == name:
            return value
    for row, given in zip(rows.kwonlyargs, rows.kw_defaults, strict=True):
        if row.arg == name:
            return given
    return None


def _number_of(value: object) -> list[float]:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return []
    try:
        number = float(value[:60]) if isinstance(value, str) else float(value)
    except (ValueError, OverflowError):
        return []
    return [number] if not math.isnan(number) else []


def _calculated(operator: ast.operator, a: float, b: float) -> list[float]:
    try:
        if isinstance(operator, ast.Pow):
            return [float(a**b)] if abs(b) <= 400 and not isinstance(a**b, complex) else []
        rows = {ast.Add: a + b, ast.Sub: a - b, ast.Mult: a * b, ast.Div: a / b if b else math.inf}
        return [rows[type(operator)]] if type(operator) in rows else []
    except (OverflowError, ZeroDivisionError):
        return []
