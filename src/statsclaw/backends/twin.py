"""Who understood and who judges in a finished run hands in the same, for a package in another language.

Criteria that a check of the first language decides (`R CMD check`), which the second does not have, are decided by the
checks of the second.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

from statsclaw.backends.task import Task
from statsclaw.errors import InputRefused
from statsclaw.profiles.profile import Profile, load_profile
from statsclaw.runlog import chain
from statsclaw.runlog import events as e
from statsclaw.runlog.fold import Question
from statsclaw.runlog.log import EVENTS, read_view
from statsclaw.runlog.replies import Reply
from statsclaw.runlog.store import ContentStore
from statsclaw.sandbox.confinement import Confinement
from statsclaw.sandbox.enclosure import Enclosure
from statsclaw.sandbox.handin import HandIn
from statsclaw.sandbox.room import Room
from statsclaw.specs.contract import TEST_SPEC
from statsclaw.specs.lint.coverage import CHECKS

#: Who understood the sources and who judges; everybody else works anew.
CARRIED = ("planner", "reader", "tester", "simulator")
_PHASES = {"build": "the build", "checks": "the checks", "unit_tests": "the unit tests"}
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

    def replaced(self, profile: Profile) -> list[Check]:
        """Criteria that other checks decide in the twin, in a language with this profile."""
        digest = self.documents["planner"].get(TEST_SPEC)
        return Checks(self, profile).replaced(self.store.get_text(digest)) if digest else []

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
    return question.asked.topic == "choice" or question.reply in (Reply.FIRST_IS_RIGHT, Reply.APPROVE)


class TwinBackend:
    name = "twin"
    waits_for_person = False
    executes = False

    def __init__(self, finished: Finished, profile: Profile | None) -> None:
        self.finished, self.profile = finished, profile

    def equip(self, tools: Enclosure) -> Enclosure:
        return tools

    def run(self, task: Task, room: Room, confinement: Confinement) -> HandIn:
        documents = self.finished.documents.get(task.role)
        if documents is None:
            return HandIn(failure=f"the finished run has no {task.role}, so this one needs a backend for it")
        assert self.profile is not None
        checks = Checks(self.finished, self.profile)
        for name, digest in documents.items():
            text = self.finished.store.get_text(digest)
            text = checks.translated(text) if name == TEST_SPEC else text
            (room.outbox / name).write_text(text, encoding="utf-8")
        for change in self.finished.files.get(task.role, {}).values():
            if change.sha256 is not None:
                place = room.repo / here(change.path, self.profile.study_entry)
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(self.finished.store.get(change.sha256))
        return HandIn(note=f"as in the run whose twin this is: {len(documents)} documents")


def carried_from(backends: Mapping[str, str]) -> Path | None:
    """The folder of the finished run whose twin a run with these backends is."""
    found = [name.removeprefix("twin:") for name in backends.values() if name.startswith("twin:")]
    return Path(found[0]) if found else None


def here(path: str, entry: str) -> str:
    """The files of a study lie beside the `entry` of the language, R keeps them elsewhere than others."""
    return re.sub(r"^(inst/)?simulations(?=/)", PurePosixPath(entry).parent.as_posix(), path)


@dataclass(frozen=True)
class Check:
    """A criterion that a check of the first language decided, and the phase whose commands decide it here."""

    criterion: str
    was: str
    phase: str

    def __str__(self) -> str:
        return f"{self.criterion} is decided by {_PHASES[self.phase]} here, where it was {self.was}"


class Checks:
    """The criteria that checks decide. `phases`: of the first run's commands; `first`: its language."""

    def __init__(self, finished: Finished, profile: Profile) -> None:
        self.phases = {row.name: row.phase for row in finished.view.evidence.values()}
        self.first, self.profile = load_profile(finished.view.profile or "").name, profile

    def replaced(self, text: str) -> list[Check]:
        rows = [row for block in _CRITERIA.finditer(text) for row in yaml.safe_load(block[2])]
        return [Check(row["id"], row["check"], self._phase(row)) for row in rows if self._is_foreign(row)]

    def translated(self, text: str) -> str:
        """The test specification for this language; a block without such criteria stays as it is."""

        def here(block: re.Match[str]) -> str:
            rows = yaml.safe_load(block[2])
            if not any(map(self._is_foreign, rows)):
                return block[0]
            mine = [self._row(row) if self._is_foreign(row) else row for row in rows]
            return block[1] + yaml.safe_dump(mine, sort_keys=False, allow_unicode=True, width=110) + block[3]

        return _CRITERIA.sub(here, text)

    def _row(self, row: Mapping[str, Any]) -> dict[str, Any]:
        phase = self._phase(row)
        quantity = f"{_PHASES[phase]} of {self.profile.name} packages; of {self.first} packages: {row['quantity']}"
        return {**row, "quantity": quantity, "check": str(phase)}

    def _phase(self, row: Mapping[str, Any]) -> str:
        phase = self.phases.get(row["check"], "checks")
        return phase if getattr(self.profile, phase) else "build"

    def _is_foreign(self, row: Mapping[str, Any]) -> bool:
        own = {row.name for row in (*self.profile.build, *self.profile.checks, *self.profile.unit_tests)}
        return row.get("decided_by") == "check" and row.get("check") not in {*own, *CHECKS}
