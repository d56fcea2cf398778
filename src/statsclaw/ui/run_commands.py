"""Commands that make a run go: run, resume, demo."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from statsclaw.demo.debian import install_debian_r
from statsclaw.demo.demo import fitting_demo, prepare_demo
from statsclaw.engine.start import Order, chosen_workflow, clean_directive, nothing_started
from statsclaw.errors import InputRefused
from statsclaw.intake.preferences import COMMAND_LINE, alike
from statsclaw.intake.routing import route as read_directive
from statsclaw.intake.workflow import workflow as workflow_named
from statsclaw.runlog.fold import RunView
from statsclaw.sandbox.network import hosts_of
from statsclaw.ui import session, settings
from statsclaw.ui.estimates import estimate_lines, lacking_for, readings_for, show_estimate
from statsclaw.ui.exit_codes import exit_code_of
from statsclaw.ui.line import Line
from statsclaw.ui.options import (
    COST,
    WHO,
    AnswersOption,
    BackendOption,
    BarrierOption,
    BudgetOption,
    EndpointOption,
    JsonOption,
    RegistryOption,
    ReplicationsOption,
    RevealOption,
    RoleBackendOption,
    RunArgument,
    ToolOption,
    UnsafeOption,
    WorkersOption,
    WorkspaceOption,
    YesOption,
    backend_table,
    barrier_kind,
    budgets_of,
)
from statsclaw.ui.reading import WHY_ASK, ask_the_model, choose_workflow
from statsclaw.ui.screen import Screen
from statsclaw.ui.summary import print_summary
from statsclaw.ui.walk import Walk
from statsclaw.workspace.layout import RunFolder


def make_screen(as_json: bool, *, brief: bool = False) -> Screen:
    return Screen("json" if as_json else "live" if settings.can_ask() else "plain", brief=brief)


def end(screen: Screen, folder: RunFolder, view: RunView, *, workspace: Path | None = None) -> NoReturn:
    if screen.kind != "json":
        print_summary(screen.console, folder, view, f" --workspace {workspace}" if workspace else "")
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
    pass_env: Annotated[
        list[str] | None, typer.Option("--pass-env", help="Variable the backend may see.", rich_help_panel=WHO)
    ] = None,
    python: Annotated[str | None, typer.Option("--python", help="Interpreter to verify a Python package with.")] = None,
    tool: ToolOption = None,
    endpoint: EndpointOption = None,
    registry: RegistryOption = None,
    barrier: BarrierOption = "bubblewrap",
    unsafe_no_sandbox: UnsafeOption = False,
    reveal: RevealOption = False,
    second_reader: Annotated[
        bool,
        typer.Option(
            "--second-reader/--no-second-reader",
            help="Have the formulas read twice, and compared.",
            rich_help_panel=WHO,
        ),
    ] = True,
    replications: ReplicationsOption = None,
    workers: WorkersOption = None,
    budget: BudgetOption = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Say who would play what and what it may cost; start nothing.", rich_help_panel=COST
        ),
    ] = False,
    times: Annotated[
        int, typer.Option("--times", help="For a loop: stop after this many rounds (0: never).", rich_help_panel=COST)
    ] = 0,
    yes: YesOption = False,
    answers: AnswersOption = None,
    json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Take a directive from words to a verified, documented and (if you say so) shipped change."""
    typed = backend_table(backend, role_backend)
    chosen = settings.backends_for(typed, target)
    configured = {role: choice.backend for role, choice in chosen.items() if choice.origin != COMMAND_LINE}
    backends = {**typed, **configured}
    lacking = lacking_for(backends, endpoint) if dry_run else []
    models = () if dry_run else settings.endpoints_for(endpoint or (), backends.values())
    order = Order(
        directive=clean_directive(directive),
        target=target,
        sources=tuple(source or ()),
        workflow=workflow,
        profile=profile,
        backends=backends,
        ship=ship,
        local_only=local_only,
        ignore_dirty=ignore_dirty,
        pass_env=tuple(pass_env or ()),
        python=python,
        tools=tuple(tool or ()),
        barrier=barrier_kind(barrier, unsafe_no_sandbox),
        reveal=reveal,
        second_reading=second_reader,
        replications=replications or None,
        workers=workers,
        budgets=budgets_of(budget),
        endpoints=models,
        registries=tuple(registry or ()),
        network=hosts_of(settings.endpoints(models), registry or ()),
    )
    screen, place = make_screen(json), settings.workspace_from(workspace)
    if maker := alike(chosen):
        screen.say(Line("note", f"builder and tester are both played by {maker}'s models: their mistakes may agree"))
    order = replace(order, accepted=yes or dry_run)
    if not (order.workflow or dry_run):
        order = ask_the_model(order, screen)
    if screen.kind == "live" and not (order.workflow or yes or answers or dry_run):
        order = choose_workflow(order, screen)
    with nothing_started():
        interval_s, order = _schedule(order)
        readings = readings_for(order, place)
    if dry_run:
        routing = read_directive(order.directive)
        ask = "" if chosen_workflow(order, routing) else WHY_ASK[routing.ask or "unseen"]
        show_estimate(screen.console, readings, order, lacking, ask)
        return
    for line in estimate_lines(readings, order.budgets):
        screen.say(line)
    rounds = 0
    while True:
        folder, view = session.start(place, order, screen, yes=yes, answers=answers)
        rounds += 1
        if interval_s is None or rounds == times:
            end(screen, folder, view, workspace=workspace)
        screen.say(Line("loop", f"round {rounds} ended; the next starts in {interval_s} s (Ctrl-C ends the loop)"))
        time.sleep(interval_s)


def _schedule(order: Order) -> tuple[int | None, Order]:
    """For a loop: its interval and the order that is repeated. Anything else is done once, as it is."""
    routing = read_directive(order.directive)
    chosen = chosen_workflow(order, routing)
    kind = workflow_named(chosen).over if chosen else None
    if kind == "issues":
        raise InputRefused(
            f"{chosen} needs the issues of a forge, and no forge is connected in this version",
            todo='take one issue at a time: statsclaw run "fix issue 12: …" --workflow issue-fix',
        )
    if kind != "schedule":
        return None, order
    if not routing.interval_s or not routing.inner_workflow:
        raise InputRefused("a loop needs an interval and something to repeat", todo='e.g. "every 6 hours, check …"')
    return routing.interval_s, replace(order, workflow=routing.inner_workflow)


def resume(
    run: RunArgument,
    backend: BackendOption = None,
    role_backend: RoleBackendOption = None,
    reveal: RevealOption = False,
    replications: ReplicationsOption = None,
    workers: WorkersOption = None,
    budget: BudgetOption = None,
    yes: YesOption = False,
    answers: AnswersOption = None,
    json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Go on with a run that was interrupted, or that waited for a person."""
    place, screen = settings.workspace_from(workspace), make_screen(json)
    folder = place.find(run)
    backends = backend_table(backend, role_backend)
    view = session.resume(
        place,
        folder,
        screen,
        yes=yes,
        answers=answers,
        backends=backends,
        reveal=reveal,
        replications=replications,
        workers=workers,
        budgets=budgets_of(budget),
    )
    end(screen, folder, view, workspace=workspace)


def demo(
    name: Annotated[str | None, typer.Argument(help="Which demonstration; without a name, what fits here.")] = None,
    full: Annotated[
        bool, typer.Option("--full/--quick", help="All replications of the study, or as few as show how it goes.")
    ] = False,
    step: Annotated[bool, typer.Option("--step", help="Stop at each gate and show what the engine sees.")] = False,
    install_r: Annotated[
        bool, typer.Option("--install-r", help="Install R and what the R demonstration needs (Debian, as root).")
    ] = False,
    unsafe_no_sandbox: UnsafeOption = False,
    json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Minutes without a model: recorded roles, everything else live, on a package made for it."""
    screen = make_screen(json, brief=True)
    if step and not settings.can_ask():
        raise InputRefused("--step needs a terminal to stop at", todo="leave it out, or run it in a terminal")
    if install_r:
        install_debian_r(screen.console)
    name = name or fitting_demo()
    prepared = prepare_demo(name, workspace or settings.workspace_from(None).root.parent / "demo", full=full)
    if screen.kind != "json":
        screen.console.print(f"[bold]StatsClaw demo[/]: {prepared.title}")
        screen.console.print("[dim]roles are recorded; builds, tests, the study, gates and the push are live[/]\n")
    # what its package needs is downloaded where it is not installed: behind the barrier, and the log says so
    order = replace(prepared.order, registries=("default",), network=("default",))
    order = replace(order, barrier="none") if unsafe_no_sandbox else order
    walk = Walk(screen, _wait_for_enter).observe if step else None
    folder, view = session.start(settings.workspace_from(prepared.workspace), order, screen, watching=walk)
    end(screen, folder, view, workspace=prepared.workspace)


def _wait_for_enter() -> None:
    typer.prompt("Enter goes on, Ctrl-C stops here", default="", show_default=False, prompt_suffix=" ")
