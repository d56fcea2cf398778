"""What the state of a run is made of: dispatches, questions, orders, artifacts."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from statsclaw.runlog import events as e
from statsclaw.runlog.replies import Reply

DispatchStatus = Literal["running", "paused", "finished", "failed", "signalled", "interrupted", "withdrawn"]

#: Scopes of a budget: all of a run, or each of its dispatches; any other is a role.
WHOLE_RUN, EACH_DISPATCH = "", "dispatch"


@dataclass(slots=True)
class DispatchView:
    id: str
    role: str
    attempt: int
    backend: str
    started: e.DispatchStarted
    started_at: datetime
    status: DispatchStatus = "running"
    elapsed_s: float = 0.0
    usage: e.Usage = field(default_factory=e.Usage)
    finished: e.DispatchFinished | None = None
    reason: str = ""
    transcript_sha256: str | None = None
    closed: e.SandboxClosed | None = None
    paused: e.DispatchPaused | None = None
    went_on_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Live:
    """What a dispatch that is at work has spent and the log does not know yet."""

    usage: e.Usage
    seconds: float


@dataclass(frozen=True, slots=True)
class Overdrawn:
    """A budget that is used up: by what name more of it is granted, and how much was spent of it."""

    key: str
    spent: str


@dataclass(frozen=True, slots=True)
class WorkOrder:
    """Why a role is sent to work again: in words for the role, and as facts that do not depend on the wording.

    `signal`: what sent it back, where it was no answer of the person; `seq`: when.
    """

    text: str
    about: tuple[str, ...]
    signal: e.SignalRaised | None = None
    seq: int = 0


@dataclass(frozen=True, slots=True)
class Artifact:
    name: str
    sha256: str
    producer: str
    seq: int


@dataclass(slots=True)
class Question:
    asked: e.QuestionAsked
    answer: e.QuestionAnswered | None = None
    answered_at: int = 0
    withdrawn: str = ""

    @property
    def answer_text(self) -> str:
        if self.answer is None:
            return self.withdrawn
        chosen = self.asked.options[self.answer.choice].label if self.answer.choice is not None else ""
        return " — ".join(part for part in (chosen, self.answer.text) if part)

    @property
    def reply(self) -> Reply | None:
        """What the person said, where the engine acts on it; None too for words alone and while nobody answered."""
        return self.asked.reply(self.answer.choice) if self.answer is not None else None


@dataclass(frozen=True, slots=True)
class Escalation:
    """A signal or failure that came back too often, or a HOLD: the person has to be asked."""

    topic: Literal["hold", "escalation", "breach"]
    role: str
    cause: str
    text: str
    options: tuple[e.Option, ...] = ()
    default: int | None = None
