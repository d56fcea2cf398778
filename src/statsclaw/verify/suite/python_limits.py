"""Are limits wider than the frozen ones? Tolerances written into tests, and exceptions that are expected."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from dataclasses import dataclass

from statsclaw.runlog.events.finding import Finding, Severity
from statsclaw.specs.test_spec import Criterion
from statsclaw.verify.suite.found import found
from statsclaw.verify.suite.names import comparing
from statsclaw.verify.suite.python_code import Function
from statsclaw.verify.suite.python_tests import Case
from statsclaw.verify.suite.python_values import Bound, argument

_SLACK = 1.0 + 1e-9
_ABSOLUTE_VALUES = {"abs", "numpy.abs", "numpy.absolute", "math.fabs", "numpy.fabs", "numpy.linalg.norm"}
_CHOOSING = {"where", "select", "choose", "putmask", "compress", "extract"}
_ANY_TEXT = set(".*+?^$|()[]{},\\sSdDwWbB")


@dataclass(frozen=True, slots=True)
class Limit:
    """A tolerance as a test has it. `given`: written into the test rather than a function's default."""

    relative: float
    absolute: float
    node: ast.AST
    given: bool = True


def loosest(criteria: tuple[Criterion, ...]) -> tuple[float, float] | None:
    """The loosest relative and absolute tolerance of the `close` criteria, each including what the other allows."""
    rows = [(row, row.tolerance) for row in criteria if row.rule == "close" and row.tolerance is not None]
    if not rows:
        return None
    pairs = []
    for row, tolerance in rows:
        relative = 10.0**-tolerance.lre if tolerance.lre is not None else tolerance.relative
        scale = row.scale or 1.0
        pairs.append((relative + tolerance.absolute / scale, tolerance.absolute + relative * scale))
    return max(pair[0] for pair in pairs), max(pair[1] for pair in pairs)


def loose_tolerances(case: Case) -> list[Finding]:
    allowed = loosest(case.criteria)
    if allowed is None:
        return []
    names = ", ".join(row.id for row in case.criteria if row.rule == "close")
    findings = []
    for function in case.reach:
        for node in function.body:
            for limit in _limits(node, function, case):
                pairs = ((limit.relative, allowed[0]), (limit.absolute, allowed[1]))
                excess = next((pair for pair in pairs if pair[0] > pair[1] * _SLACK), None)
                if excess is None:
                    continue
                how = (
                    "compares within" if limit.given else "compares without a tolerance of its own, which means within"
                )
                message = f"{case.name} {how} {excess[0]:.3g}, where {names} allows {excess[1]:.3g} at most."
                severity: Severity = "error" if limit.given else "warning"
                about = f"{case.name}:{excess[0]:.3g}"
                findings.append(found("looser-tolerance", about, message, function.where(limit.node), severity))
    return findings


def _limits(node: ast.AST, function: Function, case: Case) -> Iterator[Limit]:
    if isinstance(node, ast.Call):
        name = case.suite.called(node, function.file)
        if name and case.suite.function(node.func, function, function.file) is None:
            yield from _of_call(node, name, function, case)
    elif isinstance(node, ast.Compare) and (ordered := _ordered(node)):
        smaller, larger = ordered[-2:]
        if len(ordered) == 3:
            yield from _of_band(ordered, function, case)
        elif _difference(smaller, function, case):
            yield from _of_bound(smaller, larger, function, case)
        elif _difference(larger, function, case) and _excuses(node, function, case):
            yield from _of_bound(larger, smaller, function, case, ours=True)


def _ordered(node: ast.Compare) -> list[ast.expr]:
    """The sides of `a < b`, `a < b < c` and the like, the smallest first."""
    sides = [node.left, *node.comparators]
    if len(sides) > 3:
        return []
    if all(isinstance(row, ast.Lt | ast.LtE) for row in node.ops):
        return sides
    return sides[::-1] if all(isinstance(row, ast.Gt | ast.GtE) for row in node.ops) else []


def _of_band(ordered: list[ast.expr], function: Function, case: Case) -> Iterator[Limit]:
    """`-1e-6 < a - b < 1e-6`; a band that leaves out 0 asks for a difference."""
    low, middle, high = ordered
    numbers = case.values.numbers(Bound(low, function, function.file))
    plain = isinstance(middle, ast.BinOp) and isinstance(middle.op, ast.Sub)
    if numbers and max(numbers) <= 0 and (plain or _difference(middle, function, case)):
        yield from _of_bound(middle, high, function, case, ours=plain)


def _excuses(node: ast.Compare, function: Function, case: Case) -> bool:
    """Something happens only where a difference is large. `assert abs(a - b) > 0.1` demands a difference instead."""
    parents = case.suite.modules[function.file].parents
    inner: ast.AST = node
    outer = parents.get(node)
    while outer is not None:
        if isinstance(outer, ast.UnaryOp):
            return isinstance(outer.op, ast.Not | ast.Invert)
        if isinstance(outer, ast.IfExp | ast.If | ast.While):
            return inner is outer.test
        if isinstance(outer, ast.comprehension):
            return inner in outer.ifs
        if isinstance(outer, ast.Subscript):
            return inner is outer.slice
        name = outer.func if isinstance(outer, ast.Call) else outer
        last = name.attr if isinstance(name, ast.Attribute) else getattr(name, "id", "")
        if last in _CHOOSING:
            return True
        if not isinstance(outer, ast.BoolOp | ast.GeneratorExp | ast.ListComp) and last not in ("any", "all", "bool"):
            return False
        inner, outer = outer, parents.get(outer)
    return False


def _of_call(node: ast.Call, name: str, function: Function, case: Case) -> Iterator[Limit]:
    rows = comparing(name)
    if not rows:
        return
    size = {"relative": 0.0, "absolute": 0.0}
    given = False
    for kind, (keyword, position, default) in rows.items():
        part = argument(node, position, keyword)
        numbers = [default] if part is None else case.values.numbers(Bound(part, function, function.file))
        given = given or (part is not None and bool(numbers))
        if not numbers:
            continue
        if kind in size:
            size[kind] = max(size[kind], *numbers)
        else:
            number = min(max(min(numbers), -300.0), 300.0)
            what = "absolute" if kind == "decimals" else "relative"
            size[what] = max(size[what], 1.5 * 10.0**-number if kind == "decimals" else 10.0 ** (1 - number))
    if name == "pytest.approx" and argument(node, 1, "rel") is None and argument(node, 2, "abs") is not None:
        size["relative"] = 0.0  # pytest compares with `abs` alone where only that is given
    if name == "self.assertAlmostEqual" and size["absolute"] and argument(node, 4, "delta") is not None:
        size["relative"] = 0.0
    yield Limit(size["relative"], size["absolute"], node, given)


def _of_bound(
    left: ast.expr, right: ast.expr, function: Function, case: Case, *, ours: bool = False
) -> Iterator[Limit]:
    """`abs(a - b) < 1e-6`, `abs(a - b) / abs(b) < 1e-6`, `abs(a - b) < 1e-6 * abs(b)`. `ours`: only of the package."""
    values = case.values
    if ours and values.touches(Bound(left, function, function.file)) is not True:
        return
    numbers = values.numbers(Bound(right, function, function.file))
    relative = any(isinstance(part, ast.BinOp) and isinstance(part.op, ast.Div) for part in _outermost(left))
    if not numbers and isinstance(right, ast.BinOp) and isinstance(right.op, ast.Mult):
        relative = True
        numbers = [
            n for part in (right.left, right.right) for n in values.numbers(Bound(part, function, function.file))
        ]
    counts = all(number >= 1 and number == int(number) for number in numbers)
    if counts and values.touches(Bound(left, function, function.file)) is not True:
        return  # a distance between positions, as in `abs(s - t) <= lags`
    if numbers:
        size = max(numbers)
        yield Limit(size if relative else 0.0, 0.0 if relative else size, left)


def _outermost(node: ast.expr) -> Iterator[ast.expr]:
    """The expression and what it is wrapped in, down to the difference itself."""
    while True:
        yield node
        if isinstance(node, ast.Call) and (node.args or isinstance(node.func, ast.Attribute)):
            node = node.args[0] if node.args else node.func
        elif isinstance(node, ast.Attribute):
            node = node.value
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            node = node.left
        else:
            return


def _difference(node: ast.expr, function: Function, case: Case) -> bool:
    """The size of a difference: `abs(a - b)`, `np.max(np.abs(a - b))`, `abs(a - b).max()`, also divided."""
    rows = [item for row in _outermost(node) for item in case.values.of(Bound(row, function, function.file))]
    for row in rows:
        for part in _outermost(row.node):
            if isinstance(part, ast.Call) and case.suite.called(part, row.file) in _ABSOLUTE_VALUES and part.args:
                inner = case.values.of(Bound(part.args[0], row.user, row.file))
                if any(
                    isinstance(n, ast.BinOp) and isinstance(n.op, ast.Sub) for i in inner for n in _outermost(i.node)
                ):
                    return True
    return False


# --- expected exceptions -------------------------------------------------------------------------------------------


def wide_exceptions(case: Case) -> list[Finding]:
    findings: list[Finding] = []
    for function in case.reach:
        for node in function.body:
            name = case.suite.called(node, function.file)
            rule = {"pytest.raises": "raises", "self.assertRaises": "raises", "pytest.warns": "warns"}.get(name)
            if isinstance(node, ast.Call) and rule is not None:
                findings += _expected(node, rule, function, case)
    return findings


def _expected(call: ast.Call, rule: str, function: Function, case: Case) -> Iterator[Finding]:
    part = argument(call, 0, "expected_exception", "expected_warning")
    criteria = [row for row in case.criteria if row.rule == rule and row.error]
    rows = case.values.of(Bound(part, function, function.file)) if part is not None else []
    classes = [item for row in rows for item in (row.node.elts if isinstance(row.node, ast.Tuple) else [row.node])]
    names = [case.suite.dotted(item, function.file).rpartition(".")[2] for item in classes] or ["Warning"]
    errors = {str(row.error).rpartition(".")[2] for row in criteria}
    broad = [name for name in names if name not in errors and (name in ("Exception", "BaseException", "Warning"))]
    wider = [name for name in names for error in errors if _is_above(name, error) and name not in errors]
    where, about = function.where(call), f"{case.name}:{'|'.join(names)}"
    several = len(names) > 1 and bool(errors) and not set(names) <= errors
    if broad or wider or several:
        wanted = f"the specification names {', '.join(sorted(errors))}" if errors else "any mistake would do"
        message = f"{case.name} expects {' or '.join(names)}, where {wanted}."
        yield found("wider-exception", about, message, where)
        return
    says = [row for row in criteria if row.message and str(row.error).rpartition(".")[2] in names]
    if says and not _message_is_looked_at(call, function, case):
        message = f'{case.name} expects {names[0]} without its message, which must hold "{says[0].message}".'
        yield found("exception-without-message", about, message, where)


def _is_above(name: str, error: str) -> bool:
    """Whether a class is a base of the specified one; a class that Python does not have is known by name only."""
    upper, lower = getattr(builtins, name, None), getattr(builtins, error, None)
    if not isinstance(upper, type) or not issubclass(upper, BaseException):
        return False
    if not isinstance(lower, type):
        return name in ("ValueError", "RuntimeError", "ArithmeticError", "UserWarning") and name != error
    return upper is not lower and issubclass(lower, upper)


def _message_is_looked_at(call: ast.Call, function: Function, case: Case) -> bool:
    match = argument(call, 99, "match")
    if match is not None:
        texts = case.values.texts(Bound(match, function, function.file))
        return not texts or any(set(text) - _ANY_TEXT for text in texts)
    parent = case.suite.modules[function.file].parents.get(call)
    if isinstance(parent, ast.withitem) and isinstance(parent.optional_vars, ast.Name):
        kept = parent.optional_vars.id
    elif isinstance(parent, ast.Assign) and isinstance(parent.targets[0], ast.Name):
        kept = parent.targets[0].id
    else:
        return False
    return any(isinstance(n, ast.Name) and n.id == kept and isinstance(n.ctx, ast.Load) for n in function.body)
