from __future__ import annotations

from typing import Literal

from statsclaw.runlog.events.base import Event, Fact
from statsclaw.runlog.events.finding import Finding
from statsclaw.runlog.events.question_asked import Option


class OpenChoice(Fact):
    """What the sources leave undecided and nobody has decided yet."""

    id: str
    question: str
    options: tuple[Option, ...]
    default: int
    changes: str


class ComprehensionChecked(Event):
    """comprehension.md of that hash, read by the engine: what it leaves to the person, what was found."""

    kind: Literal["comprehension_checked"] = "comprehension_checked"
    sha256: str
    equations: int
    accounted: int
    symbols: int
    definitions: int = 0
    choices: tuple[OpenChoice, ...] = ()
    findings: tuple[Finding, ...] = ()
