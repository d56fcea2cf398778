"""Ranks of the truth among a sampler's draws: histogram, and difference of their ECDF from that of uniform ranks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes

from statsclaw.montecarlo.chains.samplers import RANKED
from statsclaw.montecarlo.chains.uniformity import (
    bins_for,
    chi_square,
    ecdf,
    ecdf_band,
    ecdf_test,
    histogram,
    histogram_band,
)
from statsclaw.montecarlo.figures.captions import caption, cell_title
from statsclaw.montecarlo.figures.fonts import shortened
from statsclaw.montecarlo.figures.reading import Measures, chunks
from statsclaw.montecarlo.figures.style import (
    NOTE_POINTS,
    REFERENCE,
    Drawing,
    file_name,
    new_figure,
)
from statsclaw.montecarlo.figures.themes import across, character, current, narrow, pt, wide
from statsclaw.montecarlo.table import Floats

_BAND_ERROR = 0.05
_ACROSS, _MOST = 4, 24


@dataclass(frozen=True, slots=True)
class _Panel:
    cell: int
    quantity: str


def draw(measures: Measures) -> Iterator[Drawing]:
    for method in measures.methods:
        ranked = {name.removesuffix(".rank") for name in measures.columns[method] if name.endswith(".rank")}
        quantities = [name for name in dict.fromkeys([*measures.parameters, *sorted(ranked)]) if name in ranked]
        every = [
            _Panel(cell, quantity)
            for quantity in quantities
            for cell in range(len(measures.cells))
            if measures.replications[cell]
        ]
        pages = chunks(every[:_MOST], across(_ACROSS))
        for number, panels in enumerate(pages, start=1):
            name = file_name("ranks", method, *([f"{number:02d}"] if len(pages) > 1 else []))
            yield _page(measures, method, panels, name, len(every) - _MOST if number == len(pages) else 0)


def _page(measures: Measures, method: str, panels: Sequence[_Panel], name: str, left_out: int) -> Drawing:
    width = narrow() if len(panels) <= 2 else wide()
    figure = new_figure(width, 3.1)
    grid = figure.subplots(2, len(panels), squeeze=False, sharey="row")
    inches = width / len(panels) - pt(0.2)
    for at, panel in enumerate(panels):
        column = f"{panel.quantity}.rank"
        table = measures.results.table(panel.cell, method, [column])
        values = table.columns[column][~table.failed]
        values = values[~np.isnan(values)]
        _histogram(grid[0][at], values)
        _difference(grid[1][at], values)
        failed = len(table.failed) - len(values)
        if failed:
            grid[0][at].text(
                0.98,
                0.97,
                f"{failed} failed",
                transform=grid[0][at].transAxes,
                fontsize=pt(NOTE_POINTS),
                ha="right",
                va="top",
            )
        title = [shortened(panel.quantity, int(inches / character())), cell_title(measures, panel.cell, inches)]
        grid[0][at].set_title("\n".join(line for line in title if line))
    bottom, top = grid[1][0].get_ylim()
    grid[1][0].set_ylim(bottom, top + 0.25 * (top - bottom))
    grid[0][0].set_ylabel("Count")
    grid[1][0].set_ylabel("ECDF − uniform")
    figure.align_ylabels(grid[:, 0])
    figure.supxlabel(f"Rank of the truth among {RANKED} draws of {shortened(method, 40)}", fontsize=pt(8))
    return Drawing(name, figure, _caption(measures, method, panels, left_out))


def _histogram(axes: Axes, ranks: Floats) -> None:
    axes.set_xlim(-0.5, RANKED + 0.5)
    axes.set_xticks([0, 50, RANKED])
    if not len(ranks):
        axes.text(0.5, 0.5, "no ranks", transform=axes.transAxes, ha="center", va="center", fontsize=pt(NOTE_POINTS))
        return
    bins = bins_for(len(ranks), RANKED)
    low, high = histogram_band(len(ranks), bins, _BAND_ERROR)
    axes.axhspan(low, high, color=current().band, linewidth=0, zorder=0, gid="band")
    axes.axhline(len(ranks) / bins, color=REFERENCE, linewidth=pt(0.6), zorder=1)
    size = (RANKED + 1) / bins
    axes.bar(
        np.arange(bins) * size - 0.5, histogram(ranks, RANKED, bins), width=size, align="edge", color=current().covers,
        edgecolor="white", linewidth=pt(0.4), zorder=2,
    )  # fmt: skip
    axes.set_ylim(0, max(axes.get_ylim()[1], 1.3 * max(high, float(histogram(ranks, RANKED, bins).max()))))
    _note(axes, f"χ² p {_p(chi_square(ranks, RANKED))}")


def _difference(axes: Axes, ranks: Floats) -> None:
    axes.set_xlim(-0.5, RANKED + 0.5)
    axes.set_xticks([0, 50, RANKED])
    axes.axhline(0, color=REFERENCE, linewidth=pt(0.6), zorder=1)
    if not len(ranks):
        return
    count = len(ranks)
    places = np.arange(RANKED)
    uniform = (places + 1) / (RANKED + 1)
    low, high = ecdf_band(count, RANKED, _BAND_ERROR)
    axes.fill_between(
        places,
        low / count - uniform,
        high / count - uniform,
        step="mid",
        color=current().band,
        linewidth=0,
        zorder=0,
        gid="band",
    )
    found = ecdf(ranks, RANKED) / count - uniform
    axes.plot(places, found, color=current().colours[0], drawstyle="steps-mid", linewidth=pt(0.9), zorder=2, gid="ecdf")
    _note(axes, f"ECDF p {_p(ecdf_test(ranks, RANKED))}")


def _note(axes: Axes, text: str) -> None:
    axes.text(0.03, 0.97, text, transform=axes.transAxes, fontsize=pt(NOTE_POINTS), va="top", zorder=6)


def _p(value: float) -> str:
    return "unknown" if np.isnan(value) else "< 0.001" if value < 0.001 else f"= {value:.3f}"


def _caption(measures: Measures, method: str, panels: Sequence[_Panel], left_out: int) -> str:
    what = f"Ranks of the truth among {RANKED} nearly independent draws of {method}."
    details = [
        "Above: histogram with the region that all bins of uniform ranks stay in with probability 95 % (binomial, "
        "Bonferroni). Below: ECDF of the ranks minus that of uniform ranks, with the region that the whole curve stays "
        "in with probability 95 % (Säilynoja, Bürkner and Vehtari 2022).",
        "Ranks are uniform for a correct sampler where the truth of every replication is drawn from the prior. With a "
        "fixed truth they show how the posterior covers it, and need not be uniform. p-values are not adjusted for the "
        "number of panels.",
    ]
    if left_out > 0:
        details.append(f"{left_out} more panels are not drawn.")
    return caption(measures, what, [panel.cell for panel in panels], {}, details, methods=[method])
