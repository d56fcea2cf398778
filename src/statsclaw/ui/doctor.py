"""`statsclaw doctor`: what is on this machine, what each missing thing is needed for, and how to get it."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from importlib.resources import files
from typing import Annotated

import typer
from pydantic import BaseModel, ConfigDict
from rich.console import Console
from rich.table import Table

from statsclaw.errors import MachineRefused
from statsclaw.sandbox.choose import make_barrier
from statsclaw.ui import settings
from statsclaw.ui.options import WorkspaceOption


class Tool(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    program: str
    version: tuple[str, ...]
    needed_for: str
    get: str
    required: bool = False


def doctor(
    workspace: WorkspaceOption = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit status 8 if anything required is missing.")] = False,
) -> None:
    """Check this machine."""
    rows = tomllib.loads(files("statsclaw.ui").joinpath("doctor.toml").read_text(encoding="utf-8"))["tool"]
    table = Table(box=None, pad_edge=False)
    for column in ("", "what", "version", "needed for", "how to get it"):
        table.add_column(column, overflow="fold")
    table.add_row("✓", "Python", sys.version.split()[0], "everything", "")
    missing = 0
    for tool in (Tool.model_validate(row) for row in rows):
        found = version_of(tool.program, tool.version)
        missing += tool.required and found is None
        mark = "[green]✓[/]" if found else "[red]✗[/]" if tool.required else "[dim]–[/]"
        table.add_row(mark, tool.program, found or "not found", tool.needed_for, "" if found else tool.get)
    Console(highlight=False).print(table)
    place = settings.workspace_from(workspace)
    print(f"\nworkspace: {place.root} ({'there' if place.root.is_dir() else 'made at the first run'})")
    made, said = _barrier()
    print(f"barrier: {said}")
    missing += not made
    if strict and missing:
        raise typer.Exit(8)


def _barrier() -> tuple[bool, str]:
    try:
        made = make_barrier("bubblewrap")
    except MachineRefused as refused:
        return False, f"cannot be made. {refused.line()}"
    return True, f"{made.kind} {made.version} can be made. Attack it on this machine: statsclaw barrier selftest"


def version_of(program: str, arguments: Sequence[str]) -> str | None:
    """What an installed program says of its version; None where it is not there or does not work."""
    if shutil.which(program) is None:
        return None
    command = [program, *arguments]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=20, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired):
        return "found, gives no version"
    if done.returncode != 0 and not done.stdout:
        return None
    lines = (done.stdout + done.stderr).strip().splitlines()
    return lines[0][:40] if lines else "found"
