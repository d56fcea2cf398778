"""Metrics by the levels of an axis, methods side by side: the paper's panel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from statsclaw.montecarlo.figures.bands import band_entries, draw_bands, judged
from statsclaw.montecarlo.figures.captions import caption, how_drawn, meanings
from statsclaw.montecarlo.figures.fonts import shortened
from statsclaw.montecarlo.figures.legends import failure_entries
from statsclaw.montecarlo.figures.points import draw_points, mark_empty
from statsclaw.montecarlo.figures.reading import LABELS, TIME, Column, Measures, Page, pages
from statsclaw.montecarlo.figures.scales import Scale, log_ticks, plain_ticks, spans_a_decade
from statsclaw.montecarlo.figures.style import (
    REFERENCE,
    Drawing,
    MethodStyle,
    legend_above,
    method_handles,
    method_styles,
    new_figure,
)
from statsclaw.montecarlo.figures.themes import across, character, narrow, pt, wide

ROWS = ("bias", "rmse", "coverage", "se_ratio", TIME)
_MOST_ROWS, _MOST_PAGES, _ROW_HEIGHT = 4, 12, 1.3


def draw(measures: Measures) -> Iterator[Drawing]:
    parameters = measures.parameters
    if not parameters:
        return
    rows = [metric for metric in ROWS if any(measures.has(metric, name) for name in parameters)][:_MOST_ROWS]
    every = pages(measures.study, parameters, widest=across(4))
    for number, page in enumerate(every[:_MOST_PAGES], start=1):
        name = "panel" if len(every) == 1 else f"panel-{number:02d}"
        left_out = len(every) - _MOST_PAGES if number == _MOST_PAGES else 0
        yield _page(measures, page, rows or ["bias"], name, max(left_out, 0))


def _page(measures: Measures, page: Page, rows: Sequence[str], name: str, left_out: int) -> Drawing:
    width = narrow() if len(page.columns) == 1 else wide()
    figure = new_figure(width, 0.75 + _ROW_HEIGHT * len(rows))
    grid = figure.subplots(len(rows), len(page.columns), squeeze=False, sharex="col", sharey="row")
    scale = Scale(page.levels, len(measures.methods))
    styles = method_styles(measures.methods)
    inches = width / len(page.columns) - pt(0.75 if len(page.columns) == 1 else 0.35)
    for row, metric in enumerate(rows):
        for at, column in enumerate(page.columns):
            axes = grid[row][at]
            _metric(axes, measures, column, metric, scale, styles)
            scale.apply(axes, inches, labelled=row == len(rows) - 1)
            if row == 0:
                axes.set_title(shortened(column.title, int(inches / character() * 1.1)))
        grid[row][0].set_ylabel(LABELS[metric])
        _finish_row([grid[row][at] for at in range(len(page.columns))], measures, page, metric, scale, styles)
    figure.align_ylabels(grid[:, 0])
    if page.axis is not None:
        figure.supxlabel(shortened(page.axis, 60), fontsize=pt(8))
    _legend(figure, measures, page, rows, styles)
    return Drawing(name, figure, _caption(measures, page, rows, left_out))


def _metric(
    axes: Axes, measures: Measures, column: Column, metric: str, scale: Scale, styles: dict[str, MethodStyle]
) -> None:
    for number, (method, style) in enumerate(styles.items()):
        found = [
            measures.point(metric, cell, method, column.parameter) if cell is not None else None
            for cell in column.cells
        ]
        draw_points(axes, scale.places(number), found, style, method, joined=scale.numeric)


def _finish_row(
    row: Sequence[Axes], measures: Measures, page: Page, metric: str, scale: Scale, styles: dict[str, MethodStyle]
) -> None:
    """The vertical axis is shared, so it is set when all of the row is drawn."""
    reference = {"bias": 0.0, "coverage": measures.study.level, "se_ratio": 1.0}.get(metric)
    values = [
        point.value
        for column in page.columns
        for cell in column.cells
        for method in measures.methods
        if cell is not None and (point := measures.point(metric, cell, method, column.parameter)) and point.drawn
    ]
    if metric in ("rmse", TIME) and spans_a_decade(values):
        log_ticks(row[0])
    else:
        plain_ticks(row[0])
    for axes in row:
        if reference is not None:
            axes.axhline(reference, color=REFERENCE, linewidth=pt(0.6), zorder=1)
    for axes, column in zip(row, page.columns, strict=True):
        draw_bands(axes, measures, column, metric, scale, styles)
    for axes, column in zip(row, page.columns, strict=True):
        _mark_empty(axes, measures, column, metric, scale, styles)


def _mark_empty(
    axes: Axes, measures: Measures, column: Column, metric: str, scale: Scale, styles: dict[str, MethodStyle]
) -> None:
    for number, (method, style) in enumerate(styles.items()):
        found = [
            measures.point(metric, cell, method, column.parameter) if cell is not None else None
            for cell in column.cells
        ]
        mark_empty(axes, scale.places(number), found, style, method)


def _legend(
    figure: Figure, measures: Measures, page: Page, rows: Sequence[str], styles: dict[str, MethodStyle]
) -> None:
    handles: list[Artist] = list(method_handles(styles))
    labels = list(styles)
    for handle, label in [*band_entries(measures, page, rows), *failure_entries(measures, page.cells)]:
        handles.append(handle)
        labels.append(label)
    legend_above(figure, handles, labels)


def _caption(measures: Measures, page: Page, rows: Sequence[str], left_out: int) -> str:
    what = f"{', '.join(LABELS[metric] for metric in rows)} by {page.axis or 'method'}. {meanings(measures, rows)}"
    points = [
        measures.point(metric, cell, method, column.parameter)
        for metric in rows
        for column in page.columns
        for cell in column.cells
        for method in measures.methods
        if cell is not None
    ]
    details = how_drawn(measures, points, page.cells)
    if left_out:
        details.append(f"{left_out} more pages of this grid are not drawn.")
    return caption(measures, what, page.cells, page.fixed, details, judged=judged(measures, page, rows))
