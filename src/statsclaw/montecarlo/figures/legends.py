"""What hollow points and crosses mean, said only where there are any."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.lines import Line2D

from statsclaw.montecarlo.figures.reading import Measures
from statsclaw.montecarlo.figures.style import GREY


def failure_entries(measures: Measures, cells: Sequence[int]) -> list[tuple[Line2D, str]]:
    failed = {(cell, method): measures.failures[cell, method] for cell in cells for method in measures.methods}
    found = []
    if any(0 < count < measures.replications[cell] for (cell, _), count in failed.items()):
        hollow = Line2D([], [], color=GREY, marker="o", markerfacecolor="white", linestyle="")
        found.append((hollow, "some failed"))
    if any(count >= measures.replications[cell] for (cell, _), count in failed.items()):
        found.append((Line2D([], [], color=GREY, marker="x", linestyle=""), "no value"))
    return found
