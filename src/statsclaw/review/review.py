"""The review: seven checks, one verdict, and the role that has to act."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from statsclaw.review import comprehension, convergence, coverage, cross_comparison, evidence, isolation, tolerance
from statsclaw.review.case import Case
from statsclaw.review.findings import is_told
from statsclaw.runlog.events.finding import Finding
from statsclaw.states import VERDICTS

PASS, PASS_WITH_NOTE, STOP = VERDICTS
#: Whoever comes first acts first: what is wrong upstream makes what is wrong downstream moot.
ROLES = ("planner", "builder", "tester", "simulator", "scriber")


@dataclass(frozen=True, slots=True)
class Reviewed:
    """`routed_to`: the role that has to act; "" if none has to, or if only a person can."""

    findings: tuple[Finding, ...]
    verdict: str
    routed_to: str = ""


def review(case: Case, claims: Sequence[Finding] = ()) -> Reviewed:
    """`claims`: contradictions between prose and evidence, shown under Evidence."""
    found = [
        *comprehension.check(case),
        *isolation.check(case),
        *cross_comparison.check(case),
        *convergence.check(case),
        *coverage.check(case),
        *tolerance.check(case),
        *evidence.check(case, claims),
    ]
    errors = [row for row in found if row.severity == "error"]
    if errors:
        owing = {row.route_to for row in errors}
        return Reviewed(tuple(found), STOP, next((role for role in ROLES if role in owing), ""))
    told = any(row.severity == "warning" or is_told(row) for row in found)
    return Reviewed(tuple(found), PASS_WITH_NOTE if told else PASS)
