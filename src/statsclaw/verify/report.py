"""What a role is told when verification fails: which behaviour, which way and how far, not the values.

To the builder, nothing of the tester's or simulator's work is quoted. A row is composed of words of the interface and
of a fixed list, a direction, a decade, and, if its own code raised an error, the class and what is left of the message.
Rows are sorted and large numbers of cases are told roughly, so that neither order nor number says more.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from statsclaw.runlog.events.command_executed import CaseOutcome, CommandExecuted, Criterion, Deviation
from statsclaw.runlog.events.leak import Leak
from statsclaw.runlog.store import ContentStore
from statsclaw.verify.deviation import DECADES, LARGEST, SMALLEST, decade
from statsclaw.verify.parsers import Raised, raised_in
from statsclaw.verify.vocabulary import Told, Vocabulary

_LONGEST, _LONGEST_REVEALED = 3500, 12_000
_LONGEST_LINE = 1000
_MOST_MESSAGES = 8
_OWN_WORK = {"tester": "validation", "simulator": "study"}
_ERROR_CLASS = re.compile(r"\b([A-Z]\w{0,60}(?:Error|Exception|Warning|Exit|Interrupt))\b")
_REVEALED = "Opened by the person: what follows is quoted from work you do not see otherwise."


@dataclass(frozen=True, slots=True)
class Report:
    text: str
    leak: Leak


class Row(NamedTuple):
    text: str
    leak: Leak = Leak()


def failed_phases(evidence: Iterable[CommandExecuted]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(c.phase for c in evidence if not c.passed))


def failed_behaviours(evidence: Iterable[CommandExecuted]) -> tuple[str, ...]:
    """The names of what failed, whatever was said about it."""
    found = set()
    for command in evidence:
        tests = [test.name for test in command.tests if test.outcome in ("failed", "error")]
        criteria = [row.id for row in command.criteria if not row.met]
        found |= {f"{command.phase}: {name}" for name in [*tests, *criteria] or [command.name]}
    return tuple(sorted(found))


def failure_report(
    evidence: Iterable[CommandExecuted],
    role: str,
    store: ContentStore,
    *,
    interface: str = "",
    public_words: Iterable[str] = (),
    reveal: bool = False,
) -> Report:
    """The message to `role`. Its own work is quoted; of others' work it learns what the vocabulary can say.

    `interface`: the section of that name, the same in every specification. `public_words`: others that all roles have
    read. `reveal`: a person decided that this report quotes the failures in full.
    """
    failed = [command for command in evidence if not command.passed and command.fault_of == role]
    vocabulary = Vocabulary.from_interface(interface, public_words)
    rows: list[Row] = []
    quoted: list[Row] = []
    for command in failed:
        if _may_quote(command.phase, role):
            rows += _own_rows(command, store)
        elif role == "planner":  # told in words of the interface, which it wrote
            rows.append(Row(f"{command.phase} failed: {command.summary}"[:_LONGEST_LINE]))
        elif role in _OWN_WORK:
            rows.append(Row(f"{command.phase} failed"))
        else:
            rows += _redacted(command, vocabulary, store)
            quoted += _in_full(command, store) if reveal else []
    told = _cut(rows, _LONGEST)
    if not quoted:
        return told
    opened = _cut([Row(_REVEALED, Leak(revealed=True)), *quoted], _LONGEST_REVEALED - len(told.text) - 2)
    return Report(f"{told.text}\n\n{opened.text}", told.leak + opened.leak)


def _may_quote(phase: str, role: str) -> bool:
    if role in _OWN_WORK:
        return phase == _OWN_WORK[role]
    return phase in ("build", "checks", "unit_tests")


def _own_rows(command: CommandExecuted, store: ContentStore) -> list[Row]:
    head = Row(f"{command.phase} failed: {command.name}: {command.summary}"[:_LONGEST_LINE])
    if command.phase == "unit_tests":
        return [head, *(Row(f"- {t.name}: {t.error}"[:_LONGEST_LINE]) for t in _bad(command))]
    return [head, *_tail(store.get_text(command.output_sha256))]


def _cut(rows: list[Row], longest: int) -> Report:
    """As many rows as there is room for; those left out are counted roughly, and were not told."""
    ends = itertools.accumulate(len(row.text) + 1 for row in rows)
    kept = [row for row, end in zip(rows, ends, strict=True) if end <= longest - 40]
    left = len(rows) - len(kept)
    if left:
        kept.append(Row(f"… {_count(left, 'line')} left out", Leak(other_bits=math.log2(_COUNTS))))
    return Report("\n".join(row.text for row in kept), sum((row.leak for row in kept), Leak()))


# --- of others' work -----------------------------------------------------------------------------------------------

_KINDS = 10
_COUNTS = 12
_WHOLE = {
    "no readable test report": "it left no readable report",
    "the test report is not XML": "it left no readable report",
    "no tests": "it ran no tests",
    "the study did not run": "it did not run to the end",
    "the study left no readable results": "it left no readable results",
    "a criterion of the study": "a result is not finite",
}
_TOLD_AS = (
    (
        re.compile(r"DID NOT RAISE|nothing was raised|did not throw the expected error|to throw an? error"),
        "no error where one is due",
    ),
    (
        re.compile(r"DID NOT WARN|there was no warning|did not throw the expected warning|to throw an? warning"),
        "no warning where one is due",
    ),
    (re.compile(r"Regex pattern did not match|the message does not say"), "an error with another message"),
)


def _redacted(command: CommandExecuted, vocabulary: Vocabulary, store: ContentStore) -> list[Row]:
    bad = _bad(command)
    missed = [row for row in command.criteria if not row.met]
    if not bad and not missed:
        return [_as_a_whole(command, vocabulary, store)]
    rows = [*_cases(bad, vocabulary), *_criteria(missed, vocabulary)]
    number = _count(len(bad), "case") if bad else _count(len(missed), "criterion")
    head = Row(f"{command.phase} failed: {number}", Leak(other_bits=math.log2(_COUNTS)))
    return [head, *sorted(rows, key=lambda row: row.text)]


def _as_a_whole(command: CommandExecuted, vocabulary: Vocabulary, store: ContentStore) -> Row:
    """Nothing could be read from what it left: only why, and the error if the package raised one."""
    why = next(
        (told for said, told in _WHOLE.items() if command.summary.startswith(said)), "it did not pass as a whole"
    )
    if command.exit_code < 0 or command.exit_code > 128:
        why += ", the process was ended"
    told = Row(f"{command.phase} failed: {why}", Leak(other_bits=math.log2(_KINDS)))
    raised = raised_in(store.get_text(command.output_sha256))
    if not raised.error_class:
        return told
    text, leak = _raises(raised, vocabulary, with_message=True)
    return Row(f"{told.text}: {text}", told.leak + leak)


class Case(NamedTuple):
    """What is told of a failed case; equal ones are one row."""

    phrase: str
    kind: str
    direction: str
    decade: int | None
    words: int
    message: Told


def _cases(tests: list[CaseOutcome], vocabulary: Vocabulary) -> Iterator[Row]:
    phrases = {name: vocabulary.behaviour(name) for name in {test.name for test in tests}}
    messages = {said: vocabulary.message(said) for said in {t.own_message for t in tests if t.raised_by == "package"}}
    told = sorted({message.text for message in messages.values()} - {""})[:_MOST_MESSAGES]
    nothing = Told("", 0)
    found: Counter[Case] = Counter()
    for test in tests:
        raised = Raised(test.raised_by, test.error_class or _class_in(test.error), test.own_message)
        kind, deviation = _kind(test, raised, vocabulary)
        message = messages.get(test.own_message, nothing) if kind.endswith("in your code") else nothing
        phrase = phrases[test.name]
        found[
            Case(
                phrase.text,
                kind,
                deviation.direction if deviation else "",
                deviation.decade if deviation else None,
                phrase.words + (bool(raised.error_class) and raised.error_class in kind),
                message if message.text in told else nothing,
            )
        ] += 1
    for case, number in found.items():
        yield _case_row(case, number, vocabulary)


def _case_row(case: Case, number: int, vocabulary: Vocabulary) -> Row:
    what = case.kind + (f": '{case.message.text}'" if case.message.text else "")
    parts = [part for part in (what, case.direction, _size(case.decade)) if part]
    many = f", {_count(number, 'case')}" if number > 1 else ""
    leak = Leak(
        behaviours=1,
        direction_bits=1.0 if case.direction else 0.0,
        magnitude_bits=math.log2(DECADES) if case.decade is not None else 0.0,
        word_bits=case.words * vocabulary.bits_per_word + case.message.words * vocabulary.bits_per_part,
        other_bits=math.log2(_KINDS) + math.log2(_COUNTS),
        message_chars=len(case.message.text),
    )
    return Row(f"- {case.phrase}: {', '.join(parts) or 'does not hold'}{many}", leak)


def _kind(test: CaseOutcome, raised: Raised, vocabulary: Vocabulary) -> tuple[str, Deviation | None]:
    """What happened in a few fixed words. Empty: a comparison did not hold, and the deviation says how."""
    if raised.by == "package":
        return _raises(raised, vocabulary, with_message=False)[0], None
    if test.outcome == "error":
        return "could not run", None
    for pattern, told in _TOLD_AS:
        if pattern.search(test.error):
            return told, None
    name = vocabulary.error_class(raised.error_class)
    if name and name != "AssertionError":
        return f"stops with {'an error' if name == 'error' else name}", None
    return "", test.deviation


def _raises(raised: Raised, vocabulary: Vocabulary, with_message: bool) -> tuple[str, Leak]:
    name = vocabulary.error_class(raised.error_class)
    text = f"raises {name if name not in ('', 'error') else 'an error'}"
    leak = Leak(word_bits=vocabulary.bits_per_word if name else 0.0)
    if raised.by != "package":
        return text, leak
    message = vocabulary.message(raised.own_message) if with_message else Told("", 0)
    told = f"{text} in your code" + (f": '{message.text}'" if message.text else "")
    more = Leak(word_bits=message.words * vocabulary.bits_per_part, message_chars=len(message.text))
    return told, leak + more


def _criteria(missed: list[Criterion], vocabulary: Vocabulary) -> Iterator[Row]:
    """Which quantity, which way, and how far beyond the bound relative to it; a bound of zero gives no scale."""
    groups: dict[tuple[Told, str, int | None], list[str]] = {}
    for row in missed:
        low = row.low is not None and row.value < row.low
        bound = row.low if low else row.high
        size = decade(row.value - bound, bound) if bound is not None else None
        phrase = vocabulary.phrase(f"{row.quantity} {row.id}")
        groups.setdefault((phrase, "too small" if low else "too large", size), []).append(row.id)
    for (phrase, direction, size), ids in groups.items():
        parts = [direction, _size(size), _count(len(ids), "criterion") if len(ids) > 1 else ""]
        leak = Leak(
            criteria=tuple(ids),
            direction_bits=1.0,
            magnitude_bits=math.log2(DECADES) if size is not None else 0.0,
            word_bits=phrase.words * vocabulary.bits_per_word,
            other_bits=math.log2(_COUNTS),
        )
        yield Row(f"- {phrase.text}: {', '.join(part for part in parts if part)}", leak)


def _size(d: int | None) -> str:
    """A decade in words: percent where that reads well."""
    if d is None:
        return ""
    if d <= SMALLEST:
        return f"off by less than 1e{SMALLEST + 1} of the value"
    if d >= LARGEST:
        return f"off by more than {10**LARGEST} times the value"
    if d >= 0:
        return f"off by {10**d} to {10 ** (d + 1)} times the value"
    if d >= -5:
        return f"off by {_percent(d)} % to {_percent(d + 1)} %"
    return f"off by 1e{d} to 1e{d + 1} of the value"


def _percent(d: int) -> str:
    return str(10 ** (d + 2)) if d >= -2 else f"{10.0 ** (d + 2):.{-d - 2}f}"


def _count(number: int, thing: str) -> str:
    """Exact below ten; above, a number could be a message of its own."""
    things = {"case": "cases", "criterion": "criteria", "line": "lines"}[thing]
    if number < 10:
        return f"{number} {thing if number == 1 else things}"
    return f"{10 ** min(len(str(number)) - 1, 3)} or more {things}"


def _class_in(error: str) -> str:
    """Of runs recorded before the class was kept."""
    found = _ERROR_CLASS.search(error)
    return found[1] if found else ""


def _bad(command: CommandExecuted) -> list[CaseOutcome]:
    return [test for test in command.tests if test.outcome in ("failed", "error")]


# --- what a person may open ----------------------------------------------------------------------------------------


def _in_full(command: CommandExecuted, store: ContentStore) -> list[Row]:
    lines = [f"{command.phase}: {command.name}: {command.summary}"]
    lines += [f"- {test.name}: {test.error}" for test in _bad(command)]
    lines += [
        f"- {row.id}: {row.quantity}: {row.value:.6g}, bounds [{row.low}, {row.high}], Monte Carlo error {row.mcse}"
        for row in command.criteria
        if not row.met
    ]
    plain = [Row(re.sub(r"[\x00-\x1f\x7f-\x9f]+", " ", line)[:_LONGEST_LINE]) for line in [*lines, "output:"]]
    return [*plain, *_tail(store.get_text(command.output_sha256))]


def _tail(text: str) -> list[Row]:
    return [Row(line[:_LONGEST_LINE]) for line in text.strip().splitlines()[-40:]]


def redacted_words(message: str, interface: str, signal: str) -> Report:
    """What a role hears of a message in another role's own words: line by line, what the vocabulary can say."""
    vocabulary = Vocabulary.from_interface(interface)
    said = [vocabulary.message(line) for line in message.splitlines()[:_MOST_MESSAGES]]
    told = [part for part in said if part.text]
    text = "\n".join([f"{signal} in another role's words, of which you hear what the interface can say:"]
                     + [f"- {part.text}" for part in told])  # fmt: skip
    words = sum(part.words for part in told)
    leak = Leak(word_bits=words * vocabulary.bits_per_word, message_chars=sum(len(part.text) for part in told))
    return Report(text, leak)
