from __future__ import annotations

from typing import Literal

from statsclaw.runlog.events.base import Event


class ArtifactWritten(Event):
    """A document written by the engine itself."""

    kind: Literal["artifact_written"] = "artifact_written"
    name: str
    sha256: str
