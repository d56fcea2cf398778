"""How many tests, failures, errors and warnings the evidence holds, against how many somebody says there were."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from statsclaw.runlog.events.command_executed import CaseOutcome, CommandExecuted
from statsclaw.runlog.events.finding import Severity

_COUNT = r"(\d{1,3}(?:,\d{3}){1,3}|\d{1,9}|no|zero)"
_TESTS = re.compile(rf"\b{_COUNT} (?:(?:unit|validation) )?tests? (?:have |were |are )?(?:all )?pass(?:ed|es)?\b", re.I)
_PASSED = re.compile(rf"(?:^|[\s(:,=|]){_COUNT} passed\b(?! (?:of|out))", re.I)
_NONE = re.compile(
    r"\b(0|no|zero|without(?: any)?) (errors?|warnings?|failures?|failed(?: tests?)?|failing tests?)\b", re.I
)
_LOOSE = re.compile(r"(?:about|approximately|around|roughly|some|over|than|least|most|to|~|≈|<|>|≤|≥|of)\s*$", re.I)
#: "raises no errors" is about a function, "of 1,000 replications" about a study.
_ABOUT_SOMETHING_ELSE = re.compile(r"\b(?:rais\w{1,3}|throws?|emits?|replications?|rounding|standard errors?)\b", re.I)
_R_SUMMARY = re.compile(r"(\d{1,6}) errors?, (\d{1,6}) warnings?")


class Counts:
    """Tallies of the package as it is now; counts of every command and phase are known, so that any may be told."""

    def __init__(self, evidence: Sequence[CommandExecuted]) -> None:
        self.all = tuple(evidence)
        self.now = tuple(command for command in evidence if command.subject == "after") or self.all

    def contradicted(self, text: str) -> Iterator[tuple[Severity, str]]:
        if not self.all or _ABOUT_SOMETHING_ELSE.search(text):
            return
        yield from self._passed(text)
        yield from self._none(text)

    def _passed(self, text: str) -> Iterator[tuple[Severity, str]]:
        known = self._known_counts()
        for pattern in (_TESTS, _PASSED):
            for found in pattern.finditer(text):
                number = 0 if found[1].lower() in ("no", "zero") else int(found[1].replace(",", ""))
                if number not in known and not _LOOSE.search(text[: found.start(1)]):
                    passed = sum(_tally(command.tests, "passed") for command in self.now)
                    yield "warning", f"{number:,} tests are said to have passed, and {passed:,} did"

    def _known_counts(self) -> set[int]:
        """Of every command, phase, file and sum: nobody says which of these a number is."""
        known: set[int] = set()
        for side in (self.now, self.all, tuple(c for c in self.all if c.subject == "before")):
            groups: list[list[CaseOutcome]] = [list(command.tests) for command in side]
            groups += [
                [case for c in side if c.phase == phase for case in c.tests] for phase in {c.phase for c in side}
            ]
            groups.append([case for command in side for case in command.tests])
            by_file: dict[str, list[CaseOutcome]] = {}
            for case in groups[-1]:
                by_file.setdefault(case.name.rpartition("::")[0], []).append(case)
            known |= {_tally(group, "passed") for group in [*groups, *by_file.values()]}
        return known

    def _none(self, text: str) -> Iterator[tuple[Severity, str]]:
        for found in _NONE.finditer(text):
            kind = "warnings" if found[2].lower().startswith("warn") else found[2].lower()
            kind = "errors" if kind.startswith("error") else kind if kind == "warnings" else "failures"
            count, where = self._bad(kind, text.lower())
            if count:
                yield "error", f'"{found[0]}" is said, and there are {count:,} {kind} in {where}'

    def _bad(self, kind: str, text: str) -> tuple[int, str]:
        """How many of the kind there are in the commands a text speaks of, all if it names none."""
        words = {"unit_tests": "unit", "validation": "validation", "checks": "check", "study": "study"}
        phases = {phase for phase, word in words.items() if word in text} or {command.phase for command in self.now}
        total, where = 0, ""
        for command in self.now:
            count = _of_kind(command, kind) if command.phase in phases else 0
            total, where = total + count, where or (command.name if count else "")
        return total, where


def _of_kind(command: CommandExecuted, kind: str) -> int:
    summary = _R_SUMMARY.match(command.summary)
    errors = _tally(command.tests, "error")
    if kind == "failures":
        return errors + _tally(command.tests, "failed")
    if kind == "errors":
        return errors + (int(summary[1]) if summary else 0)
    return int(summary[2]) if summary else 0


def _tally(cases: Sequence[CaseOutcome], outcome: str) -> int:
    return sum(case.outcome == outcome for case in cases)
