"""What the sources demand, by their own names, and what was judged of it."""

from __future__ import annotations

from dataclasses import dataclass

from statsclaw.report.ledger import Ledger
from statsclaw.verify.criteria.stated import StatedRow, stated_lines, stated_rows


@dataclass(frozen=True, slots=True)
class Demand:
    """`judged_at`: the line of the log that all of it comes from."""

    lines: tuple[str, ...]
    rows: tuple[StatedRow, ...]
    judged_at: int


def demand_of(ledger: Ledger) -> Demand:
    judged_at, judged = ledger.judged
    rows = stated_rows(judged.stated, judged.judgements) if judged else ()
    return Demand(tuple(stated_lines(rows)), rows, judged_at)
