"""What a run may cost, in a line before it starts and, by role, where it is only asked about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

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


@dataclass(frozen=True)
class Reading:
    """A workflow that may be meant, and what its roles may cost."""

    workflow: str
    rows: tuple[Expected, ...]


def readings_for(order: Order, workspace: Workspace) -> list[Reading]:
    """The workflow; of a directive that leaves it open the likeliest, and the runner-up."""
    routing = route(order.directive)
    chosen = chosen_workflow(order, routing)
    names = [chosen] if chosen else [name for name in (routing.workflow, routing.runner_up) if name]
    return [Reading(name, _expected(order, workspace, name)) for name in names if chosen or not workflow(name).repeats]


def _expected(order: Order, workspace: Workspace, chosen: str) -> tuple[Expected, ...]:
    roles = [role for role in workflow(chosen).roles if order.second_reading or role is not Role.READER]
    cast = {str(role): name for role in roles if (name := order.backends.get(role) or order.backends.get("*"))}
    models = {provider.endpoint: provider.model for provider in known().provider}
    return expected(cast, _earlier(workspace, chosen), models, chosen)


def estimate_lines(readings: Sequence[Reading], budgets: Sequence[BudgetSet]) -> Iterator[Line]:
    """What is said before a run starts, of every reading that is left."""
    for reading in readings:
        for line in (estimate_line(reading.rows), *budget_warnings(reading.rows, budgets)):
            if line:
                text = line.text if len(readings) == 1 else f"if it is {reading.workflow}: {line.text}"
                yield Line(line.label, text, line.style)


def estimate_line(rows: Sequence[Expected]) -> Line | None:
    """None where no agent program plays."""
    if not rows:
        return None
    least, most = _least(rows), _most(rows)
    text = f"{'' if all(row.runs for row in rows) else 'about '}{_tokens(least, most)}"
    text += f", {_money(least, most)}" if most.cost_usd else ", price unknown"
    models = ", ".join(dict.fromkeys(row.priced_as for row in rows if row.priced_as and row.usage.cost_usd))
    text += f" (at the price of {models})" if models else ""
    return Line("estimate", f"{text}; {_basis(rows)}")


def budget_warnings(rows: Sequence[Expected], budgets: Sequence[BudgetSet]) -> list[Line]:
    """Of every budget that the expected use is beyond: said before anything is spent."""
    found = []
    for budget in budgets:
        counted = [row for row in rows if budget.scope in (WHOLE_RUN, row.role)]
        least, most = _least(counted), _most(counted)
        if short := _short(budget, least) or _short(budget, most):
            whom = f"the {budget.scope}" if budget.scope else "such a run"
            if all(row.runs for row in counted):
                text = f"{short} that {whom} is expected to take"
            elif _short(budget, least):
                text = f"{short} that {whom} took for one small function, so it cannot suffice"
            else:
                text = f"{short} that {whom} took for a whole package, so it may not suffice"
            found.append(Line("budget", f"{text}: the run will pause when it is spent, and ask", "bold yellow"))
    return found


def _short(budget: BudgetSet, used: Usage) -> str:
    """How much less it is; nothing where it suffices."""
    if budget.usd and used.cost_usd > budget.usd:
        return f"${budget.usd:.2f} is less than the {_money(used, used)}"
    if budget.tokens and used.tokens > budget.tokens:
        return f"{budget.tokens:,} tokens are fewer than the {used.tokens:,}"
    return ""


def _least(rows: Iterable[Expected]) -> Usage:
    return sum((row.least for row in rows), start=Usage())


def _most(rows: Iterable[Expected]) -> Usage:
    return sum((row.usage for row in rows), start=Usage())


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
    console: Console, readings: Sequence[Reading], order: Order, lacking: Sequence[str] = (), ask: str = ""
) -> None:
    """For `--dry-run`: who would play what, what it may cost, and what is `lacking` before it can start.

    `ask`: why a person would be asked which reading is meant.
    """
    if ask:
        console.print(f"The workflow is not clear yet ({ask}): the run would ask.", markup=False)
    for budget in order.budgets:
        console.print(f"Budget: {budget_text(budget)}.", markup=False)
    for number, reading in enumerate(readings):
        also = ("likeliest: " if number == 0 else "\nrunner-up: ") if ask else ""
        console.print(f"{also}workflow {reading.workflow}", markup=False)
        console.print(_table(reading, order))
        if line := estimate_line(reading.rows):
            console.print(f"\nIn all: {line.text}.", markup=False)
        for warning in budget_warnings(reading.rows, order.budgets):
            console.print(f"Budget: {warning.text}.", style="yellow", markup=False)
    for text in lacking:
        console.print(f"Before it can start: {text}.", markup=False)
    console.print("Nothing was started.")


def _table(reading: Reading, order: Order) -> Table:
    table = Table(box=None, pad_edge=False)
    for name in ("role", "played by", "tokens", "of them cached", "cost", "known from"):
        table.add_column(name, justify="right" if name in ("tokens", "of them cached", "cost") else "left")
    by_role: Mapping[str, Expected] = {row.role: row for row in reading.rows}
    for role in workflow(reading.workflow).roles:
        player = order.backends.get(role) or order.backends.get("*") or "nobody"
        row = by_role.get(role)
        table.add_row(Text(role), Text(plain(player, 60)), *(_cells(row) if row else ("", "", "", "")))
    return table


def _cells(row: Expected) -> tuple[str, str, str, str]:
    least, most = row.least, row.usage
    cost = _money(least, most) if most.cost_usd else "unknown"
    known_from = f"{row.runs} earlier run{'s' * (row.runs > 1)}" if row.runs else "measured"
    cached = _between(f"{least.cached_tokens:,}", f"{most.cached_tokens:,}")
    return _between(f"{_all(least):,}", f"{_all(most):,}"), cached, cost, known_from


def _basis(rows: Sequence[Expected]) -> str:
    if not any(row.runs for row in rows):
        return (
            "nothing is known of such a run here yet. The first figure is what one small function took, the second "
            "what the probit demonstration took, a whole package. Nobody erred in either: thinking and mistakes take "
            "more"
        )
    if all(row.runs for row in rows):
        return f"the middle of {min(row.runs for row in rows)} or more earlier runs here"
    return "in part from earlier runs here, in part from two measured ones, one small function and a whole package"


def _all(used: Usage) -> int:
    return used.tokens + used.cached_tokens


def _tokens(least: Usage, most: Usage) -> str:
    text = _between(_in_words(_all(least)), _in_words(_all(most)))
    text = text.replace(" million to", " to") if text.endswith("million") else text
    return f"{text} tokens ({most.cached_tokens / max(_all(most), 1):.0%} of them cached)"


def _in_words(tokens: int) -> str:
    return f"{tokens / 1e6:.1f} million" if tokens >= 1e5 else f"{tokens:,}"


def _money(least: Usage, most: Usage) -> str:
    return _between(f"${least.cost_usd:.2f}", f"${most.cost_usd:.2f}")


def _between(least: str, most: str) -> str:
    return most if least == most else f"{least} to {most}"


def _earlier(workspace: Workspace, chosen: str) -> Iterator[RunView]:
    for folder in workspace.runs():
        with suppress(StatsClawError, OSError):
            view = runlog.read_view(folder.path)
            if view.workflow == chosen:
                yield view
