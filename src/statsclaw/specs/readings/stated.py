"""Acceptance criteria in words: the range each demands, as far as its words say one."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from importlib.resources import files

_LONGEST = 1000
_NUMBER = r"([-+]?\d{1,15}(?:\.\d{1,15})?(?:[eE][-+]?\d{1,3})?)[ ]?(%)?"
_BETWEEN = re.compile(rf"\b(?:between|from) {_NUMBER} (?:and|to) {_NUMBER}", re.IGNORECASE)
_DASHED = re.compile(rf"{_NUMBER} ?[–—] ?{_NUMBER}")
_LEAST = re.compile(
    rf"(?:\b(?:at least|no less than|not below|above|more than|greater than|exceeds|over)|>=?|≥|\\geq?) ?{_NUMBER}",
    re.IGNORECASE,
)
_MOST = re.compile(
    rf"(?:\b(?:at most|no more than|not above|below|less than|smaller than|under)|<=?|≤|\\leq?) ?{_NUMBER}",
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Za-z]{2,40}|\d[\d.]*")
_EMPTY = frozenset(files(__package__).joinpath("empty_words.txt").read_text(encoding="utf-8").split())


@dataclass(frozen=True, slots=True)
class Demand:
    """`about`: the words that say of what; numbers that are no bound, such as sample sizes, are among them."""

    about: frozenset[str]
    low: float
    high: float

    def contradicts(self, other: Demand) -> bool:
        return self.about == other.about and (self.low > other.high or other.low > self.high)


def demand_of(text: str) -> Demand | None:
    """None where the words hold no range, or more than one: then nothing is concluded."""
    text = " ".join(text[:_LONGEST].replace("\\%", "%").replace("$", " ").split())
    found: list[tuple[re.Match[str], float, float]] = []
    for pattern in (_BETWEEN, _DASHED):
        found += [
            (match, _number(match[1], match[2], match[4]), _number(match[3], match[4], match[2]))
            for match in pattern.finditer(text)
        ]
    found += [(match, _number(match[1], match[2]), math.inf) for match in _LEAST.finditer(text)]
    found += [(match, -math.inf, _number(match[1], match[2])) for match in _MOST.finditer(text)]
    if len(found) != 1:
        return None
    match, low, high = found[0]
    rest = text[: match.start()] + " " + text[match.end() :]
    words = frozenset(word.lower() for word in _WORD.findall(rest)) - _EMPTY
    return Demand(words, low, high) if words and low <= high else None


def _number(text: str, percent: str | None, other_percent: str | None = None) -> float:
    return float(text) / 100 if percent or other_percent else float(text)
