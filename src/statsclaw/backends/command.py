"""Any program as a role: `command:PROGRAM ARGS`.

The program starts in its private copy of the repository, finds the prompt on standard input and in the file named
by STATSCLAW_PROMPT, its documents below STATSCLAW_IN, and leaves its artifacts in STATSCLAW_OUT. Exit status 0
means it has finished. Among the last lines it prints there may be a JSON object with "signal", "message", "options",
"default", "route_to" (to raise a signal) and "usage" (what it cost).
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
from collections.abc import Collection
from pathlib import Path

from pydantic import ValidationError

from statsclaw.backends.task import Task
from statsclaw.errors import InputRefused
from statsclaw.runlog.events import Usage
from statsclaw.sandbox.confinement import Confinement
from statsclaw.sandbox.enclosure import Enclosure
from statsclaw.sandbox.handin import HandIn, Raised
from statsclaw.sandbox.room import Room
from statsclaw.sandbox.toolchain import with_agent

#: A program may print a little after its ending (a warning at exit, say).
_LAST_LINES = 20


class CommandBackend:
    waits_for_person = False
    executes = True

    def __init__(self, command: str, pass_env: Collection[str] = ()) -> None:
        try:
            self.argv = shlex.split(command)
        except ValueError as error:
            raise InputRefused(f"the backend command cannot be read: {error}") from None
        if not self.argv:
            raise InputRefused("the backend `command:` names no program", todo="write `command:PROGRAM ARGS`")
        if shutil.which(self.argv[0]) is None:
            raise InputRefused(
                f"the backend's program {self.argv[0]!r} is not there or cannot be executed",
                kept="Nothing was started",
                todo="give its path, or put it on the search path",
            )
        self.name = f"command:{Path(self.argv[0]).name}"
        self.pass_env = tuple(pass_env)

    def equip(self, tools: Enclosure) -> Enclosure:
        return with_agent(tools, self.argv)[0]

    def run(self, task: Task, room: Room, confinement: Confinement) -> HandIn:
        inside = confinement.path
        env = {"LANG": "C.UTF-8", "HOME": inside(room.home), "TMPDIR": inside(room.tmp), "USER": "role"}
        env |= {name: os.environ[name] for name in self.pass_env if name in os.environ}
        env |= {
            "STATSCLAW_ROLE": task.role,
            "STATSCLAW_ATTEMPT": str(task.attempt),
            "STATSCLAW_PROMPT": inside(room.inbox / "prompt.md"),
            "STATSCLAW_IN": inside(room.inbox),
            "STATSCLAW_OUT": inside(room.outbox),
            "STATSCLAW_REPO": inside(room.repo),
        }
        _, argv = with_agent(confinement.enclosure, self.argv)
        done = confinement.run(argv, env, task.prompt.encode())
        transcript = done.output.decode("utf-8", "replace")
        if done.ended_by:
            failure = f"the program was ended: {done.ended_by}"
            return HandIn(failure=failure, transcript=transcript, ended_by=done.ended_by)
        if done.exit_code != 0:
            return HandIn(failure=f"the program ended with exit status {done.exit_code}", transcript=transcript)
        return read_ending(transcript)


def absolute_command(command: str, folder: Path) -> str:
    """The command with what it names relative to `folder` made absolute, since a role works in another folder."""
    try:
        parts = shlex.split(command)
    except ValueError:
        return command  # refused, with a reason, when the backend is made
    return shlex.join(
        str((folder / part).resolve()) if _is_from_here(part, first=n == 0) and (folder / part).exists() else part
        for n, part in enumerate(parts)
    )


def _is_from_here(part: str, *, first: bool) -> bool:
    return part.startswith(("./", "../")) or (first and "/" in part)


def _ending_in(line: str) -> dict[str, object]:
    """The JSON object in a line, if it is one that ends a dispatch."""
    try:
        found = json.loads(line) if line.lstrip().startswith("{") else {}
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) and ("signal" in found or "usage" in found) else {}


def read_ending(transcript: str) -> HandIn:
    """What the last JSON object near the end of a program's output says about how it ended."""
    endings = [*map(_ending_in, reversed(transcript.splitlines()[-_LAST_LINES:]))]
    ending = next((found for found in endings if found.get("signal")), {})
    try:
        usage = Usage.model_validate(next((found["usage"] for found in endings if found.get("usage")), {}))
        fields = {k: ending[k] for k in ("signal", "message", "options", "default", "route_to") if k in ending}
        raised = Raised.model_validate(fields) if fields.get("signal") else None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "it"
        failure = f"what it ended with is not a valid ending: {where}: {first['msg']}"
        return HandIn(failure=failure, transcript=transcript)
    return HandIn(signal=raised, usage=usage, transcript=transcript)
