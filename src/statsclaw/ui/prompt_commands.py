"""`statsclaw prompts`: what the roles are told."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from statsclaw.artifacts.catalogue import catalogue
from statsclaw.engine.dispatch import compose_prompt
from statsclaw.errors import InputRefused
from statsclaw.intake.workflow import all_workflows, workflow
from statsclaw.profiles.profile import load_profile
from statsclaw.roles.matrix import MATRIX, Role
from statsclaw.roles.prompt import count_tokens, render_prompt
from statsclaw.roles.view import view_of
from statsclaw.runlog.log import RunLog, read_view
from statsclaw.sandbox.printable import printable_lines
from statsclaw.sandbox.tree import paths_in
from statsclaw.ui import session, settings
from statsclaw.ui.options import WorkspaceOption

app = typer.Typer(help="What the roles are told.", invoke_without_command=True)


@app.callback()
def prompts(
    context: typer.Context,
    count: Annotated[bool, typer.Option("--count", help="Estimate the tokens of the instructions.")] = False,
    profile: Annotated[str, typer.Option("--profile", help="For which language.")] = "r",
) -> None:
    """With --count: tokens of the instructions of every role, per workflow."""
    if context.invoked_subcommand:
        return
    if not count:
        raise InputRefused("nothing to do", todo="`statsclaw prompts --count`, or `prompts show ROLE --run RUN`")
    table = Table(box=None, pad_edge=False)
    for column in ("workflow", *MATRIX, "together"):
        table.add_column(column, justify="left" if column == "workflow" else "right")
    for found in all_workflows().values():
        tokens = instruction_tokens(found.id, profile)
        cells = [str(tokens[role]) if role in tokens else "–" for role in MATRIX]
        table.add_row(found.id, *cells, str(sum(tokens.values())))
    Console(highlight=False).print(table)
    print("estimated tokens of the instructions, documents of the run not counted")


def instruction_tokens(workflow_id: str, profile: str) -> dict[Role, int]:
    roles = workflow(workflow_id).roles
    return {role: count_tokens(_instructions(role, roles, profile)) for role in roles}


def _instructions(role: Role, roles: tuple[Role, ...], profile: str) -> str:
    inputs = ["request.md", *(name for name in catalogue() if name in MATRIX[role].artifacts)]
    return render_prompt(role, roles=roles, profile=load_profile(profile), attempt=1, directive="…", inputs=inputs)


def _say(text: str) -> None:
    print("\n".join(printable_lines(text)))


@app.command("show")
def show_prompt(
    role: Annotated[Role, typer.Argument(help="Which role.")],
    run: Annotated[str, typer.Option("--run", help="In which run.")],
    full: Annotated[bool, typer.Option("--full", help="Also print the documents in its inbox.")] = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Print exactly what a role would be given now: its prompt, and the list of everything in its room."""
    if role not in MATRIX:
        raise InputRefused(f"the {role} is code, not a model: it has no prompt")
    place = settings.workspace_from(workspace)
    folder = place.find(run)
    log = RunLog(folder.path)
    log.view = read_view(folder.path)
    opened = session.assemble_to_look(place, folder, log)
    view = view_of(role, log.view, opened.plan.roles, opened.store)
    _say(compose_prompt(opened, view))
    print("--- in/")
    for name, data in sorted(view.documents.items()):
        print(f"{name} ({len(data)} bytes)")
        if full:
            _say(data.decode("utf-8", "replace"))
    print("--- repo/")
    for path in sorted(paths_in(opened.target, log.view.overlay)):
        if view.sees(path, opened.profile):
            print(path)
