"""The person plays the role: the room is laid out, and waits until `statsclaw done` hands in."""

from __future__ import annotations

from statsclaw.backends.task import Task
from statsclaw.sandbox.confinement import Confinement
from statsclaw.sandbox.enclosure import Enclosure
from statsclaw.sandbox.handin import HandIn
from statsclaw.sandbox.room import Room
from statsclaw.templates import render


class HumanBackend:
    name = "human"
    waits_for_person = True
    executes = False

    def __init__(self, run_id: str) -> None:
        self.run_id = run_id

    def equip(self, tools: Enclosure) -> Enclosure:
        return tools

    def run(self, task: Task, room: Room, confinement: Confinement) -> HandIn | None:
        readme = render("statsclaw.backends", "human_readme.md", role=task.role, attempt=task.attempt, run=self.run_id)
        (room.folder / "README.md").write_text(readme, encoding="utf-8")
        return room.handed_in()
