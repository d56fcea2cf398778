"""Commands that make a run go: run, resume, replay, demo, record."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from statsclaw.backends.replay import Recording
from statsclaw.demo.demo import prepare_demo
from statsclaw.engine.start import Order
from statsclaw.errors import InputRefused
from statsclaw.intake.routing import route as read_directive
from statsclaw.intake.workflow import workflow as workflow_named
from statsclaw.runlog.fold import RunView
from statsclaw.runlog.log import EVENTS, HEAD, verify
from statsclaw.ui import session, settings
from statsclaw.ui.exit_codes import exit_code_of
from statsclaw.ui.lines import Line
from statsclaw.ui.screen import Screen
from statsclaw.ui.summary import print_summary
from statsclaw.workspace.layout import RunFolder

WorkspaceOption = Annotated[
    Path | None, typer.Option("--workspace", help="Where runs are kept (default: $STATSCLAW_WORKSPACE or your data folder).")
]
YesOption = Annotated[bool, typer.Option("--yes", help="Take safe defaults and authorise shipping without asking.")]
AnswersOption = Annotated[Path | None, typer.Option("--answers", help="TOML file with answers, for unattended use.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print events as JSON lines.")]
BackendOption = Annotated[
    str | None, typer.Option("--backend", help="Who plays every role: human, command:PROGRAM, replay:FOLDER.")
]
RoleBackendOption = Annotated[
    list[str] | None, typer.Option("--role-backend", help="Who plays one role, e.g. builder=command:./agent. Repeatable.")
]


def make_screen(as_json: bool) -> Screen:
    return Screen("json" if as_json else "live" if settings.can_ask() else "plain")


def backend_table(backend: str | None, role_backends: list[str] | None) -> dict[str, str]:
    table = {"*": backend} if backend else {}
    for text in role_backends or []:
        role, equals, name = text.partition("=")
        if not equals:
            raise InputRefused(f"--role-backend {text!r} is not ROLE=BACKEND", todo="e.g. --role-backend builder=human")
        table[role] = name
    return table


def end(screen: Screen, folder: RunFolder, view: RunView) -> None:
    if screen.kind != "json":
        print_summary(screen.console, folder, view)
    raise typer.Exit(exit_code_of(view))


def run(
    directive: Annotated[str, typer.Argument(help="What to do, in your own words and language.")],
    target: Annotated[str, typer.Option("--target", help="The package: path or git URL.")],
    source: Annotated[list[Path] | None, typer.Option("--source", help="Paper, derivation, notes. Repeatable.")] = None,
    workflow: Annotated[str | None, typer.Option("--workflow", help="Override the choice of workflow.")] = None,
    profile: Annotated[str | None, typer.Option("--profile", help="Override the detected language.")] = None,
    backend: BackendOption = None,
    role_backend: RoleBackendOption = None,
    ship: Annotated[bool, typer.Option("--ship", help="Push the result (asks before pushing).")] = False,
    local_only: Annotated[bool, typer.Option("--local-only", help="Do not look at the remote; ship nothing.")] = False,
    ignore_dirty: Annotated[bool, typer.Option("--ignore-dirty", help="Work from the last commit.")] = False,
    pass_env: Annotated[list[str] | None, typer.Option("--pass-env", help="Environment variable for the backend.")] = None,
    python: Annotated[str | None, typer.Option("--python", help="Interpreter to verify a Python package with.")] = None,
    times: Annotated[int, typer.Option("--times", help="For a loop: stop after this many rounds (0: never).")] = 0,
    yes: YesOption = False,
    answers: AnswersOption = None,
    json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Take a directive from words to a verified, documented and (if you say so) shipped change."""
    order = Order(
        directive=directive,
        target=target,
        sources=tuple(source or ()),
        workflow=workflow,
        profile=profile,
        backends=backend_table(backend, role_backend),
        ship=ship,
        local_only=local_only,
        ignore_dirty=ignore_dirty,
        pass_env=tuple(pass_env or ()),
        python=python,
    )
    place, screen = settings.workspace_from(workspace), make_screen(json)
    routing = None if workflow else read_directive(directive)
    chosen = workflow or (routing.workflow if routing and not routing.ask else "")
    if chosen and workflow_named(chosen).over == "issues":
        raise InputRefused(
            f"{chosen} needs the issues of a forge, and no forge is connected in this version",
            kept="Nothing was started",
            todo='run one issue at a time: statsclaw run "fix issue 12: …" --workflow issue-fix',
        )
    if chosen and workflow_named(chosen).over == "schedule":
        interval = routing.interval_s if routing else None
        inner = routing.inner_workflow if routing else None
        if not interval or not inner:
            raise InputRefused("a loop needs an interval and something to repeat", todo='e.g. "every 6 hours, check …"')
        _repeat(place, order, screen, inner, interval, times, yes, answers)
        return
    folder, view = session.start(place, order, screen, yes=yes, answers=answers)
    end(screen, folder, view)


def _repeat(
    place: object, order: Order, screen: Screen, inner: str, interval_s: int, times: int, yes: bool, answers: Path | None
) -> None:
    """A loop: one run after the other, `interval_s` apart, until it is interrupted."""
    from dataclasses import replace

    done = 0
    while True:
        folder, view = session.start(place, replace(order, workflow=inner), screen, yes=yes, answers=answers)  # type: ignore[arg-type]
        if screen.kind != "json":
            print_summary(screen.console, folder, view)
        done += 1
        if times and done >= times:
            raise typer.Exit(exit_code_of(view))
        screen.say(Line("loop", f"round {done} ended; the next starts in {interval_s} s (Ctrl-C ends the loop)"))
        time.sleep(interval_s)


def resume(
    run: Annotated[str, typer.Argument(help="The run, or the beginning of its name.")],
    backend: BackendOption = None,
    role_backend: RoleBackendOption = None,
    yes: YesOption = False,
    answers: AnswersOption = None,
    json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Go on with a run that was interrupted, or that waited for a person."""
    place, screen = settings.workspace_from(workspace), make_screen(json)
    folder = place.find(run)
    backends = backend_table(backend, role_backend)
    view = session.resume(place, folder, screen, yes=yes, answers=answers, backends=backends)
    end(screen, folder, view)


def replay(
    run: Annotated[str, typer.Argument(help="A run of this workspace, or a folder with a recording.")],
    target: Annotated[str | None, typer.Option("--target", help="Where the target is (default: as recorded).")] = None,
    ship: Annotated[bool, typer.Option("--ship", help="Ship again, if the recorded run did.")] = False,
    yes: YesOption = False,
    json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Run a recorded run again: the roles answer from the recording, every build, test and gate is live."""
    place, screen = settings.workspace_from(workspace), make_screen(json)
    is_folder = Path(run).is_dir() and (Path(run) / EVENTS).exists()
    recorded = RunFolder(Path(run)) if is_folder else place.find(run)
    verify(recorded.path)
    created = Recording(recorded.path).created
    if target is None and not recorded.target.is_dir():
        raise InputRefused("the recording does not hold its target", todo="pass --target PATH_OR_URL")
    order = _replay_order(recorded, created.directive, target, ship, place)
    folder, view = session.start(place, order, screen, yes=yes)
    end(screen, folder, view)


def _replay_order(recorded: RunFolder, directive: str, target: str | None, ship: bool, place: object) -> Order:
    created = Recording(recorded.path).created
    sources = _lay_out_sources(recorded, place)
    return Order(
        directive=directive,
        target=target or str(recorded.target),
        sources=sources,
        workflow=created.workflow or _decided_workflow(recorded),
        profile=created.profile,
        backends={"*": "replay"},
        ship=ship,
        local_only=not ship,
        recording=recorded.path,
        replay_of=created.run_id,
    )


def _decided_workflow(recorded: RunFolder) -> str | None:
    from statsclaw.runlog.log import read_view

    return read_view(recorded.path).workflow


def _lay_out_sources(recorded: RunFolder, place: object) -> tuple[Path, ...]:
    recording = Recording(recorded.path)
    folder = place.root / ".tmp" / f"sources-{recorded.id}"  # type: ignore[attr-defined]
    folder.mkdir(parents=True, exist_ok=True)
    for source in recording.created.sources:
        (folder / source.name).write_bytes(recording.store.get(source.sha256))
    return tuple(folder / source.name for source in recording.created.sources)


def record(
    run: Annotated[str, typer.Argument(help="A run of this workspace.")],
    folder: Annotated[Path, typer.Argument(help="New folder for the recording.")],
    workspace: WorkspaceOption = None,
) -> None:
    """Copy a run as a recording that can be replayed anywhere: its log and everything the log names."""
    place = settings.workspace_from(workspace)
    found = place.find(run)
    lines = verify(found.path)
    if folder.exists():
        raise InputRefused(f"{folder} exists already", todo="name a new folder")
    folder.mkdir(parents=True)
    for name in (EVENTS, HEAD):
        shutil.copy2(found.path / name, folder / name)
    shutil.copytree(found.store, folder / "store")
    print(f"recorded {found.id}: {lines} events, replay with `statsclaw replay {folder} --target …`")


def demo(
    name: Annotated[str, typer.Argument(help="Which demonstration.")] = "hac",
    json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Five minutes without a model: recorded roles, everything else live, on a package made for it."""
    screen = make_screen(json)
    folder = workspace or settings.workspace_from(None).root.parent / "demo"
    prepared = prepare_demo(name, folder)
    if screen.kind != "json":
        _introduce(screen.console, prepared.title)
    place = settings.workspace_from(prepared.workspace)
    found, view = session.start(place, prepared.order, screen)
    end(screen, found, view)


def _introduce(console: Console, title: str) -> None:
    console.print(f"[bold]StatsClaw demo[/]: {title}")
    console.print("[dim]roles are recorded; builds, tests, the study, gates and the push are live[/]\n")
