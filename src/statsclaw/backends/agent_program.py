"""What all agent programs have in common: they are found, shown to the role, started, and their stream is read.

Each program is one file that says how it is started and how its events are understood. The program runs behind the
barrier like any other; its model is reached through the bridge, which holds the key. What it prints is kept as the
transcript, whatever becomes of the attempt.
"""

from __future__ import annotations

import json
import re
import shutil
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from statsclaw.backends.command import read_ending
from statsclaw.backends.task import Task
from statsclaw.errors import InputRefused
from statsclaw.runlog.events import Usage
from statsclaw.sandbox.confinement import Confinement
from statsclaw.sandbox.enclosure import Enclosure
from statsclaw.sandbox.handin import HandIn
from statsclaw.sandbox.left_behind import write_among_left_behind
from statsclaw.sandbox.process import Completed, without_middle
from statsclaw.sandbox.room import Room
from statsclaw.sandbox.toolchain import with_agent

_LONGEST_LAST_WORDS = 4000
_LONGEST_REASON = 300
#: How often a program may ask again by itself where its model does not answer; longer waits are the engine's.
TRIED_AGAIN = 3
#: As makers name their models, and as programs name conversations. Both go onto a command line: neither is an option.
_MODEL = re.compile(r"[A-Za-z0-9][\w.:/@\[\]-]{0,119}", re.ASCII)
_SESSION = re.compile(r"[A-Za-z0-9.][\w.-]{0,99}", re.ASCII)


@dataclass
class Stream:
    """What the events of a program say, as far as they came."""

    said: str = ""
    usage: Usage = field(default_factory=Usage)
    session: str = ""
    failure: str = ""
    ended: bool = False

    def used(self, used: Mapping[str, Any], *names: str, cached_within: bool = False, usd: object = 0.0) -> None:
        """Tokens read, read from a cache, and written, by their `names`; never less than was said before.

        `cached_within`: those from the cache are counted among those that were read, too.
        """
        read, cached, written = (int(used.get(name) or 0) for name in names)
        said = Usage(
            input_tokens=max(0, read - cached) if cached_within else read,
            cached_tokens=cached,
            output_tokens=written,
            cost_usd=float(str(usd or 0.0)),
        )
        self.usage = self.usage.at_least(said)


class AgentProgram(ABC):
    """A program with a model of its own choosing; `model` empty: the program's default."""

    waits_for_person = False
    executes = True
    #: The program, what installs it, and the endpoint whose variables it reads.
    program: ClassVar[str]
    install: ClassVar[str]
    endpoint: str

    def __init__(self, model: str = "") -> None:
        if shutil.which(self.program) is None:
            raise InputRefused(
                f"the agent program {self.program!r} is not installed", kept="Nothing was started", todo=self.install
            )
        if model and not _MODEL.fullmatch(model):
            raise InputRefused(f"{model[:60]!r} is not the name of a model", kept="Nothing was started")
        self.model = model
        self.name = f"{self.program}:{model}" if model else self.program

    @classmethod
    def endpoint_of(cls, rest: str) -> str:
        """The endpoint of a backend by what follows its name."""
        return cls.endpoint

    def equip(self, tools: Enclosure) -> Enclosure:
        return with_agent(tools, [self.program])[0]

    def run(self, task: Task, room: Room, confinement: Confinement) -> HandIn:
        return self._run(task, room, confinement, task.prompt, task.session)

    def go_on(self, task: Task, room: Room, confinement: Confinement, earlier: HandIn, message: str) -> HandIn:
        """The same conversation once more, with what is wrong with its result. All that was spent counts."""
        later = self._run(task, room, confinement, message, earlier.session)
        transcript = f"{earlier.transcript}\n{later.transcript}"
        return later.model_copy(update={"usage": earlier.usage + later.usage, "transcript": transcript})

    def _run(self, task: Task, room: Room, confinement: Confinement, message: str, session: str) -> HandIn:
        if problem := self.settle_in(room, confinement):
            return HandIn(failure=problem)
        inside = confinement.path
        env = {"LANG": "C.UTF-8", "HOME": inside(room.home), "TMPDIR": inside(room.tmp), "USER": "role"}
        env |= {"STATSCLAW_ROLE": task.role, **self.environment()}
        folders = [inside(room.inbox), inside(room.outbox)]
        _, argv = with_agent(confinement.enclosure, [self.program, *self.arguments(session, folders)])
        whole = confinement.limits.model_copy(update={"kept_output_bytes": confinement.limits.output_bytes})
        done = replace(confinement, limits=whole).run(argv, env, message.encode())
        return self._handed_in(done, confinement.limits.kept_output_bytes)

    def settle_in(self, room: Room, confinement: Confinement) -> str:
        """Write its settings into its home, where it may have worked before; what keeps them from being written."""
        try:
            for name, text in self.settings(confinement).items():
                write_among_left_behind(room.home, name, text.encode())
        except OSError as error:
            return f"settings cannot be written into its home folder ({error.strerror})"
        return ""

    def _handed_in(self, done: Completed, kept_bytes: int) -> HandIn:
        """The events are read before the middle of a long transcript is left out."""
        stream = self.understood(done.output.decode("utf-8", "replace"))
        transcript = without_middle(done.output, kept_bytes).decode("utf-8", "replace")
        session = stream.session if _SESSION.fullmatch(stream.session) else ""
        kept: dict[str, Any] = {"usage": stream.usage, "transcript": transcript, "broken_off": session}
        if done.ended_by:
            return HandIn(failure=f"the agent was ended: {done.ended_by}", ended_by=done.ended_by, **kept)
        if stream.failure:
            return HandIn(failure=f"the agent failed: {stream.failure[:_LONGEST_REASON]}", **kept)
        if not stream.ended and not (done.exit_code == 0 and session):  # else only its last words were cut off
            last = next((line for line in reversed(transcript.splitlines()) if line.strip()), "it printed nothing")
            why = f"the agent ended with exit status {done.exit_code} before it was done: {last[:_LONGEST_REASON]}"
            return HandIn(failure=why, **kept)
        kept |= {"session": session, "broken_off": "", "said": stream.said[-_LONGEST_LAST_WORDS:]}
        return read_ending(stream.said).model_copy(update=kept)

    def understood(self, transcript: str) -> Stream:
        stream = Stream()
        for event in events_in(transcript):
            with suppress(ArithmeticError, AttributeError, LookupError, TypeError, ValueError):  # as it likes
                self.take(event, stream)
        return stream

    @abstractmethod
    def arguments(self, session: str, folders: Sequence[str]) -> list[str]:
        """The command line; the prompt comes on standard input.

        `session`: which conversation is gone on with. `folders`: what it works with beside its own.
        """

    @abstractmethod
    def take(self, event: Mapping[str, Any], stream: Stream) -> None:
        """Understand one event of the program's stream."""

    def settings(self, confinement: Confinement) -> dict[str, str]:
        """Files of its home folder, by their path there."""
        return {}

    def environment(self) -> dict[str, str]:
        return {}


def events_in(transcript: str) -> Iterator[dict[str, Any]]:
    """The lines that are JSON objects; whatever else is printed is no event."""
    for line in transcript.splitlines():
        try:
            found = json.loads(line) if line.lstrip().startswith("{") else None
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            yield found
