"""The computed review as Markdown: seven sections with what was computed and what was found, and one verdict."""

from __future__ import annotations

from dataclasses import dataclass

from statsclaw.review.case import Case
from statsclaw.review.convergence import frozen_criteria
from statsclaw.review.findings import is_told
from statsclaw.review.review import PASS, STOP, Reviewed
from statsclaw.runlog.events.finding import Finding
from statsclaw.templates import cell, render

_TITLES = {
    "comprehension": "Comprehension",
    "isolation": "Isolation",
    "cross_comparison": "Cross-comparison",
    "convergence": "Convergence",
    "coverage": "Coverage",
    "tolerance": "Tolerance integrity",
    "evidence": "Evidence",
}


@dataclass(frozen=True, slots=True)
class _Section:
    title: str
    computed: str
    findings: tuple[_Row, ...]


@dataclass(frozen=True, slots=True)
class _Row:
    severity: str
    message: str
    where: str
    route_to: str


def render_review(reviewed: Reviewed, case: Case) -> str:
    """Words of roles stay inside their cells, so that no line but the last can be taken for the verdict."""
    computed = computed_lines(case)
    sections = [
        _Section(title, computed[name], tuple(_row(row) for row in reviewed.findings if row.check == name))
        for name, title in _TITLES.items()
    ]
    return render(
        "statsclaw.review", "review.md", sections=sections, words=_in_words(reviewed), verdict=reviewed.verdict
    )


def _row(row: Finding) -> _Row:
    return _Row(row.severity, _plain(row.message), _plain(row.where), _plain(row.route_to))


def _plain(text: str) -> str:
    """Inert in a table: no line ends, no bars, no fences, no tags."""
    safe = text.replace("\\", "\\\\").replace("`", "'")
    return cell("".join(char if char.isprintable() else " " for char in safe))


def computed_lines(case: Case) -> dict[str, str]:
    """One line for each check: what it looked at, counted."""
    read = case.contract.comprehension if case.contract else None
    interface = case.contract.interface if case.contract else None
    tests = [test for row in case.after for test in row.tests]
    passed = sum(row.verdict == "PASS" for row in case.judgements)
    lines, hit = (sum(getattr(row, name) for row in case.coverage or ()) for name in ("lines", "lines_hit"))
    branches, taken = (sum(getattr(row, name) for row in case.coverage or ()) for name in ("branches", "branches_hit"))
    traces = len(case.breaches) + len(case.suspicions)
    return {
        "comprehension": f"{len(case.index.equations)} equations of {len(case.index.sources)} sources against "
        f"{len(read.equations) if read else 0} accounted for; {len(read.choices) if read else 0} choices; "
        f"{len(case.agreements)} equations read twice.",
        "isolation": f"Barrier: {_plain(case.barrier) or 'not recorded'}; {len(case.attestation_faults)} faults in the "
        f"record of what was shown; {traces} traces in texts; "
        f"{len(case.changed_sources)} changed sources searched for values that only the tests know.",
        "cross_comparison": f"{sum(1 for _ in interface.elements()) if interface else 0} elements of the interface "
        f"against {len(case.contract.steps) if case.contract else 0} steps, the scenarios, the criteria and "
        f"{len(case.changed_sources)} changed sources.",
        "convergence": f"{len(case.judgements)} of {len(frozen_criteria(case))} frozen criteria judged, {passed} PASS; "
        f"{sum(row.passed for row in case.after)} of {len(case.after)} commands and "
        f"{sum(test.outcome == 'passed' for test in tests)} of {len(tests)} tests passed.",
        "coverage": f"{hit} of {lines} lines and {taken} of {branches} branches of the changed files executed."
        if case.coverage is not None
        else "Not measured.",
        "tolerance": f"{len(case.frozen)} frozen documents against those used; {len(case.amendments)} amendments, "
        f"{len(case.overrides)} overrides; {len(case.null_judgements)} criteria tried on meaningless answers, "
        f"{len(case.disturbed)} on moved copies of the real ones.",
        "evidence": f"{len(case.after)} commands on {len({row.tree_sha256 for row in case.after})} tree"
        f"{'' if len({row.tree_sha256 for row in case.after}) == 1 else 's'}.",
    }


def _in_words(reviewed: Reviewed) -> str:
    count = {kind: sum(row.severity == kind for row in reviewed.findings) for kind in ("error", "warning", "note")}
    if reviewed.verdict == STOP:
        who = f"The {reviewed.routed_to} has to act." if reviewed.routed_to else "A person has to decide."
        return f"{_number(count['error'], 'error')} must be put right. {who}"
    if reviewed.verdict == PASS:
        return "Everything that was computed holds, and nothing has to be told beyond the notes above."
    told = sum(is_told(row) for row in reviewed.findings)
    return (
        f"Nothing that was computed is wrong. To be told with the result: "
        f"{_number(count['warning'], 'warning')}, {_number(told, 'note')}."
    )


def _number(count: int, thing: str) -> str:
    return f"{count} {thing}{'' if count == 1 else 's'}"
