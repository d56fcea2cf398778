from __future__ import annotations

from typing import Literal

from pydantic import Field

from statsclaw.runlog.events.base import Event, Fact

Topic = Literal[
    "hold",
    "escalation",
    "breach",
    "workflow",
    "profile",
    "ship",
    "choice",
    "readings",
    "comprehension",
    "refreeze",
    "criterion",
    "budget",
    "model",
]


class Option(Fact):
    label: str = Field(min_length=1, max_length=300)
    consequence: str = Field("", max_length=1500)


class QuestionAsked(Event):
    """Something only a person can decide. `default` is the index of an option that is safe to take unattended."""

    kind: Literal["question_asked"] = "question_asked"
    question: str
    topic: Topic
    asked_by: str
    text: str
    options: tuple[Option, ...] = ()
    default: int | None = None
    about: str = ""
    cause: str = ""
