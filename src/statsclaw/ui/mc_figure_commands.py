"""Commands of `statsclaw mc` that make something to show: figures, tables for a paper, the page of a study.

What they call is imported where it is called: matplotlib takes seconds that other commands do not owe.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from statsclaw.errors import InputRefused
from statsclaw.ui.line import plain
from statsclaw.ui.mc_commands import OutOption, StudyArgument, loaded_from, results_of, tell_notes

if TYPE_CHECKING:
    from statsclaw.montecarlo.figures import Theme

_MM = {"mm": 1.0, "cm": 10.0, "in": 25.4}
ThemeOption = Annotated[str, typer.Option("--theme", help="journal, grey or slides.")]
WidthOption = Annotated[str | None, typer.Option("--width", help="Of every figure, e.g. 84mm, 8.4cm or 3.3in.")]
FontOption = Annotated[str | None, typer.Option("--font", help="Name of an installed font.")]
FileOption = Annotated[Path | None, typer.Option("--file", help="The file to write (default: print it).")]


def figures(
    study: StudyArgument,
    out: OutOption = None,
    folder: Annotated[
        Path | None, typer.Option("--folder", help="Where figures go (default: RESULTS/figures).")
    ] = None,
    format: Annotated[list[str] | None, typer.Option("--format", "-f", help="svg, pdf, png. Repeatable.")] = None,
    theme: ThemeOption = "journal",
    width: WidthOption = None,
    font: FontOption = None,
) -> None:
    """Draw every figure the study has data for."""
    from statsclaw.montecarlo.figures import FORMATS, draw_figures

    loaded = loaded_from(study)
    chosen = _theme(theme, width, font)
    store = results_of(loaded, out)
    place = folder or store.folder / "figures"
    if place.exists() and not place.is_dir():
        raise InputRefused(f"{place} is not a folder", todo="give a folder with --folder")
    for path in draw_figures(loaded, store, place, format or FORMATS, theme=chosen, note=_note):
        print(path)
    tell_notes(store)


def table(
    study: StudyArgument,
    out: OutOption = None,
    metric: Annotated[list[str] | None, typer.Option("--metric", help="A column. Repeatable.")] = None,
    latex: Annotated[bool, typer.Option("--latex", help="LaTeX with booktabs.")] = False,
    html: Annotated[bool, typer.Option("--html", help="An HTML page.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Markdown (the default).")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="Values and errors in columns of their own.")] = False,
    file: FileOption = None,
) -> None:
    """A table for a paper: metrics of every method and cell, rounded by their Monte Carlo errors."""
    from statsclaw.montecarlo.tables import paper_table, write_table

    asked = {"latex": latex, "html": html, "markdown": markdown, "csv": csv}
    formats = [name for name, wanted in asked.items() if wanted] or ["markdown"]
    if len(formats) > 1:
        raise InputRefused(f"a table has one format, not {' and '.join(formats)}", todo="give one of them")
    loaded = loaded_from(study)
    store = results_of(loaded, out)
    text = write_table(paper_table(loaded, store, metric), formats[0])
    if file is None:
        print(text, end="")
    else:
        _write(file, text)
    tell_notes(store, mixed=formats[0] == "csv")


def report(
    study: StudyArgument,
    out: OutOption = None,
    file: Annotated[
        Path | None, typer.Option("--file", help="The file to write (default: RESULTS/report.html).")
    ] = None,
    theme: ThemeOption = "journal",
    font: FontOption = None,
) -> None:
    """All about a study on one HTML page: design, verdicts, table, figures, failures, how to run it again."""
    from statsclaw.montecarlo.page import render_study_page

    loaded = loaded_from(study)
    chosen = _theme(theme, None, font)
    store = results_of(loaded, out)
    _write(file or store.folder / "report.html", render_study_page(loaded, store, theme=chosen, note=_note))
    tell_notes(store)


def _theme(name: str, width: str | None, font: str | None) -> Theme:
    from statsclaw.montecarlo.figures import theme

    return theme(name, width_mm=_millimetres(width) if width is not None else None, font=font)


def _millimetres(width: str) -> float:
    found = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*(mm|cm|in)\s*", width)
    if found is None:
        raise InputRefused(f"a width is a number with mm, cm or in, not {width!r}", todo="e.g. --width 84mm")
    return float(found[1]) * _MM[found[2]]


def _note(text: str) -> None:
    print(f"note: {plain(text)}", file=sys.stderr)


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputRefused(f"{path} cannot be written: {error.strerror}", todo="give another file") from None
    print(path)


COMMANDS: tuple[Any, ...] = (figures, table, report)
