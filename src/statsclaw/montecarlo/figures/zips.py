"""Zip plots: every interval, from the one best placed to the one farthest off (Morris, White and Crowther 2019)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D

from statsclaw.montecarlo.figures.captions import caption, cell_title
from statsclaw.montecarlo.figures.fonts import shortened
from statsclaw.montecarlo.figures.reading import Measures, chunks
from statsclaw.montecarlo.figures.style import (
    GREY,
    NOTE_POINTS,
    Drawing,
    file_name,
    legend_above,
    new_figure,
)
from statsclaw.montecarlo.figures.themes import across, current, narrow, pt, wide
from statsclaw.montecarlo.table import Flags, Floats, Table

_MOST_CELLS, _ACROSS, _DOWN, _MOST_LINES, _ROW_HEIGHT = 12, 4, 4, 500, 1.45


def draw(measures: Measures) -> Iterator[Drawing]:
    for parameter in measures.parameters:
        methods = [
            method
            for method in measures.methods
            if {f"{parameter}.low", f"{parameter}.high", f"{parameter}.estimate"} <= measures.columns[method]
        ]
        cells = [
            cell for cell, truth in enumerate(measures.truths) if parameter in truth and measures.replications[cell]
        ]
        if not methods or not cells:
            continue
        shown = _farthest(measures, cells, methods, parameter)
        every = [(row, beside) for beside in chunks(shown, across(_ACROSS)) for row in chunks(methods, _DOWN)]
        for number, (rows, beside) in enumerate(every, start=1):
            name = file_name("zip", parameter, *([f"{number:02d}"] if len(every) > 1 else []))
            yield _page(measures, parameter, rows, beside, name, len(cells) - len(shown))


def _farthest(measures: Measures, cells: Sequence[int], methods: Sequence[str], parameter: str) -> list[int]:
    """All cells; of very many those in which a method's coverage is farthest from the level."""
    if len(cells) <= _MOST_CELLS:
        return list(cells)

    def distance(cell: int) -> float:
        points = [measures.point("coverage", cell, method, parameter) for method in methods]
        return max((abs(p.value - measures.study.level) for p in points if p is not None and p.drawn), default=0.0)

    return sorted(sorted(cells, key=distance, reverse=True)[:_MOST_CELLS])


def _page(
    measures: Measures, parameter: str, methods: Sequence[str], cells: Sequence[int], name: str, left_out: int
) -> Drawing:
    width = narrow() if len(cells) <= 2 else wide()
    figure = new_figure(width, 0.75 + _ROW_HEIGHT * len(methods))
    grid = figure.subplots(len(methods), len(cells), squeeze=False, sharey=True, sharex="col")
    inches = width / len(cells) - pt(0.15)
    thinned = False
    for row, method in enumerate(methods):
        for at, cell in enumerate(cells):
            axes = grid[row][at]
            thinned |= _intervals(axes, measures, cell, method, parameter)
            if row == 0:
                axes.set_title(cell_title(measures, cell, inches))
        grid[row][0].set_ylabel(shortened(method, 20))
    figure.supxlabel(f"Intervals for {shortened(parameter, 40)}", fontsize=pt(8))
    figure.supylabel("Centile of distance from the truth", fontsize=pt(8))
    legend_above(
        figure,
        [
            Line2D([], [], color=current().covers, linewidth=pt(2.5)),
            Line2D([], [], color=current().misses, linewidth=pt(2.5)),
            _coverage_handle(),
        ],
        ["covers", "does not cover", "coverage, 95 %"],
    )
    return Drawing(name, figure, _caption(measures, parameter, cells, left_out, thinned=thinned))


def _coverage_handle() -> Line2D:
    return Line2D([], [], color="black", linewidth=pt(0.7), linestyle=(0, (3, 1.5)))


def _intervals(axes: Axes, measures: Measures, cell: int, method: str, parameter: str) -> bool:
    """One panel; True where only some of the intervals are drawn."""
    level, truth = measures.study.level, measures.truths[cell][parameter]
    table = measures.results.table(cell, method, [f"{parameter}.{part}" for part in ("estimate", "low", "high")])
    low, high, centiles, missing = zipped(table, parameter, truth)
    axes.set_ylim(0, 100)
    axes.set_yticks([0, 50, 100 * level], ["0", "50", f"{100 * level:g}"])
    axes.axvline(truth, color=GREY, linewidth=pt(0.6), zorder=3)
    point = measures.point("coverage", cell, method, parameter)
    failed = measures.failures[cell, method]
    if failed:
        axes.text(
            0.02, 0.03, f"{failed} failed", transform=axes.transAxes, fontsize=pt(NOTE_POINTS), zorder=6,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8, "alpha": 0.85},
        )  # fmt: skip
    if point is None or not point.drawn:
        axes.set_xticks([])
        return False
    for bound in (point.low, point.high):
        axes.axhline(100 * bound, color="black", linewidth=pt(0.7), linestyle=(0, (3, 1.5)), zorder=4, gid="coverage")
    kept = np.unique(np.linspace(0, len(low) - 1, min(len(low), _MOST_LINES)).round().astype(int))
    for chosen, colour, kind in (
        (~missing[kept], current().covers, "covers"),
        (missing[kept], current().misses, "misses"),
    ):
        at = kept[chosen]
        ends = np.stack((np.stack((low[at], centiles[at]), 1), np.stack((high[at], centiles[at]), 1)), 1)
        lines = LineCollection(
            list(ends),
            colors=colour,
            linewidths=pt(max(0.35, min(1.0, 90 / len(kept)))),
            zorder=2,
            capstyle="projecting",
        )
        lines.set_gid(kind)
        axes.add_collection(lines)
    _limit(axes, low[kept], high[kept], truth)
    return len(kept) < len(low)


def zipped(table: Table, parameter: str, truth: float) -> tuple[Floats, Floats, Floats, Flags]:
    """Limits in order of the distance from the truth, its centiles, and which intervals miss.

    The distance is that of estimate and truth, over the length of the interval on the side of the truth: of Wald
    intervals a multiple of |z|, and above one exactly where the interval misses, also if it is not symmetric.
    """
    names = [f"{parameter}.{part}" for part in ("estimate", "low", "high")]
    values = np.stack([table.columns[name] for name in names])
    estimate, low, high = values[:, ~table.failed & ~np.isnan(values).any(axis=0)]
    misses = (truth < low) | (truth > high)
    with np.errstate(all="ignore"):
        distance = np.abs(estimate - truth) / np.where(truth > estimate, high - estimate, estimate - low)
    distance = np.where(np.isnan(distance), 0.0, distance)
    order = np.lexsort((distance, misses))
    centiles = 100 * (np.arange(len(low)) + 0.5) / max(len(low), 1)
    return low[order], high[order], centiles, misses[order]


def _limit(axes: Axes, low: Floats, high: Floats, truth: float) -> None:
    """A few endless intervals do not set the scale."""
    finite_low, finite_high = low[np.isfinite(low)], high[np.isfinite(high)]
    if not len(finite_low) or not len(finite_high):
        return
    left = min(float(np.quantile(finite_low, 0.005)), truth)
    right = max(float(np.quantile(finite_high, 0.995)), truth)
    pad = 0.05 * (right - left) or 0.5
    seen = axes.get_xlim() if not axes.get_autoscalex_on() else (truth, truth)
    axes.set_xlim(min(seen[0], left - pad), max(seen[1], right + pad))


def _caption(measures: Measures, parameter: str, cells: Sequence[int], left_out: int, *, thinned: bool) -> str:
    level = 100 * measures.study.level
    what = f"Zip plot of the {level:g} % intervals for {parameter}."
    details = [
        "Each line is the interval of one replication, ordered upwards by the distance of estimate and truth in units "
        "of the interval (|z| for Wald intervals). The vertical line is the truth; intervals above the centile that "
        f"equals the coverage miss it, {100 - level:g} % of them where coverage is as stated. Dashed: 95 % "
        "(Clopper–Pearson) interval for the coverage.",
    ]
    if thinned:
        details.append(f"At most {_MOST_LINES} intervals are drawn in a panel, evenly spaced in their order.")
    if left_out:
        details.append(f"The {_MOST_CELLS} cells whose coverage is farthest from the level; {left_out} are not drawn.")
    return caption(measures, what, cells, {}, details)
