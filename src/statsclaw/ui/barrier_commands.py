"""`statsclaw barrier`: what each role could see, computed again from the log; and the attack list on this machine."""

from __future__ import annotations

import time
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from statsclaw.engine.attestation import Seen, dispatches_of
from statsclaw.errors import MachineRefused
from statsclaw.profiles.profile import PathClass
from statsclaw.runlog.dispatch_id import DispatchId
from statsclaw.runlog.events import NetworkUse, Sandbox, SandboxClosed
from statsclaw.runlog.fold import RunView
from statsclaw.runlog.log import read_view
from statsclaw.runlog.log import verify as verify_log
from statsclaw.sandbox.choose import make_barrier
from statsclaw.ui import settings
from statsclaw.ui.options import RunArgument, WorkspaceOption

app = typer.Typer(help="What kept the roles apart: show it, verify it, attack it.", no_args_is_help=True)
#: Roles whose first two letters are the same.
_BEGIN_ALIKE = {"reader": "rd", "reviewer": "rv"}
BarrierArgument = Annotated[str, typer.Option("--barrier", help="Which barrier to attack.")]


@app.command()
def show(run: RunArgument, workspace: WorkspaceOption = None) -> None:
    """Print the access matrix of a run as it was in fact."""
    folder = settings.workspace_from(workspace).find(run)
    view, seen = read_view(folder.path), dispatches_of(folder)
    console = Console(highlight=False)
    console.print(
        f"[bold]{folder.id}[/]: who was given what (● opened, ○ given, not opened, · given; blank: not there)"
    )
    console.print(_matrix(view, seen))
    console.print(_sandboxes(view, seen))
    if behind := sorted({command.barrier for command in view.evidence.values() if command.barrier}):
        reached = sum(command.network is not None for command in view.evidence.values())
        network = f"{reached} command(s) could reach a registry" if reached else "no network"
        console.print(f"verification: {len(view.evidence)} commands behind {', '.join(behind)}, no agent, {network}")
    leaks = [s.leak for s, _ in view.signals if s.leak is not None]
    if leaks:
        total = sum(leaks[1:], start=leaks[0])
        console.print(
            f"failure reports: {len(leaks)}, {total.behaviours} behaviours told, {total.bits:.0f} bits "
            f"(direction {total.direction_bits:.0f}, magnitude {total.magnitude_bits:.0f}, words {total.word_bits:.0f})"
        )
        if total.revealed:
            console.print("[yellow]reports were given in full, as the person asked (--reveal)[/]")
    for opened in view.revealed:
        console.print(f"[yellow]the person opened the channel to the {opened.role}[/]")
    for breach in view.breaches:
        console.print(f"[red]isolation breach[/] in {breach.dispatch}: {len(breach.traces)} sign(s)")


@app.command()
def verify(run: RunArgument, workspace: WorkspaceOption = None) -> None:
    """Compute again, from the log alone, what each role was given, and compare. Exit status 7 if it differs."""
    folder = settings.workspace_from(workspace).find(run)
    lines = verify_log(folder.path)
    seen = dispatches_of(folder)
    faults = [(one.dispatch, fault) for one in seen for fault in one.faults]
    for dispatch, fault in faults:
        print(f"✗ {dispatch}: {fault}")
    if not folder.target.is_dir():
        print("– the target's clone is not here: files of the repository were checked by class, not by content")
    if faults:
        raise typer.Exit(7)
    print(f"✓ {len(seen)} dispatches of {folder.id} were given what the log implies and nothing else ({lines} lines)")


@app.command()
def selftest(barrier: BarrierArgument = "bubblewrap") -> None:
    """Attack the barrier of this machine: is what one role knows out of reach of another? Exit status 8 if not."""
    from statsclaw.sandbox.selftest import AttackResult, run_attacks

    made = make_barrier(barrier)
    if made.kind == "landlock" and settings.is_root():
        raise MachineRefused(
            "as root, the attacks on landlock cannot be prepared: its separate user cannot enter their folders",
            todo="run it as an ordinary user",
        )
    console = Console(highlight=False)
    console.print(f"attacking {made.kind} {made.version} …")
    begun = time.monotonic()
    table = Table(box=None, pad_edge=False)
    for column in ("", "attack", "what it tries", "s"):
        table.add_column(column, overflow="fold")
    results: list[AttackResult] = []

    def progress(result: AttackResult) -> None:
        results.append(result)
        console.print(f"\r{len(results)} attacks", end="", style="dim") if console.is_terminal else None

    run_attacks(made, progress=progress)
    for result in sorted(results, key=lambda result: (result.category, result.name)):
        mark = "[green]held[/]" if result.held else "[red]LEAK[/]"
        what = result.what if result.held else f"{result.what} — {result.detail}"
        table.add_row(mark, result.name, what, f"{result.elapsed_s:.1f}")
    console.print()
    console.print(table)
    failed = sum(not result.held for result in results)
    elapsed = time.monotonic() - begun
    console.print(
        f"\n{len(results) - failed} of {len(results)} attacks held, {elapsed:.0f} s. What it shows: {made.shows}."
    )
    if failed:
        raise typer.Exit(8)


def _matrix(view: RunView, seen: list[Seen]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("")
    for one in seen:
        table.add_column(_short(one), justify="center", no_wrap=True)
    names = sorted({name for one in seen if one.sandbox for name in one.sandbox.documents})
    for name in names:
        table.add_row(name, *(_mark(view, one, name) for one in seen))
    table.add_section()
    for cls in PathClass:
        counts = [one.classes.get(cls, 0) for one in seen]
        if any(counts):
            table.add_row(f"files: {cls.replace('_', ' ')}", *(str(count) if count else "" for count in counts))
    return table


def _short(one: Seen) -> str:
    """builder-2 as bu2: a table of a whole run must fit a terminal."""
    role, attempt = DispatchId.parse(one.dispatch)
    return f"{_BEGIN_ALIKE.get(role, role[:2])}{attempt}"


def _mark(view: RunView, one: Seen, name: str) -> str:
    if one.sandbox is None or name not in one.sandbox.documents:
        return ""
    closed = view.dispatches[one.dispatch].closed
    if closed is None or closed.opened is None:
        return "·"
    return "●" if name in closed.opened else "○"


def _sandboxes(view: RunView, seen: list[Seen]) -> Table:
    table = Table(box=None, pad_edge=False)
    for column in ("", "dispatch", "barrier", "user", "tools", "limits"):
        table.add_column(column, no_wrap=True)
    table.add_column("network", overflow="fold")
    for one in seen:
        if (sandbox := one.sandbox) is None:
            continue
        closed = view.dispatches[one.dispatch].closed
        tools = sum(mount.purpose in ("toolchain", "agent") for mount in sandbox.mounts)
        memory, hours = sandbox.limits.get("memory_bytes", 0) / 2**30, sandbox.limits.get("timeout_s", 0) / 3600
        ran = sandbox.user >= 0
        table.add_row(
            _short(one),
            one.dispatch,
            f"{sandbox.kind} {sandbox.version}".strip() if ran else f"{sandbox.kind}: no program",
            str(sandbox.user) if ran else "–",
            f"system + {tools}" if ran else "–",
            f"{memory:.0f} GiB, {hours:.0f} h" if ran else "–",
            _network(sandbox, closed) if ran else "–",
        )
        if closed and closed.ended_by:
            table.add_row("", f"[red]ended: {closed.ended_by}[/]")
    return table


def _network(sandbox: Sandbox, closed: SandboxClosed | None) -> str:
    if not sandbox.network:
        return "none"
    use = closed.network if closed else NetworkUse()
    return f"{', '.join(sandbox.network)}: {use.requests} requests, {use.refused} refused"
