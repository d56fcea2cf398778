"""How often a test rejects, by the levels of an axis: power curves, and the type I error where the null holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from statsclaw.montecarlo.figures.bands import band_entries, draw_bands, judged
from statsclaw.montecarlo.figures.captions import caption, how_drawn, meanings
from statsclaw.montecarlo.figures.fonts import shortened
from statsclaw.montecarlo.figures.legends import failure_entries
from statsclaw.montecarlo.figures.points import draw_points, mark_empty
from statsclaw.montecarlo.figures.reading import LABELS, REJECTION, Measures, Page, Point, pages
from statsclaw.montecarlo.figures.scales import Scale, plain_ticks
from statsclaw.montecarlo.figures.style import (
    REFERENCE,
    Drawing,
    legend_above,
    method_handles,
    method_styles,
    new_figure,
)
from statsclaw.montecarlo.figures.themes import across, character, narrow, pt, wide

_ACROSS, _MOST_PAGES = 3, 12
#: Curves that stay below this are a matter of size, and drawn on a scale of their own.
_OF_SIZE = 0.3


def draw(measures: Measures) -> Iterator[Drawing]:
    parameters = [name for name in measures.parameters_with("reject") if measures.has(REJECTION, name)]
    every = pages(measures.study, parameters, widest=across(_ACROSS)) if parameters else []
    for number, page in enumerate(every[:_MOST_PAGES], start=1):
        name = "rejection" if len(every) == 1 else f"rejection-{number:02d}"
        yield _page(measures, page, name, max(len(every) - _MOST_PAGES, 0))


def _page(measures: Measures, page: Page, name: str, left_out: int) -> Drawing:
    width = narrow() if len(page.columns) == 1 else wide()
    styles = method_styles(measures.methods)
    figure = new_figure(width, 2.5)
    grid = figure.subplots(1, len(page.columns), squeeze=False, sharey=True)
    scale = Scale(page.levels, len(measures.methods))
    inches = width / len(page.columns) - pt(0.75 if len(page.columns) == 1 else 0.4)
    found: list[Point] = []
    for at, column in enumerate(page.columns):
        axes = grid[0][at]
        for number, (method, style) in enumerate(styles.items()):
            points = [
                measures.point(REJECTION, cell, method, column.parameter) if cell is not None else None
                for cell in column.cells
            ]
            draw_points(axes, scale.places(number), points, style, method, joined=scale.numeric)
            mark_empty(axes, scale.places(number), points, style, method)
            found += [point for point in points if point is not None and point.drawn]
        scale.apply(axes, inches, labelled=True)
        axes.set_title(shortened(column.title, int(inches / character() * 1.1)))
    row = [grid[0][at] for at in range(len(page.columns))]
    _finish(row, found, 1 - measures.study.level)
    for axes, column in zip(row, page.columns, strict=True):
        draw_bands(axes, measures, column, REJECTION, scale, styles)
    row[0].set_ylabel(LABELS[REJECTION])
    if page.axis is not None:
        figure.supxlabel(shortened(page.axis, 60), fontsize=pt(8))
    nominal = Line2D([], [], color=REFERENCE, linewidth=pt(0.8), linestyle=(0, (3, 1.5)))
    notes: list[tuple[Artist, str]] = [(nominal, f"nominal {100 * (1 - measures.study.level):.3g} %")]
    notes += [*band_entries(measures, page, [REJECTION]), *failure_entries(measures, page.cells)]
    legend_above(
        figure, [*method_handles(styles), *(handle for handle, _ in notes)], [*styles, *(label for _, label in notes)]
    )
    return Drawing(name, figure, _caption(measures, page, left_out, found))


def _finish(row: Sequence[Axes], found: Sequence[Point], nominal: float) -> None:
    """From zero to one; where only the size is at stake, up to the highest whisker."""
    highest = max([nominal, *(point.high for point in found)])
    top = 1.15 * max(highest, 2 * nominal) if highest < _OF_SIZE else 1.02
    row[0].set_ylim(0.0 if highest < _OF_SIZE else -0.02, top)
    plain_ticks(row[0])
    for axes in row:
        axes.axhline(
            nominal, color=REFERENCE, linewidth=pt(0.8), linestyle=(0, (3, 1.5)), zorder=1, gid="nominal", clip_on=False
        )


def _caption(measures: Measures, page: Page, left_out: int, found: Sequence[Point]) -> str:
    what = f"{LABELS[REJECTION]} by {page.axis or 'method'}. {meanings(measures, [REJECTION])}"
    details = [
        f"Dashed: the nominal level of {100 * (1 - measures.study.level):.3g} %.",
        *how_drawn(measures, found, page.cells),
    ]
    if left_out:
        details.append(f"{left_out} more pages of this grid are not drawn.")
    return caption(measures, what, page.cells, page.fixed, details, judged=judged(measures, page, [REJECTION]))
