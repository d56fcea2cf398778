"""What of a document anybody may write in the same words: addresses, identifiers and references to the literature."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import cast

from statsclaw.leaks.views import common

_ADDRESS = re.compile(
    rb"(?:https?://|\b10\.[0-9]{4,9}/)[^\s<>\"'\])]{1,300}|\b(?:arxiv|isbn|issn|doi)[: /-]{1,3}[0-9xX./ -]{4,40}",
    re.IGNORECASE,
)
_YEAR = re.compile(rb"(?:19|20)[0-9]{2}(?<![0-9A-Za-z.][0-9]{4})(?![0-9])")
_NAME = re.compile(rb"[A-Z][a-z\x80-\xff'-]{1,30}(?:,? (?:and|&) |,? [A-Z]\.|,? et al|,? ?\(?$)")
_BEFORE, _AFTER = 300, 300


def public_parts(data: bytes) -> Iterator[bytes]:
    """Addresses; and references: from a name before a year to the pages, the journal or the publisher."""
    yield from _ADDRESS.findall(data)
    for year in _YEAR.finditer(data):
        start = max(0, year.start() - _BEFORE)
        name = _NAME.search(data[start : year.start()])
        if name is None:
            continue
        end = max((found.end() for found in _printed().finditer(data, year.end(), year.end() + _AFTER)), default=0)
        if end or _printed().search(data, start + name.start(), year.start()):
            yield data[start + name.start() : max(end, year.end())]


@cache
def _printed() -> re.Pattern[bytes]:
    """Pages, or a word that stands in the name of a journal or a publisher."""
    words = cast("list[str]", common()["wording"]["printed"])
    return re.compile(rb"\b[0-9]{2,5} ?(?:-{1,2}|\xe2\x80\x93) ?[0-9]{2,5}\b|\b(?:%s)" % "|".join(words).encode())
