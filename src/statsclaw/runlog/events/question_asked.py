from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from statsclaw.runlog.events.base import Event, Fact
from statsclaw.runlog.replies import REPLIES, Reply

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
    """`reply`: what it means to the engine, where the topic is one on whose answers the engine acts."""

    label: str = Field(min_length=1, max_length=300)
    consequence: str = Field("", max_length=1500)
    reply: Reply | None = None


class QuestionAsked(Event):
    """Something only a person can decide. `default` is the index of an option that is safe to take unattended.

    `cause`: what it is about, in the form of `runlog/causes.py`; of budgets and models the scope or the dispatch.
    """

    kind: Literal["question_asked"] = "question_asked"
    question: str
    topic: Topic
    asked_by: str
    text: str
    options: tuple[Option, ...] = ()
    default: int | None = None
    about: str = ""
    cause: str = ""

    @model_validator(mode="after")
    def _replies_fit(self) -> QuestionAsked:
        """An option that the engine could not tell from another would be ignored."""
        known = REPLIES.get(self.topic)
        replies = [option.reply for option in self.options]
        if known is None and any(replies):
            raise ValueError(f"options of a {self.topic} question have no replies")
        if known is not None and (None in replies or not known.issuperset(replies) or len({*replies}) < len(replies)):
            raise ValueError(f"the options of a {self.topic} question do not say which reply each of them is")
        return self

    def reply(self, choice: int | None) -> Reply | None:
        """What the option with this index says, if it is a reply that the engine acts on."""
        return self.options[choice].reply if choice is not None and choice < len(self.options) else None

    def choice_of(self, reply: Reply) -> int:
        """The index of the option that says it."""
        return next(index for index, option in enumerate(self.options) if option.reply is reply)
