"""Marked-up prose as one plain line: fonts and dollars dropped, the usual signs as characters."""

from __future__ import annotations

import re
import tomllib
from importlib import resources

_LONGEST = 4_000
_TABLE = tomllib.loads(resources.files(__package__).joinpath("readable.toml").read_text(encoding="utf-8"))
SIGNS: dict[str, str] = _TABLE["signs"]
FONTS = frozenset(_TABLE["fonts"])
_COMMAND = re.compile(r"\\(?:[A-Za-z@]+\*?|.)", re.DOTALL)
_POWER = re.compile(r"(?:(\d{1,6}(?:\.\d{1,6})?)\s{0,3}(?:×|·)\s{0,3})?10\s?\^\s?\{?\s?([-+−]?\d{1,3})\s?\}?")
_DROPPED = re.compile(
    r"\\(?:label|ref|eqref|cite|citep|citet|vspace|hspace|setlength|small|footnotesize)\*?\s{0,9}\{[^{}]{0,200}\}"
)
_SPACING = re.compile(r"\\\\(?:\[[^\[\]\n]{0,20}\])?")
_DOLLAR = re.compile(r"(?<!\\)\$")
_EMPHASIS = re.compile(r"\*\*|__|(?<![\w*])[*_](?=\S)|(?<=\S)[*_](?![\w*])|`+")


def readable(text: str, *, keep_formulas: bool = False) -> str:
    """LaTeX prose as plain text. Formulas stay as written, or lose dollars and braces; Greek names keep `\\`."""
    text = _SPACING.sub(" ", _DROPPED.sub(" ", text[:_LONGEST])).replace("``", '"').replace("''", '"')
    pieces = _DOLLAR.split(text)
    for at in range(len(pieces)):
        if at % 2 == 0 or not keep_formulas:
            pieces[at] = _numbers(_COMMAND.sub(_command, pieces[at].replace("~", " ")), strip=False)
            pieces[at] = pieces[at].replace("{", "").replace("}", "")
    return " ".join("$".join(pieces).split()) if keep_formulas else _numbers("".join(pieces))


def readable_markdown(text: str, *, keep_formulas: bool = False) -> str:
    """Markdown prose as plain text: emphasis and code marks dropped, formulas as with `readable`."""
    pieces = _DOLLAR.split(text[:_LONGEST])
    paired = len(pieces) % 2 == 1
    for at in range(len(pieces)):
        if at % 2 == 0 or not paired:
            pieces[at] = _EMPHASIS.sub("", pieces[at])
        elif not keep_formulas:
            pieces[at] = _COMMAND.sub(_command, pieces[at])
    if keep_formulas:
        return " ".join("$".join(pieces).split())
    return _numbers(("" if paired else "$").join(pieces))


def _command(match: re.Match[str]) -> str:
    word = match[0]
    if word in SIGNS:
        return SIGNS[word]
    name = word[1:].rstrip("*")
    if not name.isalpha():
        return name
    return " " if name in FONTS else word + " "


def _numbers(text: str, *, strip: bool = True) -> str:
    """`10^{-6}` as `1e-6`; white space as single spaces."""
    text = _POWER.sub(lambda match: f"{match[1] or 1}e{match[2].replace('−', '-')}", text)
    return " ".join(text.split()) if strip else text
