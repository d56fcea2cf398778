from __future__ import annotations

from typing import Literal

from statsclaw.runlog.events.base import Event


class VerificationFinished(Event):
    """Every command of the profile was run on `tree_sha256`; `failed` names the phases that did not pass."""

    kind: Literal["verification_finished"] = "verification_finished"
    tree_sha256: str
    failed: tuple[str, ...]
