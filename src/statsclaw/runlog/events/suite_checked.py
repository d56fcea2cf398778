from __future__ import annotations

from typing import Literal

from statsclaw.runlog.events.base import Event
from statsclaw.runlog.events.finding import Finding


class SuiteChecked(Event):
    """Suite and study were looked at, and run on a package of meaningless values, before they judge anyone.

    `judges_sha256` names the tests, the study and the specifications they were checked against.
    """

    kind: Literal["suite_checked"] = "suite_checked"
    judges_sha256: str
    findings: tuple[Finding, ...] = ()
