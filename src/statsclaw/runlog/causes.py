"""What signals and questions are about, as types. Only here do they become the strings of the log, and come back."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, assert_never

from statsclaw.states import Phase

#: A dispatch of which nothing could be taken is counted as signals are.
FAILED = "FAILED"


class CauseKind(StrEnum):
    """What sends work back: a role's own signal, a phase that failed, or one of the engine's checks."""

    ROLE = "role"
    PHASE = "phase"
    CRITERIA = "criteria"
    CONTRACT = "contract"
    SUITE = "suite"
    REVIEW = "review"

    @property
    def is_verification(self) -> bool:
        return self in (CauseKind.PHASE, CauseKind.CRITERIA)


@dataclass(frozen=True, slots=True)
class Cause:
    """Why a signal was raised; attempts are counted by it. `subject`: the role, or the phase."""

    kind: CauseKind
    subject: str = ""

    def __str__(self) -> str:
        match self.kind:
            case CauseKind.ROLE | CauseKind.PHASE:
                return self.subject
            case CauseKind.SUITE:
                return f"{self.kind}/{self.subject}"
            case CauseKind.CRITERIA | CauseKind.CONTRACT | CauseKind.REVIEW:
                return str(self.kind)
            case _:
                assert_never(self.kind)

    @classmethod
    def parse(cls, text: str) -> Cause:
        """Of any text: what is none of the engine's own causes is a role."""
        if text in [*Phase]:
            return cls(CauseKind.PHASE, text)
        if text in (CauseKind.CRITERIA, CauseKind.CONTRACT, CauseKind.REVIEW):
            return cls(CauseKind(text))
        first, slash, role = text.partition("/")
        return cls(CauseKind.SUITE, role) if slash and first == CauseKind.SUITE else cls(CauseKind.ROLE, text)


@dataclass(frozen=True, slots=True)
class CameBack:
    """A signal that was raised too often for one cause, or FAILED: the subject of an escalation."""

    signal: str
    cause: Cause

    def __str__(self) -> str:
        return f"{self.signal}/{self.cause}"

    @classmethod
    def parse(cls, text: str) -> CameBack:
        signal, _, cause = text.partition("/")
        return cls(signal, Cause.parse(cause))


@dataclass(frozen=True, slots=True)
class Breach:
    """A dispatch that handed in what it could not know."""

    dispatch: str

    def __str__(self) -> str:
        return f"BREACH/{self.dispatch}"


@dataclass(frozen=True, slots=True)
class ChoiceLeft:
    """A choice that a comprehension leaves to the person."""

    comprehension_sha256: str
    choice: str

    def __str__(self) -> str:
        return f"{self.comprehension_sha256}/{self.choice}"

    @classmethod
    def parse(cls, text: str) -> ChoiceLeft:
        sha256, _, choice = text.rpartition("/")
        return cls(sha256, choice)


class ReadingPair(NamedTuple):
    """Two readings of the sources."""

    comprehension_sha256: str
    reading_sha256: str

    def __str__(self) -> str:
        return "/".join(self)

    @classmethod
    def parse(cls, text: str) -> ReadingPair:
        first, _, second = text.partition("/")
        return cls(first, second)
