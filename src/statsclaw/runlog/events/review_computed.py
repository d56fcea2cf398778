from __future__ import annotations

from typing import Literal

from statsclaw.runlog.events.base import Event, Fact
from statsclaw.runlog.events.finding import Finding
from statsclaw.states import ReviewVerdict


class Covered(Fact):
    """Of one changed source file: lines and branches that could be executed, and those that validation executed."""

    path: str
    lines: int
    lines_hit: int
    branches: int = 0
    branches_hit: int = 0
    missed: tuple[int, ...] = ()


class ReviewComputed(Event):
    """The seven checks on the run as it stood at `of`; the reviewer's reading can only add to them."""

    kind: Literal["review_computed"] = "review_computed"
    of: str
    verdict: ReviewVerdict
    route_to: str = ""
    findings: tuple[Finding, ...] = ()
    coverage: tuple[Covered, ...] | None = None
