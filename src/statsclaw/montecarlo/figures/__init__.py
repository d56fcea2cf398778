"""Figures of a study as a journal takes them: panels, zip plots, nested-loop plots, rates, ranks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from statsclaw.montecarlo.design import Study, StudyRefused
from statsclaw.montecarlo.figures import lolly, nested, paired, panel, ranks, rate, rejection, zips
from statsclaw.montecarlo.figures.fonts import fonts_for, names_of, note_of
from statsclaw.montecarlo.figures.reading import measure
from statsclaw.montecarlo.figures.style import journal_style, write
from statsclaw.montecarlo.figures.themes import Theme, theme
from statsclaw.montecarlo.figures.themes import theme as named_theme
from statsclaw.montecarlo.storage.results import Results

__all__ = ["FORMATS", "Theme", "draw_figures", "theme"]

FORMATS = ("svg", "pdf", "png")
KINDS = (panel, lolly, rejection, paired, zips, nested, rate, ranks)


def draw_figures(
    study: Study,
    results: Results,
    folder: Path,
    formats: Sequence[str] = FORMATS,
    *,
    theme: Theme | None = None,
    note: Callable[[str], None] | None = None,
) -> list[Path]:
    """Every figure that the study has data for, each with a caption; the paths written, in order.

    The files are the same, byte for byte, whenever results, fonts and versions of matplotlib are. `note` is told, in
    one line, if no installed font has the characters of a name.
    """
    unknown = [kind for kind in formats if kind not in FORMATS]
    if unknown:
        raise StudyRefused(f"Figures are written as {', '.join(FORMATS)}; {', '.join(unknown)} is not among them.")
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    measures = measure(study, results)
    written: list[Path] = []
    names: Counter[str] = Counter()
    chosen = theme or named_theme()
    fonts = fonts_for(names_of(study), chosen.font)
    if note is not None and (said := note_of(fonts)):
        note(said)
    with journal_style(chosen, fonts):
        for kind in KINDS:
            for drawing in kind.draw(measures):
                names[drawing.name.lower()] += 1
                before = names[drawing.name.lower()] - 1
                named = replace(drawing, name=f"{drawing.name}~{before + 1}") if before else drawing
                written += write(named, folder, formats)
    return written
