"""Constants in the package that only the tests or the study know: answers put in, not computed.

A constant counts from four significant digits on, unless everybody may write it (a well-known constant, a simple
fraction) or the builder was given it in spec.md or interface.md. Python constants are also seen in hexadecimal and
after adding, subtracting, multiplying and dividing; answers taken apart in other ways are not found.
"""

from __future__ import annotations

import ast
import math
import warnings
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import cache

from statsclaw.leaks.constants import anybodys, literals, read
from statsclaw.leaks.views import common, folded
from statsclaw.review.case import Case
from statsclaw.runlog.events.finding import Finding, Severity
from statsclaw.runlog.findings import finding
from statsclaw.specs.contract import INTERFACE, SPEC

_FEWEST_DIGITS = 4
#: Of a shorter number it is not certain where it comes from: two authors may have written it.
_CERTAIN_DIGITS = 6
#: An answer that was rounded is the same answer if so many of its digits are left.
_ENOUGH_DIGITS = 8
_RELATIVE = 1e-9
#: A seed that is a year stands in many a reference to the literature.
_YEARS = range(1900, 2101)
_LARGEST_SOURCE = 1_000_000
NOT_PACKAGE = ("tests/", "test/", "simulations/", "inst/simulations/", "inst/tinytest/", "docs/", "vignettes/")


def known_answers(case: Case) -> list[Finding]:
    """For the builder, an error where chance is out of the question. Whose value it is stays unsaid: the message
    travels to the builder."""
    answers, seeds = _Sorted(_answers(case)), _seeds(case)
    given = _Sorted(value for name in (SPEC, INTERFACE) for _, _, value in _in_text(case.documents.get(name, "")))
    found: dict[str, Finding] = {}
    for path, text in case.changed_sources.items():
        if path.startswith(NOT_PACKAGE) or len(text) > _LARGEST_SOURCE:
            continue
        for line, literal, value in [*_in_text(text), *(_in_python(text) if path.endswith(".py") else ())]:
            if not _is_answer(value, answers, seeds) or given.near(value):
                continue
            key = f"known-answer:{path}:{value!r}"
            message = f"a value that only the tests know stands in the package: {literal[:60]}"
            where = f"{path}:{line}"
            severity: Severity = "error" if _digits(value) >= _CERTAIN_DIGITS else "warning"
            found.setdefault(key, finding("isolation", severity, message, where=where, route_to="builder", key=key))
    return list(found.values())


class _Sorted:
    """Absolute values, to be looked for among others."""

    def __init__(self, values: Iterable[float]) -> None:
        self.values = sorted({abs(value) for value in values if math.isfinite(value) and value != 0})

    def near(self, value: float, relative: float = _RELATIVE) -> bool:
        at = bisect_left(self.values, value * (1 - relative))
        return at < len(self.values) and self.values[at] <= value * (1 + relative)


def _is_answer(value: float, answers: _Sorted, seeds: frozenset[float]) -> bool:
    digits = _digits(value)
    if digits < _FEWEST_DIGITS:
        return False
    if value in seeds:
        return True
    rounded = digits >= _ENOUGH_DIGITS and answers.near(value, 0.5 * 10.0 ** (1 - digits))
    return (rounded or answers.near(value)) and not anybodys(value)


def _answers(case: Case) -> Iterator[float]:
    study = case.contract.study if case.contract else None
    for parameter in study.parameters if study else ():
        yield from parameter.truth.values() if isinstance(parameter.truth, dict) else (parameter.truth,)
    for command in (*case.after, *case.before):
        for row in command.observations if command.phase in ("validation", "study") else ():
            if row.expected is not None:
                yield row.expected
            elif row.rule == "value" and row.observed is not None:
                yield row.observed


def _seeds(case: Case) -> frozenset[float]:
    tests, study = (case.contract.tests, case.contract.study) if case.contract else (None, None)
    found = [row.seed for row in tests.scenarios if row.seed is not None] if tests else []
    found += [study.seed] if study else []
    return frozenset(float(seed) for seed in found if seed not in _YEARS) - _well_known()


@cache
def _well_known() -> frozenset[float]:
    """Seeds that people like, and other numbers of the common list."""
    rows = common()["constants"]["known"]
    return frozenset(float(str(value)) for value in rows) if isinstance(rows, list) else frozenset()


def _digits(value: float) -> int:
    number = read(repr(value).encode())
    return len(number.digits) if number else 0


Constant = tuple[int, str, float]


def _in_text(text: str) -> Iterator[Constant]:
    """(line, as written, absolute value) of every number in it, comments and strings included."""
    for line, row in enumerate(text[:_LARGEST_SOURCE].split("\n"), start=1):
        for literal in sorted(literals(folded(row.encode("utf-8", "replace")))) if _has_digits(row) else ():
            number = read(literal)
            if number and abs(number.exponent) < 300 and len(number.digits) >= _FEWEST_DIGITS:
                yield line, literal.decode("ascii"), float(f"0.{number.digits}e{number.exponent}")


def _has_digits(row: str) -> bool:
    return sum(char.isdigit() for char in row) >= _FEWEST_DIGITS


def _in_python(text: str) -> Iterator[Constant]:
    """The same of Python's syntax: in any notation, and computed where only constants are."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
        for node in ast.walk(tree):
            if isinstance(node, ast.BinOp) or (isinstance(node, ast.Constant) and _is_number(node.value)):
                value = _computed(node)
                if value:
                    yield node.lineno, f"{abs(value):.12g}", abs(value)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _computed(node: ast.expr, depth: int = 0) -> float | None:
    """Sums, differences, products and quotients of constants in floating point; None for anything else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and _is_number(node.value):
        return float(node.value) if abs(node.value) < 1e300 else None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and depth < 20:
        inner = _computed(node.operand, depth + 1)
        return None if inner is None else -inner
    if not isinstance(node, ast.BinOp) or depth >= 20:
        return None
    left, right = _computed(node.left, depth + 1), _computed(node.right, depth + 1)
    if left is None or right is None:
        return None
    if isinstance(node.op, ast.Add):
        value = left + right
    elif isinstance(node.op, ast.Sub):
        value = left - right
    elif isinstance(node.op, ast.Mult):
        value = left * right
    elif isinstance(node.op, ast.Div) and right != 0:
        value = left / right
    else:
        return None
    return value if math.isfinite(value) else None
