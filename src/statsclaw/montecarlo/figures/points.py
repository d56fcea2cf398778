"""A method's values along an axis, as every figure draws them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from statsclaw.montecarlo.figures.reading import Point
from statsclaw.montecarlo.figures.style import MethodStyle
from statsclaw.montecarlo.figures.themes import pt
from statsclaw.montecarlo.table import Floats


def draw_points(
    axes: Axes, places: Floats, points: Sequence[Point | None], style: MethodStyle, label: str, *, joined: bool
) -> None:
    """Points with error bars; hollow where replications failed; a gap where there is no value."""
    values = np.array([point.value if point is not None else math.nan for point in points])
    axes.plot(
        places, values, color=style.colour, linestyle=style.line if joined else "", label=label, zorder=3, alpha=0.9
    )
    known = [(place, point) for place, point in zip(places, points, strict=True) if point is not None and point.drawn]
    if not known:
        return
    axes.vlines(
        [place for place, _ in known], [point.low for _, point in known], [point.high for _, point in known],
        color=style.colour, linewidth=pt(0.7), zorder=3, gid=f"bars:{label}",
    )  # fmt: skip
    lower = [(place, point.low) for place, point in known if point.estimate.open_below]
    upper = [(place, point.high) for place, point in known if point.estimate.open_above]
    for ends, arrow in ((lower, "v"), (upper, "^")):
        if ends:
            axes.plot(
                *zip(*ends, strict=True), marker=arrow, color=style.colour, markersize=pt(2.2), linestyle="", zorder=3
            )
    for hollow in (False, True):
        chosen = [(place, point.value) for place, point in known if bool(point.estimate.failures) == hollow]
        if chosen:
            axes.plot(
                *zip(*chosen, strict=True), marker=style.marker, color=style.colour, linestyle="",
                markeredgewidth=pt(0.8), zorder=4, markerfacecolor="white" if hollow else style.colour,
                gid=f"points:{label}",
            )  # fmt: skip


def mark_empty(axes: Axes, places: Floats, points: Sequence[Point | None], style: MethodStyle, label: str) -> None:
    """A cross on the axis where a method was run and there is no value."""
    for place, point in zip(places, points, strict=True):
        if point is not None and not point.drawn:
            axes.plot(
                [place], [0.03], marker="x", color=style.colour, markersize=pt(3.4), markeredgewidth=pt(0.9),
                zorder=5, transform=axes.get_xaxis_transform(), clip_on=False, gid=f"empty:{label}",
            )  # fmt: skip
