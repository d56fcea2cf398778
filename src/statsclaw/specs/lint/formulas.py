"""A formula of a source that can be computed is compared with, not only bounded, and where a step yields it."""

from __future__ import annotations

import math
from collections.abc import Iterator

from statsclaw.runlog.events.finding import Finding
from statsclaw.sources.index import Index
from statsclaw.specs.contract import TEST_SPEC, Contract
from statsclaw.specs.lint.found import clip, finding, show
from statsclaw.specs.lint.stated import SAME
from statsclaw.specs.lint.vocabulary import named
from statsclaw.specs.readings.equation_names import Named
from statsclaw.specs.test_spec import Criterion

_BOUNDS = ("at most", "at least", "between")


def formula_findings(contract: Contract, index: Index) -> Iterator[Finding]:
    """Criteria that carry a computable equation by a wide bound, name no fault, and stand alone with it."""
    if contract.tests is None or contract.comprehension is None:
        return
    refs = contract.comprehension.computed_refs
    texts = Named(index)
    rows = contract.tests.criteria
    for number, row in enumerate(rows):
        if row.rule not in _BOUNDS or row.decided_by != "test" or row.limited_by == "Monte Carlo" or row.alternatives:
            continue
        carried = [ref for ref in refs if named(ref, row.source)]
        compared = any(_compares(other, row, carried) for other in rows)
        if not carried or compared or _width(row) <= SAME * (row.scale or 1.0):
            continue
        equation = texts.get(carried[0])
        text = f" (“{clip(equation.text)}”)" if equation is not None else ""
        yield finding(
            "request",
            "error",
            f"{carried[0]}{text} can be computed, and only {row.id} “{clip(row.quantity)}” ({_rule(row)}) carries it: "
            "compare with the rule close, or name wrong results that the bound would notice (alternatives).",
            f"{TEST_SPEC}:{contract.line_of(TEST_SPEC, 'criteria', number)}",
            f"formula-only-bounded:{row.id}",
        )


def element_findings(contract: Contract, index: Index) -> Iterator[Finding]:
    """Criteria of the rule close that carry a computable equation, and are `of` nothing or of what no step with this
    equation yields: then nobody looks whether the questions look at what the equation gives."""
    if contract.tests is None or contract.comprehension is None:
        return
    refs = contract.comprehension.computed_refs
    texts = Named(index)

    def meant(ref: str) -> str:
        equation = texts.get(ref)
        return equation.ref if equation else "".join(ref.split())

    for number, row in enumerate(contract.tests.criteria):
        carried = [ref for ref in refs if named(ref, row.source)]
        using = {meant(ref) for ref in carried}
        yielded = [name for step in contract.steps if using & set(map(meant, step.equations)) for name in step.yields]
        if row.rule != "close" or not yielded or any(_touch(row.of, name) for name in yielded):
            continue
        names = ", ".join(dict.fromkeys(yielded))
        own = f"is of {row.of}" if row.of else "names no element of the interface (of)"
        yield finding(
            "request",
            "warning",
            f"{row.id} “{clip(row.quantity)}” carries {', '.join(carried)}, which gives {clip(names)}, and {own}.",
            f"{TEST_SPEC}:{contract.line_of(TEST_SPEC, 'criteria', number)}",
            f"other-element:{row.id}",
        )


def carried_formulas(contract: Contract) -> dict[str, tuple[str, ...]]:
    """Of each equation with an executable definition the criteria that compare something with it."""
    if contract.tests is None or contract.comprehension is None:
        return {}
    rows = [row for row in contract.tests.criteria if row.rule == "close" and row.decided_by == "test"]
    found = {
        ref: tuple(row.id for row in rows if named(ref, row.source)) for ref in contract.comprehension.computed_refs
    }
    return {ref: names for ref, names in found.items() if names}


def _touch(one: str | None, other: str) -> bool:
    """Whether two elements are the same, or one is a part of the other."""
    return one is not None and (f"{one}.".startswith(f"{other}.") or f"{other}.".startswith(f"{one}."))


def _compares(other: Criterion, row: Criterion, refs: list[str]) -> bool:
    same = (row.of is not None and other.of == row.of) or any(named(ref, other.source) for ref in refs)
    return other.rule == "close" and same


def _width(row: Criterion) -> float:
    """How far apart two accepted values can be; of what is at most something, how large one can be."""
    if row.rule == "at most":
        return abs(row.high or 0.0)
    return math.inf if row.low is None or row.high is None else (row.high - row.low) / 2


def _rule(row: Criterion) -> str:
    return " ".join([row.rule, *(show(edge) for edge in (row.low, row.high) if edge is not None)])
