from __future__ import annotations

from typing import Literal

from statsclaw.runlog.events.base import Event
from statsclaw.runlog.events.finding import Finding


class ReviewComputed(Event):
    """The seven checks on the run as it stood at `of`; the reviewer's reading can only add to them."""

    kind: Literal["review_computed"] = "review_computed"
    of: str
    verdict: Literal["PASS", "PASS WITH NOTE", "STOP"]
    route_to: str = ""
    findings: tuple[Finding, ...] = ()
