"""When a role rests in the middle of its work: its budget is spent, or its model does not answer.

A limit, an overloaded server, a network that is away are waited out: as long as the server asks for, or longer each
time. A key that is not taken, or a wait longer than anybody's patience, is for the person. What the role did so far is
kept either way, and it goes on from there.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from statsclaw.runlog.fold import Overdrawn
from statsclaw.sandbox.handin import HandIn
from statsclaw.sandbox.meter import Trouble

FIRST_WAIT_S, LONGEST_WAIT_S = 30.0, 1800.0
PATIENCE_S = 12 * 3600.0
#: Of one dispatch, answers or not: a program that is in trouble again and again is looked at by a person.
MOST_RESTS = 50
#: Of a program that has no conversation to go on with: each time it asks, and pays for, the same again.
MOST_PAID_AGAIN = 3
#: How long the answer that is under way may still take when a budget is spent.
GRACE_S = 20.0

_SAID = {
    0: "the model's server cannot be reached",
    401: "the model's server does not take the key (401)",
    402: "the model's server wants to be paid (402)",
    403: "the model's server does not let this key in (403)",
    429: "the limit of what may be asked of the model is reached (429)",
    529: "the model's server is overloaded (529)",
}


@dataclass(frozen=True, slots=True)
class Pause:
    """`until`: when the role goes on by itself; None: when the person says so."""

    why: Literal["budget", "model", "person"]
    reason: str
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Patience:
    """How often and how long a dispatch has waited without an answer of its model in between, and how often ever."""

    waits: int = 0
    waited_s: float = 0.0
    rests: int = 0
    #: How often a program that begins anew each time was answered, and paid for, before it had to rest.
    paid_again: int = 0

    def after(self, seconds: float) -> Patience:
        return Patience(self.waits + 1, self.waited_s + seconds, self.rests + 1, self.paid_again)


def pause_after(
    result: HandIn, over: Overdrawn | None, trouble: Trouble | None, patience: Patience, now: datetime
) -> Pause | None:
    """Whether what a role came back with is no end but a rest. A result is a result, whatever it cost."""
    if not result.failure or result.ended_by:
        return None
    if over is not None:
        return Pause("budget", f"the budget is spent: {over.spent}")
    if trouble is None:
        return None
    said = trouble.lasting or _SAID.get(trouble.status, f"the model's server is in trouble ({trouble.status})")
    if trouble.needs_a_person:
        return Pause("model", said)
    least_s = 2.0 ** min(patience.waits, 10)  # a server that always says "at once" is not asked thousands of times
    wait_s = max(least_s, trouble.wait_s) if trouble.wait_s is not None else _next_wait(patience.waits)
    if patience.paid_again > MOST_PAID_AGAIN:
        return Pause("model", f"{said}, and it would begin anew for the {patience.paid_again}th time")
    if patience.rests >= MOST_RESTS:
        return Pause("model", f"{said}, for the {patience.rests}th time")
    if patience.waited_s + wait_s > PATIENCE_S:
        return Pause("model", f"{said}, after {patience.waited_s / 3600:.1f} hours of waiting")
    return Pause("model", said, now + timedelta(seconds=wait_s))


def _next_wait(waits: int) -> float:
    return float(min(FIRST_WAIT_S * 2 ** min(waits, 20), LONGEST_WAIT_S))
