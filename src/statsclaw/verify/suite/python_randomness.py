"""Are inputs drawn as specified? The seed of a scenario, and randomness without a seed."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from statsclaw.runlog.events.finding import Finding
from statsclaw.verify.suite.found import found
from statsclaw.verify.suite.names import python_names
from statsclaw.verify.suite.python_code import Function, Suite
from statsclaw.verify.suite.python_tests import Case
from statsclaw.verify.suite.python_values import Bound, Values

_MOST_NAMES = 2000


def changed_seeds(case: Case) -> dict[str, Finding]:
    """By scenario: its seed must take part in drawing, and does not."""
    seeds = {row.id: row.seed for row in case.spec.scenarios if row.id in case.scenarios and row.seed is not None}
    if not seeds:
        return {}
    drawn = _numbers_at_generators(case)
    present = _numbers_in_reach(case)
    findings: dict[str, Finding] = {}
    for name, seed in seeds.items():
        if seed in present and (drawn is None or seed in drawn):
            continue
        message = f"{case.name} does not draw with the seed {seed} of the scenario {name}: changed seed."
        findings[name] = found("changed-seed", f"{case.name}:{name}", message, case.function.where())
    return findings


def draws(case: Case) -> bool:
    """Whether the test, or what it calls, makes random numbers in the suite's own process."""
    return _draw(case.reach, case)


def drawn_before(case: Case) -> bool:
    """Whether what made a constant of the module, which the test reads, makes them."""
    return _draw(_with_makers_of_constants(case), case)


def _draw(functions: tuple[Function, ...], case: Case) -> bool:
    generators = (*python_names("unseeded_without_argument"), *python_names("never_seeded"))
    calls = (
        case.suite.called(node, function.file)
        for function in functions
        for node in function.body
        if isinstance(node, ast.Call)
    )
    return any(name in generators or name.startswith(("numpy.random.", "random.", "secrets.")) for name in calls)


def _with_makers_of_constants(case: Case) -> tuple[Function, ...]:
    """What the test reaches, and the functions of the suite that made the constants which these read."""
    seen = dict.fromkeys(case.reach)
    read: set[tuple[str, str]] = set()
    queue: list[tuple[ast.AST, str]] = [
        (node, row.file) for row in seen for part in (row.node, *row.node.decorator_list) for node in ast.walk(part)
    ]
    while queue and len(read) < _MOST_NAMES:
        node, file = queue.pop()
        if isinstance(node, ast.Name) and (node.id, file) not in read:
            read.add((node.id, file))
            queue += [
                (n, file) for value in case.suite.modules[file].constants.get(node.id, []) for n in ast.walk(value)
            ]
        maker = case.suite.function(node.func, None, file) if isinstance(node, ast.Call) else None
        for row in case.suite.reach(maker) if maker is not None else ():
            if row not in seen:
                seen[row] = None
                queue += [(n, row.file) for n in ast.walk(row.node)]
    return tuple(seen)


def _numbers_at_generators(case: Case) -> set[int] | None:
    """Whole numbers that go into generators; None where there is no generator, or one whose seed cannot be followed."""
    numbers: set[int] = set()
    seen = False
    reach = _with_makers_of_constants(case)
    values = Values(case.suite, reach)
    for function in reach:
        for node in function.body:
            for seed in _seeds_of(node, function, case) if isinstance(node, ast.Call) else ():
                followed = _whole_numbers_within(Bound(seed, function, function.file), values)
                if not followed:
                    return None
                numbers |= followed
                seen = True
    return numbers if seen else None


def _seeds_of(node: ast.Call, function: Function, case: Case) -> Iterator[ast.expr]:
    """What a generator of the suite starts from, and what the package is given to start its own from."""
    if node.args and case.suite.called(node, function.file) in python_names("unseeded_without_argument"):
        yield node.args[0]
    if case.suite.dotted(node.func, function.file).split(".")[0] in case.suite.package:
        yield from (row.value for row in node.keywords if row.arg in python_names("seeding_arguments"))


def _whole_numbers_within(row: Bound, values: Values) -> set[int]:
    """Every whole number that an expression is made of, through names and parameters."""
    numbers: set[int] = set()
    seen: set[int] = set()
    queue = [row]
    while queue and len(seen) < _MOST_NAMES:
        for item in values.of(queue.pop()):
            if id(item.node) in seen:
                continue
            seen.add(id(item.node))
            for node in ast.walk(item.node):
                numbers |= _whole(node)
                if isinstance(node, ast.Name) and node is not item.node:
                    queue.append(Bound(node, item.user, item.file))
    return numbers


def _numbers_in_reach(case: Case) -> set[int]:
    """Whole numbers in the functions the test reaches, and in the module constants these use."""
    numbers: set[int] = set()
    queue: list[tuple[ast.AST, str]] = []
    for function in _with_makers_of_constants(case):
        rows: list[ast.AST] = [*function.node.decorator_list, function.node.args]
        queue += [(node, function.file) for node in (*function.body, *(n for row in rows for n in ast.walk(row)))]
    seen: set[tuple[str, str]] = set()
    while queue and len(seen) < _MOST_NAMES:
        node, file = queue.pop()
        numbers |= _whole(node)
        if isinstance(node, ast.Name) and (node.id, file) not in seen:
            seen.add((node.id, file))
            for value in case.suite.modules[file].constants.get(node.id, []):
                queue += [(part, file) for part in ast.walk(value)]
    return numbers


def _whole(node: ast.AST) -> set[int]:
    """A whole number, or a text that is one, as in `os.environ.get("STATSCLAW_SEED", "11")`."""
    if not isinstance(node, ast.Constant) or isinstance(node.value, bool):
        return set()
    if isinstance(node.value, int):
        return {node.value}
    text = node.value if isinstance(node.value, str) else ""
    return {int(text)} if len(text) <= 19 and text.isascii() and text.isdigit() else set()


def unseeded(suite: Suite, function: Function, scope: tuple[Function, ...]) -> list[Finding]:
    """`scope`: functions in which a seed for all may be set."""
    findings = []
    for node in function.body:
        if isinstance(node, ast.Call) and (what := _without_seed(node, function, suite, scope)):
            message = f"{function.name} uses {what} without a seed: its numbers are others at every run."
            about = f"{function.file}:{function.name}:{what}"
            findings.append(found("unseeded-randomness", about, message, function.where(node)))
    return findings


def _without_seed(node: ast.Call, function: Function, suite: Suite, scope: tuple[Function, ...]) -> str:
    name = suite.called(node, function.file)
    if name in python_names("never_seeded") or name.startswith("secrets."):
        return name
    if name in python_names("unseeded_without_argument"):
        given = [*node.args, *(row.value for row in node.keywords)]
        useless = all(isinstance(row, ast.Constant) and row.value is None for row in given)
        return name if useless or _from_the_clock(given, function, suite) else ""
    last = name.rpartition(".")[2]
    shared = name.rpartition(".")[0] in ("random", "numpy.random") and last not in python_names("not_drawing")
    drawn = isinstance(node.func, ast.Attribute) and node.func.attr == "rvs"
    if drawn and any(row.arg == "random_state" for row in node.keywords):
        return ""
    if shared or (drawn and name.startswith("scipy.")):
        return "" if any(_sets_a_seed(row, suite) for row in scope) else name
    return ""


def _from_the_clock(given: list[ast.expr], function: Function, suite: Suite) -> bool:
    calls: Iterator[str] = (suite.called(part, function.file) for row in given for part in ast.walk(row))
    return any(name.startswith(("time.", "os.getpid", "os.urandom", "datetime.", "secrets.")) for name in calls if name)


def _sets_a_seed(function: Function, suite: Suite) -> bool:
    return any(
        isinstance(node, ast.Call)
        and bool(node.args)
        and suite.called(node, function.file) in python_names("seeding_all")
        for node in function.body
    )
