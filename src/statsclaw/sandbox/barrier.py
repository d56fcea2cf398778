"""The seam for the operating-system barrier: how a program is started so that it sees its room and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from statsclaw.sandbox.limits import Limits
from statsclaw.sandbox.process import Completed, run_program


class Barrier(Protocol):
    """`name` goes into the log with every dispatch; `hides` is what a person is told about it."""

    name: str
    hides: str

    def run(
        self,
        argv: Sequence[str],
        *,
        desk: Path,
        cwd: Path,
        env: Mapping[str, str],
        limits: Limits,
        stdin: bytes = b"",
    ) -> Completed: ...


class SeparateFolders:
    """Each dispatch has its own folder, HOME and environment; other paths of the machine stay readable."""

    name = "folders"
    hides = "roles are kept apart by folders only; no operating-system barrier is active"

    def run(
        self,
        argv: Sequence[str],
        *,
        desk: Path,
        cwd: Path,
        env: Mapping[str, str],
        limits: Limits,
        stdin: bytes = b"",
    ) -> Completed:
        return run_program(argv, cwd=cwd, env=env, limits=limits, stdin=stdin, pid_file=desk / "pid")
