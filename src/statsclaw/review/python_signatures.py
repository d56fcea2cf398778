"""Signatures of a Python package, read from its syntax. Nothing is run."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from statsclaw.review.signatures import REQUIRED, Built, Parameter, Signature

_MOST_HOPS = 8

Scope = list[ast.stmt]


def built_python(package: str, sources: Mapping[str, str]) -> Built:
    """`sources`: path to text, as they stand in the repository; with or without a folder `src`."""
    return _PythonPackage(package, sources).built()


class _PythonPackage:
    """The modules of one package among the sources, by dotted name."""

    def __init__(self, package: str, sources: Mapping[str, str]) -> None:
        self.package, self.modules, self.paths = package, dict[str, Scope](), dict[str, str]()
        for path in sorted(sources):
            if path.endswith(".py") and (name := self._module_name(path)) is not None:
                self.modules[name], self.paths[name] = list(_flat(_parsed(sources[path]))), path

    def _module_name(self, path: str) -> str | None:
        parts = PurePosixPath(path).with_suffix("").parts
        if parts and parts[0] in ("src", "python", "lib"):
            parts = parts[1:]
        if not parts or parts[0] != self.package.split(".")[0]:
            return None
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    def built(self) -> Built:
        body = self.modules.get(self.package)
        if body is None:
            return self._without_entry()
        built = Built(entry=self.paths[self.package])
        names = {name for row in body for name in _bound(row)}
        built.names = None if "*" in names or "__getattr__" in names else frozenset(names)
        self._add(built, {name: self._resolve(self.package, name) for name in sorted(names)})
        return built

    def _without_entry(self) -> Built:
        """The file that exports was not changed: definitions of that name at the top of a module will do."""
        built = Built()
        for module, body in self.modules.items():
            defined = {row.name for row in body if isinstance(row, ast.FunctionDef | ast.ClassDef)}
            self._add(built, {name: (module, node) for name in defined if (node := _last(body, name))})
        return built

    def _add(self, built: Built, found: Mapping[str, tuple[str, ast.stmt] | None]) -> None:
        whole = set(built.classes)
        for name, place in found.items():
            if place is None:
                continue
            module, node = place
            where = f"{self.paths[module]}:{node.lineno}"
            scope = self.modules[module]
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                built.signatures[name] = _function(node, where, scope)
            elif isinstance(node, ast.ClassDef):
                if _is_whole(node):
                    whole.add(name)
                built.signatures[name] = _constructor(node, where, scope)
                for method in (row for row in node.body if isinstance(row, ast.FunctionDef | ast.AsyncFunctionDef)):
                    at = f"{self.paths[module]}:{method.lineno}"
                    built.signatures[f"{name}.{method.name}"] = _method(method, at, scope)
        built.classes = frozenset(whole)

    def _resolve(self, module: str, name: str, hops: int = 0) -> tuple[str, ast.stmt] | None:
        """The definition behind a name, through imports inside the package."""
        node = _last(self.modules.get(module, []), name)
        if node is None or hops > _MOST_HOPS:
            return None
        if not isinstance(node, ast.ImportFrom):
            return module, node
        is_package = self.paths[module].endswith("__init__.py")
        parts = module.split(".")
        base = parts[: len(parts) - node.level + (1 if is_package else 0)] if node.level else []
        source = ".".join([*base, *([node.module] if node.module else [])])
        original = next((a.name for a in node.names if (a.asname or a.name) == name), name)
        return self._resolve(source, original, hops + 1) if source in self.modules else None


def _parsed(source: str) -> Scope:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def _flat(body: Scope, depth: int = 0) -> Iterator[ast.stmt]:
    """Statements at the top of a module, those inside of `if`, `try` and `with` included."""
    for row in body:
        yield row
        if depth < 5 and isinstance(row, ast.If | ast.Try | ast.With):
            for part in ("body", "orelse", "finalbody"):
                yield from _flat(getattr(row, part, []), depth + 1)
            for handler in getattr(row, "handlers", []):
                yield from _flat(handler.body, depth + 1)


def _bound(row: ast.stmt) -> Iterator[str]:
    if isinstance(row, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield row.name
    elif isinstance(row, ast.Import | ast.ImportFrom):
        yield from (alias.asname or alias.name.partition(".")[0] for alias in row.names)
    elif isinstance(row, ast.Assign):
        yield from (node.id for target in row.targets for node in ast.walk(target) if isinstance(node, ast.Name))
    elif isinstance(row, ast.AnnAssign) and isinstance(row.target, ast.Name) and row.value is not None:
        yield row.target.id


def _last(body: Scope, name: str) -> ast.stmt | None:
    """What the name is bound to in the end: a second definition replaces the first."""
    return next((row for row in reversed(body) if name in _bound(row)), None)


def _function(node: ast.FunctionDef | ast.AsyncFunctionDef, where: str, scope: Scope) -> Signature:
    spec = node.args
    positional = [*spec.posonlyargs, *spec.args]
    missing: list[ast.expr | None] = [None] * (len(positional) - len(spec.defaults))
    rows = [
        Parameter(argument.arg, _written(default, scope))
        for argument, default in zip(positional, [*missing, *spec.defaults], strict=True)
    ]
    rows += [
        Parameter(argument.arg, _written(default, scope), keyword_only=True)
        for argument, default in zip(spec.kwonlyargs, spec.kw_defaults, strict=True)
    ]
    return Signature(where, "python", tuple(rows), open_ended=spec.kwarg is not None)


def _method(node: ast.FunctionDef | ast.AsyncFunctionDef, where: str, scope: Scope) -> Signature:
    found = _function(node, where, scope)
    static = any(isinstance(row, ast.Name) and row.id == "staticmethod" for row in node.decorator_list)
    rows = found.parameters or ()
    return Signature(where, "python", rows if static else rows[1:], found.open_ended)


def _constructor(node: ast.ClassDef, where: str, scope: Scope) -> Signature:
    """Of `__init__`, or of the fields of a plain dataclass; otherwise it cannot be read."""
    made = _last(node.body, "__init__")
    if isinstance(made, ast.FunctionDef):
        return _method(made, where, scope)
    if node.bases or not any("dataclass" in ast.unparse(row)[:80] for row in node.decorator_list):
        return Signature(where, "python")
    rows = [row for row in node.body if isinstance(row, ast.AnnAssign) and isinstance(row.target, ast.Name)]
    if any(isinstance(row.value, ast.Call) or "ClassVar" in ast.unparse(row.annotation)[:80] for row in rows):
        return Signature(where, "python")
    return Signature(where, "python", tuple(Parameter(ast.unparse(r.target), _written(r.value, scope)) for r in rows))


def _is_whole(node: ast.ClassDef) -> bool:
    return not node.bases and not node.keywords and not node.decorator_list and _last(node.body, "__getattr__") is None


def _written(default: ast.expr | None, scope: Scope) -> str:
    """A default as text; the name of a constant of the module is replaced by its value."""
    if default is None:
        return REQUIRED
    if isinstance(default, ast.Name):
        row = _last(scope, default.id)
        if isinstance(row, ast.Assign | ast.AnnAssign) and isinstance(row.value, ast.Constant):
            default = row.value
    try:
        return ast.unparse(default)[:10_000]
    except RecursionError:
        return "…"
