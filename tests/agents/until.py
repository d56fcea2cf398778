"""Ending a run as soon as what a test wants to see has happened, and the keys with which each backend asks."""

from __future__ import annotations

from statsclaw.runlog.chain import Record
from statsclaw.runlog.events import DispatchFailed, DispatchFinished, SignalRaised
from statsclaw.runlog.fold import RunView

#: Every kind of backend, and the variable that holds its key.
KEYS = {
    "claude": "ANTHROPIC_API_KEY",
    "codex:gpt-5": "OPENAI_API_KEY",
    "gemini:scripted": "GEMINI_API_KEY",
    "acp:custom/scripted@opencode acp": "MY_OWN_KEY",
    "api:anthropic/scripted": "ANTHROPIC_API_KEY",
    "api:openai/scripted": "OPENAI_API_KEY",
    "api:google/scripted": "GEMINI_API_KEY",
    "api:custom/scripted": "MY_OWN_KEY",
}
#: The agent programs of three makers.
PROGRAMS = ("claude", "codex:gpt-5", "gemini:scripted")
#: One backend of each kind.
EACH_KIND = (*PROGRAMS, "acp:custom/scripted@opencode acp", "api:custom/scripted")

Ended = DispatchFinished | DispatchFailed | SignalRaised


class Enough(Exception):
    """What was to be seen is in the log; the rest of the run is not wanted."""


def first_dispatch_only(record: Record, view: RunView) -> None:
    if isinstance(record.event, Ended):
        raise Enough
