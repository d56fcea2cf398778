"""Code: what can be called, how, and what its documentation says. Nothing is executed."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from types import MappingProxyType

from statsclaw.sources.index import Extracted, PublicFunction

_MOST = 2_000
_LONGEST_DOCUMENTATION = 4_000
_LONGEST_SIGNATURE = 1_000
Definition = ast.FunctionDef | ast.AsyncFunctionDef


def read_python(name: str, text: str, *, first_line: int = 1) -> Extracted:
    """Public functions, classes and methods of a Python file; `__all__`, where it is a plain list, decides."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
        found = tuple(_public(name, tree, first_line - 1))[:_MOST]
    except SyntaxError as error:
        said = f"not Python that can be parsed (line {error.lineno or 1}): {str(error.msg)[:100]}"
        return Extracted(name, "", "code", text, not_extracted=(said,))
    except (ValueError, RecursionError, MemoryError):
        return Extracted(name, "", "code", text, not_extracted=("the Python code is nested too deeply to be read",))
    return Extracted(name, "", "code", text, functions=found)


def _public(source: str, tree: ast.Module, offset: int) -> Iterator[PublicFunction]:
    listed = _listed(tree)
    for node in tree.body:
        if not isinstance(node, Definition | ast.ClassDef) or not _is_public(node.name, listed):
            continue
        if isinstance(node, ast.ClassDef):
            yield from _class(source, node, offset)
        else:
            yield _function(source, node.name, node, offset)


def _is_public(name: str, listed: frozenset[str] | None) -> bool:
    return name in listed if listed is not None else not name.startswith("_")


def _listed(tree: ast.Module) -> frozenset[str] | None:
    for node in tree.body:
        named = isinstance(node, ast.Assign) and any(
            isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets
        )
        if named and isinstance(node, ast.Assign) and isinstance(node.value, ast.List | ast.Tuple):
            values = [row.value for row in node.value.elts if isinstance(row, ast.Constant)]
            return frozenset(value for value in values if isinstance(value, str))
    return None


def _class(source: str, node: ast.ClassDef, offset: int) -> Iterator[PublicFunction]:
    methods = [row for row in node.body if isinstance(row, Definition)]
    made = next((row for row in methods if row.name == "__init__"), None)
    signature, defaults = _signature(made, skip_first=True) if made else ("()", {})
    documentation = (ast.get_docstring(node) or "")[:_LONGEST_DOCUMENTATION]
    line = node.lineno + offset
    ref, shown = f"{source} {node.name}", f"class {node.name}{signature}"
    yield PublicFunction(ref, source, node.name, shown, MappingProxyType(defaults), documentation, line)
    for method in methods:
        if not method.name.startswith("_"):
            yield _function(source, f"{node.name}.{method.name}", method, offset)


def _function(source: str, name: str, node: Definition, offset: int) -> PublicFunction:
    signature, defaults = _signature(node, skip_first=False)
    documentation = (ast.get_docstring(node) or "")[:_LONGEST_DOCUMENTATION]
    line = node.lineno + offset
    ref = f"{source} {name}"
    return PublicFunction(ref, source, name, name + signature, MappingProxyType(defaults), documentation, line)


def _signature(node: Definition, *, skip_first: bool) -> tuple[str, dict[str, str]]:
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    given: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults)) + list(arguments.defaults)
    pairs = [*zip(positional, given, strict=True), *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)]
    defaults = {row.arg: ast.unparse(default)[:200] for row, default in pairs if default is not None}
    shown = ast.unparse(arguments)
    if skip_first and positional:
        bare = shown.split(",", 1)
        shown = bare[1].strip() if len(bare) > 1 else ""
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"({shown}){returns}"[:_LONGEST_SIGNATURE], defaults
