"""Which installed fonts have the characters of a study's names, and what is written where none has.

Matplotlib looks a character up in a list of fonts; what is in none of them it draws as a box. So the list is made of
fonts that have them, and what no installed font has is written as an escape (\\u4e2d), never as a box.
"""

from __future__ import annotations

import tomllib
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib import font_manager
from matplotlib.ft2font import FT2Font
from packaging.version import Version
from rich.cells import cell_len, set_cell_size

from statsclaw.montecarlo.design import Level, Study, StudyRefused

#: From this version on matplotlib joins letters and writes from right to left.
_SHAPES_FROM = Version("3.11")
#: It has a glyph for everything: a box with the number of the character.
_ONLY_BOXES = "Last Resort"
_JOINERS = frozenset("\u200c\u200d")
_REGULAR = 400
_MOST_TOLD = 8


@dataclass(frozen=True, slots=True)
class Fonts:
    """`families`: in the order in which a character is looked up. `unwritable`: what is in none of them."""

    families: tuple[str, ...]
    unwritable: frozenset[str] = frozenset()


_USED: ContextVar[Fonts | None] = ContextVar("fonts", default=None)


@contextmanager
def use(fonts: Fonts) -> Iterator[None]:
    token = _USED.set(fonts)
    try:
        yield
    finally:
        _USED.reset(token)


def shortened(text: str, longest: int) -> str:
    """As much of a name as has room, in characters that can be drawn. Wide characters count as two."""
    text = written(text)
    return text if cell_len(text) <= longest else f"{set_cell_size(text, longest - 1).rstrip()}…"


def written(text: str) -> str:
    """The name with escapes for what no font has, and for what is no character to be printed."""
    fonts = _USED.get()
    unwritable = fonts.unwritable if fonts is not None else frozenset()
    return "".join(
        _escape(one) if one in unwritable or not (one.isprintable() or one in _JOINERS) else one for one in text
    )


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def names_of(study: Study) -> str:
    """All that a figure may write of a study's own words."""
    levels: list[Level] = [level for row in study.grid.values() for level in row]
    truths = {name for cell in study.cells() for name in study.truth_in(cell)}
    return "".join([study.name, *study.grid, *study.method_names, *truths, *(str(level) for level in levels)])


def fonts_for(text: str, first: str) -> Fonts:
    """`first`, then as few other installed fonts as have the rest of the characters."""
    wanted = {one for one in text if one.isprintable() and not one.isspace() and not unicodedata.combining(one)}
    unshaped = set() if Version(mpl.__version__) >= _SHAPES_FROM else {one for one in wanted if _right_to_left(one)}
    families = [first]
    path = font_manager.findfont(font_manager.FontProperties(family=[first]))
    missing = wanted - unshaped - _characters(path)
    for candidates in (_known_fonts, _new_fonts):
        while missing and (found := _best(candidates(), missing)) is not None:
            families.append(found.name)
            missing -= _characters(found.path)
    return Fonts(tuple(families), frozenset(missing | unshaped))


def require_font(name: str) -> str:
    """The name of an installed font as matplotlib calls it."""
    for installed in (_known_fonts, _new_fonts):
        for each in installed():
            if each.name.casefold() == name.strip().casefold():
                return each.name
    plain = sorted({each.name for each in _known_fonts() if not each.name.startswith(("cm", "STIX"))})
    raise StudyRefused(f"no font {name!r} is installed", todo=f"give one of {', '.join(plain[:12])}")


def note_of(fonts: Fonts) -> str | None:
    """One line on what could not be drawn, and which package has it."""
    if not fonts.unwritable:
        return None
    characters = sorted(fonts.unwritable)
    script = next(row for row in _scripts() if any(_begins(characters[0], name) for name in row["names"]))
    more = f" and {len(characters) - _MOST_TOLD} more" if len(characters) > _MOST_TOLD else ""
    shown = " ".join(characters[:_MOST_TOLD])
    remedy = f"install a font that has them, e.g. the package {script['package']}, and draw again"
    if Version(mpl.__version__) < _SHAPES_FROM and all(map(_right_to_left, characters)):
        remedy = f"matplotlib {_SHAPES_FROM} or newer writes from right to left: update it, and draw again"
    return (
        f"names are written with escapes such as {_escape(characters[0])}: no font here draws {shown}{more} "
        f"({script['called']}); {remedy}"
    )


@dataclass(frozen=True, slots=True)
class _Font:
    name: str
    path: str


@cache
def _known_fonts() -> tuple[_Font, ...]:
    """Upright fonts of usual weight, sans serif first."""
    rows = [
        _Font(row.name, row.fname)
        for row in font_manager.fontManager.ttflist
        if row.style == "normal" and row.weight == _REGULAR and not row.name.startswith(_ONLY_BOXES)
    ]
    return tuple(sorted(set(rows), key=lambda row: ("Sans" not in row.name, "Mono" in row.name, row.name, row.path)))


@cache
def _new_fonts() -> tuple[_Font, ...]:
    """Those that were installed after matplotlib made its list."""
    known = {row.fname for row in font_manager.fontManager.ttflist}
    for path in sorted(set(font_manager.findSystemFonts()) - known):
        try:
            font_manager.fontManager.addfont(path)
        except (OSError, RuntimeError):
            continue  # no font, or one that cannot be read
    had = set(_known_fonts())
    _known_fonts.cache_clear()
    return tuple(row for row in _known_fonts() if row not in had)


def _best(fonts: Iterable[_Font], missing: set[str]) -> _Font | None:
    counted = [(len(missing & _characters(row.path)), -at, row) for at, row in enumerate(fonts)]
    count, _, found = max(counted, default=(0, 0, None), key=lambda entry: entry[:2])
    return found if count else None


@cache
def _characters(path: str) -> frozenset[str]:
    try:
        return frozenset(chr(code) for code in FT2Font(str(Path(path))).get_charmap())
    except (OSError, RuntimeError):
        return frozenset()


def _right_to_left(character: str) -> bool:
    return unicodedata.bidirectional(character) in ("R", "AL")


def _begins(character: str, name: str) -> bool:
    return unicodedata.name(character, "").startswith(name)


@cache
def _scripts() -> tuple[dict[str, Any], ...]:
    text = files(__package__).joinpath("fonts.toml").read_text(encoding="utf-8")
    return tuple(tomllib.loads(text)["script"])
