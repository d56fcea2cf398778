"""Lolly plots: every cell and method as a point on a stem from the ideal value, metrics side by side (rsimsum)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from statsclaw.montecarlo.design import cell_name
from statsclaw.montecarlo.figures.captions import caption, how_drawn, meanings
from statsclaw.montecarlo.figures.fonts import shortened
from statsclaw.montecarlo.figures.legends import failure_entries
from statsclaw.montecarlo.figures.reading import LABELS, Measures, Point, chunks, varying
from statsclaw.montecarlo.figures.style import (
    REFERENCE,
    Drawing,
    MethodStyle,
    file_name,
    legend_above,
    method_handles,
    method_styles,
    new_figure,
)
from statsclaw.montecarlo.figures.themes import across, character, narrow, pt, wide

_METRICS = ("bias", "rmse", "coverage", "se_ratio")
_MOST_LINES, _MOST_PAGES, _LINE, _BETWEEN = 36, 6, 0.135, 0.5


def draw(measures: Measures) -> Iterator[Drawing]:
    cells = [cell for cell, count in enumerate(measures.replications) if count]
    for parameter in measures.parameters:
        metrics = [metric for metric in _METRICS if measures.has(metric, parameter)]
        if not metrics or not cells:
            continue
        shown = chunks(cells, max(_MOST_LINES // len(measures.methods), 1))
        beside = chunks(metrics, across(4))
        every = list(product(shown, beside))
        for number, (part, row) in enumerate(every[:_MOST_PAGES], start=1):
            name = file_name("lolly", parameter, *([f"{number:02d}"] if len(every) > 1 else []))
            yield _page(measures, parameter, part, row, name, max(len(every) - _MOST_PAGES, 0))


def _page(
    measures: Measures, parameter: str, cells: Sequence[int], metrics: Sequence[str], name: str, left_out: int
) -> Drawing:
    styles = method_styles(measures.methods)
    each = len(styles) + _BETWEEN
    width = narrow() if len(metrics) == 1 else wide()
    figure = new_figure(width, 0.75 + _LINE * max(each * len(cells), 5))
    grid = figure.subplots(1, len(metrics), squeeze=False, sharey=True)
    found: list[Point] = []
    for at, metric in enumerate(metrics):
        axes = grid[0][at]
        for place, cell in enumerate(cells):
            for number, (method, style) in enumerate(styles.items()):
                point = measures.point(metric, cell, method, parameter)
                height = place * each + number
                if point is not None and point.drawn:
                    found.append(point)
                    _lolly(axes, point, height, _ideal(measures, metric), style, method)
                elif point is not None:
                    axes.plot(
                        [0.02], [height], marker="x", color=style.colour, markersize=pt(3.4), linestyle="",
                        transform=axes.get_yaxis_transform(), clip_on=False, gid=f"empty:{method}",
                    )  # fmt: skip
        axes.axvline(_ideal(measures, metric), color=REFERENCE, linewidth=pt(0.7), zorder=1, gid="reference")
        for place in range(1, len(cells)):
            axes.axhline(place * each - (1 + _BETWEEN) / 2, color="#EEEEEE", linewidth=pt(0.6), zorder=0)
        axes.set_title(LABELS[metric])
        axes.xaxis.set_major_locator(MaxNLocator(nbins=max(2, int(width / len(metrics) / pt(0.45))), min_n_ticks=2))
        axes.tick_params(left=False)
        axes.spines["left"].set_visible(False)
    first = grid[0][0]
    first.set_yticks([place * each + (len(styles) - 1) / 2 for place in range(len(cells))], _names(measures, cells))
    first.set_ylim(len(cells) * each - _BETWEEN, -1)
    notes = failure_entries(measures, cells)
    legend_above(
        figure, [*method_handles(styles), *(handle for handle, _ in notes)], [*styles, *(label for _, label in notes)]
    )
    return Drawing(name, figure, _caption(measures, parameter, cells, metrics, left_out, found))


def _ideal(measures: Measures, metric: str) -> float:
    return {"coverage": measures.study.level, "se_ratio": 1.0}.get(metric, 0.0)


def _lolly(axes: Axes, point: Point, height: float, ideal: float, style: MethodStyle, method: str) -> None:
    """A light stem from the ideal value, the point, and brackets at the ends of its Monte Carlo interval."""
    axes.hlines(height, min(ideal, point.value), max(ideal, point.value), color=style.colour, linewidth=pt(0.5),
                alpha=0.55, zorder=2)  # fmt: skip
    axes.hlines(height, point.low, point.high, color=style.colour, linewidth=pt(1.0), zorder=3, gid=f"bars:{method}")
    for end in (point.low, point.high):
        axes.plot([end], [height], marker="|", color=style.colour, markersize=pt(3.2), linestyle="", zorder=3)
    axes.plot(
        [point.value], [height], marker=style.marker, color=style.colour, markersize=pt(3.6), linestyle="", zorder=4,
        markerfacecolor="white" if point.estimate.failures else style.colour, markeredgewidth=pt(0.8),
        gid=f"points:{method}",
    )  # fmt: skip


def _names(measures: Measures, cells: Sequence[int]) -> list[str]:
    """The levels of what varies, no longer than a third of the figure."""
    axes = varying(measures.study)
    longest = int(wide() / 3.2 / character())
    levels = [{axis: measures.cells[cell][axis] for axis in axes} for cell in cells]
    return [shortened(cell_name(row).replace(",", ", ") if row else "", longest) for row in levels]


def _caption(
    measures: Measures, parameter: str, cells: Sequence[int], metrics: Sequence[str], left_out: int,
    found: Sequence[Point],
) -> str:  # fmt: skip
    what = f"{', '.join(LABELS[metric] for metric in metrics)} of {parameter} in every cell, by method. "
    details = [
        "Each stem leads from the ideal value (grey line; 0 for RMSE) to the value that was found.",
        *how_drawn(measures, found, cells),
    ]
    if left_out:
        details.append(f"{left_out} more pages of this grid are not drawn.")
    return caption(measures, what + meanings(measures, metrics), cells, {}, details)
