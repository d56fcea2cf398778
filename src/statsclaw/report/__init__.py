"""What somebody who was not there can read about a run: a page, the same on paper, or a short text to paste.

Everything is computed from the run's folder, so that a copy of the folder on another machine gives the same. Nothing in
the page comes from elsewhere.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal, get_args

from statsclaw.engine.run import Run
from statsclaw.report.markdown import render_markdown
from statsclaw.report.page import render_page
from statsclaw.report.printing import printed
from statsclaw.runlog.store import write_durably
from statsclaw.templates import without_control
from statsclaw.workspace.layout import RunFolder

__all__ = ["FORMATS", "REPORT", "Format", "render_markdown", "render_page", "report_of", "write_report"]

Format = Literal["html", "pdf", "md"]
FORMATS: tuple[Format, ...] = get_args(Format)
#: What the report is called in the folder of its run.
REPORT = "report.html"


def write_report(run: Run, place: Path) -> Path:
    """The report of `run` as its log stands now, written under `place`."""
    return report_of(run.folder, place)


def report_of(folder: RunFolder, place: Path, form: Format = "html") -> Path:
    """The same of a run that nobody has opened: only its log and its store are read."""
    text = without_control(render_markdown(folder) if form == "md" else render_page(folder))
    if form == "pdf":
        return printed(text.encode("utf-8", "replace").decode("utf-8"), place)
    write_durably(place, text.encode("utf-8", "replace"))
    return place
