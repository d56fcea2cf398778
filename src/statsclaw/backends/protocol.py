"""Who plays a role: one method."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from statsclaw.backends.task import Task
from statsclaw.sandbox.confinement import Confinement
from statsclaw.sandbox.enclosure import Enclosure
from statsclaw.sandbox.handin import HandIn
from statsclaw.sandbox.room import Room


class Backend(Protocol):
    """`waits_for_person`: the work happens outside this process and outlives it. `executes`: a program does it."""

    name: str
    waits_for_person: bool
    executes: bool

    def equip(self, tools: Enclosure) -> Enclosure:
        """The tools, and whatever its own program needs to be seen."""
        ...

    def run(self, task: Task, room: Room, confinement: Confinement) -> HandIn | None:
        """Work in the room. None: the role is still at it, look again later."""
        ...


@runtime_checkable
class Conversing(Protocol):
    """A backend that can go on with the conversation of a hand-in that names one."""

    def go_on(self, task: Task, room: Room, confinement: Confinement, earlier: HandIn, message: str) -> HandIn: ...
