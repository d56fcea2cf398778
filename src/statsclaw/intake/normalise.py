"""Turn any text into something that can be matched: folded characters, words, clauses, and code set apart.

The folded text has exactly as many characters as the shown text, so a place in one is a place in the other.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

HEAD, TAIL = 2000, 500  # characters; of a very long text only the two ends are read
_HEAD_WORDS, _TAIL_WORDS = 400, 100

_DROPPED = frozenset("\u0640\u064b\u064c\u064d\u064e\u064f\u0650\u0651\u0652")  # Arabic marks that may be left out
_SPECIAL = {"ł": "l", "ø": "o", "ı": "i", "đ": "d", "’": "'", "‘": "'", "ʼ": "'", "−": "-", "–": "-", "—": "-"}
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af"
_MARKS = "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u0900-\u0dff"
_WORD = re.compile(rf"(?:(?![{_UNSPACED}_])[\w{_MARKS}])+")
_BREAK = re.compile(r"[;!?。！？；，、،؛؟।\n\r]|[.,:](?=\s|$)|\s-+>?\s|[→()\[\]{}«»「」|]")
_SENTENCE = re.compile(r"[!?。！？؟।\n\r]|\.(?=\s|$)")
_CODE = re.compile(
    r"`[^`\n]{1,80}`"  # between backticks
    r"|(?<![\w.:])\w++(?:[.:]++\w++)*+\("  # a call
    r"|(?<!\w)\w*_\w*"  # a name with an underscore
    r"|(?<!\w)\w++::+\w+"
    r"|(?<!\S)[\w.*+-]*/[\w./*+-]*\.[a-z*]{1,5}\b"  # a path with an extension
    r"|(?<!\S)(?:[\w.-]+/){2,}[\w.*-]*"  # a path with two slashes
    r"|(?<!\S)[\w.-]+/(?=[\s,.;:)]|$)"  # a folder
    r"|\b\w+\s?=(?=\s?[\w\"'])",  # name = value
    re.ASCII,
)
_QUOTE = re.compile(r"[\"«“„「『][^\"«»“”„「」『』\n]{1,40}[\"»”“」』]|(?<!\w)'[^'\n]{1,40}'(?!\w)")
_LINK = re.compile(r"https?://[^\s<>\"]+|\bwww\.[^\s<>\"]+")


class Word(NamedTuple):
    text: str
    start: int
    end: int
    code: bool
    link: bool


class Text(NamedTuple):
    shown: str
    folded: str
    words: tuple[Word, ...]
    breaks: tuple[int, ...]  # places where a clause ends
    stops: tuple[int, ...]  # places where a sentence ends
    quotes: tuple[tuple[int, int], ...]  # short stretches between quotation marks
    compact: str  # folded without white space
    places: tuple[int, ...]  # place in `folded` of every character of `compact`


@lru_cache(maxsize=4096)
def _fold_char(char: str) -> str:
    low = char.lower()
    if len(low) != 1:
        low = low[:1] or char
    if low in _SPECIAL:
        return _SPECIAL[low]
    if low < "\u0700" or "\u1e00" <= low <= "\u1fff":  # never take Hangul, kana or Indic letters apart
        return unicodedata.normalize("NFD", low)[0]
    return low


def fold(text: str) -> str:
    """Lower case, no accents, one character for one character."""
    return "".join(map(_fold_char, text))


def clean(text: str) -> str:
    """Composed, compatibility-normalised and printable; the two ends of a very long text."""
    if len(text) > HEAD + TAIL:
        text = text[:HEAD] + "\n" + text[-TAIL:]
    text = text.replace("№", "#")
    kept = (c if c == "\n" or unicodedata.category(c) not in ("Cc", "Cs", "Co", "Cn") else " " for c in text)
    joined = "".join(c for c in kept if c not in _DROPPED and unicodedata.category(c) != "Cf")
    return unicodedata.normalize("NFKC", joined)[: HEAD + TAIL + 1]


def words_of(folded: str) -> list[tuple[str, int, int]]:
    return [(m.group(), m.start(), m.end()) for m in _WORD.finditer(folded)]


def read(text: str) -> Text:
    """Everything the matcher needs to know about a text."""
    shown = clean(text)
    folded = fold(shown)
    code = bytearray(len(folded))
    for found in _CODE.finditer(folded):
        code[found.start() : found.end()] = b"\x01" * (found.end() - found.start())
    for found in _LINK.finditer(folded):
        code[found.start() : found.end()] = b"\x02" * (found.end() - found.start())
    words = tuple(Word(w, a, b, code[a] > 0, code[a] == 2) for w, a, b in words_of(folded))
    if len(words) > _HEAD_WORDS + _TAIL_WORDS:
        words = words[:_HEAD_WORDS] + words[-_TAIL_WORDS:]
    places = tuple(i for i, c in enumerate(folded) if not c.isspace())
    return Text(
        shown=shown,
        folded=folded,
        words=words,
        breaks=tuple(m.start() for m in _BREAK.finditer(folded) if not code[m.start()]),
        stops=tuple(m.start() for m in _SENTENCE.finditer(folded) if not code[m.start()]),
        quotes=tuple(m.span() for m in _QUOTE.finditer(folded) if 2 * len(m.group()) < len(folded)),
        compact="".join(folded[i] for i in places),
        places=places,
    )
