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
from statsclaw.review.r_tokens import Unreadable, tokens_of
from statsclaw.runlog.events.finding import Finding, Severity
from statsclaw.runlog.findings import finding
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
#: Functions of R that take the name of another as a text, a few words before it.
_LOOKS_UP = frozenset(_ELEMENTARY["r"]["looks_up"])
_NEAR = 6


def calls_its_reference(case: Case) -> Iterator[Finding]:
    """An error for each reference and each file that leans on it; a warning where its name is only a text."""
    tests = case.contract.tests if case.contract else None
    for reference in tests.references if tests else ():
        for path, text in sorted(case.changed_sources.items()):
            used, severity = _used(path, text[:_LARGEST], reference)
            before, _ = _used(path, case.sources_before.get(path, "")[:_LARGEST], reference)
            if used and used != before:  # what the file used before this run is nobody's doing
                message = (
                    f"{path} uses {used}, and the tests compare the package with it ({reference.id}: "
                    f"{reference.program[:100]}): of what it computes that way the comparison shows nothing"
                )
                key = f"calls-its-reference:{reference.id}:{path}"
                yield finding("cross_comparison", severity, message, where=path, route_to="builder", key=key)


def _used(path: str, text: str, reference: Reference) -> tuple[str, Severity]:
    """The name that is used, "" where none is, and how certain that is."""
    ending = path.rpartition(".")[2].lower()
    if ending == "py":
        return next((name for name in sorted(_modules(reference)) if name in _imported(text)), ""), "error"
    functions = functions_of(reference)
    if ending == "r":
        called, said = _names_in_r(text)
        return (name, "error") if (name := _first(called, functions)) else (_first(said, functions), "warning")
    return _first(set(_C_TEXT.findall(text)) if ending in _C else set(), functions), "error"


def _first(names: set[str], functions: set[str]) -> str:
    return next((name for name in sorted(names) if any(_is_of(name, function) for function in functions)), "")


def _is_of(name: str, function: str) -> bool:
    return name == function or name.startswith(f"{function}.")


def _names_in_r(text: str) -> tuple[set[str], set[str]]:
    """Every name that is no part of an object (`x$glm`) or is looked up by a text; and every other text, which may
    be the name of a class."""
    try:
        tokens = tokens_of(text)
    except Unreadable:
        return set(), set()  # it cannot be installed either
    called: set[str] = set()
    said: set[str] = set()
    for place, token in enumerate(tokens):
        before = [earlier.text for earlier in tokens[max(0, place - _NEAR) : place]]
        if token.kind == "text":
            (said if _LOOKS_UP.isdisjoint(before) else called).add(token.text)
        elif token.kind == "name" and before[-1:] not in (["$"], ["@"]):
            called.add(token.text)
    return called, said


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
