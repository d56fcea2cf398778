"""Signs, in what a role produced, of a specification that it was not given.

A second line behind the barrier: three rules (markers, wording, constants) over plain bytes. The bytes may be anything;
no input raises, and the time is in proportion to their number.
"""

from __future__ import annotations

import codecs
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from statsclaw.leaks.constants import Constants, Tally
from statsclaw.leaks.markers import without_markers
from statsclaw.leaks.overlap import Overlap, Passage
from statsclaw.leaks.public import public_parts
from statsclaw.leaks.views import decoded, folded, letters, pieces, words

# The thresholds; docs/reference/leak-detection.md says what was measured at them.
RUN_WORDS, RUN_NEW, RUN_CONTENT = 14, 12, 6.5
PASSAGE_WORDS, PASSAGE_CONTENT = 20, 10
SUSPECT_WORDS, SUSPECT_CONTENT = 9, 6
BREACH_BITS, BREACH_CONSTANTS = 32.0, 2

MOST_FINDINGS = 20
_MOST_EVIDENCE = 200
#: Letters or digits between two words of a marker: what is left of a code for a space, a tag, an inserted word.
_BETWEEN = rb"[0-9a-z]{0,12}?"
_FEWEST_LETTERS = 12

Kind = Literal["marker", "overlap", "constants"]
Severity = Literal["breach", "suspicion"]


@dataclass(frozen=True, slots=True)
class Finding:
    """`where`: the output; `of`: the hidden document; `words`: the length of an overlap; `bits`: of constants.

    All text is printable and holds nothing a terminal would obey.
    """

    kind: Kind
    severity: Severity
    where: str
    of: str
    evidence: str
    words: int = 0
    bits: float = 0.0


def scan(
    output: Mapping[str, bytes],
    hidden: Mapping[str, bytes],
    given: Iterable[bytes],
    markers: Mapping[str, tuple[str, ...]],
) -> list[Finding]:
    """Breaches first, and at most 20 findings for a hidden document; `hidden` may hold its markers or not."""
    return Detector(hidden, given, markers).scan(output)


class Detector:
    """What one role must not know, less what it was given: read once, for any number of outputs."""

    def __init__(
        self, hidden: Mapping[str, bytes], given: Iterable[bytes], markers: Mapping[str, tuple[str, ...]]
    ) -> None:
        plain = {name: _without(data, markers.get(name, ())) for name, data in hidden.items()}
        known = [*given, *(part for data in plain.values() for part in public_parts(data))]
        self._overlap = Overlap(plain, known)
        self._constants = Constants(
            {name: map(folded, pieces(data)) for name, data in plain.items()},
            (map(folded, pieces(data)) for data in known),
        )
        self._traces = [
            trace for name, phrases in markers.items() for phrase in phrases for trace in _traces(name, phrase)
        ]

    def scan(self, output: Mapping[str, bytes]) -> list[Finding]:
        found = _Found()
        tallies: dict[str, Tally] = {}
        for where, data in output.items():
            tallies[where] = Tally()
            for piece in itertools.chain(pieces(where.encode("utf-8", "replace")), pieces(data)):
                tallies[where] += self._look(where, piece, found)
        _add_constants(found, self._constants, tallies)
        return found.first()

    def _look(self, where: str, piece: bytes, found: _Found) -> Tally:
        fold = folded(piece)
        for trace in _marked(piece, fold, self._traces):
            how = f" ({trace.how})" if trace.how else ""
            found.add("marker", "breach", where, trace.of, trace.phrase + how)
        for passage in self._overlap.passages(words(fold), SUSPECT_WORDS):
            if severity := _severity(passage):
                text = b" ".join(self._overlap.words[passage.of][passage.start : passage.end])
                found.add("overlap", severity, where, passage.of, text.decode("utf-8", "replace"), passage.shared)
        return self._constants.tally(fold)


def _without(data: bytes, phrases: tuple[str, ...]) -> bytes:
    try:
        return without_markers(data.decode("utf-8"), phrases).encode("utf-8")
    except UnicodeError:
        return data


class _Found:
    """Findings without repetition, and a bounded number of them."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], dict[Finding, None]] = {}

    def add(
        self, kind: Kind, severity: Severity, where: str, of: str, evidence: str, length: int = 0, bits: float = 0.0
    ) -> None:
        rows = self._kept.setdefault((of, severity), {})
        if len(rows) < MOST_FINDINGS:
            rows[Finding(kind, severity, _shown(where), _shown(of), _shown(evidence), length, round(bits, 1))] = None

    def first(self) -> list[Finding]:
        kept: list[Finding] = []
        for of in dict.fromkeys(of for of, _ in self._kept):
            rows = [*self._kept.get((of, "breach"), ()), *self._kept.get((of, "suspicion"), ())]
            kept += rows[:MOST_FINDINGS]
        return sorted(kept, key=lambda finding: finding.severity)


def _shown(text: str) -> str:
    """At most 200 characters on one line, none of which a terminal would obey."""
    cut = text if len(text) <= _MOST_EVIDENCE else text[: _MOST_EVIDENCE - 1] + "…"
    return "".join(char if char.isprintable() else "?" for char in cut)


# --- wording ---------------------------------------------------------------------------------------------------------


def _severity(passage: Passage) -> Severity | None:
    if passage.run >= RUN_WORDS and passage.run_new >= RUN_NEW and passage.run_content >= RUN_CONTENT:
        return "breach"
    if passage.shared >= PASSAGE_WORDS and passage.content >= PASSAGE_CONTENT:
        return "breach"
    if passage.shared >= SUSPECT_WORDS and max(passage.run_content, passage.content) >= SUSPECT_CONTENT:
        return "suspicion"
    return None


# --- constants -------------------------------------------------------------------------------------------------------


def _add_constants(found: _Found, constants: Constants, tallies: Mapping[str, Tally]) -> None:
    """Each output by itself, and all outputs together where none of them is enough."""
    together = Tally()
    enough: set[str] = set()
    for where, tally in tallies.items():
        together += tally
        for of, bits, literals in constants.weigh(tally):
            breach = _is_enough(bits, literals)
            found.add("constants", "breach" if breach else "suspicion", where, of, ", ".join(literals), bits=bits)
            enough |= {of} if breach else set()
    for of, bits, literals in constants.weigh(together):
        if of not in enough and _is_enough(bits, literals):
            where = max(tallies, key=lambda name: constants.count(tallies[name], of))
            found.add("constants", "breach", where, of, ", ".join(literals), bits=bits)


def _is_enough(bits: float, literals: Sequence[str]) -> bool:
    return bits >= BREACH_BITS and len(literals) >= BREACH_CONSTANTS


# --- markers ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Trace:
    """One way in which a marker may stand among letters and digits; `anchor` is its longest word."""

    of: str
    phrase: str
    how: str
    anchor: bytes
    pattern: re.Pattern[bytes]

    def is_in(self, text: bytes) -> bool:
        return self.anchor in text and self.pattern.search(text) is not None


def _traces(of: str, phrase: str) -> Iterator[_Trace]:
    parts = words(folded(phrase.encode("utf-8", "replace")))
    turned = [codecs.encode(part.decode("ascii", "replace"), "rot13").encode("ascii", "replace") for part in parts]
    backwards = [part[::-1] for part in reversed(parts)]
    if sum(map(len, parts)) < _FEWEST_LETTERS:
        return
    for how, forms in (("", parts), ("rot13", turned), ("reversed", backwards)):
        pattern = re.compile(_BETWEEN.join(map(re.escape, forms)))
        yield _Trace(of, phrase, how, max(forms, key=len), pattern)


def _marked(piece: bytes, fold: bytes, traces: Sequence[_Trace]) -> Iterator[_Trace]:
    if not traces:
        return
    text = letters(fold)
    yield from (trace for trace in traces if trace.is_in(text))
    plain = [trace for trace in traces if not trace.how]
    for how, text in decoded(piece):
        yield from (replace(trace, how=how) for trace in plain if trace.is_in(text))
