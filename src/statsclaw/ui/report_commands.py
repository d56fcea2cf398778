"""`statsclaw report`: one page about a run, for somebody who was not there."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from statsclaw.errors import InputRefused
from statsclaw.ui import settings
from statsclaw.ui.options import RunArgument, WorkspaceOption


class Format(StrEnum):
    HTML = "html"
    PDF = "pdf"
    MD = "md"


FormatOption = Annotated[
    Format, typer.Option("--format", help="html: the page; pdf: the page on paper; md: a short text to paste.")
]
OutOption = Annotated[
    Path | None,
    typer.Option("--out", help="Where it is written (default: report.html, .pdf or .md in the run's folder)."),
]


def report(
    run: RunArgument, format: FormatOption = Format.HTML, out: OutOption = None, workspace: WorkspaceOption = None
) -> None:
    """Write about a run: what was built, whether it is right, what was decided, and the evidence."""
    from statsclaw.report import REPORT, report_of  # what it draws and computes with takes seconds to import

    folder = settings.workspace_from(workspace).find(run)
    place = out or (folder.path / REPORT).with_suffix(f".{format}")
    if place.is_dir():
        raise InputRefused(f"{place} is a folder", todo="give the name of a file with --out")
    print(report_of(folder, place, format.value))
