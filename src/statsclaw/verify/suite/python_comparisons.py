"""Does a comparison compare? Rounding before it, a value with itself, constants, the package with the package."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from statsclaw.runlog.events.finding import Finding, Severity
from statsclaw.verify.suite.found import found
from statsclaw.verify.suite.names import python_names, speaks_of
from statsclaw.verify.suite.python_answers import answers_of
from statsclaw.verify.suite.python_code import Function, constant_truth
from statsclaw.verify.suite.python_tests import Case, Use
from statsclaw.verify.suite.python_values import Bound, argument

_MOST_NODES = 300  # on the way of one value; more would be deep for Python and strange for a test
_REFLEXIVE = (ast.Eq, ast.LtE, ast.GtE, ast.Is)


class Compared:
    """One comparison: what was observed, what was expected, where, and the criterion's use it is part of."""

    def __init__(
        self, observed: ast.expr, expected: ast.expr | None, node: ast.AST, user: Function, statistic: bool = False
    ) -> None:
        self.observed = Bound(observed, user, user.file)
        self.expected = Bound(expected, user, user.file) if expected is not None else None
        self.node = node
        self.user = user
        self.statistic = statistic  # a number that is held against bounds, not against another

    @property
    def where(self) -> str:
        return self.user.where(self.node)


def comparisons(case: Case) -> Iterator[Compared]:
    for use in case.uses:
        observed = argument(use.call, 0, "observed", "x", "statement")
        if observed is not None and use.method in ("close", "value", "holds"):
            expected = argument(use.call, 1, "expected") if use.method == "close" else None
            yield Compared(observed, expected, use.call, use.user, use.method == "value")
            if use.method == "holds":
                yield from _compares(observed, use.user)
    for function in case.reach:
        for node in function.body:
            if isinstance(node, ast.Assert):
                yield from _compares(node.test, function)
            elif isinstance(node, ast.Call) and len(node.args) > 1 and _is_equality(node, function, case):
                yield Compared(node.args[0], node.args[1], node, function)


def _is_equality(node: ast.Call, function: Function, case: Case) -> bool:
    name = case.suite.called(node, function.file)
    last = name.rpartition(".")[2]
    known = python_names("equal")
    return name in known or (name == last and any(row.rpartition(".")[2] == last for row in known))


def _compares(test: ast.expr, function: Function) -> Iterator[Compared]:
    for node in ast.walk(test):
        if isinstance(node, ast.Compare):
            yield Compared(node.left, node.comparators[0], node, function)


# --- rounding ------------------------------------------------------------------------------------------------------


def rounded(case: Case) -> list[Finding]:
    findings = []
    seen: set[int] = set()
    for row in comparisons(case):
        sides = [row.observed]
        if isinstance(row.node, ast.Compare) and row.expected is not None:
            sides.append(row.expected)
        seen.clear()
        if any(_rounds(side, case, seen, counts=row.statistic) for side in sides):
            message = f"{case.name} rounds what the package returned before comparing it, which hides differences."
            findings.append(found("rounded-before-comparing", case.name, message, row.where))
    return findings


def _rounds(row: Bound, case: Case, seen: set[int], selects: bool = False, counts: bool = False) -> bool:
    """Whether an output of the package is rounded on its way here. Arguments of the package are its own affair.

    `selects`: it only says which part of something is meant, as in `draws[: len(draws) // 10]`.
    `counts`: it may be counted how many fall where, as in `bincount(ranks // 10)`.
    """
    node = row.node
    if id(node) in seen or len(seen) > _MOST_NODES or not _may_touch(row, case):
        return False
    seen.add(id(node))
    if isinstance(node, ast.Name):
        rows = case.values.of(row)
        return any(item.node is not node and _rounds(item, case, seen, selects, counts) for item in rows)
    if (selects and _is_part_of_a_length(row, case)) or _is_whole(node, row.file, case):
        return False
    if counts and (counted := _binned(node, row.file, case)):
        return _rounds(Bound(counted, row.user, row.file), case, seen, selects, counts)
    if _is_rounding(node, row.file, case) or _takes_remainder_away(row, case):
        return True
    if isinstance(node, ast.Call):
        if case.suite.dotted(node.func, row.file).split(".")[0] in case.suite.package:
            return False
        if _from_suite(row, case):
            return _returns_rounded(row, case, seen, counts)
    if isinstance(node, ast.Subscript):
        value, chosen = (Bound(part, row.user, row.file) for part in (node.value, node.slice))
        return _rounds(value, case, seen, selects, counts) or _rounds(chosen, case, seen, True, counts)
    selects = selects or (isinstance(node, ast.Call) and case.suite.dotted(node.func, row.file).endswith("reshape"))
    parts = [part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr | ast.keyword)]
    inner = [part.value if isinstance(part, ast.keyword) else part for part in parts]
    return any(_rounds(Bound(part, row.user, row.file), case, seen, selects, counts) for part in inner)


def _is_part_of_a_length(row: Bound, case: Case) -> bool:
    """`len(draws) // 10`, `draws.shape[0] // 2`, `draws.size // 5`, also by a name: `n = len(draws)`."""
    node = row.node
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.FloorDiv):
        return False
    lengths = case.values.of(Bound(node.left, row.user, row.file))
    return bool(lengths) and all(_is_length(item.node, item.file, case) for item in lengths)


def _is_length(node: ast.expr, file: str, case: Case) -> bool:
    whole = node.value if isinstance(node, ast.Subscript) else node
    named = isinstance(whole, ast.Attribute) and whole.attr in ("shape", "size")
    return named or case.suite.called(whole, file) == "len"


def _is_whole(node: ast.expr, file: str, case: Case) -> bool:
    """`int(fit.iterations)`, where the interface says that these are whole numbers."""
    if not isinstance(node, ast.Call) or case.suite.called(node, file) != "int" or len(node.args) != 1:
        return False
    part = node.args[0]
    return isinstance(part, ast.Attribute) and part.attr in case.suite.whole


def _binned(node: ast.expr, file: str, case: Case) -> ast.expr | None:
    """The ranks in `bincount((ranks // 10).astype(int))`."""
    if not isinstance(node, ast.Call) or case.suite.called(node, file) != "numpy.bincount" or not node.args:
        return None
    bins = node.args[0]
    if isinstance(bins, ast.Call) and isinstance(bins.func, ast.Attribute) and bins.func.attr == "astype":
        bins = bins.func.value
    return bins.left if isinstance(bins, ast.BinOp) and isinstance(bins.op, ast.FloorDiv) else None


def _may_touch(row: Bound, case: Case) -> bool:
    return case.values.touches(row) is True


def _from_suite(row: Bound, case: Case) -> bool:
    return isinstance(row.node, ast.Call) and case.suite.function(row.node.func, row.user, row.file) is not None


def _returns_rounded(row: Bound, case: Case, seen: set[int], counts: bool) -> bool:
    function = case.suite.function(row.node.func, row.user, row.file) if isinstance(row.node, ast.Call) else None
    if function is None:
        return False
    returned = [node.value for node in function.body if isinstance(node, ast.Return) and node.value is not None]
    return any(_rounds(Bound(value, function, function.file), case, seen, counts=counts) for value in returned)


def _is_rounding(node: ast.expr, file: str, case: Case) -> bool:
    if isinstance(node, ast.JoinedStr):
        return any(isinstance(part, ast.FormattedValue) and part.format_spec is not None for part in node.values)
    if isinstance(node, ast.BinOp):
        text = isinstance(node.left, ast.Constant) and isinstance(node.left.value, str)
        return isinstance(node.op, ast.FloorDiv) or (isinstance(node.op, ast.Mod) and text)
    if not isinstance(node, ast.Call):
        return False
    if case.suite.called(node, file) in python_names("rounding"):
        return True
    if not isinstance(node.func, ast.Attribute):
        return False
    if node.func.attr == "astype" and node.args:
        named = case.suite.dotted(node.args[0], file) or str(getattr(node.args[0], "value", ""))
        return named.rpartition(".")[2] in python_names("coarse_types")
    constant = isinstance(node.func.value, ast.Constant) and node.func.attr == "format"
    return constant or node.func.attr in python_names("rounding_methods")


def _takes_remainder_away(row: Bound, case: Case) -> bool:
    """`v - v % 0.5` is v rounded down. A remainder alone, as of an angle by a full turn, is left alone."""
    node = row.node
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Sub):
        return False
    taken = case.values.of(Bound(node.right, row.user, row.file))
    return not _is_remainder(node.left, row.file, case) and any(
        _is_remainder(item.node, item.file, case) and _may_touch(item, case) for item in taken
    )


def _is_remainder(node: ast.expr, file: str, case: Case) -> bool:
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.Mod)
    return case.suite.called(node, file) in python_names("remainders")


# --- vacuous comparisons -------------------------------------------------------------------------------------------


def vacuous(case: Case) -> list[Finding]:
    findings: list[Finding] = []
    for row in comparisons(case):
        if row.expected is not None and (reason := _empty_comparison(row, case)):
            findings.append(found("vacuous-comparison", f"{case.name}:{reason}", f"{case.name} {reason}.", row.where))
    for function in case.reach:
        for node in function.body:
            if isinstance(node, ast.Assert) and _always_true(node.test):
                message = f"{case.name} asserts something that is always true."
                findings.append(found("always-true", case.name, message, function.where(node)))
    for use in case.uses:
        findings += _vacuous_use(use, case)
    return findings


def _always_true(test: ast.expr) -> bool:
    """True as it stands, or `… or True`; `assert not False` and a tuple are the same in other clothes."""
    return constant_truth(test) is True


def _empty_comparison(row: Compared, case: Case) -> str:
    assert row.expected is not None
    if isinstance(row.node, ast.Compare) and not isinstance(row.node.ops[0], _REFLEXIVE):
        return ""
    left, right = _single(row.observed, case), _single(row.expected, case)
    if left.node is right.node or ast.dump(left.node) == ast.dump(right.node):
        named = left.node is not row.observed.node and right.node is not row.expected.node
        again = named or speaks_of("repeated", case.behaviour)  # two calls, at different times
        if left.node is right.node or not (again and _may_touch(left, case)):
            return "compares a value with itself"
    if _is_literal(left.node) and _is_literal(right.node):
        return "compares a constant with a constant"
    return ""


def _single(row: Bound, case: Case) -> Bound:
    """What a name stands for if that is one thing, and not a list or an object that can be changed on the way."""
    if not isinstance(row.node, ast.Name):
        return row
    rows = case.values.of(row)
    if len(rows) != 1 or isinstance(rows[0].node, ast.List | ast.Dict | ast.Set | ast.ListComp):
        return row
    return rows[0]


def _is_literal(node: ast.expr) -> bool:
    allowed = (ast.Constant, ast.UnaryOp, ast.unaryop, ast.List, ast.Tuple, ast.expr_context, ast.BinOp, ast.operator)
    return all(isinstance(part, allowed) for part in ast.walk(node))


def _vacuous_use(use: Use, case: Case) -> Iterator[Finding]:
    criteria = [row for row in case.spec.criteria if row.id in use.ids]
    observed = argument(use.call, 0, "observed", "x", "statement", "call")
    names = ", ".join(use.ids)
    where = use.user.where(use.call)
    if observed is None:
        return
    row = Bound(observed, use.user, use.user.file)
    resolved = _single(row, case)
    if use.method == "holds" and constant_truth(resolved.node) is True:
        yield found("always-true", f"{case.name}:{names}", f"{case.name} says that {names} holds, whatever is.", where)
    elif use.method == "value" and case.values.numbers(row) and case.values.touches(row) is False:
        yield found("constant-value", f"{case.name}:{names}", f"{case.name} gives {names} a written-down value.", where)
    elif use.method in ("close", "raises", "warns") and case.values.touches(row) is False:
        if all(item.kind == "structure" for item in criteria):
            return  # an argument the package must leave as it was
        message = f"What {case.name} hands to {names} as observed does not come from the package under test."
        yield found("not-the-package", f"{case.name}:{names}", message, where)
    elif use.method == "close":
        yield from _expected_from_package(use, case, any(row.reference for row in criteria), where)


def _expected_from_package(use: Use, case: Case, has_reference: bool, where: str) -> Iterator[Finding]:
    observed, expected = argument(use.call, 0, "observed"), argument(use.call, 1, "expected")
    if expected is None or (not has_reference and speaks_of("invariant", case.behaviour)):
        return
    here = answers_of(Bound(observed, use.user, use.user.file), case, deep=True) if observed is not None else set()
    there = Bound(expected, use.user, use.user.file)
    same = sorted(answers_of(there, case, deep=True) & here, key=str)
    if not same and not answers_of(there, case):
        return
    names = ", ".join(use.ids)
    message = f"{case.name} takes the expected value of {names} from the package under test."
    if same:
        message += (
            f" Both sides are {same[0].element} of the same kind of call, and its scenario speaks of no invariance."
        )
    severity: Severity = "error" if same else "warning"
    yield found("expected-from-the-package", f"{case.name}:{names}", message, where, severity)
