"""What a script can have the model do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Say:
    """Text, and nothing to do: with this an agent usually ends."""

    text: str


@dataclass(frozen=True)
class Use:
    """A call of one of the agent's own tools, by its own name."""

    tool: str
    arguments: Mapping[str, Any]
    text: str = ""


@dataclass(frozen=True)
class Shell:
    """A command, through whichever tool of the agent runs commands."""

    command: str


@dataclass(frozen=True)
class Write:
    """A file, through the agent's tool for it, or through its shell."""

    path: str
    text: str


@dataclass(frozen=True)
class Fail:
    """An answer that is an error of the provider: 401, 429, 500, 529, or 400 for a context that is full."""

    status: int
    message: str = "scripted"
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Break:
    """The connection ends in the middle of an answer."""

    text: str = "I was about to"


@dataclass(frozen=True)
class Refuse:
    """The provider's own way of saying that the model will not answer this."""

    text: str = "I cannot help with that."


@dataclass(frozen=True)
class Stall:
    """Nothing comes for so long; then the answer."""

    seconds: float
    then: Say | Use | Shell | Write = Say("done")


Act = Say | Use | Shell | Write | Fail | Break | Refuse | Stall
