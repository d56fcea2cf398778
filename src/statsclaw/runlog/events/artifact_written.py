from __future__ import annotations

from typing import Literal

from statsclaw.runlog.events.base import Event
from statsclaw.runlog.events.file_change import PlainName


class ArtifactWritten(Event):
    """A document written by the engine itself."""

    kind: Literal["artifact_written"] = "artifact_written"
    name: PlainName
    sha256: str
