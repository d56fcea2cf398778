from __future__ import annotations

from typing import Literal

from pydantic import Field

from statsclaw.runlog.events.base import Event


class QuestionAnswered(Event):
    """What the person decided: an option (index), words, or both; `by` says by which way it came."""

    kind: Literal["question_answered"] = "question_answered"
    question: str
    choice: int | None = Field(None, ge=0)
    text: str = ""
    by: Literal["prompt", "answer", "file", "default", "recording", "option"]
