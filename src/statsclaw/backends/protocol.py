"""Who plays a role: one method."""

from __future__ import annotations

from typing import Protocol

from statsclaw.backends.task import Task
from statsclaw.sandbox.barrier import Barrier
from statsclaw.sandbox.handin import HandIn
from statsclaw.sandbox.limits import Limits
from statsclaw.sandbox.room import Room


class Backend(Protocol):
    """`waits_for_person`: the work happens outside this process and outlives it."""

    name: str
    waits_for_person: bool

    def run(self, task: Task, room: Room, barrier: Barrier, limits: Limits) -> HandIn | None:
        """Work in the room. None: the role is still at it, look again later."""
        ...
