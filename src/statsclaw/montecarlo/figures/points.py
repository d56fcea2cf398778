"""A method's values along an axis, as every figure draws them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from statsclaw.montecarlo.figures.reading import Point
from statsclaw.montecarlo.figures.style import MethodStyle
from statsclaw.montecarlo.table import Floats


def draw_points(
    axes: Axes, places: Floats, points: Sequence[Point | None], style: MethodStyle, label: str, *, joined: bool
) -> None:
    """Points with error bars; hollow where replications failed; a gap where there is no value."""
    values = np.array([point.value if point is not None else math.nan for point in points])
    axes.plot(
        places, values, color=style.colour, linestyle=style.line if joined else "", label=label, zorder=3, alpha=0.9
    )
    for place, point in zip(places, points, strict=True):
        if point is None or not point.drawn:
            continue
        axes.vlines(place, point.low, point.high, color=style.colour, linewidth=0.7, zorder=3, gid=f"bar:{label}")
        for is_open, end, arrow in (
            (point.estimate.open_below, point.low, "v"),
            (point.estimate.open_above, point.high, "^"),
        ):
            if is_open:
                axes.plot([place], [end], marker=arrow, color=style.colour, markersize=2.2, linestyle="", zorder=3)
        axes.plot(
            [place], [point.value], marker=style.marker, color=style.colour, linestyle="", markeredgewidth=0.8,
            zorder=4, markerfacecolor="white" if point.estimate.failures else style.colour, gid=f"point:{label}",
        )  # fmt: skip
