"""Verdicts as text: one word for each criterion, and the cells that decided."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from statsclaw.montecarlo.metrics.rendering import number
from statsclaw.montecarlo.verdicts.judge import AT_THE_CAP, CellVerdict, CriterionVerdict
from statsclaw.montecarlo.verdicts.ranges import Range
from statsclaw.montecarlo.verdicts.wording import policy_of

_NAMED = 6
_LITERALLY = {"PASS": "literally met", "FAIL": "literally not met", "UNDECIDED": "without a literal reading"}


def render_verdicts(verdicts: Sequence[CriterionVerdict], format: str = "text", *, every_cell: bool = False) -> str:
    """ "text" or "markdown". Cells are listed where they are not all PASS, or all where `every_cell`."""
    if format not in ("text", "markdown"):
        raise ValueError(f"there is no format {format!r}: text or markdown")
    said = [f"{policy_of(allowed)}\n" for allowed in dict.fromkeys(row.failures_allowed for row in verdicts)]
    if format == "markdown":
        return "\n".join([_markdown(verdicts), *said])
    return "\n".join([*(_text(row, every_cell) for row in verdicts), f"{tally_of(verdicts)}\n", *said])


def tally_of(verdicts: Sequence[CriterionVerdict]) -> str:
    """3 criteria: 1 PASS, 2 UNDECIDED."""
    found = Counter(row.verdict for row in verdicts)
    parts = [f"{found[word]} {word}" for word in ("PASS", "FAIL", "UNDECIDED") if found[word]]
    return f"{len(verdicts)} {'criterion' if len(verdicts) == 1 else 'criteria'}: {', '.join(parts)}"


def _text(row: CriterionVerdict, every_cell: bool) -> str:
    by = f"{row.by}: a larger `cap` lets a sequential run add more" if row.by == AT_THE_CAP else row.by
    head = f"{row.verdict}  {row.id}: {row.rule}" + (f"  ({by})" if row.by != "sequential" else "")
    left = f" of up to {row.cap:,}" if row.verdict == "UNDECIDED" and row.replications < row.cap else ""
    lines = [head, f"  {_LITERALLY[row.literal]}; R = {row.replications:,}{left}; errs in at most {_error(row.level)}"]
    lines += [f"  {note}" for note in row.notes if not row.cells]
    shown = [cell for cell in row.cells if every_cell or cell.decided != "PASS" or cell.warning]
    lines += [f"    {cell_text(cell, every_cell)}" for cell in (shown if every_cell else shown[:_NAMED])]
    if not every_cell and len(shown) > _NAMED:
        lines.append(f"    and {len(shown) - _NAMED} more")
    return "\n".join(lines) + "\n"


def _error(level: float) -> str:
    return f"{100 * (1 - level):.4g} % of studies"


def cell_text(cell: CellVerdict, readings: bool = False) -> str:
    """UNDECIDED n=50: 0.9580 (0.0090), 98 % interval [0.9292, 0.9777]; literally met."""
    head = f"{cell.decided} {cell.cell}: "
    if math.isnan(cell.value):
        return f"{head}{cell.warning or 'no value'}"
    error = f" ({number(cell.mcse, cell.mcse)})" if cell.mcse is not None else ""
    said = [f"{number(cell.value, cell.mcse)}{error}, {range_text(cell)}"]
    if cell.decided == "UNDECIDED":
        said.append(_LITERALLY[cell.literal])
    if readings:
        said.append(f"by one look {cell.interval_verdict}, by repeated ones {cell.sequential}")
    return head + "; ".join([*said, *([cell.warning] if cell.warning else [])])


def range_text(cell: CellVerdict) -> str:
    """99.75 % interval over 3 looks [0.9292, 0.9777]: the interval that was judged."""
    found = cell.range
    if not found.question:
        return "not judged yet"
    low, high = (number(end, cell.mcse) if math.isfinite(end) else str(end) for end in (found.low, found.high))
    return f"{level_text(found.level)} interval{_looks(found, cell.replications)} [{low}, {high}]"


def level_text(level: float) -> str:
    """With two digits of what is left to one, or all there are: 98 %, 99.917 %."""
    left = 100 * (1 - level)
    digits = max(0, 1 - math.floor(math.log10(left))) if left > 0 else 0
    return f"{100 - left:.{min(digits, 9)}f}".rstrip("0").rstrip(".") + " %"


def _looks(found: Range, replications: int) -> str:
    if found.looks == 0:
        return " at any time"
    at = f" at R = {found.replications:,}" if found.replications not in (0, replications) else ""
    return at if found.looks == 1 else f" over {found.looks} looks{',' if at else ''}{at}"


def as_data(verdicts: Sequence[CriterionVerdict]) -> list[dict[str, Any]]:
    """For programs: everything, with the interval that was judged; what is not finite is null."""
    rows = []
    for row in verdicts:
        cells = []
        for cell in row.cells:
            plain = {name: getattr(cell, name) for name in cell.__dataclass_fields__ if name != "ranged"}
            plain["verdict"] = plain.pop("decided")
            cells.append(plain | {"interval": asdict(cell.range)})
        fields = {name: getattr(row, name) for name in row.__dataclass_fields__}
        rows.append(fields | {"criterion": asdict(row.criterion), "cells": cells})
    found: list[dict[str, Any]] = finite(rows)
    return found


def finite(value: Any) -> Any:
    """The same with null for numbers that JSON does not have."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): finite(each) for key, each in value.items()}
    return [finite(each) for each in value] if isinstance(value, list | tuple) else value


def _markdown(verdicts: Sequence[CriterionVerdict]) -> str:
    lines = ["| criterion | rule | verdict | literally |", "| --- | --- | --- | --- |"]
    lines += [
        f"| {row.id} | {row.rule} | {row.verdict}{f' ({row.by})' if row.by != 'sequential' else ''} "
        f"| {_LITERALLY[row.literal].removeprefix('literally ')} |"
        for row in verdicts
    ]
    return "\n".join(lines) + "\n"
