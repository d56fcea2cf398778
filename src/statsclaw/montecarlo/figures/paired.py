"""Two methods on the same data: each metric of a method minus that of the reference, with the error of the pairs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from matplotlib.figure import Figure

from statsclaw.montecarlo.figures.captions import caption, sentence
from statsclaw.montecarlo.figures.fonts import shortened
from statsclaw.montecarlo.figures.points import draw_points, mark_empty
from statsclaw.montecarlo.figures.reading import LABELS, Column, Measures, Page, Point, as_point, pages
from statsclaw.montecarlo.figures.scales import Scale, plain_ticks
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
from statsclaw.montecarlo.metrics.differences import metric_difference
from statsclaw.montecarlo.metrics.estimates import McEstimate
from statsclaw.montecarlo.metrics.measures import columns_of
from statsclaw.montecarlo.metrics.paired import compare

_PRECISION = "relative_precision"
_ROWS = ("bias", "rmse", "coverage", _PRECISION)
_TITLES = {"bias": "Δ bias", "rmse": "Δ RMSE", "coverage": "Δ coverage", _PRECISION: "Precision\ngain (%)"}
_MOST_PAGES, _ROW_HEIGHT = 12, 1.25


def draw(measures: Measures) -> Iterator[Drawing]:
    reference = reference_of(measures)
    if reference is None:
        return
    others = [method for method in measures.methods if method != reference]
    parameters = [name for name in measures.parameters if f"{name}.estimate" in measures.columns[reference]]
    every = pages(measures.study, parameters, widest=across(4)) if parameters else []
    for number, page in enumerate(every[:_MOST_PAGES], start=1):
        name = "paired" if len(every) == 1 else f"paired-{number:02d}"
        points = {
            (metric, at, method): _points(measures, metric, column, method, reference)
            for metric in _ROWS
            for at, column in enumerate(page.columns)
            for method in others
        }
        rows = [row for row in _ROWS if any(_any_drawn(found) for key, found in points.items() if key[0] == row)]
        if rows:
            yield _page(measures, page, reference, rows, points, name, max(len(every) - _MOST_PAGES, 0))


def reference_of(measures: Measures) -> str | None:
    """The method that most criteria compare with, else the first; None where there is nothing to compare."""
    if len(measures.methods) < 2:
        return None
    named = [criterion.other for criterion in measures.study.criteria if criterion.other in measures.methods]
    return max(measures.methods, key=lambda method: (named.count(method), -measures.methods.index(method)))


def _any_drawn(points: Sequence[Point | None]) -> bool:
    return any(point is not None and point.drawn for point in points)


def _points(measures: Measures, metric: str, column: Column, method: str, reference: str) -> list[Point | None]:
    return [
        None if cell is None else paired_point(measures, metric, cell, column.parameter, method, reference)
        for cell in column.cells
    ]


def paired_point(
    measures: Measures, metric: str, cell: int, parameter: str, method: str, reference: str
) -> Point | None:
    """None where one of the two does not record what the metric is made of."""
    of = "bias" if metric == _PRECISION else metric
    columns = columns_of(of, parameter)
    if not all(measures.columns[name].issuperset(columns) for name in (method, reference)):
        return None
    own, other = (measures.results.table(cell, name, columns) for name in (method, reference))
    truth = measures.truths[cell].get(parameter, math.nan)
    found: McEstimate = (
        compare(metric, own, other, parameter=parameter)
        if metric == _PRECISION
        else metric_difference(metric, own, other, parameter=parameter, truth=truth)
    )
    return as_point(found)


def _page(
    measures: Measures, page: Page, reference: str, rows: Sequence[str],
    points: dict[tuple[str, int, str], list[Point | None]], name: str, left_out: int,
) -> Drawing:  # fmt: skip
    styles = {method: style for method, style in method_styles(measures.methods).items() if method != reference}
    width = narrow() if len(page.columns) == 1 else wide()
    figure = new_figure(width, 0.75 + _ROW_HEIGHT * len(rows))
    grid = figure.subplots(len(rows), len(page.columns), squeeze=False, sharex="col", sharey="row")
    scale = Scale(page.levels, len(styles))
    inches = width / len(page.columns) - pt(0.75 if len(page.columns) == 1 else 0.35)
    for row, metric in enumerate(rows):
        for at, column in enumerate(page.columns):
            axes = grid[row][at]
            for number, (method, style) in enumerate(styles.items()):
                found = points[metric, at, method]
                draw_points(axes, scale.places(number), found, style, method, joined=scale.numeric)
                mark_empty(axes, scale.places(number), found, style, method)
            axes.axhline(0.0, color=REFERENCE, linewidth=pt(0.7), zorder=1, gid="reference")
            scale.apply(axes, inches, labelled=row == len(rows) - 1)
            if row == 0:
                axes.set_title(shortened(column.title, int(inches / character() * 1.1)))
        plain_ticks(grid[row][0])
        grid[row][0].set_ylabel(_TITLES[metric])
    figure.align_ylabels(grid[:, 0])
    if page.axis is not None:
        figure.supxlabel(shortened(page.axis, 60), fontsize=pt(8))
    _legend(figure, styles, reference)
    drawn = [point for found in points.values() for point in found if point is not None]
    return Drawing(name, figure, _caption(measures, page, reference, rows, drawn, left_out))


def _legend(figure: Figure, styles: dict[str, MethodStyle], reference: str) -> None:
    legend_above(figure, method_handles(styles), [f"{method} − {reference}" for method in styles])


def _caption(
    measures: Measures, page: Page, reference: str, rows: Sequence[str], points: Sequence[Point], left_out: int
) -> str:
    named = [LABELS[metric] for metric in rows if metric != _PRECISION]
    what = f"{', '.join(named)} of each method minus that of {reference}, on the same data, by {page.axis or 'method'}."
    details = ["0 (grey line): no difference."]
    if _PRECISION in rows:
        details.append(
            f"Precision gain: by how many per cent the variance of {reference} exceeds that of the method; above 0 the "
            "method is more precise."
        )
    details += [
        "Both methods saw the same data in every replication, so whatever they share cancels; only replications in "
        "which both succeeded count.",
        "Whiskers are 95 % intervals for the Monte Carlo error of the paired difference; one that does not reach 0 "
        "shows a difference that more replications would not take away, but for 5 % of them.",
    ]
    if any(point.is_open for point in points):
        details.append(sentence("arrows"))
    if left_out:
        details.append(f"{left_out} more pages of this grid are not drawn.")
    return caption(measures, what, page.cells, page.fixed, details)
