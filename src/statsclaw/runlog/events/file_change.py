from __future__ import annotations

from statsclaw.runlog.events.base import Fact


class FileChange(Fact):
    """A file of the repository as a role left it; `sha256` is None where it was deleted."""

    path: str
    sha256: str | None
    executable: bool = False
