"""Looking at work before it is handed in, with the same checks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from statsclaw.backends.human import HumanBackend
from statsclaw.engine.handing_in import Checked, check_hand_in, told
from statsclaw.engine.linting import lint_contract, lint_without_run
from statsclaw.errors import InputRefused
from statsclaw.profiles.profile import load_profile
from statsclaw.runlog.events import Finding
from statsclaw.runlog.fold import RunView
from statsclaw.runlog.log import RunLog, read_view
from statsclaw.sandbox.handin import HandIn
from statsclaw.sandbox.printable import printable_lines
from statsclaw.specs.contract import COMPREHENSION, INTERFACE, SPECIFICATIONS
from statsclaw.specs.render import assemble
from statsclaw.ui import session, settings
from statsclaw.ui.options import WorkspaceOption
from statsclaw.workspace.layout import RunFolder, Workspace

_MARKS = {"error": "✗", "warning": "!", "note": "·"}


def lint(
    place: Annotated[str, typer.Argument(help="A run, or a folder with the documents of a planner.")],
    role: Annotated[str | None, typer.Argument(help="Of a run: which role, if several wait.")] = None,
    source: Annotated[
        list[Path] | None, typer.Option("--source", help="Of a folder: a source of its documents. Repeatable.")
    ] = None,
    profile: Annotated[str, typer.Option("--profile", help="Of a folder: the language of the package.")] = "python",
    workspace: WorkspaceOption = None,
) -> None:
    """Check work before it is handed in: all findings, with the file and line that you wrote.

    Of a run: what you have in the room of each role that waits for you, or of one, as `statsclaw done` would; where
    nobody waits, the documents that were taken. Of a folder: the documents alone, without a request and without pilots.
    """
    folder = Path(place)
    checked = {"": _of_folder(folder, source or [], profile)} if folder.is_dir() else _of_run(place, role, workspace)
    for name, row in checked.items():
        if len(checked) > 1:
            print(f"{name}:" if row.problems or row.findings else f"{name}: nothing found")
        for problem in row.problems:
            print(f"  ✗ {printable_lines(problem)[0]}")
        for finding in sorted(row.findings, key=lambda found: list(_MARKS).index(found.severity)):
            mark = "o" if finding.severity == "error" and finding not in row.standing else _MARKS[finding.severity]
            print(f"  {mark} {printable_lines(told(finding))[0]}")
    if errors := sum(len(row.problems) + len(row.standing) for row in checked.values()):
        raise InputRefused(
            f"{errors} error{'s' * (errors > 1)}", kept="nothing was changed", todo="mend the lines with ✗"
        )
    print("no errors")


def checked_hand_in(place: Workspace, folder: RunFolder, view: RunView, dispatch: str, result: HandIn) -> Checked:
    """The same checks that the engine will make, without writing to the log."""
    log = RunLog(folder.path)
    log.view = view
    return check_hand_in(session.assemble_to_check(place, folder, log), view.dispatches[dispatch], result)


def _of_run(name: str, role: str | None, workspace: Path | None) -> dict[str, Checked]:
    """By the role whose room it is."""
    place = settings.workspace_from(workspace)
    folder = place.find(name)
    view = read_view(folder.path)
    waiting = {dispatch.role: dispatch.id for dispatch in view.running if dispatch.backend == HumanBackend.name}
    if role is not None and role not in waiting:
        names = ", ".join(waiting) or "nobody"
        raise InputRefused(f"the {role} of run {folder.id} has no room to look at; there waits: {names}")
    if waiting:
        wanted = waiting if role is None else {role: waiting[role]}
        return {name: checked_hand_in(place, folder, view, row, HandIn()) for name, row in wanted.items()}
    if view.artifact(INTERFACE) is None:
        raise InputRefused(f"run {folder.id} has no specifications yet", todo=f"`statsclaw show {folder.id}`")
    log = RunLog(folder.path)
    log.view = view
    return {"": _standing(lint_contract(session.assemble_to_check(place, folder, log)).findings, view)}


def _standing(findings: Sequence[Finding], view: RunView) -> Checked:
    return Checked([], list(findings), [f for f in findings if f.severity == "error" and not view.stands(f)])


def _of_folder(folder: Path, sources: Sequence[Path], profile: str) -> Checked:
    names = (COMPREHENSION, INTERFACE, *SPECIFICATIONS)
    planned = assemble({name: _read(folder / name) for name in names if (folder / name).is_file()})
    if not planned.documents:
        raise InputRefused(f"{folder} holds none of {', '.join(names)}")
    read = {source.name: _read(source) for source in sources}
    problems, findings = lint_without_run(planned, read, load_profile(profile))
    return Checked(problems, findings, [f for f in findings if f.severity == "error"])


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputRefused(f"{path} cannot be read: {error.strerror}") from None
