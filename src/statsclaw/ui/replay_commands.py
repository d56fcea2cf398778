"""Commands about recordings: replay, record."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Annotated

import typer

from statsclaw.backends.replay import Recording
from statsclaw.engine.start import Order
from statsclaw.errors import InputRefused
from statsclaw.runlog.log import EVENTS, HEAD, read_view, verify
from statsclaw.ui import session, settings
from statsclaw.ui.options import JsonOption, ReplicationsOption, RunArgument, UnsafeOption, WorkspaceOption, YesOption
from statsclaw.ui.run_commands import end, make_screen
from statsclaw.workspace.layout import RunFolder, Workspace


def replay(
    run: Annotated[str, typer.Argument(help="A run of this workspace, or a folder with a recording.")],
    target: Annotated[str | None, typer.Option("--target", help="Where the target is (default: as recorded).")] = None,
    ship: Annotated[bool, typer.Option("--ship", help="Push again, to the target's remote.")] = False,
    replications: ReplicationsOption = None,
    unsafe_no_sandbox: UnsafeOption = False,
    yes: YesOption = False,
    json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Run a recorded run again: the roles answer from the recording, every build, test and gate is live."""
    place, screen = settings.workspace_from(workspace), make_screen(json)
    recorded = RunFolder(Path(run)) if (Path(run) / EVENTS).is_file() else place.find(run)
    verify(recorded.path)
    if target is None and not recorded.target.is_dir():
        raise InputRefused("the recording does not hold its target", todo="pass --target PATH_OR_URL")
    view, recording = read_view(recorded.path), Recording(recorded.path)
    order = Order(
        directive=recording.created.directive,
        target=target or str(recorded.target),
        name=recording.created.target,
        identity=_identity_of(recorded),
        sources=lay_out_sources(recorded.path, place, recorded.id),
        workflow=view.workflow,
        profile=view.profile,
        backends={"*": "replay"},
        ship=ship,
        local_only=not ship,
        barrier="none" if unsafe_no_sandbox else "bubblewrap",
        recording=recorded.path,
        replay_of=recording.created.run_id,
        canary_seed=recording.created.canary_seed,
        second_reading=recording.created.second_reading,
        replications=replications or None,
    )
    folder, result = session.start(place, order, screen, yes=yes)
    end(screen, folder, result, workspace=workspace)


def _identity_of(recorded: RunFolder) -> str | None:
    """A replay of a run of this workspace stands beside it."""
    place = recorded.repository / "identity"
    return place.read_text(encoding="utf-8").strip() if place.is_file() else None


def lay_out_sources(run: Path, place: Workspace, name: str) -> tuple[Path, ...]:
    """The sources of a run, as files that another one is given."""
    recording = Recording(run)
    folder = place.root / ".tmp" / f"sources-{name}"
    folder.mkdir(parents=True, exist_ok=True)
    for source in recording.created.own_sources:
        (folder / source.name).parent.mkdir(parents=True, exist_ok=True)
        (folder / source.name).write_bytes(recording.store.get(source.sha256))
    return tuple(dict.fromkeys(folder / source.name.split("/")[0] for source in recording.created.own_sources))


def record(
    run: RunArgument,
    folder: Annotated[Path, typer.Argument(help="New folder for the recording.")],
    workspace: WorkspaceOption = None,
) -> None:
    """Copy a run as a recording that can be replayed anywhere: its log and everything the log names."""
    found = settings.workspace_from(workspace).find(run)
    lines = verify(found.path)
    if folder.exists():
        raise InputRefused(f"{folder} exists already", todo="name a new folder")
    folder.mkdir(parents=True)
    for name in (EVENTS, HEAD):
        shutil.copyfile(found.path / name, folder / name)
    shutil.copytree(found.store, folder / "store")
    print(f"recorded {found.id}: {lines} events. Replay with: statsclaw replay {folder} --target PATH_OR_URL")
