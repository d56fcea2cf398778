"""Words of a source, found again: white space, TeX markup, emphasis, quotation marks and kinds of dashes aside."""

from __future__ import annotations

import re
import unicodedata

from statsclaw.sources.readable import FONTS, SIGNS

_TOKEN = re.compile(
    r"\\(?:label|ref|eqref|cite|citep|citet)\*?\{[^{}]{0,200}\}"  # names of places, not words
    r"|\\[A-Za-z@]+\*?|\\."
    r"|[-\u2010-\u2015\u2212]+(?:[ \t]*\n\s*)?"
    r"|\S",
    re.DOTALL,
)
_PLACES = ("\\label", "\\ref", "\\eqref", "\\cite")
_MARKS = frozenset("{}$*_`~\"'\\\u00ab\u00bb\u2018\u2019\u201c\u201d\u2032\u2033")
_DASHES = frozenset("-\u2010\u2011\u2012\u2013\u2014\u2015\u2212")
#: Characters of scripts that put no spaces between words count as words.
_WORD = re.compile(r"[\u2e80-\uffff]|[^\W\u2e80-\uffff]+")


def words_in(quote: str, text: str) -> str | None:
    """The passage of `text` that the quotation means, on one line; None where it is not there."""
    wanted, _ = _bare(quote, divided=False)
    for divided in (False, True):
        bare, places = _bare(text, divided=divided)
        at = bare.find(wanted) if wanted else -1
        if at >= 0:
            return " ".join(text[places[at][0] : places[at + len(wanted) - 1][1]].split())
    return None


def count_words(text: str) -> int:
    return len(_WORD.findall(text))


def _bare(text: str, *, divided: bool) -> tuple[str, list[tuple[int, int]]]:
    """What is left for comparing, and where each character of it stands. `divided`: words may end at a line's end."""
    letters: list[str] = []
    places: list[tuple[int, int]] = []
    for match in _TOKEN.finditer(text):
        piece = _piece(match[0], divided=divided)
        letters.append(piece)
        places += [match.span()] * len(piece)
    return "".join(letters), places


def _piece(token: str, *, divided: bool) -> str:
    if token[0] in _DASHES:
        return "" if divided and "\n" in token else "-"
    if token[0] == "\\" and len(token) > 1:
        token = SIGNS.get(token, "" if token.startswith(_PLACES) or _only_look(token) else token[1:].rstrip("*"))
    kept = unicodedata.normalize("NFKC", token)
    return "".join(letter for letter in kept if letter not in _MARKS and not letter.isspace()).casefold()


def _only_look(command: str) -> bool:
    """A font, a space, the edge of a formula."""
    name = command[1:].rstrip("*")
    return name in FONTS if name.isalpha() else name in "()[]\\"
