from __future__ import annotations

from typing import Literal

from statsclaw.runlog.events.base import Event, Fact
from statsclaw.runlog.events.usage import Usage


class Trace(Fact):
    """A sign in a role's output of a document it was not given. Only a breach stops the run."""

    sign: str
    severity: Literal["breach", "suspicion"]
    where: str
    of: str
    evidence: str


class IsolationBreached(Event):
    """A role knew what it could not know. Nothing of the dispatch was taken, and the person decides."""

    kind: Literal["isolation_breached"] = "isolation_breached"
    dispatch: str
    role: str
    traces: tuple[Trace, ...]
    usage: Usage = Usage()
    elapsed_s: float = 0.0
    transcript_sha256: str | None = None
