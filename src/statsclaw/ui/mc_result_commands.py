"""Commands of `statsclaw mc` that read results: summary, verdict, plan, figures, replay.

What they call is imported where it is called: Arrow, scipy and matplotlib take seconds that other commands do not owe.
"""

from __future__ import annotations

import json as jsonlib
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from statsclaw.errors import InputRefused
from statsclaw.sandbox.importer import printable_lines
from statsclaw.ui.exit_codes import NOT_PASSED
from statsclaw.ui.mc_commands import OutOption, StudyArgument, loaded_from, results_of, tell_notes
from statsclaw.ui.options import JsonOption

if TYPE_CHECKING:
    from statsclaw.montecarlo.replaying import Replayed

_TEXT, _MARKDOWN, _LATEX, _CSV = _FORMATS = ("text", "markdown", "latex", "csv")


def summary(
    study: StudyArgument,
    out: OutOption = None,
    format: Annotated[str, typer.Option("--format", "-f", help="text, markdown, latex or csv.")] = _TEXT,
    metric: Annotated[list[str] | None, typer.Option("--metric", help="Only this metric. Repeatable.")] = None,
) -> None:
    """The table: every metric with its Monte Carlo standard error, failures, and bounds over them."""
    from statsclaw.montecarlo.metrics.summary import render_summary, summarise

    if format not in _FORMATS:
        raise InputRefused(f"the table is written as {', '.join(_FORMATS)}, not {format!r}")
    loaded = loaded_from(study)
    store = results_of(loaded, out)
    _print(render_summary(summarise(loaded, store, metrics=metric), format, metrics=metric))
    tell_notes(store)


def verdict(
    study: StudyArgument,
    out: OutOption = None,
    cells: Annotated[bool, typer.Option("--cells", help="Every cell, not only those that do not pass.")] = False,
    json: JsonOption = False,
) -> None:
    """Every criterion decided three ways, and what the study would not have noticed."""
    from statsclaw.montecarlo.verdicts.judge import judge_study
    from statsclaw.montecarlo.verdicts.report import render_verdicts
    from statsclaw.montecarlo.verdicts.sensitivity import render_sensitivity, sensitivity

    loaded = loaded_from(study)
    if not loaded.criteria:
        raise InputRefused("the study has no criteria", todo="add criteria=[Criterion(...)] to it")
    store = results_of(loaded, out)
    verdicts = judge_study(loaded, store)
    tell_notes(store)
    if json:
        print(jsonlib.dumps([asdict(each) for each in verdicts], default=str))
    else:
        _print(render_verdicts(verdicts, every_cell=cells))
        _print(render_sensitivity(sensitivity(loaded, store)))
    if any(each.verdict != "PASS" for each in verdicts):
        raise typer.Exit(NOT_PASSED)


def plan(
    study: StudyArgument,
    out: OutOption = None,
    pilot: Annotated[bool, typer.Option("--pilot", help="Take spreads from the results there are.")] = False,
) -> None:
    """Beforehand: what the criteria can and cannot detect at the planned replications."""
    from statsclaw.montecarlo.verdicts.plan import plan_study, render_plan

    loaded = loaded_from(study)
    _print(render_plan(plan_study(loaded, results_of(loaded, out) if pilot else None)))


def figures(
    study: StudyArgument,
    out: OutOption = None,
    folder: Annotated[
        Path | None, typer.Option("--folder", help="Where figures go (default: RESULTS/figures).")
    ] = None,
    format: Annotated[list[str] | None, typer.Option("--format", "-f", help="svg, pdf, png. Repeatable.")] = None,
) -> None:
    """Draw every figure the study has data for."""
    from statsclaw.montecarlo.figures import draw_figures

    loaded = loaded_from(study)
    store = results_of(loaded, out)
    place = folder or store.folder / "figures"
    if place.exists() and not place.is_dir():
        raise InputRefused(f"{place} is not a folder", todo="give a folder with --folder")
    for path in draw_figures(loaded, store, place, *([format] if format else [])):
        print(path)
    tell_notes(store)


def replay(
    study: StudyArgument,
    cell: Annotated[str, typer.Option("--cell", help="Which cell, e.g. n=50,rho=0.5.")],
    rep: Annotated[int, typer.Option("--rep", min=0, max=10**10, help="Which replication, from 0.")],
    method: Annotated[str | None, typer.Option("--method", help="Only this method.")] = None,
    debug: Annotated[bool, typer.Option("--debug", help="Stop in the debugger at the start of the method.")] = False,
    out: OutOption = None,
) -> None:
    """Run one replication again, alone, and compare it with what was stored."""
    from statsclaw.montecarlo.executors.starting import ENVIRONMENT
    from statsclaw.montecarlo.replaying import replay as replay_study

    if debug and any(os.environ.get(name) != value for name, value in ENVIRONMENT.items()):
        command = [sys.executable, "-m", "statsclaw", *sys.argv[1:]]  # with the threads and hashes of a worker
        os.execve(sys.executable, command, {**os.environ, **ENVIRONMENT})
    found = replay_study(loaded_from(study), cell, rep, method, debug=debug, folder=out)
    for each in found:
        _print(_told(each))
    if any(each.same is False for each in found):
        raise typer.Exit(NOT_PASSED)


def _told(found: Replayed) -> str:
    values = ", ".join(f"{name} = {value!r}" for name, value in found.values.items())
    head = f"{found.method}: {found.status.name.lower().replace('_', ' ')}{': ' if values else ''}{values}"
    if found.same is None:
        end = "  not stored yet"
    elif found.same:
        end = "  identical to what is stored, bit for bit"
    else:
        kept = ", ".join(f"{name} = {value!r}" for name, value in (found.stored or {}).items()) or "a failure"
        changed = f" (changed since: {'; '.join(found.changed)})" if found.changed else ""
        end = f"  DIFFERS from what is stored: {kept}{changed}"
    return "\n".join([head, *(f"  {line}" for line in found.text.splitlines()), end])


def _print(text: str) -> None:
    for line in printable_lines(text):
        print(line)


COMMANDS: tuple[Any, ...] = (summary, verdict, plan, figures, replay)
