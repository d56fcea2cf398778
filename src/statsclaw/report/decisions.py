"""What a person decided: answers, amendments, overrides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from statsclaw.report.ledger import Ledger
from statsclaw.runlog import events as e
from statsclaw.runlog.fold import Question

#: `by` of an answer, in words.
_DOORS: Mapping[str, str] = MappingProxyType(
    {
        "prompt": "at the prompt",
        "answer": "with statsclaw answer",
        "file": "from the answers file",
        "default": "nobody: the safe default was taken unattended",
        "recording": "as recorded",
        "option": "by an option of the command",
    }
)


@dataclass(frozen=True, slots=True)
class Decision:
    question: Question
    asked_at: int

    @property
    def door(self) -> str:
        answer = self.question.answer
        return _DOORS.get(answer.by, answer.by) if answer else ""

    def chosen(self, option: int) -> bool:
        return self.question.answer is not None and self.question.answer.choice == option


@dataclass(frozen=True, slots=True)
class Decisions:
    """`overrides`: each with the line that says so; those that came with an answer have that answer's line."""

    questions: tuple[Decision, ...]
    amendments: tuple[tuple[e.SpecAmended, int], ...]
    overrides: tuple[tuple[e.FindingOverridden, int], ...]
    shortened: tuple[tuple[int, e.StudyShortened], ...]


def decisions_of(ledger: Ledger) -> Decisions:
    asked_at = {event.question: seq for seq, event in ledger.each(e.QuestionAsked)}
    return Decisions(
        questions=tuple(Decision(row, asked_at.get(name, 0)) for name, row in ledger.view.questions.items()),
        amendments=tuple(ledger.view.amendments),
        overrides=tuple((event, _override_at(ledger, event)) for event in ledger.view.overrides.values()),
        shortened=tuple(ledger.each(e.StudyShortened)),
    )


def _override_at(ledger: Ledger, override: e.FindingOverridden) -> int:
    said = ledger.last(
        e.FindingOverridden, lambda event: (event.key, event.message) == (override.key, override.message)
    )
    if said:
        return said
    accepted = [q.answered_at for q in ledger.view.questions.values() if q.asked.topic == "escalation" and q.answer]
    return max(accepted, default=0)
