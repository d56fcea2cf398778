"""Who plays which role: from the command line, else from the project's statsclaw.toml, else from the person's file.

    [backends]
    "*" = "claude"            # all roles
    tester = "codex:gpt-5"    # another mind for this one

A project may choose among agent programs only. What it wrote into a repository must not start a program of its own
choosing, nor say where a key is sent.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from statsclaw.errors import InputRefused

EVERYBODY = "*"
COMMAND_LINE = "the command line"
#: Backends of one family answer with models of one maker.
FAMILIES = {"claude": "Anthropic", "codex": "OpenAI", "gemini": "Google"}


@dataclass(frozen=True, slots=True)
class Chosen:
    backend: str
    origin: str


def choose(
    roles: Collection[str], command_line: Mapping[str, str], project: Mapping[str, str], person: Mapping[str, str]
) -> dict[str, Chosen]:
    """For every role that anybody chose for. In each place the role itself counts before `*`."""
    places = {COMMAND_LINE: command_line, "statsclaw.toml of the project": project, "your configuration": person}
    found = {}
    for role in roles:
        for origin, table in places.items():
            if name := table.get(role) or table.get(EVERYBODY):
                found[role] = Chosen(name, origin)
                break
    return found


def read_backends(text: str, where: str, roles: Collection[str], *, trusted: bool) -> dict[str, str]:
    """The table [backends] of a file. `trusted`: the person's own, in which any backend may stand."""
    try:
        table = tomllib.loads(text).get("backends", {})
    except tomllib.TOMLDecodeError as error:
        raise InputRefused(f"{where} is not TOML: {error}", todo="mend it or remove it") from None
    if not isinstance(table, dict) or not all(isinstance(name, str) for name in table.values()):
        raise InputRefused(f"[backends] in {where} is not a table of names", todo='write e.g. tester = "codex"')
    for role, name in table.items():
        if role != EVERYBODY and role not in roles:
            raise InputRefused(
                f"[backends] in {where} names no role: {role!r}", todo=f"use {', '.join(sorted(roles))} or *"
            )
        if not trusted and name.partition(":")[0] not in FAMILIES:
            raise InputRefused(
                f"[backends] in {where} may not choose {name!r}",
                kept="Nothing was started",
                todo=f"a project may choose {', '.join(FAMILIES)}; give others with --backend or in your configuration",
            )
    return dict(table)


def alike(chosen: Mapping[str, Chosen]) -> str:
    """The family that plays both builder and tester; empty if they differ or nobody knows."""
    families = {
        FAMILIES.get(chosen[role].backend.partition(":")[0], "") for role in ("builder", "tester") if role in chosen
    }
    both = {"builder", "tester"} <= set(chosen)
    return families.pop() if both and len(families) == 1 else ""
