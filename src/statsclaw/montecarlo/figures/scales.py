"""The horizontal axis that panels share: where levels and methods stand, which of them are labelled."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator
from rich.cells import cell_len

from statsclaw.montecarlo.design import Level
from statsclaw.montecarlo.figures.fonts import shortened
from statsclaw.montecarlo.figures.reading import is_numeric
from statsclaw.montecarlo.figures.themes import character
from statsclaw.montecarlo.table import Floats

#: Methods at one level take up this part of the way to the next level, and this part of the axis at most.
_SPREAD, _WIDEST = 0.6, 0.05
_LONGEST_LEVEL = 18


@dataclass(frozen=True, slots=True)
class Scale:
    """Numbers stand where they are, on a log scale if they span a decade; other levels stand side by side."""

    levels: tuple[Level, ...]
    methods: int
    log_always: bool = False

    @property
    def numeric(self) -> bool:
        return len(self.levels) > 1 and is_numeric(self.levels)

    @property
    def log(self) -> bool:
        return self.numeric and (self.log_always or spans_a_decade([float(level) for level in self.levels]))

    @property
    def centres(self) -> Floats:
        """In the units of the scale: logarithms where it is logarithmic."""
        if not self.numeric:
            return np.arange(max(len(self.levels), 1), dtype=np.float64)
        values = np.array([float(level) for level in self.levels])
        return np.log10(values) if self.log else values

    @property
    def gap(self) -> float:
        centres = self.centres
        return float(np.min(np.diff(centres))) if len(centres) > 1 else 1.0

    def step(self) -> float:
        """From one method to the next."""
        span = float(np.ptp(self.centres)) or 1.0
        widest = _WIDEST * span if self.numeric else _SPREAD
        return min(_SPREAD * self.gap / self.methods, widest, 0.2 * self.gap)

    def places(self, number: int) -> Floats:
        """Where the method with this number stands, in the units of the data."""
        moved = self.centres + (number - (self.methods - 1) / 2) * self.step()
        return 10**moved if self.log else moved

    def around(self, at: int) -> tuple[float, float]:
        """The stretch that belongs to a level: half way to its neighbours."""
        centres = self.centres
        before = centres[at] - centres[at - 1] if at > 0 else self._margin() * 2
        after = centres[at + 1] - centres[at] if at + 1 < len(centres) else self._margin() * 2
        low, high = centres[at] - before / 2, centres[at] + after / 2
        return (10**low, 10**high) if self.log else (low, high)

    def strip(self, at: int, number: int) -> tuple[float, float]:
        """The stretch that belongs to one method at a level."""
        middle = self.centres[at] + (number - (self.methods - 1) / 2) * self.step()
        low, high = middle - 0.45 * self.step(), middle + 0.45 * self.step()
        return (10**low, 10**high) if self.log else (low, high)

    def _margin(self) -> float:
        """From the outermost level to the end of the axis."""
        centres = self.centres
        if not self.numeric:
            return 0.5
        return max(0.06 * float(np.ptp(centres)), self.step() * self.methods / 2 + 0.02 * float(np.ptp(centres)))

    def apply(self, axes: Axes, inches: float, *, labelled: bool) -> None:
        centres = self.centres
        low, high = float(centres[0] - self._margin()), float(centres[-1] + self._margin())
        if self.log:
            axes.set_xscale("log")
            axes.set_xlim(10**low, 10**high)
        else:
            axes.set_xlim(low, high)
        axes.xaxis.set_major_locator(FixedLocator(list(10**centres if self.log else centres)))
        axes.xaxis.set_minor_locator(NullLocator())
        texts = [level_text(level) for level in self.levels] or [""]
        if not labelled:
            axes.tick_params(labelbottom=False)
            return
        room = inches / (high - low)
        if self.numeric:
            axes.set_xticklabels(_thinned(texts, (centres - low) * room))
        else:
            longest = max(cell_len(text) for text in texts) * character()
            slanted = longest > room * 0.95
            axes.set_xticklabels(
                texts, rotation=35 if slanted else 0, ha="right" if slanted else "center",
                rotation_mode="anchor" if slanted else "default",
            )  # fmt: skip


def level_text(level: Level) -> str:
    return f"{level:g}" if isinstance(level, float) else shortened(str(level), _LONGEST_LEVEL)


def _thinned(texts: Sequence[str], places: Floats) -> list[str]:
    """Labels that would run into one another are left out; the last level keeps its own."""
    shown = [""] * len(texts)
    reach = math.inf
    for at in range(len(texts) - 1, -1, -1):
        half = cell_len(texts[at]) * character() * 0.9 / 2
        if places[at] + half < reach:
            shown[at] = texts[at]
            reach = places[at] - half - 0.04
    return shown


def spans_a_decade(values: Sequence[float]) -> bool:
    known = [value for value in values if math.isfinite(value)]
    return bool(known) and min(known) > 0 and max(known) / min(known) >= 10


def log_ticks(axes: Axes) -> None:
    """Few ticks on a vertical log axis, written as plain numbers."""
    axes.set_yscale("log")
    low, high = axes.get_ylim()
    decades = math.log10(high / low)
    subs = (1.0,) if decades > 2.5 else (1.0, 3.0) if decades > 1.2 else (1.0, 2.0, 5.0)
    axes.yaxis.set_major_locator(LogLocator(base=10, subs=subs, numticks=6))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    minor = LogLocator(base=10, subs=tuple(range(1, 10)), numticks=12)
    axes.yaxis.set_minor_locator(minor if decades <= 4 else NullLocator())
    axes.yaxis.set_minor_formatter(NullFormatter())


def plain_ticks(axes: Axes) -> None:
    axes.yaxis.set_major_locator(MaxNLocator(nbins=5, min_n_ticks=3, steps=[1, 2, 2.5, 5, 10]))
