"""Every check of a Python suite before it judges anyone: read, never run."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import PurePosixPath

from statsclaw.runlog.events.finding import Finding
from statsclaw.specs.test_spec import TestSpec
from statsclaw.verify.suite.bookkeeping import SeedsOf, check_bookkeeping, seeds_not_used
from statsclaw.verify.suite.found import found, once
from statsclaw.verify.suite.python_assertions import empty_loops, missing_assertions, never_run, swallowed
from statsclaw.verify.suite.python_code import Function, Suite
from statsclaw.verify.suite.python_comparisons import rounded, vacuous
from statsclaw.verify.suite.python_limits import loose_tolerances, wide_exceptions
from statsclaw.verify.suite.python_randomness import changed_seeds, drawn_before, draws, unseeded
from statsclaw.verify.suite.python_reading import read_python
from statsclaw.verify.suite.python_tampering import misused_criterion, settings_files, skips, tampering
from statsclaw.verify.suite.python_tests import Case, cases_of, unreadable_marks
from statsclaw.verify.suite.python_values import Values

_MOST_FUNCTIONS = 3000
_MOST_WORK = 1_000_000
_OF_A_CASE = (
    missing_assertions,
    never_run,
    skips,
    loose_tolerances,
    wide_exceptions,
    rounded,
    vacuous,
    unreadable_marks,
)


def check_python_suite(
    files: Mapping[str, str], spec: TestSpec, *, package: str = "", whole: frozenset[str] = frozenset()
) -> list[Finding]:
    """`files`: path to text. `package`: its import name; without it, what is imported and not otherwise known.

    `whole`: parts of its results that are whole numbers.
    """
    suite, findings = read_python(files, package, whole)
    findings += settings_files(files, package)
    findings += tampering(suite)
    cases = cases_of(suite, spec)
    if _too_much(suite, cases):
        message = "The suite is too large or its functions call each other too much to be read."
        return [*findings, found("unreadable", "suite", message, f"{min(files, default='tests')}:1")]
    for case in cases:
        for check in _OF_A_CASE:
            findings += check(case)
        findings += _without_package(case)
    findings += seeds_not_used(
        [SeedsOf(tuple(case.scenarios), draws(case), changed_seeds(case), drawn_before(case)) for case in cases]
    )
    everything = tuple(suite.functions())
    values = Values(suite, everything)
    tops = _top_functions(suite)
    for function in everything:
        findings += swallowed(suite, function, values)
        findings += empty_loops(suite, function, values)
        findings += misused_criterion(function, suite, values)
        findings += unseeded(suite, function, _around(function, cases, suite) + tops)
    for top in tops:
        findings += unseeded(suite, top, (top,))
    folder = next((str(PurePosixPath(name).parent) for name in sorted(files)), "tests")
    findings += check_bookkeeping([case.carrier() for case in cases], spec, folder)
    return once(findings)


def _too_much(suite: Suite, cases: list[Case]) -> bool:
    """A bound on the work: functions, and what all tests reach together."""
    if sum(1 for _ in suite.functions()) > _MOST_FUNCTIONS or len(cases) > _MOST_FUNCTIONS:
        return True
    work = 0
    for case in cases:
        work += sum(len(row.body) for row in case.reach)
        if work > _MOST_WORK:
            return True
    return False


def _around(function: Function, cases: list[Case], suite: Suite) -> tuple[Function, ...]:
    """The functions of every test that reaches this one, and fixtures that are used without being named."""
    near = {other for case in cases if function in case.reach for other in case.reach}
    return (*(near | suite.fixtures), function)


def _top_functions(suite: Suite) -> tuple[Function, ...]:
    """The top of each module, dressed as a function, so that what holds for functions is asked there too."""
    found_tops = []
    for module in suite.modules.values():
        empty = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
        node = ast.FunctionDef(name="the module", args=empty, body=module.tree.body, decorator_list=[], lineno=1)
        found_tops.append(Function(module.file, "the module", node, None, ()))
    return tuple(found_tops)


def _without_package(case: Case) -> list[Finding]:
    """A test of a number that never mentions the package under test cannot be about it."""
    about_values = [use for use in case.uses if use.method in ("close", "value")]
    if not about_values or any(case.values.mentions_package(row) for row in case.reach):
        return []
    constants = case.suite.modules[case.function.file].constants
    read = {node.id for row in case.reach for node in row.body if isinstance(node, ast.Name)}
    if any(case.values.touches_any(constants.get(name, []), case.function.file) for name in read):
        return []
    message = f"{case.name} judges a number and never uses the package under test."
    return [found("without-the-package", case.name, message, case.function.where())]
