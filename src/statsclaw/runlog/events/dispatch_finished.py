from __future__ import annotations

from typing import Literal

from statsclaw.runlog.events.base import Event
from statsclaw.runlog.events.file_change import FileChange, PlainName
from statsclaw.runlog.events.usage import Usage


class DispatchFinished(Event):
    """The role handed in, and what it handed in was taken: within its surface, complete, readable."""

    kind: Literal["dispatch_finished"] = "dispatch_finished"
    dispatch: str
    role: str
    artifacts: dict[PlainName, str]
    files: tuple[FileChange, ...]
    usage: Usage = Usage()
    elapsed_s: float = 0.0
    transcript_sha256: str | None = None
    note: str = ""
    verdict: str = ""
