"""What a program sees of the machine: a pure description, from which every kind of barrier is made.

Whatever is not listed here does not exist for the program. Mounts are applied in order, so that a later one may stand
inside an earlier one; `hidden` paths are covered last.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Literal

from statsclaw.runlog.events import Fact

Purpose = Literal[
    "system", "toolchain", "agent", "repository", "documents", "outbox", "home", "temporary", "verification", "bridge"
]


class Mount(Fact):
    """A file or folder of the machine, and where the program finds it."""

    inside: str
    host: str
    purpose: Purpose
    writable: bool = False


def nested(mounts: Iterable[Mount]) -> tuple[Mount, ...]:
    """The order in which mounts can be made: whatever holds another comes first."""
    return tuple(sorted(mounts, key=lambda mount: len(PurePosixPath(mount.inside).parts)))


@dataclass(frozen=True, slots=True)
class Enclosure:
    """`links`: (inside, target) pairs such as ("/bin", "usr/bin"). `files`: small files made for the enclosure."""

    mounts: tuple[Mount, ...]
    cwd: str = "/"
    search_path: tuple[str, ...] = ("/usr/local/bin", "/usr/bin", "/bin")
    links: tuple[tuple[str, str], ...] = ()
    files: tuple[tuple[str, str], ...] = ()
    hidden: tuple[str, ...] = ()
    env: dict[str, str] = field(default_factory=dict)

    def inside(self, host: Path | str) -> str:
        """Where the program finds a path of the machine; the path itself where it is in no mount."""
        path = PurePosixPath(host)
        for mount in reversed(self.mounts):
            if path == PurePosixPath(mount.host):
                return mount.inside
            if path.is_relative_to(mount.host):
                return str(PurePosixPath(mount.inside) / path.relative_to(mount.host))
        return str(path)

    def outside(self, inside: str) -> str:
        """The path of the machine that the program finds as `inside`; the path itself where it is in no mount."""
        for mount in reversed(self.mounts):
            top = mount.inside.rstrip("/")
            if inside == mount.inside or inside.startswith(top + "/"):
                return mount.host + inside[len(top) :]
        return inside

    def of(self, *purposes: Purpose) -> tuple[Mount, ...]:
        return tuple(mount for mount in self.mounts if mount.purpose in purposes)
