"""What a heading, a sentence before a list, or the header of a table says about what follows: is it about criteria?"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from enum import IntEnum
from functools import cache
from importlib import resources

_TABLE = tomllib.loads(resources.files(__package__).joinpath("criteria.toml").read_text(encoding="utf-8"))
_LONGEST = 400
_NUMBERING = re.compile(r"(?:§\s?)?(?:\d{1,3}|[A-Z])(?:\.\d{1,3}){0,3}[.)]?\s{1,9}")
_SENTENCE = re.compile(r"(?<=[.!?])\s{1,9}(?=[A-Z\\])")


class Scope(IntEnum):
    """What counts as a criterion: nothing; items with a name of their own; numbered items too; every item of a list."""

    NOTHING = 0
    NAMES = 1
    LISTS = 2
    ITEMS = 3


def scope_of(title: str) -> Scope:
    """Of a heading or caption: what counts below it."""
    words = " ".join(_NUMBERING.sub("", title[:_LONGEST].strip(" #*_\t"), count=1).lower().split()).strip(" .:*_")
    if words in _TABLE["lists"]["whole"]:
        return Scope.LISTS
    return _named_in(words)


def _named_in(words: str) -> Scope:
    if says("items", words):
        return Scope.ITEMS
    if says("other", words):
        return Scope.NOTHING
    if says("lists", words):
        return Scope.LISTS
    return Scope.NAMES if says("names", words) else Scope.NOTHING


def scope_after(paragraph: str, section: Scope) -> Scope:
    """Of the list after a paragraph, in a section: the last sentence of the paragraph may widen or narrow it."""
    sentence = _SENTENCE.split(paragraph)[-1]
    own = _named_in(" ".join(sentence[-_LONGEST:].lower().split()))
    if demands(sentence):
        own = Scope.ITEMS
    elif own is Scope.NOTHING and section and (says("demand", sentence) or says("demand_below", sentence)):
        own = Scope.LISTS
    if own is Scope.NOTHING and says("another_list", sentence):
        return min(section, Scope.NAMES)
    return max(section, own)


def demands(sentence: str) -> bool:
    """Whether something is demanded of the software: a proposal that is accepted is none."""
    return says("demand", sentence) and _pattern(tuple(_TABLE["software"])).search(sentence[:2_000].lower()) is not None


def says(kind: str, words: str) -> bool:
    """Whether one of the phrases of a kind stands in a text."""
    return _pattern(tuple(_TABLE[kind]["phrases"])).search(words[:2_000].lower()) is not None


def begins_with(kind: str, words: str) -> bool:
    return _pattern(tuple(_TABLE[kind]["phrases"])).match(words[:_LONGEST].lower()) is not None


def ends_with(kind: str, words: str) -> bool:
    return words[-_LONGEST:].lower().rsplit(maxsplit=1)[-1:] in [[phrase] for phrase in _TABLE[kind]["phrases"]]


@cache
def _pattern(phrases: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:{'|'.join(_written(phrase) for phrase in phrases)})(?![\w-])")


def _written(phrase: str) -> str:
    return " ".join(_word(word) for word in phrase.split()).replace(" ", r"\s{1,9}")


def _word(word: str) -> str:
    if word in ("{what}", "{software}"):
        return _any(_TABLE[word.strip("{}")])
    return re.escape(word.removesuffix("*")) + (r"\w{0,20}" if word.endswith("*") else "")


def _any(words: Sequence[str]) -> str:
    return f"(?:{'|'.join(_written(word) for word in words)})"
