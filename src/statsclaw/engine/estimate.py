"""What a run may cost, said before anything is spent: by earlier runs here, else between two that were measured.

Those were played by Claude Code with a scripted model that neither thinks nor looks around nor errs: a run about one
small function, and the probit demonstration, a whole package. A real model takes more for the same work.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from statsclaw.backends.prices import priced
from statsclaw.backends.registry import AGENTS, make_backend
from statsclaw.errors import InputRefused
from statsclaw.runlog.events import Usage
from statsclaw.runlog.fold import RunView


@dataclass(frozen=True, slots=True)
class Expected:
    """For one role, all its attempts together. `runs`: of how many earlier ones this is the median; 0: measured on the
    demonstration, and `least` on one small function.

    `priced_as`: the model whose price was taken where the backend names none.
    """

    role: str
    backend: str
    usage: Usage
    seconds: float
    runs: int
    priced_as: str
    least: Usage


def expected(
    cast: Mapping[str, str], earlier: Iterable[RunView], assumed_models: Mapping[str, str], chosen: str = "full"
) -> tuple[Expected, ...]:
    """For every role of `cast` that an agent program plays. `assumed_models`: by endpoint, where none is named."""
    views = list(earlier)
    return tuple(
        _of_role(role, name, views, assumed_models, chosen)
        for role, name in cast.items()
        if name.partition(":")[0] in AGENTS and role in _first_runs()
    )


def _of_role(
    role: str, name: str, views: Sequence[RunView], assumed_models: Mapping[str, str], chosen: str
) -> Expected:
    kind, _, rest = name.partition(":")
    known_as = _known_as(name)
    spent = [found for view in views if (found := _spent(view, role, known_as))]
    if spent:
        usage, seconds = sorted(spent, key=lambda row: row[0].tokens + row[0].cached_tokens)[len(spent) // 2]
        return Expected(role, name, usage, seconds, len(spent), "", usage)
    endpoint = AGENTS[kind].endpoint_of(rest)
    model = rest.partition("/")[2] if kind == "api" else "" if kind == "acp" else rest
    taken = model or assumed_models.get(endpoint, "")
    least, most = (priced(found, endpoint, taken) for found in (_smallest_run(chosen, role), _first_runs()[role]))
    return Expected(role, name, most, 0.0, 0, "" if model else taken, least)


def _known_as(name: str) -> str:
    """As dispatches name it. A program that is not installed can be asked about all the same."""
    try:
        return make_backend(name, "unnamed").name
    except InputRefused:
        return name


def _spent(view: RunView, role: str, backend: str) -> tuple[Usage, float] | None:
    """By a role in a run that came to its end with it."""
    rows = [d for d in view.dispatches.values() if d.role == role and d.backend == backend]
    usage = sum((row.usage for row in rows), start=Usage())
    if not usage.tokens or not any(row.status == "finished" for row in rows):
        return None
    return usage, sum(row.elapsed_s for row in rows)


@cache
def _first_runs() -> dict[str, Usage]:
    return {role: Usage.model_validate(row) for role, row in _measured("first_runs").items()}


def _smallest_run(chosen: str, role: str) -> Usage:
    by_workflow = _measured("smallest_runs")
    return Usage.model_validate(by_workflow.get(chosen, {}).get(role) or by_workflow["full"][role])


@cache
def _measured(name: str) -> dict[str, Any]:
    return tomllib.loads(files("statsclaw.engine").joinpath(f"{name}.toml").read_text(encoding="utf-8"))
