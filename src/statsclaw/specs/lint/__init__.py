"""Lint at the freeze: what is wrong with the planner's documents as a whole, computed before anybody builds on them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import chain

from statsclaw.runlog.events.finding import Finding
from statsclaw.sources.index import Index
from statsclaw.specs.contract import Contract
from statsclaw.specs.lint.conflict import conflict_findings, pilot_finding
from statsclaw.specs.lint.coverage import coverage_findings, excused_equations
from statsclaw.specs.lint.formulas import element_findings, formula_findings
from statsclaw.specs.lint.found import finding
from statsclaw.specs.lint.leaks import leak_findings
from statsclaw.specs.lint.power import PowerRow, passing_probability, power_findings, power_table
from statsclaw.specs.lint.request import carried_criteria, request_findings
from statsclaw.specs.lint.scales import scale_findings
from statsclaw.specs.lint.sizes import size_findings
from statsclaw.specs.lint.smallest_fault import smallest_fault_findings

__all__ = ["PowerRow", "lint", "passing_probability", "pilot_finding", "power_table"]

_MOST_OF_A_FAMILY = 300
_SEVERITIES = ("error", "warning", "note")


def lint(
    contract: Contract,
    documents: Mapping[str, str],
    index: Index,
    *,
    checks: Collection[str] = (),
    packages: Collection[str] | None = None,
    computed: Mapping[str, float] | None = None,
    request: str = "",
) -> list[Finding]:
    """Every finding, by family. `checks`: the names of the commands of the run that a criterion may name.

    `packages`: the names that the target's own package may have; empty where it has none yet, None where nobody knows.
    `computed`: of each equation the largest value that its definition gave on drawn inputs.
    `request`: the person's own words; `index` holds those of them that state criteria.
    """
    carried = carried_criteria(contract, index)
    families: dict[str, Iterable[Finding]] = {
        "coverage": chain(coverage_findings(contract, documents, checks, packages), excused_equations(contract, index)),
        "request": chain(
            request_findings(contract, index),
            formula_findings(contract, index),
            element_findings(contract, index),
            size_findings(contract, index),
        ),
        "power": chain(
            power_findings(contract, carried),
            smallest_fault_findings(contract, carried),
            scale_findings(contract, computed),
        ),
        "leaks": leak_findings(contract, documents, index, request),
        "conflict": conflict_findings(contract),
    }
    return [row for name, found in families.items() for row in _bounded(name, found)]


def _bounded(name: str, found: Iterable[Finding]) -> list[Finding]:
    """The first of a family; of more, errors before all else, and one that weighs as much as the worst of the rest."""
    rows = list(found)
    if len(rows) <= _MOST_OF_A_FAMILY:
        return rows
    rows.sort(key=lambda row: _SEVERITIES.index(row.severity))
    message = f"There are more than {_MOST_OF_A_FAMILY} findings of the kind “{name}”; the rest is not shown."
    last = finding(name, rows[_MOST_OF_A_FAMILY].severity, message, "", f"too-many:{name}")
    return [*rows[:_MOST_OF_A_FAMILY], last]
