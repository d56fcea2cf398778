"""Does a document contain what its kind must contain? Each fault is one line for its author.

Documents come from roles, so every pattern here is applied to one bounded line: nothing in a document can keep the
engine busy.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import TypeVar

from statsclaw.artifacts.catalogue import ArtifactKind
from statsclaw.states import VERDICTS

_HEADING = re.compile(r"(#{1,6})[ \t]+(\S.*)")
_FENCE = re.compile(r"(```+|~~~+)[ \t]*(\S*)")
_TABLE_CELL = re.compile(r":?-{3,}:?")
_VERDICT = re.compile(r"[\W_]{0,20}verdict[\W_]{0,10}?[:—–-][\W_]{0,10}([a-z ]{1,30})(.*)", re.IGNORECASE)
_LONGEST_LINE = 2000

T = TypeVar("T")


def _lines(text: str) -> list[str]:
    return [line[:_LONGEST_LINE].strip() for line in text.split("\n")]


def _headings(lines: list[str]) -> Iterator[tuple[int, int, str]]:
    """(line, level, title) of every heading that is not inside a code fence."""
    fence = ""
    for number, line in enumerate(lines):
        if mark := _FENCE.match(line):
            fence = "" if fence and mark[1].startswith(fence) else fence or mark[1]
        elif not fence and (head := _HEADING.match(line)):
            yield number, len(head[1]), head[2].rstrip("#").rstrip()


def _sections(text: str) -> list[tuple[str, int, int]]:
    """(heading, first line, one after the last) of what stands below each heading; lines counted from 0."""
    heads = list(_headings(_lines(text)))
    ends: dict[int, int] = {}
    following = [text.count("\n") + 1] * 7  # per level, the nearest later heading of that level
    for number, level, _ in reversed(heads):
        ends[number] = min(following[1 : level + 1])
        following[level] = number
    return [(title, number + 1, ends[number]) for number, _, title in heads]


def sections_of(text: str) -> list[tuple[str, str]]:
    """(heading, everything up to the next heading of the same or a higher level)."""
    raw = text.split("\n")
    return [(title, "\n".join(raw[start:end])) for title, start, end in _sections(text)]


def section(text: str, title: str) -> str | None:
    """The body under the heading `title`, or None. Numbering and case of the heading do not matter."""
    place = section_lines(text, title)
    return None if place is None else "\n".join(text.split("\n")[place.start : place.stop])


def section_lines(text: str, title: str) -> range | None:
    """Which lines, counted from 0, stand under the first heading `title`; a heading that only says it again is none."""
    wanted, lines = _plain(title), _lines(text)
    places = [range(start, end) for head, start, end in _sections(text) if _plain(head) == wanted]
    for place, later in itertools.zip_longest(places, places[1:]):
        if later is None or any(lines[number].strip() for number in range(place.start, later.start - 1)):
            return place
    return None


def spliced(text: str, title: str, lines: Sequence[T], body: Sequence[T]) -> list[T]:
    """`lines`, one for each line of `text`, with `body` in place of those under every heading `title`.

    The level and the number of the heading do not matter, nor what stood there.
    """
    rows, heads = list(lines), list(_headings(_lines(text)))
    for place in reversed(range(len(heads))):
        number, level, name = heads[place]
        if _plain(name) == _plain(title):
            later = [line for line, other, _ in heads[place + 1 :] if other <= level]
            rows[number + 1 : later[0] if later else len(rows)] = body
    return rows


def _plain(title: str) -> str:
    return re.sub(r"[^a-z]+", " ", title.lstrip("0123456789.) \t").lower()).strip()


def diagrams(text: str) -> int:
    """Mermaid blocks that have something in them."""
    lines = _lines(text)
    opened = [n for n, line in enumerate(lines) if (mark := _FENCE.match(line)) and mark[2].lower() == "mermaid"]
    return sum(1 for n in opened if n + 1 < len(lines) and lines[n + 1] and not _FENCE.match(lines[n + 1]))


def tables(text: str) -> int:
    return sum("|" in above and _is_rule(line) for above, line in itertools.pairwise(_lines(text)))


def _is_rule(line: str) -> bool:
    cells = line.strip("|").split("|")
    return "|" in line and all(_TABLE_CELL.fullmatch(cell.strip()) for cell in cells)


def verdicts(text: str) -> list[str]:
    """What each line that states a verdict says; words that are no verdict, or two of them, stay as they are."""
    found = (_VERDICT.match(line[:200]) for line in _lines(text))
    return [_stated(match[1], match[2]) for match in found if match]


def _stated(words: str, rest: str) -> str:
    undecided = re.search(r"\b(pass|stop)\b", rest, re.IGNORECASE)
    return " ".join(f"{words} {rest if undecided else ''}".split()).upper()


def faults(kind: ArtifactKind, data: bytes) -> list[str]:
    """What is missing in the document, in words its author can act on; empty if nothing is."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return [f"{kind.name} is not UTF-8 text"]
    if "\0" in text:
        return [f"{kind.name} is not text"]
    if not text.strip():
        return [f"{kind.name} is empty"]
    bodies = {_plain(title): body for title, body in reversed(sections_of(text))}
    found = []
    for title in kind.sections:
        body = bodies.get(_plain(title))
        if body is None:
            found.append(f'{kind.name} has no section "{title}"')
        elif not body.strip():
            found.append(f'section "{title}" of {kind.name} is empty')
        elif title in kind.mermaid and not diagrams(body):
            found.append(f'section "{title}" of {kind.name} has no Mermaid diagram')
    if tables(text) < kind.tables:
        found.append(f"{kind.name} needs {kind.tables} table(s), has {tables(text)}")
    if kind.name == "review.md" and (len(verdicts(text)) != 1 or verdicts(text)[0] not in VERDICTS):
        found.append('review.md needs exactly one line "Verdict: PASS", "Verdict: PASS WITH NOTE" or "Verdict: STOP"')
    return found
