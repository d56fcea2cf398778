"""A run at work: its log, its folder, and everything its steps need."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from statsclaw.backends.protocol import Backend
from statsclaw.backends.registry import make_backend
from statsclaw.backends.replay import Recording
from statsclaw.engine.people import Person
from statsclaw.engine.plan import Plan, plan_for
from statsclaw.engine.spending import Meters
from statsclaw.errors import InputRefused
from statsclaw.intake.project import profile_settings
from statsclaw.intake.workflow import Workflow, workflow
from statsclaw.profiles.profile import Profile, load_profile, with_overrides
from statsclaw.roles.matrix import Role
from statsclaw.roles.view import criteria_in
from statsclaw.runlog.fold import RunView
from statsclaw.runlog.log import RunLog
from statsclaw.runlog.store import ContentStore, sha256
from statsclaw.sandbox.barrier import Barrier
from statsclaw.sandbox.endpoints import Endpoint
from statsclaw.sandbox.limits import Limits
from statsclaw.sandbox.room import Room
from statsclaw.sandbox.tree import TargetRepo
from statsclaw.sources.extract import criteria_of_request, read_sources
from statsclaw.sources.index import Extracted, Index
from statsclaw.verify.progress import Progress
from statsclaw.workspace.forge import Forge, NoForge
from statsclaw.workspace.layout import RunFolder, Workspace

#: A criterion of a directive may begin with its name: `C1 bias below 0.01`.
_NAMED = re.compile(r"^([A-Z]{1,3}\d{1,3})[.:)]? +")

_UNDECIDED = Workflow(id="undecided", number=0, title="not chosen yet", stages=())


@cache
def _with_settings(name: str, target: TargetRepo) -> Profile:
    return with_overrides(load_profile(name), profile_settings(target))


class LocalFacts(BaseModel):
    """What a run must know of this machine and what must not leave it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    remote_url: str | None
    base_branch: str
    author: tuple[str, str] | None = None
    backends: dict[str, str] = {}
    pass_env: tuple[str, ...] = ()
    python: str | None = None
    barrier: str = "bubblewrap"
    tools: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    endpoints: tuple[str, ...] = ()
    registries: tuple[str, ...] = ()
    reveal: bool = False
    workers: int | None = None
    recording: str | None = None


@dataclass
class Run:
    workspace: Workspace
    folder: RunFolder
    log: RunLog
    local: LocalFacts
    person: Person
    cache: Path
    scrub: Callable[[str], str]
    finds_secret: Callable[[bytes], bool]
    barrier: Barrier
    endpoints: tuple[Endpoint, ...] = ()
    registry_env: Mapping[str, str] = field(default_factory=dict)
    resumed: bool = False
    limits: Limits = field(default_factory=Limits)
    meters: Meters = field(default_factory=Meters)
    progress: Progress = field(default_factory=Progress)
    forge: Forge = field(default_factory=NoForge)
    #: What the planner's definitions gave behind the barrier, by code and inputs: the same is not run twice.
    harnessed: dict[str, object] = field(default_factory=dict)

    @property
    def view(self) -> RunView:
        return self.log.view

    @cached_property
    def store(self) -> ContentStore:
        return ContentStore(self.folder.store)

    @cached_property
    def target(self) -> TargetRepo:
        return TargetRepo(self.folder.target, self.view.head.base_commit)

    @cached_property
    def index(self) -> Index:
        """Equations, algorithms, tables and stated criteria of the sources and of the directive."""
        found = read_sources({s.name: self.store.get(s.sha256) for s in self.view.head.own_sources})
        directive = self.view.head.directive
        rows = [_NAMED.sub(r"**\1** ", line.strip()) for line in criteria_in(directive).splitlines() if line.strip()]
        listed = "\n".join(line if line[0] in "-+#|" or line.startswith("* ") else f"- {line}" for line in rows)
        if stated := criteria_of_request(f"## Acceptance criteria\n\n{listed}\n" if listed else directive):
            asked = Extracted("request", sha256(directive.encode()), "text", text=directive, criteria=stated)
            found = Index((*found.sources, asked))
        return found

    @cached_property
    def recording(self) -> Recording | None:
        return Recording(Path(self.local.recording)) if self.local.recording else None

    @property
    def plan(self) -> Plan:
        if self.view.workflow is None:
            return plan_for(_UNDECIDED)
        chosen = workflow(self.view.workflow)
        absent = frozenset(role for role in chosen.optional if self.backend_name(role) is None)
        absent |= frozenset() if self.view.head.second_reading else {Role.READER}
        return plan_for(chosen.without(absent))

    @property
    def profile(self) -> Profile:
        name = self.view.profile
        if name is None:
            raise InputRefused("the language of the target is not known", todo="pass --profile")
        return _with_settings(name, self.target)

    def backend_name(self, role: Role) -> str | None:
        return self.local.backends.get(role) or self.local.backends.get("*")

    def backend(self, role: Role) -> Backend:
        name = self.backend_name(role)
        if name is None:
            raise InputRefused(
                f"nobody plays the {role}",
                kept="the run is kept and waits",
                todo=f"`statsclaw resume {self.folder.id} --backend human` (you do it) or "
                "`--backend command:PROGRAM` (an agent program does it)",
            )
        return make_backend(
            name, self.folder.id, recording=self.recording, pass_env=self.local.pass_env,
            profile=self.profile if self.view.profile else None,
        )  # fmt: skip

    def room(self, dispatch: str) -> Room:
        return Room(self.folder.room(dispatch), self.folder.desk(dispatch))


def read_local(folder: RunFolder) -> LocalFacts:
    try:
        return LocalFacts.model_validate_json(folder.local.read_bytes())
    except FileNotFoundError:
        raise InputRefused(
            f"run {folder.id} was not started on this machine: its local.json is missing",
            kept="its log and artifacts can be read",
            todo="continue it where it was started, or start a new run",
        ) from None
    except ValidationError:
        raise InputRefused(f"local.json of run {folder.id} cannot be read") from None
