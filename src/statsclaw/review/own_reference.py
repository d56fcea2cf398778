"""Does the package compute by itself, or does it call the very program that its tests compare it with?

Of a package that wraps its reference every comparison with that reference passes and shows nothing. Read from the
sources without running them: imports in Python, names and texts in R, texts in C and C++. A function `glm` is also used
through `glm.fit`. A name that is put together while the package runs is not found.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from importlib.resources import files

from statsclaw.review.case import Case
from statsclaw.review.findings import finding
from statsclaw.review.r_tokens import Unreadable, tokens_of
from statsclaw.runlog.events.finding import Finding
from statsclaw.specs.test_spec import Reference

_ELEMENTARY = tomllib.loads(files(__package__).joinpath("elementary.toml").read_text(encoding="utf-8"))
_MODULES = frozenset(_ELEMENTARY["python"]["modules"])
_FUNCTIONS = frozenset(_ELEMENTARY["r"]["functions"])
_DISTRIBUTION = re.compile(_ELEMENTARY["r"]["distributions"])
_CALLED = re.compile(r"(?<![\w.])([A-Za-z.][\w.]*)\s*\(")
_QUALIFIED = re.compile(r"\b\w+:::?([A-Za-z.][\w.]*)")
_MODULE = re.compile(r"[a-z_][a-z0-9_]*")
_C_TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|"((?:[^"\\\n]|\\.)*)"', re.DOTALL)
_C = ("c", "cc", "cpp", "cxx", "h", "hpp")
_LARGEST = 1_000_000


def calls_its_reference(case: Case) -> Iterator[Finding]:
    """An error for each reference and each file that leans on it."""
    tests = case.contract.tests if case.contract else None
    for reference in tests.references if tests else ():
        for path, text in sorted(case.changed_sources.items()):
            used = _used(path, text[:_LARGEST], reference)
            if used:
                message = (
                    f"{path} uses {used}, and the tests compare the package with it ({reference.id}: "
                    f"{reference.program[:100]}): of what it computes that way the comparison shows nothing"
                )
                key = f"calls-its-reference:{reference.id}:{path}"
                yield finding("cross_comparison", "error", message, where=path, route_to="builder", key=key)


def _used(path: str, text: str, reference: Reference) -> str:
    ending = path.rpartition(".")[2].lower()
    if ending == "py":
        return next((name for name in sorted(_modules(reference)) if name in _imported(text)), "")
    said = _names_in_r(text) if ending == "r" else set(_C_TEXT.findall(text)) if ending in _C else set()
    functions = sorted(functions_of(reference))
    return next((name for name in sorted(said) if any(_is_of(name, function) for function in functions)), "")


def _is_of(name: str, function: str) -> bool:
    return name == function or name.startswith(f"{function}.")


def _names_in_r(text: str) -> set[str]:
    """Every name that is no part of an object (`x$glm`), and every text: it may be looked up as a name."""
    try:
        tokens = tokens_of(text)
    except Unreadable:
        return set()  # it cannot be installed either
    before = ["", *(token.text for token in tokens)]
    return {
        token.text
        for token, last in zip(tokens, before, strict=False)
        if token.kind == "text" or (token.kind == "name" and last not in ("$", "@"))
    }


def functions_of(reference: Reference) -> set[str]:
    """The functions of R that the reference consists of, without those that everything is made of."""
    found = {*_CALLED.findall(reference.call), *_QUALIFIED.findall(f"{reference.program} {reference.call}")}
    return {name for name in found if name not in _FUNCTIONS and not _DISTRIBUTION.match(name)}


def _modules(reference: Reference) -> set[str]:
    words = [word.split(".")[0] for word in reference.program.replace(",", " ").split()]
    return {word for word in words if _MODULE.fullmatch(word)} - _MODULES


def _imported(text: str) -> set[str]:
    """Top-level names of what is imported anywhere in the file, by statement or by name."""
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.split(".")[0])
        elif isinstance(node, ast.Call) and _called(node) in ("import_module", "__import__") and node.args:
            name = node.args[0]
            if isinstance(name, ast.Constant) and isinstance(name.value, str):
                found.add(name.value.split(".")[0])
    return found


def _called(node: ast.Call) -> str:
    return str(getattr(node.func, "attr", getattr(node.func, "id", "")))
