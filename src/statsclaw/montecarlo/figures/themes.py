"""Themes: sizes, colours and font of figures, for a journal, for print in grey, for slides.

A theme holds inside `use` only. Lengths in the code of figures are those of the journal's theme; `pt` and `inch` give
them in the theme that is used.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

from statsclaw.montecarlo.design import StudyRefused

#: What the lengths in the code are written for, in points of a label.
_WRITTEN_FOR = 8.0
#: Width of a character of a label of eight points, in inches, on average.
_CHARACTER = 0.066
_NARROWEST_MM, _WIDEST_MM = 40.0, 1000.0
_MM_PER_INCH = 25.4
DEFAULT_FONT = "DejaVu Sans"


@dataclass(frozen=True, slots=True)
class Theme:
    """`points`: of a label; `narrow_mm`, `wide_mm`: of a figure of one and of two columns; `font`: of all text;
    `band`, `other_band`, `missed_band`: behind a criterion, one that another hides, one that is not met."""

    name: str
    points: float
    narrow_mm: float
    wide_mm: float
    colours: tuple[str, ...]
    band: str
    other_band: str
    missed_band: str
    covers: str
    misses: str
    font: str = DEFAULT_FONT

    @property
    def scale(self) -> float:
        return self.points / _WRITTEN_FOR


def theme(name: str = "journal", *, width_mm: float | None = None, font: str | None = None) -> Theme:
    """The theme of this name. `width_mm`: of every figure, instead of one and two columns of the theme; panels that do
    not fit beside one another go on a page of their own. `font`: the name of an installed font."""
    known = _known()
    if name not in known:
        raise StudyRefused(f"there is no theme {name!r}; known are {', '.join(known)}")
    found = known[name]
    if width_mm is not None:
        if not (math.isfinite(width_mm) and _NARROWEST_MM <= width_mm <= _WIDEST_MM):
            raise StudyRefused(
                f"a figure is {_NARROWEST_MM:g} to {_WIDEST_MM:g} mm wide, not {width_mm:g}", todo="e.g. --width 84mm"
            )
        found = replace(found, narrow_mm=float(width_mm), wide_mm=float(width_mm))
    if font is not None:
        from statsclaw.montecarlo.figures.fonts import require_font

        found = replace(found, font=require_font(font))
    return found


@cache
def _known() -> dict[str, Theme]:
    rows: dict[str, dict[str, Any]] = tomllib.loads(
        files(__package__).joinpath("themes.toml").read_text(encoding="utf-8")
    )
    return {name: Theme(name=name, **{**row, "colours": tuple(row["colours"])}) for name, row in rows.items()}


_USED: ContextVar[Theme | None] = ContextVar("theme", default=None)


def current() -> Theme:
    return _USED.get() or _known()["journal"]


@contextmanager
def use(chosen: Theme) -> Iterator[None]:
    token = _USED.set(chosen)
    try:
        yield
    finally:
        _USED.reset(token)


def pt(size: float) -> float:
    """Points, or inches, of the journal's theme, in the theme that is used."""
    return size * current().scale


def narrow() -> float:
    """Width of a figure of one column, in inches."""
    return round(current().narrow_mm / _MM_PER_INCH, 6)


def wide() -> float:
    return round(current().wide_mm / _MM_PER_INCH, 6)


def character() -> float:
    """Width of a character of a label, in inches, on average."""
    return pt(_CHARACTER)


def across(most: int) -> int:
    """How many panels stand beside one another: `most` on two columns of a journal, fewer where there is less room."""
    return max(1, min(most, round(most * wide() / pt(7.0) + 0.2)))
