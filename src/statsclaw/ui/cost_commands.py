"""`statsclaw cost`: what was spent on what."""

from __future__ import annotations

import json as jsonlib
from collections.abc import Sequence
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from statsclaw.runlog import log as runlog
from statsclaw.runlog.events import Usage
from statsclaw.runlog.fold import DispatchView, RunView
from statsclaw.ui import settings
from statsclaw.ui.line import plain
from statsclaw.ui.options import JsonOption, WorkspaceOption

Row = dict[str, str | int | float]


def cost(
    run: Annotated[str | None, typer.Argument(help="One run, by dispatch. Without it: all runs, by month.")] = None,
    json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Tokens, money and time: of one run by dispatch and role, or of all runs by month."""
    place = settings.workspace_from(workspace)
    if run is not None:
        view = runlog.read_view(place.find(run).path)
        dispatches = view.all_work
        rows = [_row(d.id, [d], backend=f"{d.backend}, given up") for d in view.abandoned]
        rows += [_row(d.id, [d], backend=d.backend) for d in view.dispatches.values()]
        roles = dict.fromkeys(d.role for d in dispatches)
        totals = [_row(role, [d for d in dispatches if d.role == role], backend="all attempts") for role in roles]
        rows += [row for row in totals if sum(d.role == row["what"] for d in dispatches) > 1]
        if view.usage_of_reading.tokens:
            rows.insert(0, _row("directive", [], view.usage_of_reading, backend="read by a model"))
        rows.append(_row("the run", dispatches, view.usage_of_reading, backend=""))
    else:
        found = [(folder.id, runlog.read_view(folder.path)) for folder in place.runs()]
        months: dict[str, list[tuple[str, RunView]]] = {}
        for name, view in found:
            if view.all_work:
                months.setdefault(f"{view.all_work[0].started_at:%Y-%m}", []).append((name, view))
        rows = []
        for month, runs in sorted(months.items()):
            rows += [_row(name, view.all_work, view.usage_of_reading, month=month) for name, view in runs]
            reading = sum((view.usage_of_reading for _, view in runs), start=Usage())
            rows.append(_row(f"all of {month}", [d for _, view in runs for d in view.all_work], reading, month=month))
    if json:
        print(jsonlib.dumps(rows))
        return
    if not rows:
        print("nothing was spent yet")
        return
    _show(rows)


def _row(what: str, dispatches: Sequence[DispatchView], before: Usage | None = None, **more: str) -> Row:
    used = sum((d.usage for d in dispatches), start=before or Usage())
    return {
        "what": what,
        **more,
        "input_tokens": used.input_tokens,
        "cached_tokens": used.cached_tokens,
        "output_tokens": used.output_tokens,
        "cost_usd": round(used.cost_usd, 6),
        "seconds": round(sum(d.elapsed_s for d in dispatches), 1),
    }


def _show(rows: Sequence[Row]) -> None:
    table = Table(box=None, pad_edge=False)
    for name in rows[0]:
        table.add_column(
            name.replace("_", " "),
            justify="left" if isinstance(rows[0][name], str) else "right",
            no_wrap=name == "what",
        )
    for row in rows:
        table.add_row(*(Text(_cell(name, row)) for name in row))
    Console(highlight=False).print(table)


def _cell(name: str, row: Row) -> str:
    value = row[name]
    if name == "cost_usd":  # tokens without a price: nobody said it, which is not the same as nothing
        return f"${value:.2f}" if value or not row["input_tokens"] else "unknown"
    return f"{value:,}" if isinstance(value, int | float) else plain(str(value))
