"""`statsclaw config`: who would play which role, and who says so."""

from __future__ import annotations

import json as jsonlib
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from statsclaw.intake.preferences import alike
from statsclaw.roles.matrix import Role
from statsclaw.ui import settings
from statsclaw.ui.line import plain
from statsclaw.ui.options import BackendOption, JsonOption, RoleBackendOption, backend_table


def config(
    target: Annotated[str, typer.Option("--target", help="The repository whose statsclaw.toml counts.")] = ".",
    backend: BackendOption = None,
    role_backend: RoleBackendOption = None,
    json: JsonOption = False,
) -> None:
    """Who would play each role here, and which file or option says so. Starts nothing."""
    chosen = settings.backends_for(backend_table(backend, role_backend), target)
    if json:
        print(jsonlib.dumps({role: {"backend": c.backend, "from": c.origin} for role, c in chosen.items()}))
        return
    table = Table.grid(padding=(0, 2))
    for role in (role for role in Role if role is not Role.SHIPPER):
        choice = chosen.get(role)
        said = (plain(choice.backend), f"from {choice.origin}") if choice else ("nobody", "")
        table.add_row(Text(role, style="bold"), Text(said[0]), Text(said[1], style="dim"))
    console = Console(highlight=False)
    console.print(table)
    if maker := alike(chosen):
        console.print(f"\nBuilder and tester are both played by {maker}'s models: their mistakes may agree.")
    if not chosen:
        console.print("\nNobody is chosen. Two short ways: statsclaw setup (finds agents), or --backend human (you).")
