"""RMSE by sample size on log scales, with the slope −1/2 of a root-N consistent estimator and the one fitted."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from statsclaw.montecarlo.figures.captions import caption, how_drawn, meanings
from statsclaw.montecarlo.figures.fonts import shortened
from statsclaw.montecarlo.figures.legends import failure_entries
from statsclaw.montecarlo.figures.points import draw_points
from statsclaw.montecarlo.figures.reading import Column, Measures, Page, Point, as_point, is_numeric, main_axis, pages
from statsclaw.montecarlo.figures.scales import Scale, log_ticks
from statsclaw.montecarlo.figures.style import (
    NOTE_POINTS,
    REFERENCE,
    Drawing,
    MethodStyle,
    legend_above,
    method_handles,
    method_styles,
    new_figure,
)
from statsclaw.montecarlo.figures.themes import across, character, narrow, pt, wide
from statsclaw.montecarlo.verdicts.questions import slope

_MOST_PAGES, _ACROSS = 12, 3


def draw(measures: Measures) -> Iterator[Drawing]:
    axis = main_axis(measures.study)
    if axis is None or not is_sample_size(measures, axis):
        return
    parameters = [name for name in measures.parameters if measures.has("rmse", name)]
    every = pages(measures.study, parameters, widest=across(_ACROSS)) if parameters else []
    for number, page in enumerate(every[:_MOST_PAGES], start=1):
        yield _page(measures, page, "rate" if len(every) == 1 else f"rate-{number:02d}", len(every) - _MOST_PAGES)


def is_sample_size(measures: Measures, axis: str) -> bool:
    """Positive whole numbers that at least double; or an axis along which the study judges a rate."""
    given = measures.study.grid[axis]
    levels = [float(level) for level in given] if is_numeric(given) else []
    if len(set(levels)) < 2 or min(levels) <= 0:
        return False
    if any(criterion.metric == "rate" and criterion.axis == axis for criterion in measures.study.criteria):
        return True
    return all(level.is_integer() for level in levels) and max(levels) >= max(10, 2 * min(levels))


def _page(measures: Measures, page: Page, name: str, left_out: int) -> Drawing:
    width = narrow() if len(page.columns) == 1 else wide()
    styles = method_styles(measures.methods)
    figure = new_figure(width, 2.6 + 0.11 * len(styles))
    grid = figure.subplots(1, len(page.columns), squeeze=False, sharey=True)
    levels = [float(level) for level in page.levels]
    scale = Scale(page.levels, 1, log_always=True)
    found: list[Point] = []
    for at, column in enumerate(page.columns):
        axes = grid[0][at]
        slopes = [
            _method(axes, measures, column, scale, levels, method, style, found) for method, style in styles.items()
        ]
        inches = width / len(page.columns) - pt(0.75 if len(page.columns) == 1 else 0.4)
        scale.apply(axes, inches, labelled=True)
        axes.set_title(shortened(column.title, int(inches / character() * 1.1)))
        _slopes(axes, slopes, styles)
    _finish([grid[0][at] for at in range(len(page.columns))], found, levels)
    grid[0][0].set_ylabel("RMSE")
    figure.supxlabel(shortened(str(page.axis), 60), fontsize=pt(8))
    notes = [(Line2D([], [], color=REFERENCE, linewidth=pt(0.8)), "slope −1/2"), *failure_entries(measures, page.cells)]
    legend_above(
        figure, [*method_handles(styles), *(handle for handle, _ in notes)], [*styles, *(label for _, label in notes)]
    )
    return Drawing(name, figure, _caption(measures, page, max(left_out, 0), found))


def _method(
    axes: Axes, measures: Measures, column: Column, scale: Scale, levels: Sequence[float], method: str,
    style: MethodStyle, found: list[Point],
) -> str:  # fmt: skip
    """Draws one method, and says its slope."""
    points = [
        measures.point("rmse", cell, method, column.parameter) if cell is not None else None for cell in column.cells
    ]
    points = [point if point is not None and point.value > 0 else None for point in points]
    draw_points(axes, scale.places(0), points, style, method, joined=True)
    known = [(level, point) for level, point in zip(levels, points, strict=True) if point is not None]
    found += [point for _, point in known]
    if len(known) < 2:
        return "–"
    fitted = as_point(slope([level for level, _ in known], [point.estimate for _, point in known]))
    if not fitted.drawn:
        return "–"
    error = "" if fitted.estimate.error is None else f" ± {(fitted.high - fitted.low) / 2:.2f}"
    return f"{_signed(fitted.value)}{error}"


def _signed(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")


def _slopes(axes: Axes, notes: Sequence[str], styles: dict[str, MethodStyle]) -> None:
    """The fitted slopes below the curves, one line for each method with its marker; the curves fall to the right."""
    for number, (note, style) in enumerate(zip(notes, styles.values(), strict=True)):
        height = 0.04 + 0.062 * (len(notes) - 1 - number)
        axes.plot(
            [0.06], [height + 0.018], marker=style.marker, color=style.colour, markersize=pt(3.2), linestyle="",
            transform=axes.transAxes, zorder=6,
        )  # fmt: skip
        axes.text(0.11, height, note, transform=axes.transAxes, fontsize=pt(NOTE_POINTS), gid="slope", zorder=6)


def _finish(row: Sequence[Axes], found: Sequence[Point], levels: Sequence[float]) -> None:
    """Room below for the slopes, and the reference line through the middle of all points."""
    if not found:
        return
    low, high = min(point.low if point.low > 0 else point.value for point in found), max(point.high for point in found)
    span = max(math.log10(high / low), 0.1)
    lines = sum(1 for text in row[0].texts if text.get_gid() == "slope")
    share = min(0.08 + 0.062 * lines, 0.55)
    for axes in row:
        axes.set_yscale("log")
    row[0].set_ylim(
        10 ** (math.log10(low) - span * (0.05 + share / (1 - share) * 0.7)), 10 ** (math.log10(high) + 0.05 * span)
    )
    log_ticks(row[0])
    middle = float(np.mean(np.log10(levels)))
    ends = np.array([min(levels), max(levels)])
    for axes in row:
        drawn = [
            line.get_ydata() for line in axes.lines if line.get_gid() is not None and "points:" in str(line.get_gid())
        ]
        if not drawn:
            continue
        centre = float(np.mean(np.log10(np.concatenate([np.asarray(values) for values in drawn]))))
        axes.plot(
            ends,
            10 ** (centre - 0.5 * (np.log10(ends) - middle)),
            color=REFERENCE,
            linewidth=pt(0.8),
            zorder=1,
            gid="reference",
        )


def _caption(measures: Measures, page: Page, left_out: int, found: Sequence[Point]) -> str:
    what = f"RMSE by {page.axis}, both on log scales. {meanings(measures, ['rmse'])}"
    details = [
        "The grey line has the slope −1/2 of an estimator that converges with the root of the sample size. Numbers are "
        "the slopes fitted by least squares to the logarithms, each ± "
        "half of a 95 % interval for its Monte Carlo error.",
        *how_drawn(measures, found, page.cells),
    ]
    if left_out:
        details.append(f"{left_out} more pages of this grid are not drawn.")
    return caption(measures, what, page.cells, page.fixed, details)
