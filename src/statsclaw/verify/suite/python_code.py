"""A Python suite as syntax: modules, functions, what a name refers to, what a function reaches. Nothing is run."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath

from statsclaw.verify.suite.names import python_names

Definition = ast.FunctionDef | ast.AsyncFunctionDef
_ENDS_A_BLOCK = (ast.Return, ast.Raise, ast.Continue, ast.Break)


@dataclass(frozen=True, eq=False)
class Function:
    """`outer`: the function it is written in. `classes`: the classes around it. `body`: its live statements' nodes."""

    file: str
    name: str
    node: Definition
    outer: Function | None
    classes: tuple[ast.ClassDef, ...]
    conditional: bool = False

    @cached_property
    def body(self) -> tuple[ast.AST, ...]:
        """Nodes that can be executed, without those of functions and classes defined inside."""
        return tuple(live(self.node.body))

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        rows = self.node.args
        return tuple(row.arg for row in (*rows.posonlyargs, *rows.args, *rows.kwonlyargs))

    @cached_property
    def bindings(self) -> dict[str, list[ast.expr]]:
        """What each local name may stand for."""
        found: dict[str, list[ast.expr]] = {}
        for node in self.body:
            for name, value in _bound(node):
                found.setdefault(name, []).append(value)
        return found

    def where(self, node: ast.AST | None = None) -> str:
        return f"{self.file}:{getattr(node or self.node, 'lineno', 1)}"


@dataclass(eq=False)
class Module:
    file: str
    tree: ast.Module
    aliases: dict[str, str] = field(default_factory=dict)
    functions: list[Function] = field(default_factory=list)
    constants: dict[str, list[ast.expr]] = field(default_factory=dict)
    parents: dict[ast.AST, ast.AST] = field(default_factory=dict)

    @cached_property
    def changed(self) -> frozenset[str]:
        """Names whose value may be filled or changed in place."""
        rows = [n for n in ast.walk(self.tree) if isinstance(n, ast.Attribute | ast.AugAssign | ast.Subscript)]
        parts = [n.target if isinstance(n, ast.AugAssign) else n.value for n in rows]
        return frozenset(part.id for part in parts if isinstance(part, ast.Name))

    @property
    def stem(self) -> str:
        return PurePosixPath(self.file).stem

    @property
    def collected(self) -> bool:
        """Whether pytest looks for tests in it."""
        return self.stem.startswith("test_") or self.stem.endswith("_test")


def constant_truth(node: ast.expr) -> bool | None:
    """What a condition always is; None where that depends."""
    if isinstance(node, ast.Constant):
        return bool(node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        inner = constant_truth(node.operand)
        return None if inner is None else not inner
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return bool(node.elts) if not any(isinstance(row, ast.Starred) for row in node.elts) else None
    if isinstance(node, ast.Lambda):
        return True
    if isinstance(node, ast.BoolOp):
        decisive = isinstance(node.op, ast.Or)
        parts = [constant_truth(row) for row in node.values]
        if decisive in parts:
            return decisive
        return None if None in parts else not decisive
    return None


def live(statements: list[ast.stmt]) -> Iterator[ast.AST]:
    """Every node below the statements that can be executed; dead branches and inner definitions are left out."""
    for statement in statements:
        if isinstance(statement, Definition | ast.ClassDef):
            yield from (node for row in statement.decorator_list for node in ast.walk(row))
            continue
        yield statement
        yield from _parts(statement)
        if isinstance(statement, _ENDS_A_BLOCK):
            return


def _parts(statement: ast.stmt) -> Iterator[ast.AST]:
    always = constant_truth(statement.test) if isinstance(statement, ast.If | ast.While) else None
    for name, value in ast.iter_fields(statement):
        if (name == "body" and always is False) or (name == "orelse" and always is True):
            continue
        rows = value if isinstance(value, list) else [value]
        if rows and isinstance(rows[0], ast.stmt):
            yield from live(rows)
            continue
        for row in rows:
            if isinstance(row, ast.ExceptHandler | ast.match_case):
                yield row
                yield from live(row.body)
                yield from (node for part in (getattr(row, "type", None),) if part for node in ast.walk(part))
            elif isinstance(row, ast.AST):
                yield from ast.walk(row)


_FILLING = {"append", "extend", "insert", "add", "update", "setdefault"}


def _bound(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Names and values: by assignment, unpacking, loops and `with`; what is put into a name's object counts as well."""
    if isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr) and node.value is not None:
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            yield from _unpacked(target, node.value)
    elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        yield node.target.id, _part_of(node.value, "added")
    elif isinstance(node, ast.For | ast.comprehension):
        written = isinstance(node.iter, ast.List | ast.Tuple | ast.Set)
        for row in node.iter.elts if isinstance(node.iter, ast.List | ast.Tuple | ast.Set) else [node.iter]:
            yield from _unpacked(node.target, row if written else _element_of(row))
    elif isinstance(node, ast.withitem) and node.optional_vars is not None:
        yield from _unpacked(node.optional_vars, _part_of(node.context_expr, "entered"))
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
        for row in node.args if node.func.attr in _FILLING else ():
            yield node.func.value.id, _part_of(row, "put in")


def _unpacked(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
        yield target.value.id, _part_of(value, "put in")
    elif isinstance(target, ast.Tuple | ast.List):
        parts = value.elts if isinstance(value, ast.Tuple | ast.List) else []
        fits = len(parts) == len(target.elts) and not any(isinstance(row, ast.Starred) for row in target.elts)
        for number, row in enumerate(target.elts):
            inner = row.value if isinstance(row, ast.Starred) else row
            yield from _unpacked(inner, parts[number] if fits else _part_of(value, str(number)))


def _element_of(rows: ast.expr) -> ast.expr:
    """One element of what a loop runs through; of `zip` and `enumerate`, each part by itself."""
    called = rows.func.id if isinstance(rows, ast.Call) and isinstance(rows.func, ast.Name) else ""
    if not isinstance(rows, ast.Call) or called not in ("zip", "enumerate") or not rows.args:
        return _part_of(rows, "element")
    if any(isinstance(row, ast.Starred) for row in rows.args):
        return _part_of(rows, "element")
    parts = [_part_of(row, "element") for row in rows.args]
    counted = [_part_of(rows.func, "count"), parts[0]]
    return ast.copy_location(ast.Tuple(elts=parts if called == "zip" else counted, ctx=ast.Load()), rows)


def _part_of(value: ast.expr, which: str) -> ast.expr:
    """Something that comes from a value without being it, and unlike any other part."""
    part = ast.Subscript(value=value, slice=ast.Constant(f"{which} at {value.lineno}"), ctx=ast.Load())
    return ast.copy_location(part, value)


def _parts_made(tree: ast.AST) -> Iterator[str]:
    """Names under which a module can put values of its own into an object."""
    for node in ast.walk(tree):
        match node:
            case ast.keyword(arg=str(name)) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name
            case ast.Dict(keys=keys):
                yield from (key.value for key in keys if isinstance(key, ast.Constant) and isinstance(key.value, str))
            case ast.Call(func=ast.Name(id="setattr"), args=[_, ast.Constant(value=str(name)), *_]):
                yield name


class Suite:
    """All Python files of a suite. `package`: first names by which the package under test may be imported.

    `whole`: parts of what it returns that are whole numbers; of no use where the suite makes such parts itself.
    """

    def __init__(self, modules: list[Module], package: str = "", whole: frozenset[str] = frozenset()) -> None:
        self.whole = whole - {name for row in modules for name in _parts_made(row.tree)}
        self.modules = {row.file: row for row in modules}
        self._by_name: dict[str, list[Function]] = {}
        for module in modules:
            for function in module.functions:
                self._by_name.setdefault(function.name, []).append(function)
        packages = {PurePosixPath(row.file).parent.name for row in modules if row.stem == "__init__"}
        stems = ({row.stem for row in modules} | packages | {"tests", "test", "validation"}) - {package.split(".")[0]}
        imported = {name.split(".")[0] for row in modules for name in row.aliases.values()}
        others = stems | python_names("known_libraries") | set(sys.stdlib_module_names) | {""}
        self.package = {package.split(".")[0]} if package else imported - others
        self.stems = stems
        self._reached: dict[Function, tuple[Function, ...]] = {}

    def dotted(self, node: ast.AST, file: str) -> str:
        """`np.testing.assert_allclose` as `numpy.testing.assert_allclose`; "" for what is not a dotted name."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return ""
        parts.append(self.modules[file].aliases.get(node.id, node.id))
        return ".".join(reversed(parts))

    def called(self, node: ast.AST, file: str) -> str:
        return self.dotted(node.func, file) if isinstance(node, ast.Call) else ""

    def imports(self, node: ast.AST, file: str) -> bool:
        """Whether the first name of an expression was imported."""
        while isinstance(node, ast.Attribute | ast.Subscript):
            node = node.value
        return isinstance(node, ast.Name) and node.id in self.modules[file].aliases

    def function(self, node: ast.AST, user: Function | None, file: str) -> Function | None:
        """The function of the suite that a name or attribute refers to, nearest first."""
        name = self.dotted(node, file)
        last = name.rpartition(".")[2]
        rows = self._by_name.get(last, [])
        if not rows or not name:
            return None
        if "." in name and name.split(".")[0] not in self.stems | {"self", "cls", ""}:
            return None
        chain = user
        while chain is not None:
            if inner := [row for row in rows if row.outer is chain]:
                return inner[-1]
            chain = chain.outer
        own = [row for row in rows if row.file == file and row.outer is None]
        if "." not in name:
            own = [row for row in own if not row.classes] or own
            return own[-1] if own else None
        own = own or [row for row in rows if row.outer is None]
        return own[-1] if own else None

    def fixture(self, name: str, file: str) -> Function | None:
        """The fixture a parameter of that name asks for."""
        rows = [row for row in self._by_name.get(name, []) if self.is_fixture(row)]
        own = [row for row in rows if row.file == file] or [row for row in rows if row.file.endswith("conftest.py")]
        return own[-1] if own else None

    def is_fixture(self, function: Function) -> bool:
        return function in self.fixtures

    @cached_property
    def fixtures(self) -> frozenset[Function]:
        found = set()
        for function in self.functions():
            rows = [row.func if isinstance(row, ast.Call) else row for row in function.node.decorator_list]
            if any(self.dotted(row, function.file).endswith("fixture") for row in rows):
                found.add(function)
        return frozenset(found)

    def calls(self, function: Function) -> Iterator[Function]:
        """Functions of the suite that it calls, or hands to something that may call them."""
        for node in function.body:
            if isinstance(node, ast.Call):
                for part in (node.func, *node.args, *(row.value for row in node.keywords)):
                    if isinstance(part, ast.Name | ast.Attribute):
                        other = self.function(part, function, function.file)
                        if other is not None:
                            yield other

    def reach(self, function: Function) -> tuple[Function, ...]:
        """The function, what it calls, and its fixtures, to any depth."""
        if function not in self._reached:
            seen: dict[Function, None] = {function: None}
            queue = [function]
            while queue:
                row = queue.pop()
                fixtures = (self.fixture(name, row.file) for name in row.parameters)
                for other in (*self.calls(row), *(item for item in fixtures if item is not None)):
                    if other not in seen:
                        seen[other] = None
                        queue.append(other)
            self._reached[function] = tuple(seen)
        return self._reached[function]

    def functions(self) -> Iterator[Function]:
        for module in self.modules.values():
            yield from module.functions
