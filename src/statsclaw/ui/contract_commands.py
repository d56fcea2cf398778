"""Commands about what was understood and agreed: review-comprehension, amend, override."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markdown import Markdown

from statsclaw.engine.amending import amendment, leave, override, take_changes
from statsclaw.engine.contracts import contract_of
from statsclaw.engine.run import Run
from statsclaw.engine.withdrawing import withdraw_needless
from statsclaw.errors import InputRefused, RunLocked
from statsclaw.runlog.events import FindingOverridden, SpecAmended
from statsclaw.runlog.log import RunLog, read_view
from statsclaw.sandbox.printable import printable_lines
from statsclaw.specs.contract import COMPREHENSION
from statsclaw.templates import render
from statsclaw.ui import session, settings
from statsclaw.ui.lines import withdrawal_text
from statsclaw.ui.options import RunArgument, WorkspaceOption

WhyOption = Annotated[str, typer.Option("--why", help="The reason, for everybody who reads the review.")]


def review_comprehension(run: RunArgument, workspace: WorkspaceOption = None) -> None:
    """What the planner understood: equations, symbols, choices, both readings, and who approved it."""
    found = _looked_at(run, workspace)
    document = found.view.artifact(COMPREHENSION)
    if document is None:
        raise InputRefused(
            f"run {found.folder.id} has no comprehension yet", todo=f"`statsclaw show {found.folder.id}`"
        )
    text = render(
        "statsclaw.ui",
        "comprehension.md",
        run_id=found.folder.id,
        sha256=document.sha256,
        comprehension=contract_of(found).comprehension,
        passages={equation.ref: equation for equation in found.index.equations},
        understood=found.view.understood,
        readings=found.view.readings,
        approved=found.view.approved(document.sha256),
        waiting=[q for q in found.view.open_questions if q.topic in ("choice", "readings", "comprehension")],
    )
    console = Console(highlight=False)
    text = "\n".join(printable_lines(text))
    if console.is_terminal:
        console.print(Markdown(text))
    else:
        print(text)


def amend(
    run: RunArgument,
    name: Annotated[str, typer.Argument(help="A criterion, a scenario, or the study, by its id.")],
    change: Annotated[str, typer.Argument(help="KEY=VALUE, e.g. high=0.6 or tolerance.relative=1e-8.")],
    why: WhyOption = "",
    workspace: WorkspaceOption = None,
) -> None:
    """Change a frozen criterion, tolerance, seed or grid. The log keeps both versions; the review always shows it."""
    key, equals, value = change.partition("=")
    if not equals or not key.strip() or not value.strip():
        raise InputRefused(f"{change!r} is not KEY=VALUE", todo="e.g. high=0.6")
    _need_reason(why)
    looked = _looked_at(run, workspace)
    event, data = amendment(looked, name, key.strip(), value.strip(), why.strip())
    _leave(looked, event, data)
    print(f"amended {event.what} in {event.document}: {event.before} → {event.after}")
    _take(looked)


def override_finding(
    run: RunArgument,
    key: Annotated[str, typer.Argument(help="The finding's key, as contract.md and `show --json` name it.")],
    why: WhyOption = "",
    workspace: WorkspaceOption = None,
) -> None:
    """Let a finding of the lint, the checks of questions or the review stand. The review shows it for ever."""
    _need_reason(why)
    looked = _looked_at(run, workspace)
    event = override(looked, key, why.strip())
    _leave(looked, event, b"")
    print(f"the finding stands: {event.message}")
    _take(looked)


def _looked_at(name: str, workspace: Path | None) -> Run:
    """The run of that name, read from its log; nothing is written and nobody is asked."""
    place = settings.workspace_from(workspace)
    folder = place.find(name)
    log = RunLog(folder.path)
    log.view = read_view(folder.path)
    return session.assemble_to_look(place, folder, log)


def _need_reason(why: str) -> None:
    if not why.strip():
        raise InputRefused("a change of what was agreed needs a reason", kept="nothing was changed", todo='--why "…"')


def _leave(run: Run, event: SpecAmended | FindingOverridden, data: bytes) -> None:
    if run.view.finished is not None:
        raise InputRefused(f"run {run.folder.id} is finished", kept="nothing was changed", todo="start a new run")
    leave(run, event, data)


def _take(run: Run) -> None:
    try:
        with RunLog.open(run.folder.path) as log:
            opened = session.quiet_run(run.workspace, run.folder, log)
            take_changes(opened)
            for withdrawn in withdraw_needless(opened):
                print(withdrawal_text(withdrawn.event))
                if withdrawn.kept:
                    print(f"what was begun there is kept in {withdrawn.kept}")
        print(f"recorded. Continue with: statsclaw resume {run.folder.id}")
    except RunLocked:
        print("The run is alive and takes it up.")
