from __future__ import annotations

from typing import Literal

from pydantic import Field

from statsclaw.runlog.events.base import Event
from statsclaw.runlog.events.file_change import PlainName


class SpecAmended(Event):
    """A person changed a frozen value. Both versions stay in the store; the review shows it for ever."""

    kind: Literal["spec_amended"] = "spec_amended"
    document: PlainName
    what: str
    before: str
    after: str
    why: str = Field(min_length=1, max_length=2000)
    before_sha256: str
    after_sha256: str
