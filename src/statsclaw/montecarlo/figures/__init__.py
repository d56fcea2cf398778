"""Figures of a study as a journal takes them: panels, zip plots, nested-loop plots, rates, ranks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from statsclaw.montecarlo.design import Study, StudyRefused
from statsclaw.montecarlo.figures import nested, panel, ranks, rate, zips
from statsclaw.montecarlo.figures.reading import measure
from statsclaw.montecarlo.figures.style import journal_style, write
from statsclaw.montecarlo.storage.results import Results

FORMATS = ("svg", "pdf", "png")


def draw_figures(study: Study, results: Results, folder: Path, formats: Sequence[str] = FORMATS) -> list[Path]:
    """Every figure that the study has data for, each with a caption; the paths written, in order.

    The files are the same, byte for byte, whenever results and versions of matplotlib are.
    """
    unknown = [kind for kind in formats if kind not in FORMATS]
    if unknown:
        raise StudyRefused(f"Figures are written as {', '.join(FORMATS)}; {', '.join(unknown)} is not among them.")
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    measures = measure(study, results)
    written: list[Path] = []
    names: Counter[str] = Counter()
    with journal_style():
        for kind in (panel, zips, nested, rate, ranks):
            for drawing in kind.draw(measures):
                names[drawing.name.lower()] += 1
                before = names[drawing.name.lower()] - 1
                named = replace(drawing, name=f"{drawing.name}~{before + 1}") if before else drawing
                written += write(named, folder, formats)
    return written
