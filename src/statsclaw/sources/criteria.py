"""Acceptance criteria that prose states: lines with an id below a heading that speaks of criteria."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from statsclaw.sources.index import StatedCriterion

ID = r"[A-Z]{1,3}-?\d{1,3}[a-z]?"
_MOST = 500
#: How an item names itself: **C1**, [C1], C1:, C1., C1), (C1), | C1 |
_MARKED = re.compile(
    rf"(?:[-*+•]\s{{1,9}}|\d{{1,3}}[.)]\s{{1,9}})?"
    rf"(?:\*\*\(?({ID})\)?[.:)]?\*\*[.:)]?|__({ID})[.:)]?__|\[({ID})\]|\(({ID})\)|({ID})\s?[.:)](?!\d)|({ID})\s{{1,3}}[—–-](?=\s)|\|\s{{0,40}}\*{{0,2}}({ID})\*{{0,2}}\s{{0,40}}\|)\s{{0,40}}"
)
_BARE = re.compile(rf"(?:[-*+•]\s{{1,9}})?({ID})\s{{1,20}}(?!(?:and|or|is|are|to|above|below|with)\b)(?=\S)")
_BULLET = re.compile(r"(?:[-*+•]|\d{1,3}[.)])\s{1,9}(?=\S)")
_INLINE = re.compile(rf"(?:^|[;.:]\s{{1,5}})(?:and\s)?\(?({ID})\)?[.:)]?\s{{1,5}}(?=\S)")
_SPEAKS = re.compile(r"\bcriteria\b|\bcriterion\b", re.IGNORECASE)
_ACCEPTANCE = re.compile(r"\bacceptance\s{1,9}criteri", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Line:
    """One line of prose. `heading`: it is a heading, and everything up to the next one is below it."""

    number: int
    text: str
    heading: bool = False


def speaks_of_criteria(heading: str) -> bool:
    return bool(_SPEAKS.search(heading[:400]))


def criteria_in(source: str, lines: Iterable[Line], *, bare: bool = False) -> list[StatedCriterion]:
    """The criteria below headings that speak of them.

    `bare`: an id followed only by a space counts (fonts are lost in a PDF). Below "acceptance criteria" a list item
    without an id counts as well, as `criterion-1`, so that nothing is lost for want of a name.
    """
    found: dict[str, StatedCriterion] = {}
    for one in _items(lines, bare=bare):
        name = one.id or f"criterion-{sum(key.startswith('criterion-') for key in found) + 1}"
        if name not in found and len(found) < _MOST and one.text.strip():
            found[name] = StatedCriterion(f"{source} {name}", source, name, one.text.strip(), one.line)
    return list(found.values())


@dataclass
class _Item:
    id: str
    text: str
    line: int


def _items(lines: Iterable[Line], *, bare: bool) -> Iterator[_Item]:
    section = acceptance = False
    current: _Item | None = None
    for line in lines:
        stripped = line.text.strip()
        if line.heading or not stripped:
            if current:
                yield current
            current = None
            if line.heading:
                section, acceptance = speaks_of_criteria(stripped), bool(_ACCEPTANCE.search(stripped[:400]))
            continue
        if not section:
            continue
        opened = _opened(stripped, line.number, bare=bare, any_item=acceptance)
        if opened:
            if current:
                yield current
            current = opened
        elif current:
            current.text += " " + stripped[: max(0, 2_000 - len(current.text))]
    if current:
        yield current


def _opened(text: str, line: int, *, bare: bool, any_item: bool) -> _Item | None:
    text = text[:4_000]
    if marked := _MARKED.match(text):
        name = next(group for group in marked.groups() if group)
        return _Item(name, text[marked.end() :].strip().rstrip("|").strip(), line)
    if bare and (match := _BARE.match(text)):
        return _Item(match[1], text[match.end() :], line)
    if any_item and (bullet := _BULLET.match(text)):
        return _Item("", text[bullet.end() :], line)
    return None


def inline_criteria(text: str) -> list[tuple[str, str]]:
    """Of a sentence such as "criteria: C1 within 1e-6; C2 coverage above 90%" the ids and texts."""
    starts: list[re.Match[str]] = []
    for match in _INLINE.finditer(text[:20_000]):
        if match[1] not in [start[1] for start in starts] and len(starts) < 100:
            starts.append(match)
    ends = [match.start() for match in starts[1:]] + [len(text)]
    return [(match[1], text[match.end() : end].strip(" ;.\n")) for match, end in zip(starts, ends, strict=False)]
