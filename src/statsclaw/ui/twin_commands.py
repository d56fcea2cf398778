"""`statsclaw twin`: the contract of a finished run, for a package in another language."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from statsclaw.backends.twin import CARRIED, Finished
from statsclaw.engine.start import Order
from statsclaw.errors import InputRefused
from statsclaw.languages import can_be_asked
from statsclaw.profiles.profile import Profile, load_profile, profile_ids
from statsclaw.runlog.log import EVENTS
from statsclaw.sandbox.network import hosts_of
from statsclaw.ui import session, settings
from statsclaw.ui.options import (
    AnswersOption,
    BackendOption,
    BarrierOption,
    EndpointOption,
    JsonOption,
    RegistryOption,
    RoleBackendOption,
    RunArgument,
    ToolOption,
    WorkspaceOption,
    YesOption,
    backend_table,
)
from statsclaw.ui.replay_commands import lay_out_sources
from statsclaw.ui.run_commands import end, make_screen
from statsclaw.workspace.layout import RunFolder


def twin(
    run: RunArgument,
    language: Annotated[str, typer.Option("--language", help="Of the new package; see `statsclaw languages`.")],
    target: Annotated[str, typer.Option("--target", help="Its repository: path or git URL. It may be empty.")],
    backend: BackendOption = None,
    role_backend: RoleBackendOption = None,
    ship: Annotated[bool, typer.Option("--ship", help="Push the result (asks before pushing).")] = False,
    tool: ToolOption = None,
    endpoint: EndpointOption = None,
    registry: RegistryOption = None,
    barrier: BarrierOption = "bubblewrap",
    yes: YesOption = False,
    answers: AnswersOption = None,
    json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """The contract of a finished run for a package in another language: the same questions, a new builder."""
    place, screen = settings.workspace_from(workspace), make_screen(json)
    recorded = RunFolder(Path(run)) if (Path(run) / EVENTS).is_file() else place.find(run)
    finished = Finished(recorded.path)
    first = finished.view
    _check(finished, recorded.id, language)
    typed = {role: name for role, name in backend_table(backend, role_backend).items() if role not in CARRIED}
    chosen = settings.backends_for(typed, target)
    backends = {role: choice.backend for role, choice in chosen.items()}
    backends = {**backends, **typed, **dict.fromkeys(CARRIED, f"twin:{recorded.path}")}
    models = settings.endpoints_for(endpoint or (), backends.values())
    order = Order(
        directive=_directive(finished, recorded.id, load_profile(language)),
        target=target, workflow=first.workflow, profile=language, backends=backends, ship=ship, local_only=not ship,
        sources=lay_out_sources(recorded.path, place, recorded.id), barrier=barrier, tools=tuple(tool or ()),
        endpoints=models, registries=tuple(registry or ()),
        network=hosts_of(settings.endpoints(models), registry or ()),
        accepted=True, second_reading=first.head.second_reading, replications=first.replications,
        canary_seed=first.head.canary_seed, decided=tuple(finished.decided()),
    )  # fmt: skip
    folder, second = session.start(place, order, screen, yes=yes, answers=answers)
    end(screen, folder, second, workspace=workspace)


def _directive(finished: Finished, id: str, profile: Profile) -> str:
    others = "".join(f" {row}." for row in finished.replaced(profile))
    before = finished.view.head.directive
    return f"Write the {profile.name} twin of the package of {id}.{others} Its directive was: {before}"


def _check(finished: Finished, id: str, language: str) -> None:
    if not can_be_asked(language):
        known = ", ".join(filter(can_be_asked, profile_ids()))
        raise InputRefused(
            f"packages in {language!r} cannot be asked", kept="Nothing was started", todo=f"one of {known}"
        )
    if finished.view.finished is None or not {"planner", "tester"} <= finished.documents.keys():
        raise InputRefused(
            f"{id} has no contract that was judged to its end", kept="Nothing was started",
            todo="finish it first: statsclaw resume " + id,
        )  # fmt: skip
