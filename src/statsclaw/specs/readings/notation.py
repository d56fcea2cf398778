"""Symbols of mathematics, compared as a reader would: fonts, braces and spaces aside, decorations kept apart."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files

_LONGEST = 200
_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[A-Za-z]+|\d+|\S", re.DOTALL)
_FONTS = frozenset(files(__package__).joinpath("fonts.txt").read_text(encoding="utf-8").split())
_ACCENTS = {
    "hat": "hat",
    "widehat": "hat",
    "bar": "bar",
    "overline": "bar",
    "tilde": "tilde",
    "widetilde": "tilde",
    "dot": "dot",
    "ddot": "ddot",
    "vec": "vec",
    "check": "check",
    "breve": "breve",
}
_COMBINING = {"\u0302": "hat", "\u0304": "bar", "\u0305": "bar", "\u0303": "tilde", "\u0307": "dot", "\u0308": "ddot"}
_MARKS = {"*": "star", "ast": "star", "star": "star", "'": "prime", "prime": "prime", "′": "prime", "dagger": "dagger"}
#: Decorations that leave the meaning of the letter: an estimate, a mean, another version of the same thing.
USUAL = frozenset({"hat", "bar", "tilde", "prime", "star"})


@dataclass(frozen=True, slots=True)
class Symbol:
    """`x_i` has the base x and the index i; `\\hat\\beta` the base beta and the decoration hat."""

    base: str
    decorations: frozenset[str] = frozenset()
    index: str = ""
    fonts: frozenset[str] = frozenset()


def symbols_in(text: str) -> list[Symbol]:
    """The symbols a text names, such as `x_1, \\ldots, x_n` or `\\Phi(\\cdot)`: of each part the first one."""
    return [symbol for part in _parts(text[:_LONGEST]) if (symbol := _symbol(part)) is not None]


def argument_symbol(name: str) -> Symbol:
    """The symbol that the name of an argument stands for: `beta_hat` is a beta with a hat, `x_bar` an x with a bar."""
    words = name.split("_")
    marks = frozenset(_ACCENTS.get(word, _MARKS.get(word, "")) for word in words[1:]) - {""}
    index = "".join(word for word in words[1:] if word not in _ACCENTS and word not in _MARKS)
    return Symbol(words[0], marks, index)


def _parts(text: str) -> Iterator[str]:
    """Cut at commas and `=` outside of braces and parentheses, each part before its first parenthesis."""
    depth, part = 0, ""
    for letter in text.replace("$", " "):
        depth += (letter in "{[(") - (letter in "}])")
        if letter in ",=" and depth <= 0:
            yield part
            part = ""
        else:
            part += letter
    yield part


def _symbol(part: str) -> Symbol | None:
    tokens = _tokens(part)
    base, index = "", ""
    decorations: set[str] = set()
    fonts: set[str] = set()
    place = 0
    while place < len(tokens):
        token = tokens[place]
        name = token.removeprefix("\\")
        place += 1
        if token in ("_", "^"):
            place, inner = _group(tokens, place)
            marks = {_MARKS[part] for part in inner if part in _MARKS}
            decorations |= marks
            index += "".join(inner) if token == "_" and not marks else ""
        elif token.startswith("\\") and name in _ACCENTS:
            decorations.add(_ACCENTS[name])
        elif token.startswith("\\") and name in _FONTS:
            fonts.add(name)
        elif token in _COMBINING or token in _MARKS:
            decorations.add(_COMBINING.get(token) or _MARKS[token])
        elif token == "(":
            break
        elif token.isdigit() and base:
            index += token  # V10 is another symbol than V01
        elif name.isalpha() and not base and name not in ("ldots", "cdots", "dots"):
            base = name
    return Symbol(base, frozenset(decorations), index, frozenset(fonts)) if base else None


def _group(tokens: list[str], place: int) -> tuple[int, list[str]]:
    """What stands after `_` or `^`: one token, or everything in braces."""
    if place >= len(tokens) or tokens[place] != "{":
        return place + 1, [token.removeprefix("\\") for token in tokens[place : place + 1]]
    depth, inner = 0, []
    while place < len(tokens):
        depth += (tokens[place] == "{") - (tokens[place] == "}")
        if tokens[place] not in "{}":
            inner.append(tokens[place].removeprefix("\\"))
        place += 1
        if depth == 0:
            break
    return place, inner


def _tokens(text: str) -> list[str]:
    plain = "".join(_greek(letter) for letter in unicodedata.normalize("NFD", text))
    return _TOKEN.findall(plain)


def _greek(letter: str) -> str:
    """`β` as `\\beta`."""
    words = unicodedata.name(letter, "").split() if ord(letter) > 127 else []
    if len(words) >= 4 and words[0] == "GREEK" and words[2] == "LETTER":
        name = words[3].lower().replace("lamda", "lambda")
        return f"\\{name} " if words[1] == "SMALL" else f"\\{name.capitalize()} "
    return letter
