"""How a program is started so that it sees its enclosure and nothing else: one protocol, one file for each kind."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from statsclaw.sandbox.enclosure import Enclosure
from statsclaw.sandbox.limits import Limits
from statsclaw.sandbox.process import Completed, run_program


class Described(Protocol):
    """`shows` is what is not hidden; `user` is who the program is inside, -1 where no program is run."""

    kind: str
    version: str
    user: int
    shows: str


class Barrier(Described, Protocol):
    """What goes into the log with every dispatch, and the way to run a program."""

    def path(self, enclosure: Enclosure, host: Path) -> str:
        """The name by which a program behind this barrier finds a path of the machine."""
        ...

    def run(
        self,
        argv: Sequence[str],
        enclosure: Enclosure,
        *,
        desk: Path,
        env: Mapping[str, str],
        limits: Limits,
        stdin: bytes = b"",
    ) -> Completed:
        """Run to the end. `enclosure.cwd` is a path inside; `desk` is where the engine notes the process."""
        ...


@dataclass
class NoProgram:
    """A person or a recording plays the role: nothing is run in its room."""

    kind: str
    version: str = ""
    user: int = -1
    shows: str = "no program was run in this room"


class NoBarrier:
    """--unsafe-no-sandbox: a folder, a HOME and an environment of its own; every other path stays readable."""

    kind = "none"
    version = ""
    user = os.getuid()
    shows = "everything: roles are kept apart by folders only"

    def path(self, enclosure: Enclosure, host: Path) -> str:
        return str(host)

    def run(
        self,
        argv: Sequence[str],
        enclosure: Enclosure,
        *,
        desk: Path,
        env: Mapping[str, str],
        limits: Limits,
        stdin: bytes = b"",
    ) -> Completed:
        env = {"PATH": os.environ.get("PATH", os.defpath), **enclosure.env, **env}
        return run_program(
            argv, cwd=Path(enclosure.outside(enclosure.cwd)), env=env, limits=limits, stdin=stdin, pid_file=desk / "pid"
        )
