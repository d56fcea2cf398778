"""`statsclaw doctor`: what is on this machine, what each missing thing is needed for, and how to get it."""

from __future__ import annotations

import shutil
import sys
import tomllib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Annotated

import typer
from pydantic import BaseModel, ConfigDict
from rich.console import Console
from rich.table import Table

from statsclaw.engine.tools import place_of, says
from statsclaw.errors import MachineRefused
from statsclaw.languages import language
from statsclaw.profiles.profile import Profile, all_profiles
from statsclaw.sandbox.choose import make_barrier
from statsclaw.ui import settings
from statsclaw.ui.options import WorkspaceOption


class Tool(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    program: str
    version: tuple[str, ...] = ("--version",)
    needed_for: str
    get: str
    required: bool = False


class _Known(BaseModel):
    """doctor.toml. `everywhere`: programs that every system has."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    everywhere: frozenset[str]
    tool: tuple[Tool, ...]


@dataclass(frozen=True)
class Row:
    tool: Tool
    found: str | None


def rows() -> list[Row]:
    """What everything needs, then what the languages' profiles name, then the rest."""
    text = files("statsclaw.ui").joinpath("doctor.toml").read_text(encoding="utf-8")
    known = _Known.model_validate(tomllib.loads(text))
    own = [Row(tool, version_of(tool.program, tool.version)) for tool in known.tool]
    first = [row for row in own if row.tool.required]
    return [*first, *_of_languages(known.everywhere), *(row for row in own if not row.tool.required)]


def _of_languages(everywhere: Collection[str]) -> Iterator[Row]:
    users: dict[str, list[Profile]] = {}
    for profile in all_profiles():
        asked = language(profile.id)
        for program in dict.fromkeys((*profile.needed(profile.commands()), *(asked.needs if asked else ()))):
            users.setdefault(program, []).append(profile)
    for program, profiles in users.items():
        if program not in everywhere:
            profile, known = profiles[0], profiles[0].program(program)
            needed_for = ", ".join(_what_for(user, program) for user in profiles)
            tool = Tool(
                program=program, version=known.version, needed_for=needed_for, get=known.get or profile.missing_tool
            )
            place = place_of(profile, program)
            yield Row(tool, says(str(place), known.version) if place else None)


def _what_for(profile: Profile, program: str) -> str:
    what = "packages" if program in profile.needed(profile.build) else "checks and contracts"
    return f"{profile.name} {what}{' (some)' if profile.program(program).needed_by else ''}"


def doctor(
    workspace: WorkspaceOption = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit status 8 if anything required is missing.")] = False,
) -> None:
    """Check this machine."""
    table = Table(box=None, pad_edge=False)
    for column in ("", "what", "version", "needed for", "how to get it"):
        table.add_column(column, overflow="fold")
    table.add_row("✓", "Python", sys.version.split()[0], "everything", "")
    missing = 0
    for row in rows():
        tool, found = row.tool, row.found
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
    return says(program, arguments) if shutil.which(program) else None
