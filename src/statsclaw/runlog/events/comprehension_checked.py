from __future__ import annotations

from typing import Literal

from statsclaw.runlog.events.base import Event, Fact
from statsclaw.runlog.events.finding import Finding
from statsclaw.runlog.events.question_asked import Option


class OpenChoice(Fact):
    """What the sources leave undecided and nobody has decided yet.

    `assumed`: the planner assumed the default or decided for it, and results change with another option.
    """

    id: str
    question: str
    options: tuple[Option, ...]
    default: int
    changes: str
    assumed: bool = False


class Assumed(Fact):
    """An assumption that no source states. `differs`: whether results change `otherwise`; None: that was not tried.

    `why_not`: why nothing else can be meant. `note`: what was seen when both were executed on `inputs` inputs.
    """

    text: str
    function: str = ""
    otherwise: str = ""
    why_not: str = ""
    differs: bool | None = None
    inputs: int = 0
    note: str = ""

    @property
    def untried(self) -> bool:
        return self.differs is None and not self.why_not


class Settled(Fact):
    """A choice that the planner made itself, because it changes no results: that is the planner's word."""

    question: str
    label: str
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
    assumed: tuple[Assumed, ...] = ()
    settled: tuple[Settled, ...] = ()
    findings: tuple[Finding, ...] = ()
