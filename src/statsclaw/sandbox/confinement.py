"""Everything a program is run with: the barrier, what is behind it, and its limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from statsclaw.sandbox.barrier import Barrier
from statsclaw.sandbox.enclosure import Enclosure
from statsclaw.sandbox.limits import Limits
from statsclaw.sandbox.process import Completed


@dataclass(frozen=True, slots=True)
class Confinement:
    """`before` starts the program, where something must stand between it and the network; `env` goes with it."""

    barrier: Barrier
    enclosure: Enclosure
    limits: Limits
    desk: Path
    before: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)

    def path(self, host: Path) -> str:
        """The name by which the program finds a path of the machine."""
        return self.barrier.path(self.enclosure, host)

    def run(self, argv: Sequence[str], env: Mapping[str, str], stdin: bytes = b"") -> Completed:
        command = [*self.before, *argv]
        return self.barrier.run(
            command, self.enclosure, desk=self.desk, env={**self.env, **env}, limits=self.limits, stdin=stdin
        )
