"""Markers: phrases that stand in one copy of one document and nowhere else, so that a copied passage can be traced.

A phrase depends on the run's secret seed; nobody can tell it from the document. It is visible text, a paragraph of its
own, and taken out again it leaves the document as it was, byte for byte.
"""

from __future__ import annotations

import hmac
import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files

PHRASES = 3
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(\S.{0,200})")
_FENCE = re.compile(r"(?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t])*+(`{3,}|~{3,})(.*)", re.DOTALL)
_ITEM = re.compile(r"[ \t>|]|[-*+][ \t]|\d{1,9}[.)][ \t]")
#: What opens a stretch that may hold blank lines and must stay whole, and what ends it.
_STRETCHES = (
    ("<!--", "-->"),
    ("<pre", "</pre>"),
    ("<script", "</script>"),
    ("<style", "</style>"),
    ("<table", "</table>"),
    ("\\[", "\\]"),
    ("\\begin{", "\\end{"),
)
#: The section that every specification holds in the same words.
_SHARED_SECTION = "interface"


@cache
def _vocabulary() -> tuple[tuple[str, ...], str]:
    data = tomllib.loads(files("statsclaw.leaks").joinpath("markers.toml").read_text(encoding="utf-8"))
    return tuple(data["words"].split()), data["line"]


def markers_for(seed: str, document_sha256: str, name: str) -> tuple[str, ...]:
    """The phrases of one document of one run, such as "quiet harbour, linden 7413-kelp"; 49 bits each."""
    words, _ = _vocabulary()
    phrases = []
    for number in range(PHRASES):
        message = "\0".join(("statsclaw marker", document_sha256, name, str(number)))
        rest = int.from_bytes(hmac.digest(seed.encode(), message.encode(), sha256), "big")
        drawn = []
        for _ in range(4):
            rest, index = divmod(rest, len(words))
            drawn.append(words[index])
        a, b, c, d = drawn
        phrases.append(f"{a} {b}, {c} {1000 + rest % 9000}-{d}")
    return tuple(phrases)


def with_markers(text: str, phrases: Sequence[str]) -> str:
    """`text` with each phrase as a paragraph of its own: near the top, within, at the end.

    Between blocks only: never inside code, tables, comments, formulas, lists, or the section "Interface" if there is
    any other place. A document without a place for a paragraph has them before its first line.
    """
    newline = "\r\n" if "\r\n" in text else "\n"
    places = _places(text, len(phrases))
    if not places:
        return "".join(_line(phrase) + newline * 2 for phrase in phrases) + text
    last = max(1, len(phrases) - 1)
    chosen = [places[number * (len(places) - 1) // last] for number in range(len(phrases))]
    for place, phrase in reversed(list(zip(chosen, phrases, strict=True))):
        text = text[:place] + newline * 2 + _line(phrase) + text[place:]
    return text


def without_markers(text: str, phrases: Sequence[str]) -> str:
    """The inverse of `with_markers`, whatever the document; nothing changes where a phrase is not there."""
    for phrase in phrases:
        line = _line(phrase)
        at = text.find(line)
        if at < 0:
            continue
        end = at + len(line)
        for newline in ("\r\n\r\n", "\n\n"):
            if at == 0 and text.startswith(newline, end):
                text = text[end + len(newline) :]
                break
            if at and text.endswith(newline, 0, at):
                text = text[: at - len(newline)] + text[end:]
                break
    return text


def _line(phrase: str) -> str:
    return _vocabulary()[1].format(phrase=phrase)


def _places(text: str, wanted: int) -> list[int]:
    """Where a paragraph may follow: outside the shared section if there are `wanted` places, or else anywhere."""
    found = list(_block_ends(text))
    own = [at for at, is_own in found if is_own]
    return own if len(own) >= wanted else [at for at, _ in found]


def _block_ends(text: str) -> Iterator[tuple[int, bool]]:
    """(end of the last line of a block, outside the shared section?) where no list or indented block goes on."""
    lines = text.split("\n")
    shared, until, level = False, "", 0
    at = 0
    front = lines[0].rstrip() == "---" and any(line.rstrip() == "---" for line in lines[1:])
    for number, line in enumerate(lines):
        end = at + len(line.rstrip("\r"))
        at += len(line) + 1
        if front:
            front = number == 0 or line.rstrip() != "---"
            if front:
                continue
        was, until = until, _still_open(line, until)
        if until or not line.strip():
            continue
        if not was and (head := _HEADING.match(line)):
            depth = len(head[1])
            if not shared or depth <= level:
                shared, level = head[2].strip("# \t\r.0123456789").lower() == _SHARED_SECTION, depth
        following = lines[number + 1] if number + 1 < len(lines) else ""
        if not following.strip() and not _ITEM.match(_next_line(lines, number + 1)):
            yield end, not shared


def _next_line(lines: list[str], number: int) -> str:
    return next((line for line in lines[number : number + 20] if line.strip()), "")


def _still_open(line: str, until: str) -> str:
    """What the stretch that is open after `line` ends with, or nothing."""
    fence = _FENCE.match(line)
    if until and until[0] in "`~":
        closes = fence and fence[1].startswith(until) and not fence[2].strip()
        return "" if closes else until
    if until:
        return "" if until in line.lower() else until
    if fence and not (fence[1][0] == "`" and "`" in fence[2]):
        return fence[1]
    if line.count("$$") % 2:
        return "$$"
    low = line.lower()
    for start, end in _STRETCHES:
        opened = low.rfind(start)
        if opened >= 0 and low.find(end, opened) < 0:
            return end
    return ""
