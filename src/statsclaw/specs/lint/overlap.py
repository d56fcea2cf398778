"""Text of the computation that also stands in a specification whose reader is not to know how it is done."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set

from statsclaw.runlog.events.finding import Finding
from statsclaw.sources.index import Index
from statsclaw.specs.contract import INTERFACE, SIM_SPEC, SPEC, TEST_SPEC, Contract
from statsclaw.specs.lint.found import clip, finding
from statsclaw.specs.lint.prose import private_rows, words_of_rows, words_of_text

_LENGTH = 8
_FEWEST_REAL = 5
_MOST_FINDINGS = 20
_COMMON = ""

Run = tuple[str, ...]


def overlap_findings(contract: Contract, documents: Mapping[str, str], index: Index) -> Iterator[Finding]:
    """Runs of eight or more words that spec.md shares with another specification.

    Not counted: the interface, the stated criteria and the choices that were put to the person, which every reader
    may be told in the same words; and formulas, which are not prose.
    """
    if SPEC not in documents:
        return
    common = {run for text in _common(contract, documents, index) for run in _runs(words_of_text(text))}
    told = _decisions(contract)
    computation = _private(SPEC, documents, common, told)
    built = {run for run in _runs([word for word, _ in computation]) if _COMMON not in run}
    names = contract.interface.names() if contract.interface else ()
    public = frozenset(words_of_text(" ".join(names)))
    for name in (TEST_SPEC, SIM_SPEC):
        if name in documents:
            yield from _shared(name, _private(name, documents, common, told), built, public)


def _decisions(contract: Contract) -> tuple[str, ...]:
    """What was decided, as every specification has to carry it."""
    choices = contract.comprehension.choices if contract.comprehension else ()
    made = [choice.options[choice.decision].label for choice in choices if choice.decision is not None]
    return tuple(label.lower() for label in made if len(label.split()) > 1)


def _private(name: str, documents: Mapping[str, str], common: set[Run], told: tuple[str, ...]) -> list[tuple[str, int]]:
    """The words of a specification with their lines; common passages and rows that carry a decision blotted out."""
    rows = [row for row in private_rows(name, documents) if not any(label in row[1].lower() for label in told)]
    words = words_of_rows(rows)
    blotted = {
        place + offset
        for place, run in enumerate(_runs([word for word, _ in words]))
        if run in common
        for offset in range(_LENGTH)
    }
    return [(_COMMON if place in blotted else word, line) for place, (word, line) in enumerate(words)]


def _common(contract: Contract, documents: Mapping[str, str], index: Index) -> Iterable[str]:
    yield documents.get(INTERFACE, "")
    yield from (row.text for row in index.criteria)
    for choice in contract.comprehension.choices if contract.comprehension else ():
        yield choice.question
        yield from (f"{option.label} {option.consequence}" for option in choice.options)


def _runs(words: list[str]) -> Iterator[Run]:
    yield from (tuple(words[start : start + _LENGTH]) for start in range(len(words) - _LENGTH + 1))


def _is_real(word: str, public: frozenset[str]) -> bool:
    return len(word) > 1 and word.isalpha() and word not in public


def _shared(name: str, words: list[tuple[str, int]], built: Set[Run], public: frozenset[str]) -> Iterator[Finding]:
    plain = [word for word, _ in words]
    found, place = 0, 0
    while place + _LENGTH <= len(plain) and found < _MOST_FINDINGS:
        run = tuple(plain[place : place + _LENGTH])
        if run not in built or sum(_is_real(word, public) for word in run) < _FEWEST_REAL:
            place += 1
            continue
        end = place + _LENGTH
        while end < len(plain) and tuple(plain[end - _LENGTH + 1 : end + 1]) in built:
            end += 1
        words_shown = clip(" ".join(plain[place:end]), 160)
        message = f"{name} has {end - place} words in a row in common with {SPEC}: “{words_shown}”."
        yield finding("leaks", "warning", message, f"{name}:{words[place][1]}", f"overlap:{name}:{' '.join(run)}")
        found, place = found + 1, end
