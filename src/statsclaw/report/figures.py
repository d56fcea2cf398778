"""Figures of a study as part of the report of a run."""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from statsclaw.montecarlo.design import Study
from statsclaw.montecarlo.figures.inlining import inline
from statsclaw.montecarlo.storage.results import Results

#: Of a caption on the first screen.
_LONGEST_IN_SHORT = 460
_TITLE_AND_FIRST = 2
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


@dataclass(frozen=True, slots=True)
class Figure:
    """`svg` may stand in a page as it is; `caption` is plain text."""

    svg: Markup
    caption: str

    @property
    def short(self) -> str:
        """What is drawn and what the marks mean: without what the metrics are, design, hash and criteria."""
        what, _, marks = self.caption.partition("\n\n- ")[0].partition("\n\n")
        told = [_SENTENCE.split(what)[:_TITLE_AND_FIRST], _SENTENCE.split(marks)]
        kept = ""
        for sentence in (sentence for part in told for sentence in part if sentence):
            if len(kept) + len(sentence) < _LONGEST_IN_SHORT:
                kept = f"{kept} {sentence}".strip()
        return kept


def figures_of(study: Study, results: Results) -> list[Figure]:
    """Every figure that the study has data for, with its caption."""
    from statsclaw.montecarlo.figures import draw_figures  # matplotlib takes seconds that a run without study owes not

    with tempfile.TemporaryDirectory() as folder:
        written = draw_figures(study, results, Path(folder), ("svg",))
        drawn = [path for path in written if path.suffix == ".svg"]
        return [
            Figure(inline(path.read_text(encoding="utf-8"), f"f{at}-"), _caption(path)) for at, path in enumerate(drawn)
        ]


def _caption(path: Path) -> str:
    text = path.with_suffix(".caption.md").read_text(encoding="utf-8")
    return re.sub(r"\*\*(.+?)\*\*", r"\1", text).strip()
