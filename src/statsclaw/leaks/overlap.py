"""Rule: a long run of words shared with a hidden document and found in nothing that was given.

Runs are found from groups of four consecutive words. A word of the hidden document counts only if no group around it
occurs in what was given, so what both documents say, the interface above all, counts nothing.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import cast

from statsclaw.leaks.views import common, folded, pieces, words

GROUP = 4
#: Groups that a document repeats more often are its habit, not its content.
_MOST_REPEATS = 8
#: Words between two matching runs that are taken for one passage in which a word was replaced.
_GAP = 2
_MOST_OPEN = 1000

Group = tuple[bytes, bytes, bytes, bytes]


@dataclass(frozen=True, slots=True)
class Passage:
    """Words `start` to `end` of hidden document `of`, found in one run or in several with a word replaced between them.

    `run`: words of the longest run, `run_new`: those of them that were not given; `shared`: words of all runs.
    `content` and `run_content` count what is distinct and was not given: words, symbols by half, and numbers only in
    one unbroken run in which they are in no order.
    """

    of: str
    start: int
    end: int
    run: int
    run_new: int
    run_content: float
    shared: int
    content: float


class Overlap:
    """The hidden documents, less what was given, ready to be looked for in any number of outputs."""

    def __init__(self, hidden: Mapping[str, bytes], given: Iterable[bytes]) -> None:
        self.words = {name: _words(data) for name, data in hidden.items()}
        self.places: dict[Group, list[tuple[str, int]]] = {}
        for name, text in self.words.items():
            for at, group in enumerate(_groups(text)):
                self.places.setdefault(group, []).append((name, at))
        dull = {g for g, places in self.places.items() if len(set(g)) == 1 or len(places) > _MOST_REPEATS}
        for data in (*given, *_boilerplate()):
            for piece in pieces(data):
                dull.update(group for group in _groups(words(folded(piece))) if group in self.places)
        self.new = {name: bytearray(b"\1" * len(text)) for name, text in self.words.items()}
        for group in dull:
            for name, at in self.places.pop(group):
                self.new[name][at : at + GROUP] = bytes(GROUP)

    def passages(self, text: Sequence[bytes], fewest: int = GROUP) -> Iterator[Passage]:
        """Passages of `fewest` words or more in `text`, the words of one piece of an output; each run counted once."""
        places = self.places
        if not places:
            return
        trails: list[_Trail] = []
        last: dict[
            tuple[str, int], tuple[int, _Trail]
        ] = {}  # per shift, where its last run ends and what it belongs to
        for at in [number for number, group in enumerate(_groups(text)) if group in places]:
            for name, there in places[text[at], text[at + 1], text[at + 2], text[at + 3]]:
                shift = there - at
                floor = last[name, shift][0] if (name, shift) in last else 0
                if at < floor:
                    continue
                hidden = self.words[name]
                start, end = at, at + GROUP
                while start > floor and start + shift > 0 and text[start - 1] == hidden[start + shift - 1]:
                    start -= 1
                while end < len(text) and end + shift < len(hidden) and text[end] == hidden[end + shift]:
                    end += 1
                trail = _before(last, name, shift, start)
                if trail is None:
                    trail = _Trail(name)
                    trails.append(trail)
                trail.add(start, end, shift)
                last[name, shift] = (end, trail)
            if len(trails) > _MOST_OPEN:
                floor = at - _GAP - GROUP
                yield from (self._passage(trail) for trail in trails if fewest <= trail.words and trail.until < floor)
                trails = [trail for trail in trails if trail.until >= floor]
                last = {key: value for key, value in last.items() if value[0] >= floor}
        yield from (self._passage(trail) for trail in trails if fewest <= trail.words)

    def _passage(self, trail: _Trail) -> Passage:
        spans = [(start + shift, end + shift) for start, end, shift in trail.runs]
        longest = max(spans, key=lambda span: span[1] - span[0])
        new = self.new[trail.name]
        return Passage(
            of=trail.name,
            start=next((at for at in range(*spans[0]) if new[at]), spans[0][0]),
            end=max(end for _, end in spans),
            run=longest[1] - longest[0],
            run_new=sum(new[slice(*longest)]),
            run_content=self._content(trail.name, [longest]),
            shared=sum(end - start for start, end in spans),
            content=self._content(trail.name, spans),
        )

    def _content(self, name: str, spans: Sequence[tuple[int, int]]) -> float:
        text, new = self.words[name], self.new[name]
        found = {text[at] for start, end in spans for at in range(start, end) if new[at]}
        content = sum(_weight(word) for word in found if not word.isdigit())
        if len(spans) == 1:
            start, end = spans[0]
            numbers = [word for at in range(start, end) if (word := text[at]).isdigit()]
            if _irregular([int(word[:9]) for word in numbers]):
                content += sum(_weight(word) for word in found if word.isdigit())
        return content


class _Trail:
    """Runs of one passage so far: (start, end, shift) in words of the output."""

    __slots__ = ("name", "runs", "until", "words")

    def __init__(self, name: str) -> None:
        self.name, self.until, self.words = name, 0, 0
        self.runs: list[tuple[int, int, int]] = []

    def add(self, start: int, end: int, shift: int) -> None:
        self.runs.append((start, end, shift))
        self.until = end
        self.words += end - start


def _before(last: Mapping[tuple[str, int], tuple[int, _Trail]], name: str, shift: int, start: int) -> _Trail | None:
    """The passage that ends just before `start`, with a word replaced, added or left out in between."""
    for step in (0, -1, 1, -2, 2):
        _, trail = last.get((name, shift + step), (0, None))
        if trail and 0 <= start - trail.until <= _GAP:
            return trail
    return None


def _weight(word: bytes) -> float:
    """One or two letters or digits are a symbol, half a word; a character of a script without spaces is a quarter."""
    if word[0] >= 0x80 and len(word) <= 4:
        return 0.25
    return 0.5 if len(word) < 3 else 1.0


def _irregular(series: Sequence[int]) -> bool:
    """Numbers that nobody gets by counting or from a sorted table: no reading in up to four columns is in order."""
    return not any(all(_in_order(series[column::columns]) for column in range(columns)) for columns in range(1, 5))


def _in_order(series: Sequence[int]) -> bool:
    steps = list(itertools.pairwise(series))
    return all(a <= b for a, b in steps) or all(a >= b for a, b in steps)


def _groups(text: Sequence[bytes]) -> Iterator[Group]:
    return zip(text, text[1:], text[2:], text[3:], strict=False)


def _words(data: bytes) -> list[bytes]:
    return words(folded(data))


@cache
def _boilerplate() -> tuple[bytes, ...]:
    return tuple(text.encode() for text in cast("list[str]", common()["wording"]["boilerplate"]))
