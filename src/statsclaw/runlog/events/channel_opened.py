from __future__ import annotations

from typing import Literal

from statsclaw.runlog.events.base import Event
from statsclaw.runlog.events.leak import Leak


class ChannelOpened(Event):
    """The person let more cross from verification to `role` than a redacted report: `message`."""

    kind: Literal["channel_opened"] = "channel_opened"
    role: str
    message: str
    leak: Leak = Leak()
