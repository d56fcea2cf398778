"""What the checks do with their findings: bound them, tell them, send them to the role that owes the contract."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from statsclaw.runlog.events.finding import Finding
from statsclaw.runlog.findings import finding

_MOST_OF_A_KIND = 50

#: Keys of notes that a verdict must not leave out. Each is the key itself, or its part before the first colon.
TOLD = frozenset({"amended", "overridden", "approved-unattended", "undecided", "revealed"})


def bounded(check: str, found: Sequence[Finding]) -> list[Finding]:
    """At most fifty of one kind; how many more there are is said in a last one of the same weight and role."""
    if len(found) <= _MOST_OF_A_KIND:
        return list(found)
    left = found[_MOST_OF_A_KIND:]
    worst = min(left, key=lambda row: ("error", "warning", "note").index(row.severity))
    more = f"and {len(left)} more findings like these"
    return [
        *found[:_MOST_OF_A_KIND],
        finding(check, worst.severity, more, route_to=worst.route_to, key=f"more:{found[0].key}"),
    ]


def under(check: str, found: Iterable[Finding]) -> list[Finding]:
    """Findings that somebody else computed, put under a check of the review and otherwise as they are."""
    return [row.model_copy(update={"check": check}) for row in found]


def owes_contract(roles: Collection[str]) -> bool:
    """A planner who writes for a tester: only then are there specifications, criteria, and something to freeze."""
    return "planner" in roles and "tester" in roles


def is_told(row: Finding) -> bool:
    """A note that a verdict must not leave out."""
    return row.severity == "note" and row.rule in TOLD
