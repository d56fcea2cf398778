from __future__ import annotations

from typing import Literal

from statsclaw.runlog.events.base import Event
from statsclaw.runlog.events.file_change import PlainName
from statsclaw.runlog.events.leak import Leak
from statsclaw.runlog.events.question_asked import Option
from statsclaw.runlog.events.usage import Usage
from statsclaw.states import Signal


class SignalRaised(Event):
    """HOLD, BLOCK or STOP. Attempts are counted per (signal, cause). `told`: what the role hears of the message."""

    kind: Literal["signal_raised"] = "signal_raised"
    signal: Signal
    raised_by: str
    cause: str
    route_to: str
    message: str
    told: str | None = None
    about: tuple[str, ...] = ()
    leak: Leak | None = None
    options: tuple[Option, ...] = ()
    default: int | None = None
    dispatch: str | None = None
    artifacts: dict[PlainName, str] = {}
    usage: Usage = Usage()
    elapsed_s: float = 0.0
    transcript_sha256: str | None = None
