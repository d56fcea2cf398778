"""How a dispatch ended."""

from __future__ import annotations

from typing import Any

from pydantic import Field, field_validator

from statsclaw.runlog.events import Fact, NetworkUse, Option, Usage
from statsclaw.states import Signal


class Raised(Fact):
    """A signal a role ends with, in the words of the role."""

    signal: Signal
    message: str = Field(min_length=1, max_length=4000)
    options: tuple[Option, ...] = Field((), max_length=9)
    default: int | None = Field(None, ge=0)
    route_to: str | None = Field(None, max_length=40)

    @field_validator("default")
    @classmethod
    def _default_is_an_option(cls, value: int | None, info: Any) -> int | None:
        if value is not None and value >= len(info.data.get("options", ())):
            raise ValueError("default does not name an option")
        return value


class HandIn(Fact):
    """How a dispatch ended. The artifacts and files themselves are in its room."""

    signal: Raised | None = None
    usage: Usage = Usage()
    elapsed_s: float = 0.0
    transcript: str = ""
    #: The conversation, where the backend can go on with it and the program came to its end.
    session: str = ""
    #: The same where the program did not come to its end.
    broken_off: str = ""
    failure: str = ""
    note: str = ""
    #: The last words of an agent program.
    said: str = Field("", max_length=4000)
    ended_by: str = ""
    opened: tuple[str, ...] | None = None
    network: NetworkUse = NetworkUse()
    commits: str = ""
