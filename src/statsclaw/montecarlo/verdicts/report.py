"""Verdicts as text: all three of every criterion, and the cells that decided."""

from __future__ import annotations

import math
from collections.abc import Sequence

from statsclaw.montecarlo.metrics.rendering import number
from statsclaw.montecarlo.verdicts.judge import CellVerdict, CriterionVerdict
from statsclaw.montecarlo.verdicts.wording import policy_of

_NAMED = 6


def render_verdicts(verdicts: Sequence[CriterionVerdict], format: str = "text", *, every_cell: bool = False) -> str:
    """ "text" or "markdown". Cells are listed where they are not all PASS, or all where `every_cell`."""
    if format not in ("text", "markdown"):
        raise ValueError(f"there is no format {format!r}: text or markdown")
    said = [f"{policy_of(allowed)}\n" for allowed in dict.fromkeys(row.failures_allowed for row in verdicts)]
    if format == "markdown":
        return "\n".join([_markdown(verdicts), *said])
    return "\n".join([*(_text(row, every_cell) for row in verdicts), *said])


def _text(row: CriterionVerdict, every_cell: bool) -> str:
    head = f"{row.verdict}  {row.id}: {row.rule}" + (f"  ({row.by})" if row.by != "sequential" else "")
    three = f"  literal {row.literal}, interval {row.interval}, sequential {row.sequential}"
    lines = [head, f"{three}; R = {row.replications:,}, {100 * row.level:g} %"]
    lines += [f"  {note}" for note in row.notes if not row.cells]
    shown = [cell for cell in row.cells if every_cell or not _passes(cell) or cell.warning]
    lines += [f"    {cell_text(cell)}" for cell in (shown if every_cell else shown[:_NAMED])]
    if not every_cell and len(shown) > _NAMED:
        lines.append(f"    and {len(shown) - _NAMED} more")
    return "\n".join(lines) + "\n"


def _passes(cell: CellVerdict) -> bool:
    return (cell.literal, cell.interval_verdict, cell.sequential) == ("PASS", "PASS", "PASS")


def cell_text(cell: CellVerdict) -> str:
    """n=50: 0.9580 (0.0090) in [0.9292, 0.9777]; literal PASS, interval UNDECIDED, sequential UNDECIDED."""
    if math.isnan(cell.value):
        return f"{cell.cell}: {cell.warning or 'no value'}"
    error = f" ({number(cell.mcse, cell.mcse)})" if cell.mcse is not None else ""
    low, high = (number(end, cell.mcse) if math.isfinite(end) else str(end) for end in cell.interval)
    said = f"literal {cell.literal}, interval {cell.interval_verdict}, sequential {cell.sequential}"
    warning = f"; {cell.warning}" if cell.warning else ""
    return f"{cell.cell}: {number(cell.value, cell.mcse)}{error} in [{low}, {high}]; {said}{warning}"


def _markdown(verdicts: Sequence[CriterionVerdict]) -> str:
    lines = [
        "| criterion | rule | literal | interval | sequential | verdict |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    lines += [
        f"| {row.id} | {row.rule} | {row.literal} | {row.interval} | {row.sequential} | {row.verdict} ({row.by}) |"
        for row in verdicts
    ]
    return "\n".join(lines) + "\n"
