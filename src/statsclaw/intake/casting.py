"""Who should play which role, of those who can: different minds for different roles, and the lines that say so.

[backends]
"*" = "claude"
tester = "codex"

[models]
endpoints = ["http://127.0.0.1:11434"]    # what --endpoint would name
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from statsclaw.errors import InputRefused
from statsclaw.intake.preferences import EVERYBODY

BACKENDS, MODELS, ENDPOINTS = "backends", "models", "endpoints"
_HEADER = re.compile(r"""^\s*\[{1,2}\s*["']?([A-Za-z0-9_-]+)["']?\s*[\].]""")


@dataclass(frozen=True, slots=True)
class Candidate:
    """Somebody who can play a role. `maker`: of the model, empty where it is one of this machine.

    `endpoint`: the model it talks to; `must_name_endpoint` where the backend does not say so by itself.
    """

    name: str
    backend: str
    maker: str
    endpoint: str
    key_from: str = ""
    must_name_endpoint: bool = False


@dataclass(frozen=True, slots=True)
class Cast:
    backends: dict[str, str]
    endpoints: tuple[str, ...]
    makers: tuple[str, ...]


def propose(able: Sequence[Candidate]) -> Cast | None:
    """One mind of each maker, in the order given; a model of this machine only where there is nobody else."""
    by_maker: dict[str, Candidate] = {}
    for candidate in able:
        by_maker.setdefault(candidate.maker, candidate)
    local = by_maker.pop("", None)
    minds = list(by_maker.values()) or [row for row in (local,) if row]
    if not minds:
        return None
    first, *others = minds[:3]
    backends = {EVERYBODY: first.backend}
    if others:
        backends |= {"tester": others[0].backend, "reader": others[-1].backend}
    endpoints = tuple(dict.fromkeys(row.endpoint for row in minds[:3] if row.must_name_endpoint))
    return Cast(backends, endpoints, tuple(row.maker for row in minds[:3] if row.maker))


def render(cast: Cast) -> str:
    """The tables of the configuration."""
    lines = [f"[{BACKENDS}]"]
    lines += [f"{json.dumps(r) if r == EVERYBODY else r} = {json.dumps(name)}" for r, name in cast.backends.items()]
    if cast.endpoints:
        lines += ["", f"[{MODELS}]", f"{ENDPOINTS} = {json.dumps(list(cast.endpoints))}"]
    return "\n".join(lines) + "\n"


def with_cast(text: str, cast: Cast, where: str) -> str:
    """A configuration with these tables in place of its own, and everything else in it as it was."""
    replaced = [BACKENDS, *([MODELS] if cast.endpoints else [])]
    kept = _without(text, replaced).strip("\n")
    made = f"{kept}\n\n{render(cast)}" if kept else render(cast)
    if not _says(made, text, cast, replaced):
        raise InputRefused(
            f"{where} is written in a way that cannot be changed safely",
            kept="Nothing was changed",
            todo="put the lines above into it yourself",
        )
    return made


def configured_endpoints(text: str, where: str) -> tuple[str, ...]:
    """What [models] of the person's own file names."""
    try:
        table = tomllib.loads(text).get(MODELS, {})
    except tomllib.TOMLDecodeError as error:
        raise InputRefused(f"{where} is not TOML: {error}", todo="mend it or remove it") from None
    found = table.get(ENDPOINTS, []) if isinstance(table, dict) else None
    if not isinstance(found, list) or not all(isinstance(name, str) for name in found):
        raise InputRefused(f"[models] in {where} is not understood", todo='write e.g. endpoints = ["https://…"]')
    return tuple(found)


def _without(text: str, tables: Collection[str]) -> str:
    """The text without some of its tables; comments that stand before the next table belong to that."""
    kept: list[str] = []
    dropped: list[str] | None = None
    for line in text.splitlines():
        if header := _HEADER.match(line):
            kept += _comments_at_the_end(dropped or [])
            dropped = [] if header[1] in tables else None
        if dropped is None:
            kept.append(line)
        else:
            dropped.append(line)
    return "\n".join(kept) + "\n"


def _comments_at_the_end(lines: Sequence[str]) -> list[str]:
    count = next((n for n, line in enumerate(reversed(lines)) if line.strip() and line.strip()[0] != "#"), len(lines))
    return list(lines[len(lines) - count :])


def _says(made: str, before: str, cast: Cast, replaced: Collection[str]) -> bool:
    def others(table: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in table.items() if name not in replaced}

    try:
        new, old = tomllib.loads(made), tomllib.loads(before)
    except tomllib.TOMLDecodeError:
        return False
    endpoints = tuple(new.get(MODELS, {}).get(ENDPOINTS, ())) if cast.endpoints else ()
    return others(new) == others(old) and new[BACKENDS] == cast.backends and endpoints == cast.endpoints
