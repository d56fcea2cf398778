"""`statsclaw languages`: which packages can be built here, which can be judged, and what is missing."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from statsclaw.engine.tools import how_to_get, missing_programs
from statsclaw.languages import language
from statsclaw.profiles.profile import Profile, all_profiles


@dataclass(frozen=True)
class Row:
    """`contract`: whether frozen criteria can be judged on this machine. `worker`: how a package is asked.

    `missing`: programs without which nothing can be built; `checks_missing`: those that only checks, tests and the
    worker need; `sometimes`: those of both that some packages do without.
    """

    id: str
    name: str
    contract: bool
    worker: str
    toolchain: tuple[str, ...]
    missing: tuple[str, ...]
    checks_missing: tuple[str, ...]
    sometimes: tuple[str, ...]
    get: str


def rows() -> list[Row]:
    return [_row(profile) for profile in all_profiles()]


def _row(profile: Profile) -> Row:
    asked = language(profile.id)
    built = profile.needed(profile.build)
    further = [*profile.needed(profile.commands()), *(asked.needs if asked else ())]
    absent = missing_programs(profile, dict.fromkeys((*built, *further)))
    return Row(
        id=profile.id,
        name=profile.name,
        contract=asked is not None and not absent,
        worker=asked.how if asked is not None else "none",
        toolchain=tuple(program for program in built if program not in absent),
        missing=tuple(program for program in absent if program in built),
        checks_missing=tuple(program for program in absent if program not in built),
        sometimes=tuple(program for program in absent if profile.program(program).needed_by),
        get=how_to_get(profile, absent) if absent else profile.missing_tool,
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
        absent = bool(row.missing or row.checks_missing)
        mark = "[green]✓[/]" if row.contract else "[red]✗[/]" if absent else "[yellow]–[/]"
        table.add_row(mark, row.name, row.id, row.worker, _missing(row))
    console = Console(highlight=False)
    console.print(table)
    console.print("\n✓ built and judged here · – built, and tested by its own tests only · ✗ a run is not started here")
    for row in found:
        if row.missing or row.checks_missing:
            console.print(f"{row.name}: {row.get}", soft_wrap=True, markup=False)


def _missing(row: Row) -> str:
    def said(program: str) -> str:
        notes = ["to check and judge"] if program in row.checks_missing else []
        notes += ["some packages do without it, or bring it"] if program in row.sometimes else []
        return f"{program} ({'; '.join(notes)})" if notes else program

    return ", ".join(map(said, (*row.missing, *row.checks_missing)))
