"""Who understood and who judges in a finished run hands in the same, for a package in another language.

What is left out: criteria that a check of the first language decides (`R CMD check`), which the second does not have.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

import yaml

from statsclaw.backends.task import Task
from statsclaw.errors import InputRefused
from statsclaw.runlog import chain
from statsclaw.runlog import events as e
from statsclaw.runlog.fold import Question
from statsclaw.runlog.log import EVENTS, read_view
from statsclaw.runlog.store import ContentStore
from statsclaw.sandbox.confinement import Confinement
from statsclaw.sandbox.enclosure import Enclosure
from statsclaw.sandbox.handin import HandIn
from statsclaw.sandbox.room import Room

#: Who understood the sources and who judges; everybody else works anew.
CARRIED = ("planner", "reader", "tester", "simulator")
_TEST_SPEC = "test-spec.md"
_CRITERIA = re.compile(r"(?ms)^(```yaml criteria\n)(.*?)(^```)")


class Finished:
    """What each role of a finished run handed in, all its attempts together, and what a person decided of it."""

    def __init__(self, folder: Path) -> None:
        if not (folder / EVENTS).is_file():
            raise InputRefused(f"{folder.name} is no run: it has no {EVENTS}")
        self.store = ContentStore(folder / "store")
        self.view = read_view(folder)
        self.documents: dict[str, dict[str, str]] = {}
        for document in self.view.artifacts.values():  # as they were amended
            self.documents.setdefault(document.producer, {})[document.name] = document.sha256
        self.files: dict[str, dict[str, e.FileChange]] = {}
        for record in chain.read(folder / EVENTS).records:
            if isinstance(record.event, e.DispatchFinished):
                self.files.setdefault(record.event.role, {}).update({row.path: row for row in record.event.files})

    def decided(self) -> Iterator[e.Event]:
        """What a person decided of the contract: it holds for the twin from the beginning, and is not asked again."""
        settled = (q for q in self.view.questions.values() if q.answer is not None and _is_of_the_contract(q))
        for number, question in enumerate(settled, start=1):
            assert question.answer is not None
            named = {"question": f"q{number}"}
            yield question.asked.model_copy(update=named)
            yield question.answer.model_copy(update={**named, "by": "recording"})
        yield from self.view.overrides.values()


def _is_of_the_contract(question: Question) -> bool:
    """A choice, or that a reading is right: the document it is about is the twin's, byte for byte."""
    is_accepted = question.answer is not None and question.answer.choice == 0
    return question.asked.topic == "choice" or (question.asked.topic in ("readings", "comprehension") and is_accepted)


class TwinBackend:
    name = "twin"
    waits_for_person = False
    executes = False

    def __init__(self, finished: Finished, checks: Collection[str]) -> None:
        self.finished, self.checks = finished, checks

    def equip(self, tools: Enclosure) -> Enclosure:
        return tools

    def run(self, task: Task, room: Room, confinement: Confinement) -> HandIn:
        documents = self.finished.documents.get(task.role)
        if documents is None:
            return HandIn(failure=f"the finished run has no {task.role}, so this one needs a backend for it")
        for name, digest in documents.items():
            text = self.finished.store.get_text(digest)
            text = without_checks(text, self.checks) if name == _TEST_SPEC else text
            (room.outbox / name).write_text(text, encoding="utf-8")
        for change in self.finished.files.get(task.role, {}).values():
            if change.sha256 is not None:
                place = room.repo / here(change.path)
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(self.finished.store.get(change.sha256))
        return HandIn(note=f"as in the run whose twin this is: {len(documents)} documents")


def carried_from(backends: Mapping[str, str]) -> Path | None:
    """The folder of the finished run whose twin a run with these backends is."""
    found = [name.removeprefix("twin:") for name in backends.values() if name.startswith("twin:")]
    return Path(found[0]) if found else None


def here(path: str) -> str:
    """Where R keeps its study, other languages have none of their folders."""
    return path.removeprefix("inst/") if path.startswith("inst/simulations/") else path


def without_checks(text: str, checks: Collection[str]) -> str:
    """The test specification without the criteria that no check of this language decides."""

    def kept(block: re.Match[str]) -> str:
        rows = yaml.safe_load(block[2])
        mine = [row for row in rows if not (row.get("decided_by") == "check" and row.get("check") not in checks)]
        if len(mine) == len(rows):
            return block[0]
        return block[1] + yaml.safe_dump(mine, sort_keys=False, allow_unicode=True, width=110) + block[3]

    return _CRITERIA.sub(kept, text)
