"""What a backend is given."""

from __future__ import annotations

from statsclaw.runlog.events import Fact


class Task(Fact):
    """One role, one attempt. `digest` names what the role was given: the key of a recording.

    `session`: the conversation of its last attempt, where it goes on with it.
    """

    role: str
    attempt: int
    digest: str
    prompt: str
    session: str = ""
