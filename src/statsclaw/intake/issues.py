"""Which issue a text names: `#12`, "issue 12", "12番のissue", a link; and which pull request."""

from __future__ import annotations

import re
from typing import NamedTuple

from statsclaw.intake.lexicon import Hit
from statsclaw.intake.normalise import Text

_LINK = re.compile(r"/(issues|work_items|pull|pulls|merge_requests)/(\d{1,7})(?!\d)")
_HASH = re.compile(r"(?<![\w&/#'\"])(?:gh-|#\s?)(\d{1,6})(?![\d%]|[.,]\d|[a-z_])")
_AHEAD = re.compile(r"[\s#:.()\"'º°-]*")
_DIGITS = re.compile(r"(\d{1,6})(?![\d%]|[.,:]\d|\s?[=<>])")
#: A bare number so many characters behind "pull request" is that of the pull request.
_NEAR = 30
_SENTENCE_ENDS = re.compile(r"[.;!?\n]\s")
_BEHIND = re.compile(r"(?<![\w.,=<>-])(\d{1,6})[\s.'-]*$")


class Numbers(NamedTuple):
    issues: tuple[int, ...]
    pulls: tuple[int, ...]


def _after(text: Text, hit: Hit, marks: dict[int, int]) -> int | None:
    """The number right after a hit, with nothing but "no." or "#" in between."""
    at = hit.end
    for _ in range(2):
        skipped = _AHEAD.match(text.folded, at)
        at = skipped.end() if skipped else at
        at = marks.get(at, at)
    found = _DIGITS.match(text.folded, at)
    return int(found.group(1)) if found else None


def _before(text: Text, hit: Hit, marks: list[Hit]) -> int | None:
    """The number before a hit, if a word such as "番" or "numaralı" ties them together."""
    for mark in marks:
        if mark.end <= hit.start and hit.start - mark.end <= 2:
            found = _BEHIND.search(text.folded, max(0, mark.start - 12), mark.start)
            if found:
                return int(found.group(1))
    return None


def _named_last(hits: list[Hit], text: Text, start: int) -> str:
    """What a bare number belongs to: the issue or the pull request named just before it in the same sentence."""
    near = [h for h in hits if h.cue in ("pr", "issue", "issues_all") and start - _NEAR < h.end <= start]
    last = max(near, key=lambda h: h.end, default=None)
    return last.cue if last and not _SENTENCE_ENDS.search(text.folded, last.end, start) else ""


def find_numbers(text: Text, hits: list[Hit]) -> Numbers:
    marks = [h for h in hits if h.cue == "number"]
    ends = {h.start: h.end for h in marks}
    taken = {h.end for h in hits if h.cue == "numbered"}
    issues: dict[int, None] = {}
    pulls: dict[int, None] = {}
    for found in _LINK.finditer(text.folded):
        (issues if found.group(1) in ("issues", "work_items") else pulls)[int(found.group(2))] = None
    for hit in hits:
        if hit.cue in ("pr", "issue"):
            number = _after(text, hit, ends)
            if number is None and hit.cue == "issue":
                number = _before(text, hit, marks)
            if number is not None:
                (issues if hit.cue == "issue" else pulls)[number] = None
    for found in _HASH.finditer(text.folded):
        start = found.start()
        ahead = text.folded[:start].rstrip(" ([:.")
        if len(ahead) not in taken and int(found.group(1)) not in pulls:
            (pulls if _named_last(hits, text, start) == "pr" else issues)[int(found.group(1))] = None
    if not issues and any(h.cue in ("issue", "issues_all") for h in hits):
        for mark in marks:  # "number 66 on the tracker"
            number = _after(text, mark, {})
            if number is not None and number not in pulls and mark.end not in taken:
                issues[number] = None
    return Numbers(tuple(issues), tuple(pulls))
