"""The tests of a Python suite: the scenarios each carries, what it reaches, which criteria it uses."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from statsclaw.runlog.events.finding import Finding
from statsclaw.specs.test_spec import Criterion, TestSpec
from statsclaw.verify.suite.bookkeeping import Carrier, UseOf
from statsclaw.verify.suite.found import found
from statsclaw.verify.suite.python_code import Function, Suite
from statsclaw.verify.suite.python_values import Bound, Values

_SCENARIO = "pytest.mark.scenario"


@dataclass(frozen=True, eq=False)
class Use:
    """One call of a method of a criterion."""

    ids: tuple[str, ...]
    method: str
    call: ast.Call
    user: Function


@dataclass(frozen=True, eq=False)
class Case:
    """One test function with everything it reaches."""

    suite: Suite
    spec: TestSpec
    function: Function

    @property
    def name(self) -> str:
        return "::".join([*(row.name for row in self.function.classes), self.function.name])

    @cached_property
    def reach(self) -> tuple[Function, ...]:
        return self.suite.reach(self.function)

    @cached_property
    def values(self) -> Values:
        return Values(self.suite, self.reach)

    @cached_property
    def marks(self) -> tuple[ast.Call, ...]:
        rows = [node for part in marks_of(self.suite, self.function) for node in ast.walk(part)]
        named = [row for row in rows if isinstance(row, ast.Call)]
        return tuple(row for row in named if self.suite.called(row, self.function.file) == _SCENARIO)

    @cached_property
    def scenarios(self) -> tuple[str, ...]:
        names = [
            text
            for mark in self.marks
            for part in mark.args
            for text in self.values.texts(Bound(part, None, self.function.file))
        ]
        return tuple(dict.fromkeys(names))

    @cached_property
    def criteria(self) -> tuple[Criterion, ...]:
        """The criteria of the scenarios it carries."""
        return tuple(row for row in self.spec.criteria if set(row.scenarios) & set(self.scenarios))

    @cached_property
    def uses(self) -> tuple[Use, ...]:
        return tuple(use for function in self.reach for use in uses_in(function, self.values))

    @cached_property
    def behaviour(self) -> str:
        """What the specification says in words about what this test is for."""
        rows = [f"{row.behaviour} {row.inputs}" for row in self.spec.scenarios if row.id in self.scenarios]
        return " ".join([*rows, *(row.quantity for row in self.criteria)])

    def carrier(self) -> Carrier:
        uses = tuple(UseOf(use.ids, use.method, use.user.where(use.call)) for use in self.uses)
        words = {
            node.value
            for function in self.reach
            for node in (*function.body, *(n for row in function.node.decorator_list for n in ast.walk(row)))
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        }
        return Carrier(self.name, self.function.where(), self.scenarios, uses, frozenset(words))


def cases_of(suite: Suite, spec: TestSpec) -> list[Case]:
    """Every function that pytest collects as a test."""
    return [Case(suite, spec, row) for row in suite.functions() if is_test(suite, row)]


def is_test(suite: Suite, function: Function) -> bool:
    if not suite.modules[function.file].collected or function.outer is not None or suite.is_fixture(function):
        return False
    return function.name.startswith("test") and all(
        row.name.startswith("Test") or any("TestCase" in ast.unparse(base)[:200] for base in row.bases)
        for row in function.classes
    )


def marks_of(suite: Suite, function: Function) -> Iterator[ast.expr]:
    """Decorators of the test and of its classes, and `pytestmark` of its classes and its module."""
    yield from function.node.decorator_list
    for cls in function.classes:
        yield from cls.decorator_list
        for row in cls.body:
            if isinstance(row, ast.Assign) and any(
                isinstance(t, ast.Name) and t.id == "pytestmark" for t in row.targets
            ):
                yield row.value
    yield from suite.modules[function.file].constants.get("pytestmark", [])


def uses_in(function: Function, values: Values) -> Iterator[Use]:
    for node in function.body:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            made = criterion_calls(Bound(node.func.value, function, function.file), values)
            if made:
                ids = [text for row in made for part in row.node.args[:1] for text in values.texts(_at(row, part))]
                yield Use(tuple(dict.fromkeys(ids)), node.func.attr, node, function)


@dataclass(frozen=True)
class Made:
    """`criterion(…)`, and where it stands."""

    node: ast.Call
    bound: Bound


def _at(row: Made, part: ast.expr) -> Bound:
    return Bound(part, row.bound.user, row.bound.file)


def criterion_calls(row: Bound, values: Values) -> list[Made]:
    """The calls `criterion(…)` an expression may be the result of."""
    if not isinstance(row.node, ast.Name | ast.Call):
        return []
    return [
        Made(item.node, item)
        for item in values.of(row)
        if isinstance(item.node, ast.Call) and is_criterion(Bound(item.node.func, item.user, item.file), values)
    ]


def is_criterion(row: Bound, values: Values) -> bool:
    if not isinstance(row.node, ast.Name):
        return False
    return any(isinstance(item.node, ast.Name) and item.node.id == "criterion" for item in values.of(row))


def unreadable_marks(case: Case) -> list[Finding]:
    """A scenario that is computed cannot be checked before the suite runs."""
    findings: list[Finding] = []
    for mark in case.marks:
        bad = [part for part in mark.args if not case.values.texts(Bound(part, None, case.function.file))]
        if bad or not mark.args:
            message = f"The scenario that {case.name} carries is not written out as text."
            findings.append(found("scenario-not-written-out", case.name, message, case.function.where(mark)))
    return findings
