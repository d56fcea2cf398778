"""How every figure looks, and how it is written: the same bytes for the same data.

Colours are those of Okabe and Ito, without yellow, which is lost on white. Methods differ in marker and line style too,
so that they can be told apart in grey.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.artist import Artist
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
LINES: tuple[Any, ...] = ("-", (0, (4, 1.5)), (0, (1, 1.2)), (0, (5, 1.5, 1, 1.5)), (0, (2.5, 1)))
GREY, BAND, REFERENCE = "#555555", "#E4E4E4", "#999999"
#: Widths of one and of two columns of a journal, in inches.
ONE_COLUMN, TWO_COLUMNS = 3.5, 7.0
LABEL_POINTS, TICK_POINTS, NOTE_POINTS = 8, 7, 6.5
#: Width of a character of a label at LABEL_POINTS, in inches, on average.
CHARACTER = 0.066

_SETTINGS: Any = {
    "font.family": "DejaVu Sans",
    "font.size": LABEL_POINTS,
    "axes.labelsize": LABEL_POINTS,
    "axes.titlesize": LABEL_POINTS,
    "axes.titlepad": 4,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.formatter.use_mathtext": False,
    "axes.formatter.limits": (-3, 4),
    "xtick.labelsize": TICK_POINTS,
    "ytick.labelsize": TICK_POINTS,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "xtick.minor.size": 0,
    "ytick.minor.size": 1.5,
    "ytick.minor.width": 0.4,
    "legend.fontsize": LABEL_POINTS,
    "legend.frameon": False,
    "lines.linewidth": 0.9,
    "lines.markersize": 3.6,
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
def journal_style() -> Iterator[None]:
    """The settings hold inside only, and whatever a matplotlibrc says does not."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_SETTINGS)
        yield


def method_styles(methods: Sequence[str]) -> dict[str, MethodStyle]:
    """No two of 315 are alike."""
    return {
        method: MethodStyle(COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)], LINES[number % len(LINES)])
        for number, method in enumerate(methods)
    }


def new_figure(width: float, height: float) -> Figure:
    figure = Figure(figsize=(width, height))
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
    entry = max((len(label) for label in shown), default=1) * CHARACTER + 0.55
    columns = max(1, min(len(shown), int((figure.get_figwidth() - 0.2) / entry)))
    figure.legend(
        list(handles), shown, loc="outside upper center", ncols=columns, columnspacing=1.6, handlelength=2.6,
        borderaxespad=0.1,
    )  # fmt: skip


def method_handles(styles: dict[str, MethodStyle], *, markers: bool = True) -> list[Line2D]:
    return [
        Line2D([], [], color=style.colour, linestyle=style.line, marker=style.marker if markers else "")
        for style in styles.values()
    ]


def shortened(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def file_name(*parts: str) -> str:
    """Safe on every file system."""
    return "-".join(re.sub(r"[^A-Za-z0-9_.=]+", "_", part)[:60] or "_" for part in parts)
