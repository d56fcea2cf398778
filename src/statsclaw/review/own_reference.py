"""Does the package compute by itself, or does it call the very program that its tests compare it with?

Of a package that wraps its reference every comparison with that reference passes and shows nothing. Read from the
sources without running them: imports in Python; calls and quoted names in R, C and C++.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from importlib.resources import files

from statsclaw.review.case import Case
from statsclaw.review.findings import finding
from statsclaw.runlog.events.finding import Finding
from statsclaw.specs.test_spec import Reference

_ELEMENTARY = tomllib.loads(files(__package__).joinpath("elementary.toml").read_text(encoding="utf-8"))
_MODULES = frozenset(_ELEMENTARY["python"]["modules"])
_FUNCTIONS = frozenset(_ELEMENTARY["r"]["functions"])
_DISTRIBUTION = re.compile(_ELEMENTARY["r"]["distributions"])
_CALLED = re.compile(r"(?<![\w.])([A-Za-z.][\w.]*)\s*\(")
_QUALIFIED = re.compile(r"\b\w+:::?([A-Za-z.][\w.]*)")
_MODULE = re.compile(r"[a-z_][a-z0-9_]*")
_COMMENT = {"r": re.compile(r"#[^\n]*"), "c": re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)}
_LANGUAGES = {"r": "r", "c": "c", "cc": "c", "cpp": "c", "h": "c", "hpp": "c"}
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
    if ending not in _LANGUAGES:
        return ""
    code = _COMMENT[_LANGUAGES[ending]].sub(" ", text)
    for name in sorted(functions_of(reference)):
        called = rf"(?<![\w.]){re.escape(name)}\s*\(" if ending == "r" else r"(?!)"
        if re.search(rf"{called}|[\"']{re.escape(name)}[\"']|\bstats:::?{re.escape(name)}\b", code):
            return name
    return ""


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
