from __future__ import annotations

from typing import Literal

from statsclaw.runlog.events.base import Event


class CommitPrepared(Event):
    """The verified tree as a commit, not yet pushed."""

    kind: Literal["commit_prepared"] = "commit_prepared"
    branch: str
    commit: str
    tree_sha256: str
    files: int
