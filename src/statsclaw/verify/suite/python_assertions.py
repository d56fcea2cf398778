"""Can a test fail at all? Missing assertions, swallowed exceptions, tests and loops that may run zero times."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from statsclaw.runlog.events.finding import Finding
from statsclaw.verify.suite.bookkeeping import METHODS
from statsclaw.verify.suite.found import found
from statsclaw.verify.suite.names import python_names
from statsclaw.verify.suite.python_code import Function, Suite, constant_truth, live
from statsclaw.verify.suite.python_tests import Case, criterion_calls
from statsclaw.verify.suite.python_values import Bound, Values, argument

_CONTEXTS = {"pytest.raises", "pytest.warns", "pytest.deprecated_call"}


class Asserting:
    """Which statements of a suite can fail a test."""

    def __init__(self, suite: Suite, values: Values) -> None:
        self.suite = suite
        self.values = values

    def node(self, node: ast.AST, function: Function) -> bool:
        """An assertion of its own: a statement or a call that fails where something is not as expected."""
        if isinstance(node, ast.Assert):
            return constant_truth(node.test) is not True
        if isinstance(node, ast.Raise):
            return node.exc is not None
        if not isinstance(node, ast.Call):
            return False
        name = self.suite.called(node, function.file)
        if name in _CONTEXTS:
            return len(node.args) > 1 or not isinstance(self._parent(node, function), ast.Expr)
        if name and self.suite.function(node.func, function, function.file) is not None:
            return False
        last = name.rpartition(".")[2] or (node.func.attr if isinstance(node.func, ast.Attribute) else "")
        if name in python_names("failing") or last.lstrip("_").startswith("assert") or "_assert_" in last:
            return True
        if isinstance(node.func, ast.Attribute) and node.func.attr in METHODS:
            return bool(criterion_calls(Bound(node.func.value, function, function.file), self.values))
        return False

    def _parent(self, node: ast.AST, function: Function) -> ast.AST | None:
        return self.suite.modules[function.file].parents.get(node)

    def function(self, function: Function, seen: set[Function] | None = None) -> bool:
        """Directly, or through functions of the suite that it calls."""
        seen = set() if seen is None else seen
        if function in seen:
            return False
        seen.add(function)
        if any(self.node(node, function) for node in function.body):
            return True
        return any(self.function(other, seen) for other in self.suite.calls(function))

    def among(self, nodes: Iterable[ast.AST], function: Function) -> bool:
        for node in nodes:
            if self.node(node, function):
                return True
            if isinstance(node, ast.Call):
                other = self.suite.function(node.func, function, function.file)
                if other is not None and other is not function and self.function(other):
                    return True
        return False

    def uses_package(self, nodes: Iterable[ast.AST], function: Function) -> bool:
        calls = (node for node in nodes if isinstance(node, ast.Call))
        return any(self.values.touches(Bound(row.func, function, function.file)) for row in calls)


def missing_assertions(case: Case) -> list[Finding]:
    asserting = Asserting(case.suite, case.values)
    function = case.function
    if not asserting.function(function):
        message = f"The test {case.name} asserts nothing: it passes whatever the package returns."
        return [found("no-assertion", case.name, message, function.where())]
    return []


def never_run(case: Case) -> list[Finding]:
    """Tests that pytest does not run to their assertions, and assertions that depend on what the package returns."""
    function, findings = case.function, []
    same = [row for row in case.suite.modules[function.file].functions if row.name == function.name]
    if any(
        row.node.lineno > function.node.lineno and row.classes == function.classes and not row.outer for row in same
    ):
        message = f"The test {case.name} is defined again further down, so that this one is never run."
        findings.append(found("test-defined-twice", case.name, message, function.where()))
    if isinstance(function.node, ast.AsyncFunctionDef) or any(isinstance(n, ast.Yield) for n in function.body):
        message = f"The test {case.name} is a coroutine or a generator, which pytest does not run."
        findings.append(found("test-not-run", case.name, message, function.where()))
    if function.conditional:
        message = f"The test {case.name} is defined under a condition and may not exist."
        findings.append(found("test-under-a-condition", case.name, message, function.where(), "warning"))
    asserting = Asserting(case.suite, case.values)
    if asserting.function(function) and not _unconditional(function.node.body, function, asserting):
        message = f"What {case.name} asserts depends on what the package returns: it may assert nothing."
        findings.append(found("conditional-assertion", case.name, message, function.where(), "warning"))
    return findings


def _unconditional(statements: list[ast.stmt], function: Function, asserting: Asserting) -> bool:
    """Whether some assertion is reached whichever way conditions on the package's output turn out."""
    for row in statements:
        if isinstance(row, ast.If) and asserting.values.touches(Bound(row.test, function, function.file)):
            inner = (_unconditional(part, function, asserting) for part in (row.body, row.orelse))
            if all(inner) or _raises(row.body) or _raises(row.orelse):
                return True
        elif isinstance(row, ast.If | ast.For | ast.With | ast.Try | ast.While | ast.AsyncWith):
            heads = [item.context_expr for item in row.items] if isinstance(row, ast.With) else []
            if asserting.among((node for head in heads for node in ast.walk(head)), function):
                return True
            handlers = [part for handler in getattr(row, "handlers", []) for part in handler.body]
            parts = [*row.body, *getattr(row, "orelse", []), *getattr(row, "finalbody", []), *handlers]
            if _unconditional(parts, function, asserting):
                return True
        elif asserting.among(live([row]), function):
            return True
    return False


def _raises(statements: list[ast.stmt]) -> bool:
    """`if wrong: raise AssertionError` and `if wrong: pytest.fail(…)` are assertions, written otherwise."""
    ends = [row.value.func for row in statements if isinstance(row, ast.Expr) and isinstance(row.value, ast.Call)]
    fails = any(isinstance(row, ast.Attribute) and row.attr == "fail" for row in ends)
    return fails or any(isinstance(row, ast.Raise) for row in statements)


def empty_loops(suite: Suite, function: Function, values: Values) -> list[Finding]:
    findings = []
    decorators = [node for row in function.node.decorator_list for node in ast.walk(row)]
    for node in (*function.body, *decorators):
        rows: ast.expr | None = node.iter if isinstance(node, ast.For) else None
        if isinstance(node, ast.Call) and suite.called(node, function.file) == "pytest.mark.parametrize":
            rows = argument(node, 1, "argvalues")
        if rows is not None and _is_empty(Bound(rows, function, function.file), values):
            message = f"{function.name} runs over no values at all, so that what it asserts is never asked."
            findings.append(found("empty-loop", function.name, message, function.where(rows)))
    return findings


def _is_empty(row: Bound, values: Values) -> bool:
    """Empty as written; a name only if nothing is ever added to it."""
    if isinstance(row.node, ast.Name) and row.node.id in values.suite.modules[row.file].changed:
        return False
    rows = values.of(row)
    return bool(rows) and all(_written_empty(item, values) for item in rows)


def _written_empty(row: Bound, values: Values) -> bool:
    node = row.node
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return not node.elts
    if isinstance(node, ast.Dict):
        return not node.keys
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        if node.func.id == "range" and 1 <= len(node.args) <= 2:
            if any(isinstance(part, ast.IfExp) for part in ast.walk(node)):
                return False  # only one of two ends would be known
            ends = [values.numbers(Bound(part, row.user, row.file)) for part in node.args]
            last = ends[-1]
            return bool(last) and all(ends) and max(last) <= (min(ends[0]) if len(ends) == 2 else 0)
        return node.func.id in ("list", "tuple", "set", "dict") and not node.args
    return isinstance(node, ast.Constant) and node.value == ""


# --- swallowed exceptions ------------------------------------------------------------------------------------------


def swallowed(suite: Suite, function: Function, values: Values) -> list[Finding]:
    asserting = Asserting(suite, values)
    findings: list[Finding] = []
    for node in function.body:
        if isinstance(node, ast.Try):
            findings += _swallowed_by_try(node, function, asserting)
        elif isinstance(node, ast.Call) and suite.called(node, function.file) == "contextlib.suppress":
            around = suite.modules[function.file].parents.get(suite.modules[function.file].parents.get(node, node))
            inside = list(live(around.body)) if isinstance(around, ast.With) else list(function.body)
            if asserting.among(inside, function) or asserting.uses_package(inside, function):
                findings.append(_complaint(function, node, "suppress"))
    if function.name == "__exit__" and any(
        isinstance(node, ast.Return) and node.value is not None and constant_truth(node.value) for node in function.body
    ):
        findings.append(_complaint(function, function.node, "exit"))
    return findings


def _complaint(function: Function, node: ast.AST, what: str) -> Finding:
    message = f"{function.name} swallows exceptions: a failing comparison or an error of the package goes unnoticed."
    return found("swallowed-exception", f"{function.file}:{function.name}:{what}", message, function.where(node))


def _swallowed_by_try(node: ast.Try, function: Function, asserting: Asserting) -> Iterator[Finding]:
    inside = list(live(node.body))
    asserts = asserting.among(inside, function) or any(isinstance(part, ast.Yield) for part in inside)
    if not asserts and not asserting.uses_package(inside, function):
        return
    for handler in node.handlers:
        body = list(live(handler.body))
        if any(isinstance(part, ast.Raise) for part in body) or asserting.among(body, function):
            continue
        if not (asserts and _catches_failures(handler)) and _asserted_later(handler, node, function, asserting):
            continue
        if not asserts and _hands_on(handler, body):
            continue
        yield _complaint(function, handler, "except")
    if any(isinstance(part, ast.Return | ast.Break | ast.Continue) for part in live(node.finalbody)):
        yield _complaint(function, node, "finally")


def _catches_failures(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    names = {
        part.attr if isinstance(part, ast.Attribute) else getattr(part, "id", "") for part in ast.walk(handler.type)
    }
    return bool(names & python_names("broad_errors"))


def _hands_on(handler: ast.ExceptHandler, body: list[ast.AST]) -> bool:
    """A function that returns the exception, or a constant in its place, leaves the judgement to its caller."""
    rows = [part.value for part in body if isinstance(part, ast.Return) and part.value is not None]
    return bool(rows) and all(
        isinstance(row, ast.Constant) or (handler.name is not None and handler.name in _names(row)) for row in rows
    )


def _asserted_later(handler: ast.ExceptHandler, node: ast.Try, function: Function, asserting: Asserting) -> bool:
    """What the handler notes down is asserted elsewhere: `except ValueError: refused = True … assert refused`."""
    within = set(ast.walk(node))
    noted = {part.id for part in live(handler.body) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
    noted |= {
        part.func.value.id
        for part in live(handler.body)
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and isinstance(part.func.value, ast.Name)
    }
    later = [part for part in function.body if part not in within and asserting.node(part, function)]
    read = {part.id for row in later for part in ast.walk(row) if isinstance(part, ast.Name)}
    via = {name for name in read for value in function.bindings.get(name, []) if noted & _names(value)}
    return bool(noted & read) or bool(via)


def _names(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
