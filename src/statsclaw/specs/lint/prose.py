"""The planner's documents as rows and words, without what everybody sees."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from statsclaw.specs.contract import INTERFACE, SPECIFICATIONS

_HEADING = re.compile(r" {0,3}(#{1,6})\s+(.*)$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")

Row = tuple[int, str]


def _sections(text: str) -> Iterator[tuple[int, str, bool]]:
    """(line number, row, whether it belongs to the section "Interface"). A # within a fence is no heading."""
    inside, depth, fence = False, 0, ""
    for number, row in enumerate(text.split("\n"), start=1):
        mark = _FENCE.match(row)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence):
            fence = ""
        heading = _HEADING.match(row[:200]) if not fence else None
        if heading and (not inside or len(heading[1]) <= depth):
            inside = heading[2].strip().strip("#").strip().lower() == "interface"
            depth = len(heading[1])
        yield number, row, inside


def private_rows(name: str, documents: Mapping[str, str]) -> list[Row]:
    """The rows of a specification that not every reader sees.

    Rows of the section "Interface" are common only if each specification or interface.md has them: a row that is in
    one of them alone is private, wherever it stands.
    """
    given = [part for part in SPECIFICATIONS if part in documents]
    shown = [{row.strip() for _, row, inside in _sections(documents[part]) if inside} for part in given]
    common = set.intersection(*shown) if len(shown) > 1 else set()
    common |= {row.strip() for row in documents.get(INTERFACE, "").split("\n")}
    return [
        (number, row)
        for number, row, inside in _sections(documents.get(name, ""))
        if not (inside and row.strip() in common)
    ]


def words_of_rows(rows: list[Row]) -> list[tuple[str, int]]:
    """Every word in lower case, with its line."""
    return [(word.lower(), number) for number, row in rows for word in _WORD.findall(row)]


def words_of_text(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]
