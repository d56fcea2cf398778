"""What a run may cost, in a line before it starts and, by role, where it is only asked about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from rich.console import Console
from rich.table import Table
from rich.text import Text

from statsclaw.backends.registry import AGENTS
from statsclaw.engine.estimate import Expected, expected
from statsclaw.engine.start import Order, check_backends, chosen_workflow
from statsclaw.errors import InputRefused, StatsClawError
from statsclaw.intake.routing import route
from statsclaw.intake.workflow import workflow
from statsclaw.roles.matrix import Role
from statsclaw.runlog import log as runlog
from statsclaw.runlog.events import BudgetSet, Usage
from statsclaw.runlog.fold import WHOLE_RUN, RunView
from statsclaw.ui import settings
from statsclaw.ui.line import Line, plain
from statsclaw.ui.lines import budget_text
from statsclaw.ui.setup_search import known
from statsclaw.workspace.layout import Workspace


def estimate_for(order: Order, workspace: Workspace) -> tuple[str, tuple[Expected, ...]]:
    """The workflow, and what its roles may cost; of a directive whose workflow is not clear, nothing is known."""
    chosen = chosen_workflow(order, route(order.directive))
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
    text = f"{'' if all(row.runs for row in rows) else 'about '}{_tokens(used)}"
    text += f", {_money(used)}" if used.cost_usd else ", price unknown"
    models = ", ".join(dict.fromkeys(row.priced_as for row in rows if row.priced_as and row.usage.cost_usd))
    text += f" (at the price of {models})" if models else ""
    return Line("estimate", f"{text}; {_basis(rows)}")


def budget_warnings(rows: Sequence[Expected], budgets: Sequence[BudgetSet]) -> list[Line]:
    """Of every budget that the expected use is beyond: said before anything is spent."""
    found = []
    for budget in budgets:
        counted = [row for row in rows if budget.scope in (WHOLE_RUN, row.role)]
        used = sum((row.usage for row in counted), start=Usage())
        whom = f"the {budget.scope}" if budget.scope else "such a run"
        if budget.usd and used.cost_usd > budget.usd:
            short = f"${budget.usd:.2f} is less than the {_money(used)} that {whom} is expected to take"
        elif budget.tokens and used.tokens > budget.tokens:
            short = f"{budget.tokens:,} tokens are fewer than the {used.tokens:,} that {whom} is expected to take"
        else:
            continue
        found.append(Line("budget", f"{short}: the run will pause when it is spent, and ask", "bold yellow"))
    return found


def lacking_for(backends: Mapping[str, str], endpoints: Sequence[str] | None) -> list[str]:
    """What must be there before it can start: programs and keys. A backend that does not exist is refused."""
    found = []
    for role, name in backends.items():
        try:
            check_backends({role: name})
        except InputRefused as refusal:
            if name.partition(":")[0] not in AGENTS:
                raise
            found.append(_needed(refusal))
    try:
        settings.endpoints(settings.endpoints_for(endpoints or (), backends.values()))
    except InputRefused as refusal:
        found.append(_needed(refusal))
    return list(dict.fromkeys(found))


def _needed(refusal: InputRefused) -> str:
    return plain(f"{refusal.happened}{f' ({refusal.todo})' if refusal.todo else ''}")


def show_estimate(
    console: Console, chosen: str, order: Order, rows: Sequence[Expected], lacking: Sequence[str] = ()
) -> None:
    """For `--dry-run`: who would play what, what it may cost, and what is `lacking` before it can start."""
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
    for warning in budget_warnings(rows, order.budgets):
        console.print(f"Budget: {warning.text}.", style="yellow", markup=False)
    for text in lacking:
        console.print(f"Before it can start: {text}.", markup=False)
    console.print("Nothing was started.")


def _cells(row: Expected) -> tuple[str, str, str, str]:
    used = row.usage
    cost = _money(used) if used.cost_usd else "unknown"
    known_from = f"{row.runs} earlier run{'s' * (row.runs > 1)}" if row.runs else "the demonstration"
    return f"{used.tokens + used.cached_tokens:,}", f"{used.cached_tokens:,}", cost, known_from


def _basis(rows: Sequence[Expected]) -> str:
    if not any(row.runs for row in rows):
        return (
            "nothing is known of such a run here yet. It is what the probit demonstration took, a whole package "
            "without a mistake: a small fix takes less, thinking and mistakes take more"
        )
    if all(row.runs for row in rows):
        return f"the middle of {min(row.runs for row in rows)} or more earlier runs here"
    return "in part from earlier runs here, in part from the demonstration"


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
