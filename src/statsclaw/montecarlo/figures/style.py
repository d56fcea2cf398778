"""How every figure looks, and how it is written: the same bytes for the same data.

Methods differ in marker and line style as well as in colour, so that they can be told apart in grey.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.artist import Artist
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from rich.cells import cell_len

from statsclaw.montecarlo.figures import fonts as fonts_module
from statsclaw.montecarlo.figures import themes
from statsclaw.montecarlo.figures.fonts import Fonts, shortened
from statsclaw.montecarlo.figures.themes import Theme, character, current, pt

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
LINES: tuple[Any, ...] = ("-", (0, (4, 1.5)), (0, (1, 1.2)), (0, (5, 1.5, 1, 1.5)), (0, (2.5, 1)))
GREY, REFERENCE = "#555555", "#999999"
LABEL_POINTS, TICK_POINTS, NOTE_POINTS = 8, 7, 6.5

#: Sizes in points of the journal's theme.
_SIZES: Mapping[str, float] = {
    "font.size": LABEL_POINTS,
    "axes.labelsize": LABEL_POINTS,
    "axes.titlesize": LABEL_POINTS,
    "axes.titlepad": 4,
    "axes.labelpad": 3,
    "axes.linewidth": 0.6,
    "xtick.labelsize": TICK_POINTS,
    "ytick.labelsize": TICK_POINTS,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "xtick.major.pad": 3,
    "ytick.major.pad": 3,
    "xtick.minor.size": 0,
    "ytick.minor.size": 1.5,
    "ytick.minor.width": 0.4,
    "legend.fontsize": LABEL_POINTS,
    "lines.linewidth": 0.9,
    "lines.markersize": 3.6,
    "figure.constrained_layout.h_pad": 0.04167,
    "figure.constrained_layout.w_pad": 0.04167,
}
_SETTINGS: Any = {
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.formatter.use_mathtext": False,
    "axes.formatter.limits": (-3, 4),
    "legend.frameon": False,
    "text.parse_math": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "statsclaw",
    "pdf.fonttype": 42,
    "figure.constrained_layout.use": True,
}
#: What a file would otherwise say of when and by what it was written.
_METADATA: dict[str, dict[str, None]] = {
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "png": {"Software": None},
}


@dataclass(frozen=True, slots=True)
class Drawing:
    """A figure, the name of its files, and what is said below it."""

    name: str
    figure: Figure
    caption: str


@dataclass(frozen=True, slots=True)
class MethodStyle:
    colour: str
    marker: str
    line: Any


@contextmanager
def journal_style(theme: Theme | None = None, fonts: Fonts | None = None) -> Iterator[None]:
    """The settings hold inside only, and whatever a matplotlibrc says does not."""
    theme = theme or themes.theme()
    fonts = fonts or Fonts((theme.font,))
    with mpl.rc_context(), themes.use(theme), fonts_module.use(fonts):
        mpl.rcdefaults()
        mpl.rcParams.update(_SETTINGS)
        sizes: Any = {name: pt(size) for name, size in _SIZES.items()}
        mpl.rcParams.update(sizes)
        mpl.rcParams["font.family"] = list(fonts.families)
        yield


def method_styles(methods: Sequence[str]) -> dict[str, MethodStyle]:
    """No two of the first 45 are alike, in no theme."""
    colours = current().colours
    return {
        method: MethodStyle(colours[number % len(colours)], MARKERS[number % len(MARKERS)], LINES[number % len(LINES)])
        for number, method in enumerate(methods)
    }


def new_figure(width: float, height: float) -> Figure:
    """`width` in inches, `height` in those of the journal's theme."""
    figure = Figure(figsize=(width, pt(height)))
    FigureCanvasAgg(figure)
    return figure


def write(drawing: Drawing, folder: Path, formats: Sequence[str]) -> list[Path]:
    """The figure in every format, and its caption. It is laid out once, so that all formats are alike."""
    drawing.figure.draw_without_rendering()
    drawing.figure.set_layout_engine("none")
    paths = []
    for kind in formats:
        path = folder / f"{drawing.name}.{kind}"
        drawing.figure.savefig(path, format=kind, dpi=300, metadata=_METADATA.get(kind))
        paths.append(path)
    caption = folder / f"{drawing.name}.caption.md"
    caption.write_text(drawing.caption, encoding="utf-8")
    return [*paths, caption]


def legend_above(figure: Figure, handles: Sequence[Artist], labels: Sequence[str]) -> None:
    """Outside the axes, in as many columns as fit."""
    shown = [shortened(label, 44) for label in labels]
    entry = max((cell_len(label) for label in shown), default=1) * character() + pt(0.55)
    columns = max(1, min(len(shown), int((figure.get_figwidth() - pt(0.2)) / entry)))
    figure.legend(
        list(handles), shown, loc="outside upper center", ncols=columns, columnspacing=1.6, handlelength=2.6,
        borderaxespad=0.1,
    )  # fmt: skip


def method_handles(styles: dict[str, MethodStyle], *, markers: bool = True) -> list[Line2D]:
    return [
        Line2D([], [], color=style.colour, linestyle=style.line, marker=style.marker if markers else "")
        for style in styles.values()
    ]


def file_name(*parts: str) -> str:
    """Safe on every file system."""
    return "-".join(re.sub(r"[^A-Za-z0-9_.=]+", "_", part)[:60] or "_" for part in parts)
