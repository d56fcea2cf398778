"""Answers from a recording: a finished run whose log and store are at hand. What was not recorded is an error."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from statsclaw.backends.task import Task
from statsclaw.errors import InputRefused, RecordingMissing
from statsclaw.runlog import chain
from statsclaw.runlog import events as e
from statsclaw.runlog.log import EVENTS
from statsclaw.runlog.store import ContentStore
from statsclaw.sandbox.confinement import Confinement
from statsclaw.sandbox.enclosure import Enclosure
from statsclaw.sandbox.handin import HandIn, Raised
from statsclaw.sandbox.room import Room

Ending = e.DispatchFinished | e.DispatchFailed | e.SignalRaised


class Recording:
    """A run folder, read once."""

    def __init__(self, folder: Path) -> None:
        if not (folder / EVENTS).is_file():
            raise InputRefused(f"{folder.name} is not a recording: it has no {EVENTS}")
        self.store = ContentStore(folder / "store")
        self.endings: dict[str, Ending] = {}
        self.answers: dict[tuple[str, str, str], e.QuestionAnswered] = {}
        started: dict[str, e.DispatchStarted] = {}
        asked: dict[str, e.QuestionAsked] = {}
        number: dict[str, str] = {}  # as a replay counts: nobody asks it about money or models
        for record in chain.read(folder / EVENTS).records:
            match record.event:
                case e.RunCreated() as event:
                    self.created = event
                case e.DispatchStarted() as event:
                    started[event.dispatch] = event
                case e.DispatchFinished() | e.DispatchFailed() | e.SignalRaised() as event if event.dispatch:
                    self.endings[started[event.dispatch].task_sha256] = event
                case e.QuestionAsked() as event:
                    asked[event.question] = event
                    if event.topic not in ("budget", "model"):
                        number[event.question] = f"q{len(number) + 1}"
                case e.QuestionAnswered() as event:
                    question = asked[event.question]
                    place = number.get(event.question, event.question)
                    self.answers[place, question.topic, _subject(question)] = event
                case _:
                    pass

    def answer_to(self, question: e.QuestionAsked) -> e.QuestionAnswered | None:
        """What was answered when the same question came at the same place."""
        return self.answers.get((question.question, question.topic, _subject(question)))


def _subject(question: e.QuestionAsked) -> str:
    """Whether to push is one question, with however many replications, and whatever these left open."""
    return "" if question.topic == "ship" else question.text


class ReplayBackend:
    name = "replay"
    waits_for_person = False
    executes = False

    def __init__(self, recording: Recording) -> None:
        self.recording = recording

    def equip(self, tools: Enclosure) -> Enclosure:
        return tools

    def run(self, task: Task, room: Room, confinement: Confinement) -> HandIn:
        ending = self.recording.endings.get(task.digest)
        if ending is None:
            raise RecordingMissing(
                f"the recording has no answer for {task.role}, attempt {task.attempt} ({task.digest[:12]}…)",
                kept="the run is kept up to here",
                todo="something the role is given differs from the recorded run: replay on the same target and "
                "sources, or run it with another backend",
            )
        transcript = self.recording.store.get_text(ending.transcript_sha256) if ending.transcript_sha256 else ""
        if isinstance(ending, e.DispatchFailed):
            return HandIn(failure=ending.reason, transcript=transcript)
        if isinstance(ending, e.SignalRaised):
            raised = Raised(
                signal=ending.signal,
                message=ending.message,
                options=ending.options,
                default=ending.default,
                route_to=ending.route_to or None,
            )
            self._lay_out(ending.artifacts, room)
            return HandIn(signal=raised, transcript=transcript)
        for change in ending.files:
            place = room.repo / change.path
            if change.sha256 is None:
                place.unlink(missing_ok=True)
                continue
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(self.recording.store.get(change.sha256))
            place.chmod(0o755 if change.executable else 0o644)
        self._lay_out(ending.artifacts, room)
        return HandIn(transcript=transcript, note=ending.note)

    def _lay_out(self, artifacts: Mapping[str, str], room: Room) -> None:
        for name, digest in artifacts.items():
            (room.outbox / name).write_bytes(self.recording.store.get(digest))
