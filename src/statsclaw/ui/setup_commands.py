"""`statsclaw setup`: what is here, whether it works, and who plays which role from now on."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from statsclaw.engine.trial import Trial, tiny_call
from statsclaw.errors import InputRefused, MachineRefused, StatsClawError
from statsclaw.intake.casting import Candidate, Cast, propose, render, with_cast
from statsclaw.intake.preferences import read_backends
from statsclaw.roles.matrix import Role
from statsclaw.runlog import log as runlog
from statsclaw.runlog.store import write_durably
from statsclaw.sandbox.barrier import Barrier
from statsclaw.sandbox.choose import make_barrier
from statsclaw.states import MAX_ATTEMPTS
from statsclaw.ui import settings
from statsclaw.ui.exit_codes import INTERRUPTED, SaidAlready
from statsclaw.ui.line import plain
from statsclaw.ui.options import WorkspaceOption
from statsclaw.ui.setup_search import Known, Row, known, search
from statsclaw.workspace.layout import Workspace

NOBODY_CAN_PLAY = 8
_NEXT = 'Next: statsclaw run "…" --target PATH --budget 5usd'


def setup(
    try_them: Annotated[
        bool | None,
        typer.Option("--try/--no-try", help="Call each program once, behind the barrier. Asked at a terminal."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Write the proposed configuration without asking.")] = False,
    workspace: WorkspaceOption = None,
) -> None:
    """First use: find agents and models, try them, and write down who plays which role."""
    console = Console(highlight=False)
    try:
        _setup(console, try_them, yes, settings.workspace_from(workspace))
    except (KeyboardInterrupt, typer.Abort):
        console.print("\nstopped. Nothing was written.")
        raise SaidAlready(INTERRUPTED) from None


def _setup(console: Console, try_them: bool | None, yes: bool, workspace: Workspace) -> None:
    place, table = settings.configuration(), known()
    before = _read(place)
    with _waiting(console, "looking …"):
        rows = search(table)
        barrier, said = _barrier()
    console.print("[bold]Who could play the roles on this machine[/]\n")
    _show(console, [*((bool(row.candidate), row) for row in rows), (barrier is not None, said)])
    able = [row.candidate for row in rows if row.candidate]
    if not able:
        installed = any(row.version for row in rows)
        console.print("\n" + table.ways["no_login" if installed else "nobody"].rstrip(), markup=False, soft_wrap=True)
        raise typer.Exit(NOBODY_CAN_PLAY)
    if barrier is None:
        console.print("\nNo run starts before the barrier can be made, and nothing was tried.")
    elif _agreed_to_try(console, try_them, able, table):
        able = _try_all(console, able, barrier, table, workspace)
    cast = propose(able)
    if cast is None:
        console.print("\nNone of them worked. Nothing was written.")
        raise typer.Exit(NOBODY_CAN_PLAY)
    _say_what_it_means(console, cast, workspace)
    _offer(console, cast, place, before, yes)


# --- looking ---------------------------------------------------------------------------------------------------------


def _barrier() -> tuple[Barrier | None, Row]:
    try:
        made = make_barrier("bubblewrap")
    except MachineRefused as refused:
        return None, Row("barrier", "", f"{refused.happened}. Fix: {refused.todo}")
    return made, Row("barrier", made.version, f"{made.kind} keeps the roles apart")


def _show(console: Console, rows: Sequence[tuple[bool, Row]]) -> None:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column(no_wrap=True)
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for good, row in rows:
        mark = Text("✓", style="green") if good else Text("–", style="dim")
        grid.add_row(mark, Text(row.name, style="bold"), Text(plain(row.version, 20)), Text(plain(row.said)))
    console.print(grid)


def _waiting(console: Console, text: str) -> AbstractContextManager[object]:
    return console.status(text) if console.is_terminal else nullcontext()


# --- trying ----------------------------------------------------------------------------------------------------------


def _agreed_to_try(console: Console, try_them: bool | None, able: Sequence[Candidate], table: Known) -> bool:
    if try_them is None and not settings.can_ask():
        console.print("\nNothing was called: `--try` would try them.")
        return False
    if try_them is None:
        what = "it" if len(able) == 1 else f"these {len(able)}"
        limit = f"{table.time_limit_s / 60:.0f} minutes"
        console.print(f"\nOne short question to each, behind the barrier: {limit} at most, some cents.")
        return typer.confirm(f"Try {what} now?", default=True)
    if try_them:
        console.print()
    return try_them


def _try_all(
    console: Console, able: Sequence[Candidate], barrier: Barrier, table: Known, workspace: Workspace
) -> list[Candidate]:
    """Those that work."""
    scrub, working = settings.scrubber(workspace), []
    width = max(len(candidate.name) for candidate in able)
    for candidate in able:
        with _waiting(console, f"{candidate.name} is asked …"):
            trial = _tried(candidate, barrier, table)
        if trial.failure:
            reason = plain(scrub(trial.failure).removeprefix("the agent failed: "), 160)
            console.print(Text.assemble(("✗  ", "red"), (candidate.name.ljust(width), "bold"), f"  {reason}"))
            console.print(Text(f"   Fix: {table.remedy_for(trial.failure, candidate)}"))
        else:
            working.append(candidate)
            spent = _spent(trial, charged=bool(candidate.maker))
            console.print(Text.assemble(("✓  ", "green"), (candidate.name.ljust(width), "bold"), f"  {spent}"))
    return working


def _tried(candidate: Candidate, barrier: Barrier, table: Known) -> Trial:
    endpoints = settings.endpoints((candidate.endpoint,))
    limit_s, env = table.time_limit_s, table.impatience
    return tiny_call(candidate.backend, endpoints, barrier, table.prompt, timeout_s=limit_s, env=env)


def _spent(trial: Trial, *, charged: bool) -> str:
    """Seconds, tokens and money; what has no known price does not count towards a budget in dollars."""
    used = trial.usage
    parts = [f"{trial.seconds:.1f} s", f"{used.tokens:,} tokens" if used.tokens else "tokens not reported"]
    if used.cost_usd:
        parts.append(f"${used.cost_usd:.2f}" if used.cost_usd >= 0.005 else "under one cent")
    elif charged:
        parts.append("price unknown: set a budget in tokens")
    return " · ".join(parts)


# --- proposing -------------------------------------------------------------------------------------------------------


def _say_what_it_means(console: Console, cast: Cast, workspace: Workspace) -> None:
    console.print("\n[bold]Proposed[/]\n")
    console.print(render(cast), markup=False, soft_wrap=True)
    if len(cast.makers) > 1:
        first, *others = cast.makers
        console.print(f"Builder by {first}, tester by {others[0]}: less likely to share a mistake.")
    else:
        whose = f"by {cast.makers[0]}" if cast.makers else "the same model"
        console.print(f"Builder and tester are both {whose}: their mistakes may agree. Another maker's model helps.")
    console.print(
        f"A role that fails is tried {MAX_ATTEMPTS} more times at most, then you are asked. {_cost_so_far(workspace)}"
    )


def _cost_so_far(workspace: Workspace) -> str:
    """What whole runs cost here before; nobody knows it of the first."""
    spent = []
    for folder in workspace.runs():
        with suppress(StatsClawError, OSError):
            view = runlog.read_view(folder.path)
            if view.workflow == "full" and view.finished and view.usage.cost_usd:
                spent.append(view.usage.cost_usd)
    if not spent:
        return "What a first run costs is not known: `--budget 5usd` makes it stop and ask."
    least, most = f"${min(spent):.2f}", f"${max(spent):.2f}"
    said = (
        f"Full runs here cost {least} to {most} ({len(spent)} so far)"
        if len(spent) > 1
        else f"The full run here cost {most}"
    )
    return f"{said}; `--budget 5usd` makes one stop and ask."


# --- writing ---------------------------------------------------------------------------------------------------------


def _read(place: Path) -> str:
    """The configuration as it is, refused before anything is called if it could not be written later."""
    try:
        if not place.resolve().exists():
            return ""
    except (OSError, RuntimeError):  # a link that leads to itself
        raise InputRefused(f"{place} leads nowhere", kept="Nothing was changed", todo="remove the link") from None
    if not place.is_file():
        raise InputRefused(f"{place} is not a file", kept="Nothing was changed", todo="move it away")
    text = settings.text_of(place)
    read_backends(text, place.name, [str(role) for role in Role], trusted=True)
    return text


def _offer(console: Console, cast: Cast, place: Path, before: str, yes: bool) -> None:
    now = read_backends(before, place.name, [str(role) for role in Role], trusted=True)
    made, shown = with_cast(before, cast, place.name), _from_home(place)
    if made.split() == before.split():
        console.print(f"\n{shown} says so already.\n{_NEXT}", soft_wrap=True, markup=False)
        return
    if now:
        who = ", ".join(f"{role} {name}" for role, name in now.items())
        console.print(f"\n{shown} has \\[backends] already: {plain(who)}.", soft_wrap=True)
        console.print("They would be replaced, and the file as it was kept beside it.")
    if not yes and not settings.can_ask():
        console.print(f"\nNothing was written: `--yes` would write it to {shown}.", soft_wrap=True, markup=False)
        return
    question = f"Replace them in {shown}?" if now else f"Write this to {shown}?"
    if not now:
        console.print()
    if not yes and not typer.confirm(question, default=not now):
        console.print("Nothing was written.")
        return
    kept = _write(place, before, made)
    also = f" (as it was: {kept.name})" if kept else ""
    console.print(f"✓ written to {shown}{also}.\n{_NEXT}", soft_wrap=True, markup=False)


def _write(place: Path, before: str, made: str) -> Path | None:
    """All of it or nothing. What was there is kept beside it first; a link stays a link."""
    kept = None
    if _read(place) != before:
        raise InputRefused(f"{place.name} was changed meanwhile", kept="Nothing was written", todo="`statsclaw setup`")
    mode = place.stat().st_mode & 0o777 if place.exists() else 0o644
    if not mode & 0o200:
        raise MachineRefused(f"{place} is read-only", kept="Nothing was written", todo=f"chmod u+w {place}")
    try:
        if before:
            kept = _free_name(place)
            write_durably(kept, before.encode())
            kept.chmod(mode)
        real = place.resolve()
        write_durably(real, made.encode())
        real.chmod(mode)
    except (MachineRefused, OSError) as refused:
        why = refused.happened if isinstance(refused, MachineRefused) else str(refused)
        raise MachineRefused(
            why,
            kept="Your configuration is as it was",
            todo="make the folder writable, or put the lines there yourself",
        ) from None
    return kept


def _free_name(place: Path) -> Path:
    """config.toml.before; with a number where an older one is kept already."""
    names = (place.with_name(f"{place.name}.before{n or ''}") for n in range(1000))
    return next(name for name in names if not name.exists() and not name.is_symlink())


def _from_home(place: Path) -> str:
    home = settings.home()
    return f"~/{place.relative_to(home)}" if place.is_relative_to(home) else str(place)
