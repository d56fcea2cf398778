"""One HTML page about a run that somebody who was not there can read: nothing in it comes from elsewhere.

Everything is computed from the run's folder, so that a copy of the folder on another machine gives the same page.
"""

from __future__ import annotations

from pathlib import Path

from statsclaw.engine.run import Run
from statsclaw.report.page import render_page
from statsclaw.runlog.store import write_durably
from statsclaw.templates import without_control
from statsclaw.workspace.layout import RunFolder

__all__ = ["REPORT", "render_page", "report_of", "write_report"]

#: What the report is called in the folder of its run.
REPORT = "report.html"


def write_report(run: Run, place: Path) -> Path:
    """The report of `run` as its log stands now, written under `place`."""
    return report_of(run.folder, place)


def report_of(folder: RunFolder, place: Path) -> Path:
    """The same of a run that nobody has opened: only its log and its store are read."""
    write_durably(place, without_control(render_page(folder)).encode("utf-8", "replace"))
    return place
