"""Places in the package that ask whether it is being judged: it could be right then, and wrong for everybody else.

Looked for in strings and imports: variables and modules of the engine, folders of the verification, the process that
holds the package, the folder of the tests. Documentation and comments may name all of them; a name that is put
together at run time is not found.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from pathlib import PurePosixPath

from statsclaw.review.case import Case
from statsclaw.review.known_answers import NOT_PACKAGE
from statsclaw.runlog.events.finding import Finding
from statsclaw.runlog.findings import finding

_LARGEST_SOURCE = 1_000_000
_R = (".R", ".r")
_CODE = (
    *_R, ".py", ".pyx", ".c", ".h", ".cc", ".cpp", ".hpp", ".f", ".f90", ".rs", ".jl", ".ts", ".js", ".go", ".ado",
    ".mata",
)  # fmt: skip
_SIGNS = re.compile(
    r"""
    STATSCLAW\w* | (?<!\w)_?statsclaw_(?:wire|ask)\w*
  | (?<![\w:/.~-])/verify(?![\w.-])(?:/[\w./*-]*)?
    """,
    re.VERBOSE,
)
_TESTS = re.compile(r"tests/validation(?!\w)\S*|test-validation-\S*")
#: Programs of the engine beside the package. A package may have files of the same names, and then name them.
_PROGRAMS = re.compile(r"(?<![\w-])(?:(?:worker|ask_main)\.(?:py|R)|coverage_tracer\.py)(?!\w)")
_R_PART = re.compile(r"""(?P<string>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|#[^\n]*""", re.DOTALL)

Text = tuple[int, str]


def asks_who_judges(case: Case) -> list[Finding]:
    """Errors for the builder, one for each place of a changed source."""
    own = {PurePosixPath(path).name for path in case.package_files}
    found: dict[str, Finding] = {}
    for path, source in case.changed_sources.items():
        if path.startswith(NOT_PACKAGE) or not path.endswith(_CODE) or len(source) > _LARGEST_SOURCE:
            continue
        for line, text in _texts(path, source):
            for sign in _signs(path, text, own):
                message = f"the package asks whether it is judged: it names {sign[:80]}"
                key = f"asks-who-judges:{path}:{sign}"
                where = f"{path}:{line}"
                found.setdefault(key, finding("isolation", "error", message, where=where, route_to="builder", key=key))
    return list(found.values())


def _signs(path: str, text: str, own: set[str]) -> Iterator[str]:
    yield from (match[0] for match in _SIGNS.finditer(text))
    if "/" in path:  # at the top lie the scripts that run tests
        yield from (match[0] for match in _TESTS.finditer(text))
    yield from (match[0] for match in _PROGRAMS.finditer(text) if match[0] not in own)


def _texts(path: str, source: str) -> Iterator[Text]:
    """(line, text) of whatever a program can act on."""
    if path.endswith(".py"):
        yield from _of_python(source)
    elif path.endswith(_R):
        for part in _R_PART.finditer(source):
            if part["string"]:
                yield source.count("\n", 0, part.start()) + 1, part["string"][1:-1]
    else:
        yield from enumerate(source.split("\n"), start=1)


def _of_python(source: str) -> Iterator[Text]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
        said = {id(row.value) for row in ast.walk(tree) if isinstance(row, ast.Expr)}  # a docstring, or nothing at all
        for node in ast.walk(tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = [alias.name for alias in node.names]
                yield node.lineno, " ".join([getattr(node, "module", None) or "", *names])
            elif isinstance(node, ast.Constant | ast.BinOp | ast.JoinedStr) and id(node) not in said:
                yield node.lineno, _text(node)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return


def _text(node: ast.expr, depth: int = 0) -> str:
    """A string, or several that are put together where they stand; nothing where anything else is."""
    if isinstance(node, ast.Constant):
        value = node.value.decode("utf-8", "replace") if isinstance(node.value, bytes) else node.value
        return value if isinstance(value, str) else ""
    if depth >= 50:
        return ""
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part, depth + 1) for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Div):
        left, right = _text(node.left, depth + 1), _text(node.right, depth + 1)
        between = "/" if isinstance(node.op, ast.Div) else ""  # pathlib
        return f"{left}{between}{right}" if left and right else ""
    return ""
