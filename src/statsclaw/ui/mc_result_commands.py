"""Commands of `statsclaw mc` that read results: summary, verdict, plan, replay.

What they call is imported where it is called: Arrow and scipy take seconds that other commands do not owe.
"""

from __future__ import annotations

import json as jsonlib
import os
import shlex
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from statsclaw.errors import InputRefused
from statsclaw.sandbox.printable import printable_lines
from statsclaw.ui.exit_codes import NOT_PASSED
from statsclaw.ui.line import plain
from statsclaw.ui.mc_commands import OutOption, StudyArgument, command_line, loaded_from, results_of, tell_notes
from statsclaw.ui.options import JsonOption

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from statsclaw.montecarlo.replaying import Replayed
    from statsclaw.montecarlo.storage.store import Store
    from statsclaw.montecarlo.verdicts.judge import CriterionVerdict

_CELLS, _NUMBERS = 10, 10  # shown of each kind of failure
_JSON = {"low": "bounds_low", "high": "bounds_high"}  # as in CSV: over the failures, no confidence limits
_TEXT, _MARKDOWN, _LATEX, _CSV = _FORMATS = ("text", "markdown", "latex", "csv")


def summary(
    study: StudyArgument,
    out: OutOption = None,
    format: Annotated[str, typer.Option("--format", "-f", help="text, markdown, latex or csv.")] = _TEXT,
    metric: Annotated[list[str] | None, typer.Option("--metric", help="Only this metric. Repeatable.")] = None,
    json: JsonOption = False,
) -> None:
    """The table: every metric with its Monte Carlo standard error, failures, and what is significantly wrong."""
    from statsclaw.montecarlo.metrics.rendering import USUAL
    from statsclaw.montecarlo.metrics.summary import judged_metrics, render_summary, summarise
    from statsclaw.montecarlo.verdicts.findings import findings_of
    from statsclaw.montecarlo.verdicts.report import finite

    if format not in _FORMATS:
        raise InputRefused(f"the table is written as {', '.join(_FORMATS)}, not {format!r}")
    loaded = loaded_from(study)
    store = results_of(loaded, out)
    long = json or format == _CSV
    shown = list(dict.fromkeys(metric or [*USUAL, *judged_metrics(loaded)]))
    found = summarise(loaded, store, metrics=metric if long else shown)
    if json:
        rows = [{_JSON.get(name, name): value for name, value in asdict(row).items()} for row in found.rows]
        known = {"study": found.study, "rows": rows, "warnings": found.warnings}
        print(jsonlib.dumps(finite({**known, "findings": asdict(findings_of(loaded, store))})))
    else:
        _print(render_summary(found, format, metrics=shown))
        if format in (_TEXT, _MARKDOWN):
            for line in (*_warned(store), "", findings_of(loaded, store).render()):
                _print(line)
    tell_notes(store, mixed=long)


def compare(
    study: StudyArgument,
    method: Annotated[str | None, typer.Argument(metavar="[METHOD]", help="Default: every other one.")] = None,
    reference: Annotated[
        str | None, typer.Option("--against", help="The method it is compared with (default: the first).")
    ] = None,
    out: OutOption = None,
    metric: Annotated[list[str] | None, typer.Option("--metric", help="Only this metric. Repeatable.")] = None,
    csv: Annotated[bool, typer.Option("--csv", help="Every metric at full precision, one per line.")] = False,
    json: JsonOption = False,
) -> None:
    """Methods beside each other: every metric of one minus that of another, with the error of the pairs."""
    from statsclaw.montecarlo.metrics.comparing import USUAL, as_csv, compare_methods, render_compared
    from statsclaw.montecarlo.verdicts.report import finite

    loaded = loaded_from(study)
    store = results_of(loaded, out)
    shown = metric or [*USUAL, *loaded.metrics]
    found = compare_methods(loaded, store, method=method, reference=reference, metrics=metric if csv or json else shown)
    if json:
        print(jsonlib.dumps(finite({"study": loaded.name, "rows": [asdict(row) for row in found.rows]})))
    else:
        print(as_csv(found), end="") if csv else _print(render_compared(found, shown))
    tell_notes(store, mixed=csv or json)


def verdict(
    study: StudyArgument,
    out: OutOption = None,
    cells: Annotated[bool, typer.Option("--cells", help="Every cell, not only those that do not pass.")] = False,
    json: JsonOption = False,
) -> None:
    """One word for each criterion, what is significantly wrong, and what the study would not have noticed."""
    from statsclaw.montecarlo.metrics.summary import short_of
    from statsclaw.montecarlo.verdicts.findings import findings_of
    from statsclaw.montecarlo.verdicts.held import Held
    from statsclaw.montecarlo.verdicts.judge import judge_study
    from statsclaw.montecarlo.verdicts.record import changes
    from statsclaw.montecarlo.verdicts.report import as_data, finite, render_verdicts
    from statsclaw.montecarlo.verdicts.sensitivity import render_sensitivity, sensitivity

    loaded = loaded_from(study)
    if not loaded.criteria:
        is_python = loaded.program is None
        todo = "add criteria=[Criterion(...)] to it" if is_python else "add a [[criterion]] to its file"
        raise InputRefused("the study has no criteria", todo=todo)
    store = results_of(loaded, out)
    results = Held(store)
    verdicts = judge_study(loaded, results)
    found, unseen, changed = (
        findings_of(loaded, results), sensitivity(loaded, results, verdicts=verdicts), changes(store.folder, loaded)
    )  # fmt: skip
    notes = [*(change.text for change in changed), *short_of(loaded, store), *store.mixed()]
    undecided = (each for each in verdicts if each.verdict == "UNDECIDED" and each.by == "sequential")
    more = any(each.replications < each.cap for each in undecided)
    run_on = f"More replications for what is undecided: {command_line('run', study, out)} --sequential\n"
    parts = [
        render_verdicts(verdicts, every_cell=cells),
        run_on if more else "",
        found.render(),
        render_sensitivity(unseen),
    ]
    text = "\n".join([*(f"note: {note}" for note in notes), *filter(None, parts)]).rstrip("\n")
    tell_notes(store, mixed=False)
    if json:
        said = {"criteria": as_data(verdicts), "findings": asdict(found), "notes": notes, "text": text}
        rows = {"unnoticed": [asdict(row) for row in unseen], "changes": [asdict(row) for row in changed]}
        print(jsonlib.dumps(finite({**said, **rows}), default=str))
    else:
        _print(text)
    _keep_record(store.folder, verdicts)
    if any(each.verdict != "PASS" for each in verdicts):
        raise typer.Exit(NOT_PASSED)


def _keep_record(folder: Path, verdicts: Sequence[CriterionVerdict]) -> None:
    from statsclaw.montecarlo.verdicts.record import keep

    try:
        keep(folder, verdicts)
    except OSError as error:
        said = f"that these criteria were judged could not be kept in {folder}: {error.strerror or error}"
        print(f"note: {plain(said)}", file=sys.stderr)


def plan(
    study: StudyArgument,
    out: OutOption = None,
    pilot: Annotated[bool, typer.Option("--pilot", help="Take spreads from the results there are.")] = False,
) -> None:
    """Beforehand: what the criteria can and cannot detect at the planned replications."""
    from statsclaw.montecarlo.verdicts.plan import plan_study, render_plan

    loaded = loaded_from(study)
    _print(render_plan(plan_study(loaded, results_of(loaded, out) if pilot else None)))


def failures(study: StudyArgument, out: OutOption = None, json: JsonOption = False) -> None:
    """What failed or gave warnings: texts, methods, cells, how often, and which replications."""
    from statsclaw.montecarlo.storage.failing import failing
    from statsclaw.montecarlo.storage.versions import cell_names

    loaded = loaded_from(study)
    store = results_of(loaded, out)
    names = cell_names(store.design)
    groups = failing(store, range(len(names)), texts=json)
    if json:
        rows = [
            {
                "method": each.method, "kind": each.kind, "headline": each.headline, "text": each.text,
                "count": each.count, "cells": {names[cell]: numbers for cell, numbers in each.cells.items()},
                "texts": {names[cell]: texts for cell, texts in each.texts.items()},
            }
            for each in groups
        ]  # fmt: skip
        print(jsonlib.dumps(rows))
        return
    for each in groups:
        _print(f"{each.method}: {each.count:,} × {each.kind}: {each.headline}")
        for cell, numbers in list(each.cells.items())[:_CELLS]:
            shown = ", ".join(map(str, numbers[:_NUMBERS])) + (", …" if len(numbers) > _NUMBERS else "")
            _print(f"  {names[cell]}: {len(numbers):,} (replications {shown})")
        if len(each.cells) > _CELLS:
            _print(f"  and {len(each.cells) - _CELLS} more cells")
    tell_notes(store)
    if not groups:
        print("Nothing failed, and nothing gave a warning.")
        return
    cell, numbers = next(iter(groups[0].cells.items()))
    where = ["statsclaw", "mc", "replay", str(study), "--cell", names[cell], "--rep", str(numbers[0])]
    last = ["--method", groups[0].method, *(["--out", str(out)] if out else [])]
    print(f"Once more, alone: {shlex.join([*where, *last])}")


def _warned(store: Store) -> list[str]:
    """In how many replications each method gave a warning."""
    from statsclaw.montecarlo.storage.versions import cell_names

    cells = range(len(cell_names(store.design)))
    found = {method: sum(store.warned(cell, method) for cell in cells) for method in store.methods}
    return [f"{method} gave warnings in {count:,} replications" for method, count in found.items() if count]


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
