"""From the text of a Python suite to its syntax; what cannot be read is an error with file and line."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from statsclaw.runlog.events.finding import Finding
from statsclaw.verify.suite.found import found
from statsclaw.verify.suite.python_code import Definition, Function, Module, Suite

_LARGEST_FILE = 1_000_000
_MOST_FILES = 300
_MOST_NODES = 300_000
_DEEPEST = 110


def read_python(
    files: Mapping[str, str], package: str = "", whole: frozenset[str] = frozenset()
) -> tuple[Suite, list[Finding]]:
    """The modules that can be read, and an error for each that cannot."""
    modules: list[Module] = []
    findings: list[Finding] = []
    names = sorted(name for name in files if name.endswith(".py"))
    if len(names) > _MOST_FILES:
        findings.append(found("unreadable", "suite", f"The suite has more than {_MOST_FILES} files.", names[0]))
    for name in names[:_MOST_FILES]:
        tree = _parse(name, files[name])
        if isinstance(tree, Finding):
            findings.append(tree)
        else:
            modules.append(_module(name, tree))
    return Suite(modules, package, whole), findings


def _parse(name: str, text: str) -> ast.Module | Finding:
    line, reason = 1, ""
    try:
        if len(text) > _LARGEST_FILE:
            raise ValueError(f"it is longer than {_LARGEST_FILE:,} characters")
        tree = ast.parse(text)
        reason = _too_large(tree)
    except SyntaxError as error:
        line, reason = error.lineno or 1, str(error.msg)
    except (ValueError, RecursionError, MemoryError) as error:
        reason = str(error) or "it is nested too deeply"
    if not reason:
        return tree
    return found("unreadable", name, f"The file cannot be read as Python: {reason}.", f"{name}:{line}")


def _too_large(tree: ast.Module) -> str:
    count, level = 0, [tree]
    rows: list[ast.AST] = list(level)
    for _ in range(_DEEPEST):
        rows = [child for row in rows for child in ast.iter_child_nodes(row)]
        count += len(rows)
        if not rows:
            return ""
        if count > _MOST_NODES:
            return "it holds too much"
    return "it is nested too deeply"


def _module(name: str, tree: ast.Module) -> Module:
    module = Module(name, tree)
    for node in ast.walk(tree):
        for child in ast.iter_child_nodes(node):
            module.parents[child] = node
        _remember_import(module, node)
    for statement in ast.walk(tree):
        if not isinstance(statement, ast.Assign | ast.AnnAssign) or statement.value is None:
            continue
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        for target in targets:
            own = isinstance(module.parents.get(statement), ast.ClassDef) and getattr(target, "id", "") == "pytestmark"
            if isinstance(target, ast.Name) and not own and not _inside_function(module, statement):
                module.constants.setdefault(target.id, []).append(statement.value)
                _remember_alias(module, target.id, statement.value)
    _collect(module, tree.body, None, (), False)
    return module


def _inside_function(module: Module, node: ast.AST) -> bool:
    parent = module.parents.get(node)
    while parent is not None and not isinstance(parent, Definition | ast.Lambda):
        parent = module.parents.get(parent)
    return parent is not None


def _remember_import(module: Module, node: ast.AST) -> None:
    if isinstance(node, ast.Import):
        for row in node.names:
            module.aliases[row.asname or row.name.split(".")[0]] = row.name if row.asname else row.name.split(".")[0]
    elif isinstance(node, ast.ImportFrom):
        start = node.module or ""
        for row in node.names:
            module.aliases[row.asname or row.name] = f"{start}.{row.name}" if start else row.name


def _remember_alias(module: Module, name: str, value: ast.expr) -> None:
    """`same = np.testing.assert_allclose` at the top of a module is another name for it."""
    parts: list[str] = []
    node: ast.AST = value
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if isinstance(node, ast.Name) and node.id in module.aliases and name not in module.aliases:
        module.aliases[name] = ".".join([module.aliases[node.id], *reversed(parts)])


def _collect(
    module: Module,
    statements: list[ast.stmt],
    outer: Function | None,
    classes: tuple[ast.ClassDef, ...],
    conditional: bool,
) -> None:
    for row in statements:
        if isinstance(row, Definition):
            function = Function(module.file, row.name, row, outer, classes, conditional)
            module.functions.append(function)
            _collect(module, row.body, function, (), False)
        elif isinstance(row, ast.ClassDef):
            _collect(module, row.body, outer, (*classes, row), conditional)
        else:
            guarded = conditional or isinstance(row, ast.If | ast.While | ast.For | ast.Try)
            for name in ("body", "orelse", "finalbody"):
                _collect(module, getattr(row, name, None) or [], outer, classes, guarded)
            for inner in (*getattr(row, "handlers", ()), *getattr(row, "cases", ())):
                _collect(module, inner.body, outer, classes, guarded)
