"""What the planner understood, and whether a second reader understood the same."""

from __future__ import annotations

from dataclasses import dataclass

from statsclaw.report.ledger import Ledger
from statsclaw.runlog import events as e
from statsclaw.specs.comprehension import Comprehension
from statsclaw.specs.contract import COMPREHENSION


@dataclass(frozen=True, slots=True)
class Understanding:
    """Places are of the comprehension as it stands, of the engine's check of it, and of the comparison; 0: none."""

    comprehension: Comprehension | None
    handed_in_at: int
    checked: e.ComprehensionChecked | None
    checked_at: int
    readings: e.ReadingsCompared | None
    readings_at: int

    @property
    def assumed(self) -> list[str]:
        """What the sources do not state."""
        rows = self.comprehension.assumptions if self.comprehension else ()
        return [row.text for row in rows if not row.stated]

    @property
    def agreed(self) -> int:
        return sum(row.agrees is True for row in self.readings.rows) if self.readings else 0


def understanding_of(ledger: Ledger) -> Understanding:
    document = ledger.view.artifact(COMPREHENSION)
    return Understanding(
        comprehension=ledger.contract.comprehension,
        handed_in_at=document.seq if document else 0,
        checked=ledger.view.understood,
        checked_at=ledger.last(e.ComprehensionChecked),
        readings=ledger.view.readings,
        readings_at=ledger.last(e.ReadingsCompared),
    )
