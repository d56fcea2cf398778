from __future__ import annotations

from typing import Literal

from pydantic import Field

from statsclaw.runlog.events.base import Event, Fact
from statsclaw.runlog.events.file_change import InsidePath
from statsclaw.runlog.events.usage import Usage
from statsclaw.runlog.migrations import LOG_VERSION


class Source(Fact):
    """`derived_from`: made of another source for those who read it, such as the image of a page."""

    name: InsidePath
    sha256: str
    derived_from: str | None = None


class Credentials(Fact):
    """How push access was tried against the real remote, before anything else."""

    remote: str | None
    how: str
    can_ship: bool
    detail: str = ""


class ModelReading(Fact):
    """What a model said of a directive that the router was not sure of; no `workflow` where it was not sure either.

    `failure`: why it could not be asked.
    """

    backend: str
    workflow: str | None
    usage: Usage = Usage()
    failure: str = ""


class RoutingChoice(Fact):
    """How the directive was read. `ask` says why somebody has to choose, if so: a model is asked before the person."""

    workflow: str
    confidence: float
    runner_up: str | None = None
    runner_up_confidence: float = 0.0
    ask: str | None = None
    by_model: ModelReading | None = None


class RunCreated(Event):
    """What was asked, of which target, by which workflow. Paths of the machine are not in it.

    `log_version`: in which form the log was begun; earlier ones are migrated when they are read.
    """

    kind: Literal["run_created"] = "run_created"
    log_version: int = Field(LOG_VERSION, ge=1)
    run_id: str
    statsclaw_version: str
    directive: str
    target: str
    base_commit: str | None
    profile: str | None
    workflow: str | None
    credentials: Credentials
    routing: RoutingChoice | None = None
    profile_candidates: tuple[str, ...] = ()
    ship_requested: bool
    ship_refused: bool = False
    local_only: bool = False
    issue: int | None = None
    sources: tuple[Source, ...] = ()
    backends: dict[str, str] = {}
    replay_of: str | None = None
    previous_handoff_sha256: str | None = None
    barrier: str = "none"
    canary_seed: str = ""
    network: tuple[str, ...] = ()
    second_reading: bool = True

    @property
    def own_sources(self) -> tuple[Source, ...]:
        """The sources that a person gave, without what was made of them."""
        return tuple(source for source in self.sources if source.derived_from is None)
