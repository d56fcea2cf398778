"""The bounds of the study's criteria, as light regions behind the points they apply to."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.patches import Patch, Rectangle

from statsclaw.montecarlo.design import Criterion
from statsclaw.montecarlo.figures.reading import TIME, Column, Measures, Page
from statsclaw.montecarlo.figures.scales import Scale
from statsclaw.montecarlo.figures.style import MethodStyle
from statsclaw.montecarlo.figures.themes import current

#: A bound is brought into view unless that would make the axis this many times as long.
_STRETCH = 3.0


@dataclass(frozen=True, slots=True)
class Band:
    """From `low` to `high` at the level with this number, for one method. `missed`: the value there lies outside."""

    at: int
    low: float
    high: float
    method: str
    missed: bool = False


def criterion_metric(criterion: Criterion) -> str:
    return TIME if criterion.metric == "mean" and criterion.field == "seconds" else criterion.metric


def bands(measures: Measures, column: Column, metric: str) -> Iterator[Band]:
    for criterion in measures.study.criteria:
        if criterion.minus is not None or criterion_metric(criterion) != metric:
            continue  # a bound on a difference is none on the metric
        if criterion.parameter not in (None, column.parameter):
            continue
        selected = set(measures.study.selected(criterion))
        for at, cell in enumerate(column.cells):
            if cell not in selected or cell is None:
                continue
            unit = 1.0
            if criterion.unit == "empse":
                spread = measures.point("empse", cell, criterion.method, column.parameter)
                unit = spread.value if spread is not None else math.nan
            low = -math.inf if criterion.low is None else criterion.low * unit
            high = math.inf if criterion.high is None else criterion.high * unit
            found = measures.point(metric, cell, criterion.method, column.parameter)
            if not math.isnan(low) and not math.isnan(high):
                missed = found is not None and found.drawn and not low <= found.value <= high
                yield Band(at, low, high, criterion.method, missed)


def judged(measures: Measures, page: Page, rows: Sequence[str]) -> list[Criterion]:
    """The criteria whose bounds the page shows."""
    shown = {
        (metric, column.parameter, band)
        for column in page.columns
        for metric in rows
        for band in bands(measures, column, metric)
    }
    methods = {(metric, parameter, band.method) for metric, parameter, band in shown}
    return [
        criterion
        for criterion in measures.study.criteria
        if any(
            criterion.minus is None
            and criterion_metric(criterion) == metric
            and criterion.method == method
            and criterion.parameter in (None, parameter)
            for metric, parameter, method in methods
        )
    ]


def draw_bands(
    axes: Axes, measures: Measures, column: Column, metric: str, scale: Scale, styles: dict[str, MethodStyle]
) -> None:
    """Across the level where all that is judged there has the same bounds, else a strip behind each method's point.

    Where several criteria speak about one point, the band that it misses is seen, else the tightest; the others are
    lighter and lie behind it.
    """
    found = list(bands(measures, column, metric))
    if not found:
        return
    _bring_into_view(axes, [bound for band in found for bound in (band.low, band.high) if math.isfinite(bound)])
    bottom, top = axes.get_ylim()
    seen = foremost(found)
    shared = all(len({(one.low, one.high) for one in seen if one.at == band.at}) == 1 for band in seen)
    for number, method in enumerate(styles):
        for band in dict.fromkeys(band for band in found if band.method == method):
            left, right = scale.around(band.at) if shared else scale.strip(band.at, number)
            low, high = max(band.low, bottom), min(band.high, top)
            if low < high:
                area = Rectangle((left, low), right - left, high - low, linewidth=0, facecolor=_colour(band, seen))
                area.set_zorder(0.1 * (band in seen) + 0.1 * band.missed)
                area.set_gid(f"band:{metric}" if band in seen else f"other band:{metric}")
                axes.add_patch(area)
    axes.set_ylim(bottom, top)


def foremost(found: Sequence[Band]) -> set[Band]:
    """Of every method at every level the band that is to be seen."""
    best: dict[tuple[int, str], Band] = {}
    for band in sorted(found, key=lambda band: (not band.missed, band.high - band.low)):
        best.setdefault((band.at, band.method), band)
    return set(best.values())


def _colour(band: Band, seen: set[Band]) -> str:
    if band not in seen:
        return current().other_band
    return current().missed_band if band.missed else current().band


def band_entries(measures: Measures, page: Page, rows: Sequence[str]) -> list[tuple[Patch, str]]:
    """What the shades mean, said only of those that are there."""
    drawn = [list(bands(measures, column, metric)) for column in page.columns for metric in rows]
    seen = {(at, band) for at, found in enumerate(drawn) for band in foremost(found)}
    entries = []
    if any(not band.missed for _, band in seen):
        entries.append((Patch(facecolor=current().band, edgecolor="none"), "value within bounds"))
    if any(band.missed for _, band in seen):
        entries.append((Patch(facecolor=current().missed_band, edgecolor="none"), "value outside bounds"))
    return entries


def _bring_into_view(axes: Axes, bounds: Sequence[float]) -> None:
    bottom, top = axes.get_ylim()
    if axes.get_yscale() == "log":
        return
    pad = 0.05 * (top - bottom)
    low, high = min([bottom, *(bound - pad for bound in bounds)]), max([top, *(bound + pad for bound in bounds)])
    if high - low <= _STRETCH * (top - bottom):
        axes.set_ylim(low, high)
