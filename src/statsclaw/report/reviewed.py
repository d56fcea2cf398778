"""What the review found: the computed checks, and the reviewer's own words."""

from __future__ import annotations

from dataclasses import dataclass

from statsclaw.report.alike import alike, cause_of
from statsclaw.report.ledger import Ledger
from statsclaw.runlog import events as e

_REVIEW = "review.md"
_SEVERITIES = ("error", "warning", "note")


@dataclass(frozen=True, slots=True)
class Found:
    finding: e.Finding
    stands: bool


@dataclass(frozen=True, slots=True)
class Reviewed:
    """`verdict`: the worse of both; empty while the reviewer has not handed in."""

    verdict: str
    computed: e.ReviewComputed | None
    computed_at: int
    findings: tuple[Found, ...]
    said: str
    notes: str
    notes_at: int

    @property
    def groups(self) -> list[tuple[Found, ...]]:
        """The findings of one cause together: those that a person lets stand are another group."""
        return alike(self.findings, lambda row: (cause_of(row.finding), row.stands))

    @property
    def kinds_of_warnings(self) -> int:
        return sum(group[0].finding.severity == "warning" for group in self.groups)

    def number_of(self, severity: str) -> int:
        return sum(row.finding.severity == severity for row in self.findings)


def reviewed_of(ledger: Ledger) -> Reviewed:
    view = ledger.view
    document = view.artifact(_REVIEW)
    rows = [Found(row, view.stands(row)) for row in (view.reviewed.findings if view.reviewed else ())]
    checks = list(dict.fromkeys(row.finding.check for row in rows))
    return Reviewed(
        verdict=view.verdict,
        computed=view.reviewed,
        computed_at=view.reviewed_at,
        findings=tuple(
            sorted(rows, key=lambda row: (checks.index(row.finding.check), _SEVERITIES.index(row.finding.severity)))
        ),
        said=view.review_verdict,
        notes=ledger.text(document.sha256) if document else "",
        notes_at=document.seq if document else 0,
    )
