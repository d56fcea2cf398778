"""Commands that only look: route, list, show, artifacts, log."""

from __future__ import annotations

import json as jsonlib
from pathlib import Path
from textwrap import shorten
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from statsclaw.artifacts.catalogue import catalogue
from statsclaw.engine.rejudging import judged_again
from statsclaw.errors import InputRefused, LogDamaged
from statsclaw.intake.routing import Routing
from statsclaw.intake.routing import route as read_directive
from statsclaw.intake.workflow import workflow
from statsclaw.runlog import chain
from statsclaw.runlog import log as runlog
from statsclaw.runlog.fold import RunView
from statsclaw.runlog.lock import is_held
from statsclaw.runlog.status import render_status
from statsclaw.runlog.store import ContentStore
from statsclaw.sandbox.printable import printable_lines
from statsclaw.sources.extract import read_sources
from statsclaw.sources.listing import render_index
from statsclaw.ui import settings
from statsclaw.ui.line import plain
from statsclaw.ui.options import JsonOption, RunArgument, WorkspaceOption
from statsclaw.ui.reading import WHY_ASK, stages_of
from statsclaw.ui.summary import print_summary
from statsclaw.ui.transcript import readable
from statsclaw.workspace.layout import summary

_LISTED = ("run", "state", "verdict", "cost", "directive")
_LARGEST_SOURCE = 50 * 1024 * 1024


def _console() -> Console:
    return Console(highlight=False)


def route(directive: Annotated[str, typer.Argument(help="What you would ask for.")], json: JsonOption = False) -> None:
    """Show how a directive is read: workflow, confidence, shipping, interval, issue, runner-up. Starts nothing."""
    found = read_directive(directive)
    if json:
        print(found.model_dump_json())
        return
    stages = stages_of(found.workflow)
    rows = [
        ("workflow", f"{found.workflow} ({found.confidence:.2f})  {stages}"),
        ("runner-up", f"{found.runner_up} ({found.runner_up_confidence:.2f})" if found.runner_up else "–"),
        ("ships", _ships(found)),
        ("asks first", f"yes: {WHY_ASK[found.ask]}" if found.ask else "no"),
        ("interval", f"{found.interval_s} s, repeating {found.inner_workflow}" if found.interval_s else "–"),
        ("issue", str(found.issue) if found.issue else "–"),
        ("language", found.language),
        ("because of", ", ".join(plain(cue) for cue in found.cues) or "–"),
    ]
    table = Table.grid(padding=(0, 2))
    for label, text in rows:
        table.add_row(Text(label, style="bold"), Text(text))
    _console().print(table)


def _ships(found: Routing) -> str:
    if found.ship_refused:
        return "no: the directive says not to"
    return "yes, asks before pushing" if found.ship or workflow(found.workflow).ship else "no"


def sources(
    files: Annotated[list[Path], typer.Argument(help="Papers, notes, notebooks, code: files or folders.")],
) -> None:
    """What a program can read in sources: equations with references, algorithms, tables, criteria, functions."""
    found: dict[str, bytes] = {}
    for path in files:
        inside = sorted(part for part in path.rglob("*") if part.is_file()) if path.is_dir() else [path]
        for part in inside:
            name = part.relative_to(path.parent).as_posix() if path.is_dir() else part.name
            try:
                if part.stat().st_size > _LARGEST_SOURCE:
                    raise InputRefused(f"{part} is larger than 50 MiB")
                found[name] = part.read_bytes()
            except OSError as error:
                raise InputRefused(f"{part} cannot be read: {error.strerror}") from None
    for line in printable_lines(render_index(read_sources(found))):
        print(line)


def list_runs(json: JsonOption = False, workspace: WorkspaceOption = None) -> None:
    """All runs of the workspace, newest first."""
    place = settings.workspace_from(workspace)
    rows = sorted((summary(run) for run in place.runs()), key=lambda row: row["started"], reverse=True)
    if json:
        print(jsonlib.dumps(rows))
        return
    if not rows:
        print(f"no runs in {place.root} yet. Try: statsclaw demo")
        return
    table = Table(box=None, pad_edge=False)
    longest = max(len(row["run"]) for row in rows)
    for name in _LISTED:
        whole = name == "run"  # it is what a person copies
        table.add_column(name, no_wrap=name != "directive", overflow="fold", min_width=longest if whole else None)
    for row in rows:
        shown = row | {"directive": shorten(row["directive"], 60, placeholder=" …")}
        table.add_row(*(Text(plain(shown[name])) for name in _LISTED))
    _console().print(table)


def show(run: RunArgument, json: JsonOption = False, workspace: WorkspaceOption = None) -> None:
    """A run as it stands: states, dispatches, questions, evidence, artifacts."""
    folder = settings.workspace_from(workspace).find(run)
    view = runlog.read_view(folder.path)
    if json:
        print(jsonlib.dumps(_as_json(folder.id, view)))
        return
    print("\n".join(printable_lines(render_status(view, folder.id))))
    if is_held(folder.path / runlog.LOCK):
        print("\nA process is working on this run now.")
    print_summary(_console(), folder, view, f" --workspace {workspace}" if workspace else "")


def _as_json(run_id: str, view: RunView) -> dict[str, object]:
    return {
        "run": run_id,
        "state": view.state,
        "workflow": view.workflow,
        "profile": view.profile,
        "outcome": view.finished.outcome if view.finished else None,
        "open_questions": [question.model_dump(mode="json") for question in view.open_questions],
        "waiting": [d.role for d in view.running],
        "attempts": {f"{signal}/{cause}": n for (signal, cause), n in view.attempts.items()},
        "usage": view.usage.model_dump(),
        "artifacts": {name: a.sha256 for name, a in sorted(view.artifacts.items())},
        "evidence": [c.model_dump(mode="json") for c in view.evidence_for(view.tree_sha256)],
        "findings": [
            finding.model_dump(mode="json")
            for checked in (view.checked, view.suite, view.reviewed)
            for finding in (checked.findings if checked else ())
        ],
        "judgements": [
            judgement.model_dump(mode="json")
            for judged in [view.judged.get((view.tree_sha256, "after"))]
            for judgement in (judged.judgements if judged else ())
        ],
        "commit": view.pushed.commit if view.pushed else None,
        "events": view.seq,
    }


def artifacts(
    run: RunArgument,
    name: Annotated[str | None, typer.Argument(help="Print this artifact.")] = None,
    workspace: WorkspaceOption = None,
) -> None:
    """The documents of a run; with a name, the document itself."""
    folder = settings.workspace_from(workspace).find(run)
    view = runlog.read_view(folder.path)
    if name:
        found = view.artifact(name)
        if found is None:
            raise InputRefused(f"run {folder.id} has no {name}", todo=f"`statsclaw artifacts {folder.id}` lists them")
        for line in printable_lines(ContentStore(folder.store).get_text(found.sha256)):
            print(line)
        return
    table = Table(box=None, pad_edge=False)
    for column in ("artifact", "by", "sha256", "purpose"):
        table.add_column(column)
    for artifact in sorted(view.artifacts.values(), key=lambda a: a.seq):
        kind = catalogue().get(artifact.name)
        table.add_row(artifact.name, artifact.producer, artifact.sha256[:12], kind.purpose if kind else "")
    _console().print(table)
    print(f"\nin {folder.path}")


def transcript(
    run: RunArgument,
    role: Annotated[str, typer.Argument(help="Which role.")],
    attempt: Annotated[int | None, typer.Option("--attempt", help="Which attempt (default: the last).")] = None,
    raw: Annotated[bool, typer.Option("--raw", help="As it was printed, events of agent programs and all.")] = False,
    workspace: WorkspaceOption = None,
) -> None:
    """What a role's backend said while it worked, and how the attempt ended."""
    folder = settings.workspace_from(workspace).find(run)
    view = runlog.read_view(folder.path)
    there = [d for d in view.dispatches.values() if d.role == role and attempt in (None, d.attempt)]
    if not there:
        raise InputRefused(f"run {folder.id} has no such dispatch", todo=f"`statsclaw show {folder.id}`")
    found = there[-1]
    print(f"--- {found.id} ({found.backend}): {found.status}{': ' + plain(found.reason) if found.reason else ''}")
    if found.transcript_sha256:
        text = ContentStore(folder.store).get_text(found.transcript_sha256)
        for line in printable_lines(text if raw else "\n".join(readable(text))):
            print(line)


def log_verify(run: RunArgument, workspace: WorkspaceOption = None) -> None:
    """Verify the chain of hashes; names the first line that was altered, removed or reordered."""
    folder = settings.workspace_from(workspace).find(run)
    lines = runlog.verify(folder.path)
    view = runlog.read_view(folder.path)
    store = ContentStore(folder.store)
    named = view.named
    for digest in named:
        store.get(digest)
    print(f"{folder.id}: {lines} lines verified, {len(named)} stored documents, files and outputs intact")
    again = judged_again(view, store, folder.path)
    for fault in again.faults:
        print(f"  ✗ {printable_lines(fault)[0]}")
    if again.faults:
        raise LogDamaged(
            f"the log of {folder.id} and its evidence contradict each other", 0, kept="nothing was changed"
        )
    if again.verdicts:
        counted = ", ".join(f"{count} on {what}" for what, count in again.verdicts.items())
        print(f"verdicts made again from the stored answers and records: {counted}; the same")
    elif view.judged:
        print("no verdict was made again: the tree as it stands is not verified")
    if again.suite:
        print("the suite that ships, made again from the stored questions: the same")
    elif again.verdicts:
        print("not made again: the suite that ships, and the verdicts on meaningless answers")
    if chain.read_head(folder.path / runlog.HEAD) is None:
        print("note: the head file is missing, so lines cut off the end could not be noticed")


def log_show(run: RunArgument, workspace: WorkspaceOption = None) -> None:
    """The log, one event a line, as it stands in the file."""
    folder = settings.workspace_from(workspace).find(run)
    for record in chain.read(folder.path / runlog.EVENTS).records:
        body = printable_lines(record.event.model_dump_json())[0]
        print(f"{record.seq:5d} {record.at:%H:%M:%S} {body}")


def log_repair(run: RunArgument, workspace: WorkspaceOption = None) -> None:
    """Go on from the last whole line of a log that was cut; what follows it is kept aside."""
    folder = settings.workspace_from(workspace).find(run)
    with runlog.RunLog.open(folder.path, accept_loss=True) as log:
        if log.repaired:
            print(f"{folder.id}: continues after line {log.last_seq}. Next: statsclaw resume {folder.id}")
        else:
            print(f"{folder.id}: all {log.last_seq} lines are intact, there is nothing to repair")
