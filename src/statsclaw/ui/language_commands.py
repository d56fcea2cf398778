"""`statsclaw languages`: which packages can be built here, which can be judged, and what is missing."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from statsclaw.engine.tools import missing_programs
from statsclaw.languages import language
from statsclaw.profiles.profile import Profile, all_profiles


@dataclass(frozen=True)
class Row:
    """`contract`: whether frozen criteria can be judged on this machine. `worker`: how a package is asked.

    `missing`: programs without which nothing can be built; `checks_missing`: those that only checks need.
    """

    id: str
    name: str
    contract: bool
    worker: str
    toolchain: tuple[str, ...]
    missing: tuple[str, ...]
    checks_missing: tuple[str, ...]
    get: str


def rows() -> list[Row]:
    return [_row(profile) for profile in all_profiles()]


def _row(profile: Profile) -> Row:
    needed = dict.fromkeys(program for command in profile.build for program in command.needs)
    absent = missing_programs(profile, profile.build)
    asked = language(profile.id)
    return Row(
        id=profile.id,
        name=profile.name,
        contract=asked is not None and not absent,
        worker=asked.how if asked is not None else "none",
        toolchain=tuple(program for program in needed if program not in absent),
        missing=absent,
        checks_missing=tuple(p for p in missing_programs(profile, profile.commands()) if p not in needed),
        get=profile.missing_tool,
    )


def languages(as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False) -> None:
    """Which languages' packages can be built and judged here, and what is missing."""
    found = rows()
    if as_json:
        print(json.dumps([asdict(row) for row in found], indent=1))
        return
    table = Table(box=None, pad_edge=False)
    for column in ("", "language", "profile", "asked by a worker that is", "missing here"):
        table.add_column(column, overflow="fold")
    for row in found:
        mark = "[green]✓[/]" if row.contract else "[yellow]–[/]" if not row.missing else "[red]✗[/]"
        checks = f"{', '.join(row.checks_missing)} (checks only)" if row.checks_missing else ""
        table.add_row(mark, row.name, row.id, row.worker, ", ".join(row.missing) or checks)
    console = Console(highlight=False)
    console.print(table)
    console.print("\n✓ built and judged here · – built, and tested by its own tests only · ✗ cannot be built here")
    for row in found:
        if row.missing:
            console.print(f"{row.name}: {row.get}", soft_wrap=True, markup=False)
