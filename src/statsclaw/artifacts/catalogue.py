"""The documents of a run and what each must contain: one table, in catalogue.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from pydantic import BaseModel, ConfigDict

from statsclaw.states import State

ENGINE = "engine"


class ArtifactKind(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    producer: str
    state: State
    purpose: str
    sections: tuple[str, ...]
    for_role: str | None = None
    tables: int = 0
    blocks: tuple[str, ...] = ()
    mermaid: tuple[str, ...] = ()
    in_repo: bool = False

    def needed_with(self, roles: Collection[str]) -> bool:
        """Whether a workflow of these roles has this document."""
        if self.for_role is not None and self.for_role not in roles:
            return False
        return self.producer == ENGINE or self.producer in roles


@cache
def catalogue() -> Mapping[str, ArtifactKind]:
    table = tomllib.loads(files(__package__).joinpath("catalogue.toml").read_text(encoding="utf-8"))
    return MappingProxyType({row["name"]: ArtifactKind.model_validate(row) for row in table["artifact"]})


def needed_for(state: State, roles: Collection[str]) -> list[ArtifactKind]:
    return [kind for kind in catalogue().values() if kind.state is state and kind.needed_with(roles)]


def owed_by(role: str, roles: Collection[str]) -> list[ArtifactKind]:
    """What `role` must hand in when it works in a workflow of `roles`."""
    return [kind for kind in catalogue().values() if kind.producer == role and kind.needed_with(roles)]
