"""Nested-loop plots: all cells of a large grid in one row, ordered axis within axis (Rücker and Schwarzer 2014)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
from matplotlib.axes import Axes

from statsclaw.montecarlo.design import Level, Study
from statsclaw.montecarlo.figures.captions import caption, meanings
from statsclaw.montecarlo.figures.fonts import shortened
from statsclaw.montecarlo.figures.reading import FAILED, LABELS, TIME, Measures, Point, is_numeric, varying
from statsclaw.montecarlo.figures.scales import level_text, log_ticks, plain_ticks, spans_a_decade
from statsclaw.montecarlo.figures.style import (
    GREY,
    REFERENCE,
    TICK_POINTS,
    Drawing,
    MethodStyle,
    file_name,
    legend_above,
    method_handles,
    method_styles,
    new_figure,
)
from statsclaw.montecarlo.figures.themes import pt, wide
from statsclaw.montecarlo.table import Floats

_ROWS = ("bias", "rmse", "coverage")
_FEWEST_AXES, _FEWEST_CELLS, _ROW_HEIGHT, _AXIS_HEIGHT = 2, 8, 1.25, 0.3
_MOST_BANDED = 3


def draw(measures: Measures) -> Iterator[Drawing]:
    """Of grids with several axes that vary; a small one is shown in full by the panel."""
    axes = varying(measures.study)
    if len(axes) < _FEWEST_AXES or len(measures.cells) < _FEWEST_CELLS:
        return
    if len(axes) == _FEWEST_AXES and len(measures.parameters) == 1 and len(measures.study.grid[axes[1]]) <= 4:
        return
    for parameter in measures.parameters:
        rows = [metric for metric in (*_ROWS, TIME) if measures.has(metric, parameter)][:3]
        if rows:
            yield _page(measures, parameter, axes, [*rows, *([FAILED] if any(measures.failures.values()) else [])])


def nested_order(study: Study, axes: Sequence[str]) -> tuple[list[int], dict[str, list[Level]]]:
    """The cells as they stand, the first axis slowest, and the level of every axis at each."""
    numbers = {tuple(cell[axis] for axis in axes): number for number, cell in enumerate(study.cells())}
    levels = [sorted(study.grid[axis]) if is_numeric(study.grid[axis]) else list(study.grid[axis]) for axis in axes]
    order = list(product(*levels))
    return [numbers[key] for key in order], {axis: [key[at] for key in order] for at, axis in enumerate(axes)}


def _page(measures: Measures, parameter: str, axes: Sequence[str], rows: Sequence[str]) -> Drawing:
    order, levels = nested_order(measures.study, axes)
    styles = method_styles(measures.methods)
    heights = [_ROW_HEIGHT * (0.6 if metric == FAILED else 1) for metric in rows] + [_AXIS_HEIGHT * len(axes)]
    figure = new_figure(wide(), 0.55 + sum(heights))
    grid = figure.subplots(len(rows) + 1, 1, squeeze=False, sharex=True, height_ratios=heights)
    for row, metric in enumerate(rows):
        _metric(grid[row][0], measures, parameter, metric, order, styles)
        grid[row][0].set_ylabel(LABELS[metric])
    _axes(grid[-1][0], axes, levels)
    figure.align_ylabels(grid[: len(rows), 0])
    legend_above(figure, method_handles(styles, markers=False), list(styles))
    return Drawing(file_name("nested", parameter), figure, _caption(measures, parameter, axes, rows))


def _metric(
    axes: Axes, measures: Measures, parameter: str, metric: str, order: Sequence[int], styles: dict[str, MethodStyle]
) -> None:
    reference = {"bias": 0.0, "coverage": measures.study.level}.get(metric)
    if reference is not None:
        axes.axhline(reference, color=REFERENCE, linewidth=pt(0.6), zorder=1)
    edges = np.arange(len(order) + 1) - 0.5
    banded = len(styles) <= _MOST_BANDED
    values: list[float] = []
    sizes: list[tuple[float, float]] = []
    empty: list[tuple[int, str]] = []
    for method, style in styles.items():
        points = [measures.point(metric, cell, method, parameter) for cell in order]
        heights = _steps(points, "value")
        if banded and metric != FAILED:
            axes.fill_between(
                edges, _steps(points, "low"), _steps(points, "high"), step="post", color=style.colour, alpha=0.18,
                linewidth=0, zorder=2,
            )  # fmt: skip
        sizes += [(point.low, point.high) for point in points if point is not None and point.drawn]
        axes.plot(
            edges, heights, drawstyle="steps-post", color=style.colour, linestyle=style.line, linewidth=pt(0.9),
            zorder=3, gid=f"steps:{method}",
        )  # fmt: skip
        values += [value for value in heights if math.isfinite(value)]
        empty += [(at, style.colour) for at, point in enumerate(points) if point is not None and not point.drawn]
    if metric in ("rmse", TIME) and spans_a_decade(values):
        log_ticks(axes)
    else:
        plain_ticks(axes)
    for at, colour in empty:
        axes.plot(
            [at], [0.03], marker="x", color=colour, markersize=pt(3.4), transform=axes.get_xaxis_transform(), zorder=5
        )
    if not banded and metric != FAILED and sizes:
        _typical_error(axes, sizes)
    axes.tick_params(bottom=False, labelbottom=False)
    axes.spines["bottom"].set_visible(False)


def _typical_error(axes: Axes, sizes: Sequence[tuple[float, float]]) -> None:
    """One bar at the right as long as the median interval: bands of many methods would hide one another."""
    bottom, top = axes.get_ylim()
    if axes.get_yscale() == "log":
        known = [math.log10(high / low) for low, high in sizes if low > 0]
        middle, half = math.sqrt(bottom * top), 10 ** (float(np.median(known or [0.0])) / 2)
        ends = middle / half, middle * half
    else:
        half = float(np.median([high - low for low, high in sizes])) / 2
        ends = (bottom + top) / 2 - half, (bottom + top) / 2 + half
    axes.plot(
        [1.02, 1.02], ends, transform=axes.get_yaxis_transform(), color=GREY, linewidth=pt(1.2), clip_on=False,
        marker="_", markersize=pt(4), gid="typical error",
    )  # fmt: skip
    axes.set_ylim(bottom, top)


def _steps(points: Sequence[Point | None], part: str) -> Floats:
    """One value for each cell, the last repeated so that its step has a width."""
    found = [getattr(point, part) if point is not None and point.drawn else math.nan for point in points]
    return np.array([*found, found[-1]])


def _axes(axes: Axes, names: Sequence[str], levels: dict[str, list[Level]]) -> None:
    """Which level every axis has: a step line each, with its levels written where the first axes change."""
    count = len(levels[names[0]])
    edges = np.arange(count + 1) - 0.5
    for row, name in enumerate(names):
        here = levels[name]
        distinct = list(dict.fromkeys(here))
        base = len(names) - 1 - row
        ranks = np.array([distinct.index(level) for level in here], dtype=np.float64)
        heights = base + 0.1 + 0.55 * ranks / max(len(distinct) - 1, 1)
        axes.plot(edges, [*heights, heights[-1]], drawstyle="steps-post", color=GREY, linewidth=pt(0.8))
        named = ", ".join(level_text(level) for level in distinct)
        axes.text(
            1.005, base + 0.38, shortened(named, 22), transform=axes.get_yaxis_transform(), va="center",
            fontsize=pt(TICK_POINTS - 1),
        )  # fmt: skip
    axes.set_ylim(-0.1, len(names) - 0.1)
    axes.set_xlim(-0.5, count - 0.5)
    axes.set_yticks([len(names) - 1 - row + 0.38 for row in range(len(names))], [shortened(name, 14) for name in names])
    axes.tick_params(length=0)
    axes.set_xticks([])
    for spine in axes.spines.values():
        spine.set_visible(False)


def _caption(measures: Measures, parameter: str, axes: Sequence[str], rows: Sequence[str]) -> str:
    what = f"{', '.join(LABELS[metric] for metric in rows)} of {parameter} in all {len(measures.cells)} cells. "
    what += meanings(measures, rows)
    details = [
        f"Each step is a cell, ordered by {', within it by '.join(axes)}, as the lines below show; their levels, from "
        "low to high, stand at the right.",
        "Light bands are 95 % intervals for the Monte Carlo error."
        if len(measures.methods) <= _MOST_BANDED
        else "The bar at the right of a metric is as long as the median 95 % interval for its Monte Carlo error.",
        "A cross: no value, as all replications failed.",
    ]
    return caption(measures, what, range(len(measures.cells)), {}, details)
