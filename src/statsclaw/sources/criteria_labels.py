"""How an item of a list, or a part of a sentence, names itself: C1, 1, (ii), a bullet."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from statsclaw.sources.criteria_scope import begins_with

ID = r"[A-Z]{1,3}-?\d{1,3}[a-z]?"
_BULLET = re.compile(r"[-*+•]\s{1,9}(?=\S)")
#: **C1**, [C1], C1:, C1., C1), (C1), C1 — ; a number before the name is dropped.
_NAMED = re.compile(
    rf"(?:\d{{1,3}}[.)]\s{{1,9}})?"
    rf"(?:\*\*\(?({ID})\)?[.:)]?\*\*[.:)]?|__({ID})[.:)]?__|\[({ID})\]|\(({ID})\)|({ID})\s?[.:)](?!\d)"
    rf"|({ID})\s{{1,3}}[—–-](?=\s{{1,3}}(?!{ID})))\s{{0,40}}"
)
_BARE = re.compile(rf"({ID})\s{{1,20}}(?=\S)")
_NUMBERED = re.compile(r"(?:(\d{1,3})[.)]|\((\d{1,3}|[a-z]|[ivx]{1,5})\)|([ivx]{1,5})\))\s{1,9}(?=\S)")
_INLINE = re.compile(
    rf"(?:(?:^|[;.:]\s{{1,5}})(?:and\s)?({ID})[.:)]?|(?:^|(?<=\s))\(({ID}|[a-z]|[ivx]{{1,5}})\)[.:]?)\s{{1,5}}(?=\S)"
)
_ID = re.compile(r"([A-Z]{1,3}-?)(\d{1,3})")
ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv", "xv")
_MOST_INLINE = 100


class Kind(Enum):
    """NAMED: it has a name, set off from its text. BARE: a name and a space, which may also be a mention."""

    NAMED = 1
    BARE = 2
    NUMBERED = 3
    BULLET = 4


@dataclass(frozen=True, slots=True)
class Label:
    kind: Kind
    name: str
    text: str


def label_of(text: str) -> Label | None:
    """Of a stripped line; None where it begins with no label."""
    text = text[:4_000]
    bullet = _BULLET.match(text)
    rest = text[bullet.end() :] if bullet else text
    if named := _NAMED.match(rest):
        return Label(Kind.NAMED, next(group for group in named.groups() if group), rest[named.end() :].strip())
    if (bare := _BARE.match(rest)) and not begins_with("mentioned", rest[bare.end() :]):
        return Label(Kind.BARE, bare[1], rest[bare.end() :])
    if number := _NUMBERED.match(rest):
        return Label(Kind.NUMBERED, number[1] or number[2] or number[3], rest[number.end() :])
    return Label(Kind.BULLET, "", rest) if bullet else None


def follows(name: str, before: str) -> bool:
    """Whether a name is the one after another: C3 after C2, iii after ii. After "" it is a first one."""
    return name in names_after(before)


def names_after(name: str) -> tuple[str, ...]:
    if not name:
        return ("1", "i", "a")
    if found := _ID.match(name):
        return (f"{found[1]}{int(found[2]) + 1}",)
    if name.isdigit():
        return (str(int(name) + 1),)
    letter = (chr(ord(name) + 1),) if len(name) == 1 else ()
    roman = (ROMAN[ROMAN.index(name) + 1],) if name in ROMAN[:-1] else ()
    return letter + roman


def inline_labels(text: str) -> list[re.Match[str]]:
    """Every place in a text where a criterion may begin, each name once."""
    found: dict[str, re.Match[str]] = {}
    for match in _INLINE.finditer(text[:20_000]):
        set_off = match[0].rstrip().endswith(":")
        mentioned = not set_off and begins_with("mentioned", text[match.end() : match.end() + 40])
        if len(found) < _MOST_INLINE and not mentioned:
            found.setdefault(match[1] or match[2], match)
    return list(found.values())


def parts_of(text: str, labels: list[re.Match[str]]) -> list[tuple[str, str]]:
    """The names and texts of the parts that begin at the labels."""
    ends = [*(match.start() for match in labels[1:]), len(text)]
    return [
        (match[1] or match[2], _unjoined(text[match.end() : end])) for match, end in zip(labels, ends, strict=False)
    ]


def _unjoined(text: str) -> str:
    return re.sub(r"[\s,;]{0,9}\band$", "", text.strip(" ;,\n")).strip(" ;,.\n")


def in_sequence(text: str, *, names_only: bool) -> list[tuple[str, str]]:
    """Parts of a text that are named one after the other: C1 …; C2 …, or (i) … and (ii) …. A single one is none."""
    labels = [match for match in inline_labels(text) if match[1] or not names_only or _ID.match(match[2])]
    for at, first in enumerate(labels):
        chain = [first]
        for match in labels[at + 1 :]:
            if follows(match[1] or match[2], chain[-1][1] or chain[-1][2]):
                chain.append(match)
        if len(chain) > 1 and (_ID.match(first[1] or first[2]) or follows(first[1] or first[2], "")):
            return parts_of(text, chain)
    return []
