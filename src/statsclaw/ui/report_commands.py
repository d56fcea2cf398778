"""`statsclaw report`: one page about a run, for somebody who was not there."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from statsclaw.errors import InputRefused
from statsclaw.ui import settings
from statsclaw.ui.options import RunArgument, WorkspaceOption

OutOption = Annotated[
    Path | None, typer.Option("--out", help="Where the page is written (default: report.html in the run's folder).")
]


def report(run: RunArgument, out: OutOption = None, workspace: WorkspaceOption = None) -> None:
    """Write one HTML page about a run: what was asked, decided, built, checked and found, with the evidence."""
    from statsclaw.report import REPORT, report_of  # what it draws and computes with takes seconds to import

    folder = settings.workspace_from(workspace).find(run)
    place = out or folder.path / REPORT
    if place.is_dir():
        raise InputRefused(f"{place} is a folder", todo="give the name of a file with --out")
    print(report_of(folder, place))
