from __future__ import annotations

from typing import Literal

from statsclaw.runlog.events.base import Event
from statsclaw.runlog.events.file_change import FileChange
from statsclaw.runlog.events.finding import Finding


class SuiteChecked(Event):
    """Questions and study were looked at before anybody is asked, and tried on answers that mean nothing.

    `judges_sha256` names questions, study and the specifications they were checked against. `files`: what maintainers
    of the package get of it, questions and expectations as data with a runner of their language.
    """

    kind: Literal["suite_checked"] = "suite_checked"
    judges_sha256: str
    findings: tuple[Finding, ...] = ()
    files: tuple[FileChange, ...] = ()
