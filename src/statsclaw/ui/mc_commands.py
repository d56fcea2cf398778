"""Commands of `statsclaw mc`: Monte Carlo studies, without agents or runs.

What they call is imported where it is called: Arrow and scipy take seconds that other commands do not owe.
"""

from __future__ import annotations

import json as jsonlib
import shlex
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from statsclaw.errors import InputRefused
from statsclaw.ui.exit_codes import INTERRUPTED, SaidAlready
from statsclaw.ui.line import plain
from statsclaw.ui.options import JsonOption

if TYPE_CHECKING:
    from statsclaw.montecarlo.batch import Executor
    from statsclaw.montecarlo.design import Study
    from statsclaw.montecarlo.events import Event, OnEvent
    from statsclaw.montecarlo.progress import Progress
    from statsclaw.montecarlo.storage.store import Store

StudyArgument = Annotated[Path, typer.Argument(metavar="STUDY", help="The study file: .py, .toml or .yaml.")]
#: So many replications are summarised while a person waits for a command to stop.
_QUICKLY_READ = 500_000
OutOption = Annotated[Path | None, typer.Option("--out", help="Folder of the results (default: STUDY.results).")]


def _console() -> Console:
    return Console(highlight=False)


def new(
    path: Annotated[Path, typer.Argument(help="The file to write.")] = Path("study.py"),
    r: Annotated[bool, typer.Option("--r", help="Data and methods in R: writes a .toml and an .R file.")] = False,
    from_package: Annotated[
        str | None, typer.Option("--from-package", help="A study of a function of this installed R package.")
    ] = None,
    function: Annotated[str | None, typer.Option("--function", help="Which one, where it exports several.")] = None,
) -> None:
    """Write a small commented study that runs as it is."""
    if function is not None and from_package is None:
        raise InputRefused("--function goes with --from-package")
    if from_package is not None and path == Path("study.py"):
        path = Path(f"{from_package}.toml")
    if path.suffix.lower() not in (".py", ".toml", ".r", "") or not path.name:
        raise InputRefused(f"a study is a .py or .toml file, not {str(path)!r}", todo="e.g. statsclaw mc new study.py")
    skeletons = resources.files("statsclaw.montecarlo") / "skeletons"
    if from_package is not None:
        files = {path.with_suffix(".toml"): "package.toml.txt", path.with_suffix(".R"): "package.R.txt"}
    elif r or path.suffix.lower() in (".toml", ".r"):
        files = {path.with_suffix(".toml"): "study.toml.txt", path.with_suffix(".R"): "study.R.txt"}
    else:
        files = {path.with_suffix(".py"): "study.py.txt"}
    names = {"file": next(iter(files)).name, "toml": path.with_suffix(".toml").name, "r": path.with_suffix(".R").name}
    for file in files:
        if file.exists():
            raise InputRefused(f"{file} is there already", kept="it was not touched", todo="give another name")
    trouble = ""
    if from_package is not None:
        from statsclaw.montecarlo.from_package import offer_of

        offer = offer_of(from_package, function)
        names, trouble = {**names, **offer.fill}, offer.trouble
    for file, skeleton in files.items():
        text = (skeletons / skeleton).read_text(encoding="utf-8")
        for name, value in names.items():
            text = text.replace(f"{{{name}}}", value)
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        except OSError as error:
            raise InputRefused(f"{file} cannot be written: {error.strerror}", todo="give another place") from None
    if trouble:
        print(f"note: the call with example data failed, mend it first: {plain(trouble)}", file=sys.stderr)
    print(f"wrote {', '.join(map(str, files))}. Next: statsclaw mc run {shlex.quote(str(next(iter(files))))}")


def run(
    study: StudyArgument,
    workers: Annotated[int | None, typer.Option("--workers", "-w", min=1, help="Processes (default: cores).")] = None,
    replications: Annotated[int | None, typer.Option("--replications", "-r", help="Instead of the study's.")] = None,
    sequential: Annotated[
        bool, typer.Option("--sequential", help="Add replications to undecided criteria, up to the study's cap.")
    ] = False,
    apart: Annotated[
        bool, typer.Option("--apart", help="The study changed: keep its results in a folder of their own.")
    ] = False,
    redo: Annotated[
        bool,
        typer.Option("--redo", help="Compute again what is of another version, and what failed; set the old aside."),
    ] = False,
    accept: Annotated[
        bool, typer.Option("--accept", help="It changed: go on; tables and verdicts say what is mixed.")
    ] = False,
    go_on: Annotated[
        bool, typer.Option("--go-on", help="Also where everything fails, or no method returns what the truth names.")
    ] = False,
    dask: Annotated[
        str | None, typer.Option("--dask", help="Workers of a Dask cluster: its scheduler's address, or `local`.")
    ] = None,
    events: Annotated[Path | None, typer.Option("--events", help="Append what happens to this file, as JSON.")] = None,
    out: OutOption = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Lines of progress without a terminal.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")] = False,
) -> None:
    """Run a study, or go on where it stopped."""
    from statsclaw.montecarlo.progress import Progress
    from statsclaw.montecarlo.running import run as run_study

    loaded = loaded_from(study)
    progress = Progress(_console(), verbose=verbose, quiet=quiet)
    try:
        with _recording(events) as record, _cluster(loaded, dask, workers) as executor:
            store = run_study(
                loaded,
                folder=out,
                workers=workers,
                executor=executor,
                replications=replications,
                sequential=sequential,
                apart=apart,
                redo=redo,
                accept=accept,
                careful=not go_on,
                on_event=_both(progress, record),
            )
    except KeyboardInterrupt:
        progress.stop()
        tally = progress.tally
        _summarise_briefly(loaded, Path(tally.folder))
        again = shlex.join(["statsclaw", *(word for word in sys.argv[1:] if word not in ("--redo", "--accept"))])
        print(f"stopped at {tally.done:,} of {tally.planned:,} replications; all of them are kept in {tally.folder}.")
        print(f"Go on with: {again}   ·   see what there is: {command_line('summary', study, out)}")
        raise SaidAlready(INTERRUPTED) from None
    finally:
        progress.stop()
    place = store.folder if out is not None else None
    try:
        if any(cell.computed for cell in progress.tally.cells):
            from statsclaw.montecarlo.replaying import recheck

            for text in recheck(loaded, store):
                print(f"note: {plain(text)}", file=sys.stderr)
        if not quiet:
            _tell_end(store, progress, study, place)
    except KeyboardInterrupt:
        print(f"stopped. All {progress.tally.done:,} replications are kept in {store.folder}.")
        print(f"Next: {command_line('summary', study, place)}")
        raise SaidAlready(INTERRUPTED) from None


def _summarise_briefly(study: Study, folder: Path) -> None:
    """What there is, unless reading it would keep the person waiting."""
    from statsclaw.montecarlo.metrics.summary import render_summary, summarise
    from statsclaw.montecarlo.storage.store import Store

    store = Store.open(folder)
    if 0 < sum(store.completed(number) for number in range(len(study.cells()))) <= _QUICKLY_READ:
        print(render_summary(summarise(study, store)))


def _both(progress: Progress, record: OnEvent) -> OnEvent:
    def tell(event: Event) -> None:
        record(event)
        progress(event)

    return tell


@contextmanager
def _cluster(study: Study, dask: str | None, workers: int | None) -> Iterator[Executor | None]:
    """Workers of Dask, where they are asked for."""
    if dask is None:
        yield None
        return
    from statsclaw.montecarlo.executors.dask import DaskExecutor
    from statsclaw.montecarlo.executors.local import cores

    executor = DaskExecutor(study, None if dask == "local" else dask, workers or cores())
    try:
        yield executor
    except BaseException:
        executor.close(at_once=True)
        raise
    executor.close()


@contextmanager
def _recording(path: Path | None) -> Iterator[OnEvent]:
    from statsclaw.montecarlo.events import as_json

    with ExitStack() as stack:
        if path is None:
            yield lambda event: None
            return
        try:
            file = stack.enter_context(path.open("a", encoding="utf-8", buffering=1))
        except OSError as error:
            raise InputRefused(f"{path} cannot be written: {error.strerror}") from None
        yield lambda event: print(as_json(event), file=file)


def _tell_end(store: Store, progress: Progress, path: Path, out: Path | None) -> None:
    from statsclaw.montecarlo.progress import of

    tally = progress.tally
    computed = sum(cell.computed for cell in tally.cells)
    failed = f", {of(tally.failures, 'failure')}" if tally.failures else ""
    warned = f", {tally.warned:,} with warnings" if tally.warned else ""
    print(f"done: {tally.done:,} replications, {computed:,} of them now{failed}{warned}. Results: {store.folder}")
    if tally.failures or tally.warned:
        _tell_failing(store, path, out)
    for text in store.mixed():
        print(f"note: {plain(text)}")
    print(f"Next: {command_line('summary', path, out)}   ·   {command_line('verdict', path, out)}")


def _tell_failing(store: Store, path: Path, out: Path | None) -> None:
    """The first of each kind for every method, and how often it came."""
    from statsclaw.montecarlo.storage.failing import failing
    from statsclaw.montecarlo.storage.versions import cell_names

    names = cell_names(store.design)
    groups = failing(store, range(len(names)))
    for method in store.methods:
        for is_warning, said in ((False, "failed"), (True, "gave warnings")):
            mine = [each for each in groups if each.method == method and (each.kind == "warning") == is_warning]
            count = sum(each.count for each in mine)
            if mine:
                cell, numbers = next(iter(mine[0].cells.items()))
                where = f"{names[cell]}, replication {numbers[0]}"
                print(f"  {plain(method)}: {count:,} {said}; e.g. {plain(mine[0].headline)} ({plain(where)})")
    print(f"  all of them: {command_line('failures', path, out)}")
    if any(each.kind != "warning" for each in groups):
        print(f"  what failed once more, when it is mended: {command_line('run', path, out)} --redo")


def command_line(name: str, study: Path, out: Path | None) -> str:
    return shlex.join(["statsclaw", "mc", name, str(study), *(["--out", str(out)] if out else [])])


def loaded_from(path: Path) -> Study:
    from statsclaw.montecarlo.load import load_study
    from statsclaw.montecarlo.validate import validate_criteria

    return validate_criteria(load_study(path))


def results_of(study: Study, out: Path | None) -> Store:
    """The results of the study as it is now. A folder that a person names (`out`) is read as it is, also where code or
    packages have changed since, which every table then says; those of another design, whose truth or cells are
    others, are refused."""
    from statsclaw.montecarlo.running import default_folder
    from statsclaw.montecarlo.storage.places import look_at, place_of, refused
    from statsclaw.montecarlo.storage.store import Store

    folder = out or default_folder(study)
    now = place_of(folder, study)
    place = look_at(folder, study) if out is not None else now
    if place is None or now is None:
        run_it = command_line("run", _shown(study.origin), out)
        raise InputRefused(f"there are no results in {folder}", todo=f"run the study: {run_it}")
    old = place.found.rest if out is not None and not place.found.design and not place.found.new_methods else ()
    if place.found.refused and not old:
        raise refused(place, reading=True)
    if now.folder != place.folder:
        _note(f"results of the study as it is now are in {now.folder}")
    elif now.folder != folder:
        _note(f"these results are kept apart in {now.folder}; to look at the earlier ones: --out {folder}")
    if place.found.unknown:
        _note(f"not on this machine, so that it cannot be compared: {', '.join(place.found.unknown)}")
    if "loaded" not in place.kept:
        _note("stored before R and packages were recorded: whether these are the same now cannot be said")
    return Store.open(place.folder, described(study), old)


def _shown(origin: Path | None) -> Path:
    """The file of a study, by its name alone where it is in this folder."""
    if origin is None:
        return Path("STUDY")
    return Path(origin.name) if origin.parent.resolve() == Path.cwd().resolve() else origin


def _note(text: str) -> None:
    print(f"note: {plain(text)}", file=sys.stderr)


def described(study: Study) -> dict[str, Any]:
    """The design, as it is in the description of results."""
    plain_data: dict[str, Any] = jsonlib.loads(jsonlib.dumps(study.described(), default=float))
    return plain_data


def tell_notes(store: Store, *, mixed: bool = True) -> None:
    """What was not read of the results, known once they have been read, and what is `mixed` in them, unless it is said
    with them."""
    for note in (*(store.mixed() if mixed else ()), *store.notes):
        _note(note)


def status(study: StudyArgument, out: OutOption = None, json: JsonOption = False) -> None:
    """How far the study is: replications and failures of every cell, and what a run would do next."""
    from statsclaw.montecarlo.running import default_folder
    from statsclaw.montecarlo.storage.lock import is_locked
    from statsclaw.montecarlo.storage.places import place_of
    from statsclaw.montecarlo.storage.store import Store

    loaded = loaded_from(study)
    folder = out or default_folder(loaded)
    place = place_of(folder, loaded)
    folder = place.folder if place is not None else folder
    changed = list(place.found.refused) if place is not None else []
    store = None
    if place is not None and not place.found.design:
        store = Store.open(folder, described(loaded), place.found.rest)
    rows = [_row(loaded, store, number) for number in range(len(loaded.cells()))]
    left = sum(row["left"] for row in rows)
    undecided = "" if left or changed else _undecided(loaded, store)
    if json:
        known = {"study": loaded.name, "folder": str(folder), "running": is_locked(folder), "changed": changed}
        mixed = store.mixed() if store else []
        print(jsonlib.dumps({**known, "left": left, "undecided": undecided, "mixed": mixed, "cells": rows}))
        return
    table = Table(box=None, pad_edge=False)
    for name in ("cell", "done", "planned", "failures", "warnings"):
        table.add_column(name, justify="right" if name in ("done", "planned") else "left")
    for row in rows:
        warned = Text("; ".join(f"{plain(name)}: {count:,}" for name, count in row["warnings"].items() if count) or "–")
        kinds = [f"{plain(method)}: {_kinds(found)}" for method, found in row["failures"].items() if found]
        table.add_row(
            Text(row["cell"]), f"{row['done']:,}", f"{row['planned']:,}", Text("; ".join(kinds) or "–"), warned
        )
    _console().print(table)
    if store:
        tell_notes(store)
    print(f"\nResults: {folder}" if store else f"\nNo results of this study yet; a run puts them into {folder}")
    if is_locked(folder):
        print("A process is running this study now.")
    for text in changed:
        print(f"changed since: {plain(text)}")
    if changed:
        print(f"A run is refused without --redo, --apart or --accept: {command_line('run', study, out)} --redo")
    elif left:
        print(f"A run would compute {left:,} replications: {command_line('run', study, out)}")
    elif undecided:
        print(f"All planned replications are there. {undecided[0].upper()}{undecided[1:]}.")
    else:
        print(f"All replications are there. Next: {command_line('verdict', study, out)}")


def _row(study: Study, store: Store | None, number: int) -> dict[str, Any]:
    from statsclaw.montecarlo.design import cell_name

    done = store.stored(number) if store else 0
    cell = study.cell(number)
    planned = study.replications_in(cell)
    wanted = max(planned, store.reached(number)) if store else planned
    left = sum(stop - first for first, stop in store.missing(number, wanted)) if store else wanted
    failures = {method: _failures(store, number, method) for method in store.methods} if store else {}
    warnings = {method: store.warned(number, method) for method in store.methods} if store else {}
    return {
        "cell": cell_name(cell),
        "done": done,
        "planned": planned,
        "left": left,
        "failures": failures,
        "warnings": warnings,
    }


def _failures(store: Store, number: int, method: str) -> dict[str, int]:
    """Of all that is stored, gaps or not."""
    from statsclaw.montecarlo.batch import Status

    counts = Counter(problem.status for problem in store.told(number, method))
    return {kind.name.lower(): counts[kind] for kind in Status if kind != Status.OK and counts[kind]}


def _kinds(found: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {kind.replace('_', ' ')}" for kind, count in found.items())


def _undecided(study: Study, store: Store | None) -> str:
    if store is None or not study.criteria:
        return ""
    from statsclaw.montecarlo.verdicts.judge import undecided_cells

    wanted = undecided_cells(study, store)
    if not wanted:
        return ""
    return f"{len(wanted)} cells are undecided; --sequential would add {sum(wanted.values()):,} replications first"
