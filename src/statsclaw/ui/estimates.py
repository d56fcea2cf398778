"""What a run may cost, in a line before it starts and, by role, where it is only asked about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from rich.console import Console
from rich.table import Table
from rich.text import Text

from statsclaw.engine.estimate import Expected, expected
from statsclaw.engine.start import Order
from statsclaw.errors import StatsClawError
from statsclaw.intake.routing import route
from statsclaw.intake.workflow import workflow
from statsclaw.roles.matrix import Role
from statsclaw.runlog import log as runlog
from statsclaw.runlog.events import Usage
from statsclaw.runlog.fold import RunView
from statsclaw.ui.line import Line, plain
from statsclaw.ui.lines import budget_text
from statsclaw.ui.setup_search import known
from statsclaw.workspace.layout import Workspace


def estimate_for(order: Order, workspace: Workspace) -> tuple[str, tuple[Expected, ...]]:
    """The workflow, and what its roles may cost; of a directive whose workflow is not clear, nothing is known."""
    routing = route(order.directive)
    chosen = order.workflow or ("" if routing.ask else routing.workflow)
    if not chosen:
        return "", ()
    roles = [role for role in workflow(chosen).roles if order.second_reading or role is not Role.READER]
    cast = {str(role): name for role in roles if (name := order.backends.get(role) or order.backends.get("*"))}
    models = {provider.endpoint: provider.model for provider in known().provider}
    return chosen, expected(cast, _earlier(workspace, chosen), models)


def estimate_line(rows: Sequence[Expected]) -> Line | None:
    """None where no agent program plays."""
    if not rows:
        return None
    used = sum((row.usage for row in rows), start=Usage())
    text = f"{'' if all(row.runs for row in rows) else 'at least '}{_tokens(used)}"
    text += f", {_money(used)}" if used.cost_usd else ", price unknown"
    models = ", ".join(dict.fromkeys(row.priced_as for row in rows if row.priced_as and row.usage.cost_usd))
    text += f" (at the price of {models})" if models else ""
    return Line("estimate", f"{text}; {_basis(rows)}")


def show_estimate(console: Console, chosen: str, order: Order, rows: Sequence[Expected]) -> None:
    """For `--dry-run`: who would play what, and what it may cost."""
    console.print(f"workflow {chosen}" if chosen else "The workflow is not clear yet: the run would ask.", markup=False)
    table = Table(box=None, pad_edge=False)
    for name in ("role", "played by", "tokens", "of them cached", "cost", "known from"):
        table.add_column(name, justify="right" if name in ("tokens", "of them cached", "cost") else "left")
    by_role: Mapping[str, Expected] = {row.role: row for row in rows}
    for role in workflow(chosen).roles if chosen else ():
        player = order.backends.get(role) or order.backends.get("*") or "nobody"
        row = by_role.get(role)
        cells = _cells(row) if row else ("", "", "", "")
        table.add_row(Text(role), Text(plain(player, 60)), *cells)
    if chosen:
        console.print(table)
    if line := estimate_line(rows):
        console.print(f"\nIn all: {line.text}.", markup=False)
    for budget in order.budgets:
        console.print(f"Budget: {budget_text(budget)}.", markup=False)
    console.print("Nothing was started.")


def _cells(row: Expected) -> tuple[str, str, str, str]:
    used = row.usage
    cost = _money(used) if used.cost_usd else "unknown"
    known_from = f"{row.runs} earlier run{'s' * (row.runs > 1)}" if row.runs else "a lower bound"
    return f"{used.tokens + used.cached_tokens:,}", f"{used.cached_tokens:,}", cost, known_from


def _basis(rows: Sequence[Expected]) -> str:
    if not any(row.runs for row in rows):
        return "nothing is known of such a run here yet: measured on the demonstration, without thinking or mistakes"
    if all(row.runs for row in rows):
        return f"the middle of {min(row.runs for row in rows)} or more earlier runs here"
    return "in part from earlier runs here, in part a lower bound"


def _tokens(used: Usage) -> str:
    total = used.tokens + used.cached_tokens
    text = f"{total / 1e6:.1f} million" if total >= 1e6 else f"{total:,}"
    return f"{text} tokens ({used.cached_tokens / max(total, 1):.0%} of them cached)"


def _money(used: Usage) -> str:
    return f"${used.cost_usd:.2f}"


def _earlier(workspace: Workspace, chosen: str) -> Iterator[RunView]:
    for folder in workspace.runs():
        with suppress(StatsClawError, OSError):
            view = runlog.read_view(folder.path)
            if view.workflow == chosen:
                yield view
