"""`statsclaw mc export`: the replications as a table of other programs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from statsclaw.errors import InputRefused
from statsclaw.ui.mc_commands import OutOption, StudyArgument, command_line, loaded_from, results_of, tell_notes


def export(
    study: StudyArgument,
    out: OutOption = None,
    csv: Annotated[bool, typer.Option("--csv", help="Comma-separated values (the default).")] = False,
    rds: Annotated[bool, typer.Option("--rds", help="A data frame for R's readRDS().")] = False,
    parquet: Annotated[bool, typer.Option("--parquet", help="Parquet, for pandas, arrow, DuckDB.")] = False,
    to: Annotated[
        Path | None, typer.Option("--to", help="The file, - for standard output (default: RESULTS/replications.csv).")
    ] = None,
    wide: Annotated[
        bool, typer.Option("--wide", help="One row per replication and method: mu.estimate, mu.se, …")
    ] = False,
    streams: Annotated[
        bool, typer.Option("--streams", help="With what the generator was set to before data and method.")
    ] = False,
) -> None:
    """Every replication as a tidy table: one row per cell, method, replication and parameter."""
    from statsclaw.montecarlo.exporting.files import export as write
    from statsclaw.montecarlo.exporting.files import print_csv
    from statsclaw.montecarlo.exporting.rows import Replications

    format = _format(to, [name for name, asked in (("csv", csv), ("rds", rds), ("parquet", parquet)) if asked])
    if to is not None and not to.parent.is_dir():
        raise InputRefused(
            f"there is no folder {to.parent}", kept="nothing was written", todo="make it, or give another --to"
        )
    loaded = loaded_from(study)
    store = results_of(loaded, out)
    table = Replications(loaded, store, wide=wide, streams=streams)
    if str(to) == "-":
        print_csv(table)
    else:
        place = to or store.folder / f"replications.{format}"
        write(table, place, format)
        print(f"wrote {place}: {table.rows:,} rows, {len(table.columns)} columns")
    cells = range(len(loaded.cells()))
    if left_out := sum(max(0, store.stored(cell) - store.completed(cell)) for cell in cells):
        said = f"{left_out:,} replications that come after a gap are left out; a run fills it. What failed there:"
        print(f"note: {said} {command_line('failures', study, out)}", file=sys.stderr)
    tell_notes(store)


def _format(to: Path | None, asked: list[str]) -> str:
    """As it is asked for, else as the name of the file says."""
    if len(asked) > 1:
        raise InputRefused(f"one format at a time, not {' and '.join(asked)}")
    if str(to) == "-" and asked not in ([], ["csv"]):
        raise InputRefused(f"only CSV goes to standard output, not {asked[0]}", todo="name a file with --to")
    if asked:
        return asked[0]
    suffix = to.suffix.lower().lstrip(".") if to is not None else ""
    return suffix if suffix in ("rds", "parquet") else "csv"
