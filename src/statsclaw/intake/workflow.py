"""The ten workflows: which roles, in which order, side by side where a stage names several."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Literal

from pydantic import BaseModel, ConfigDict

from statsclaw.errors import InputRefused, one_of
from statsclaw.roles.matrix import Role
from statsclaw.states import State

PIPELINE_ROLES = frozenset({Role.BUILDER, Role.TESTER, Role.SIMULATOR})

#: The state that is reached when a role has done its work.
_STATE_OF: Mapping[Role, State] = MappingProxyType(
    {Role.SCRIBER: State.DOCUMENTED, Role.REVIEWER: State.REVIEW_PASSED}
    | dict.fromkeys((Role.PLANNER, Role.READER), State.SPEC_READY)
    | dict.fromkeys(PIPELINE_ROLES, State.PIPELINES_COMPLETE)
)


class Workflow(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    number: int
    title: str
    purpose: str = ""
    stages: tuple[tuple[Role, ...], ...]
    ship: bool = False
    optional: tuple[Role, ...] = ()
    repeats: str | None = None
    over: Literal["issues", "schedule"] | None = None

    @property
    def roles(self) -> tuple[Role, ...]:
        return tuple(role for stage in self.stages for role in stage)

    def stages_before(self, state: State) -> list[tuple[int, Role]]:
        """Stage number and role of everything that `state` waits for."""
        return [(n, role) for n, stage in enumerate(self.stages) for role in stage if _STATE_OF[role] is state]

    def without(self, absent: frozenset[Role]) -> Workflow:
        """The same workflow when nobody plays some of its optional roles."""
        stages = tuple(tuple(role for role in stage if role not in absent) for stage in self.stages)
        return self.model_copy(update={"stages": tuple(stage for stage in stages if stage)})


@cache
def all_workflows() -> Mapping[str, Workflow]:
    folder = files(__package__).joinpath("workflows")
    rows = [
        Workflow.model_validate(tomllib.loads(entry.read_text(encoding="utf-8")))
        for entry in folder.iterdir()
        if entry.name.endswith(".toml")
    ]
    return MappingProxyType({row.id: row for row in sorted(rows, key=lambda row: row.number)})


def workflow(name: str) -> Workflow:
    found = all_workflows().get(name)
    if found is None:
        raise InputRefused(f"there is no workflow {name!r}", todo=one_of(name, all_workflows()))
    return found
