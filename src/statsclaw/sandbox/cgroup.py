"""A control group for one program, where this machine lets us make one: memory and processes counted by the kernel."""

from __future__ import annotations

import contextlib
import os
import secrets
import time
from dataclasses import dataclass
from pathlib import Path

_ROOT = Path("/sys/fs/cgroup")
_PREFIX = "statsclaw-"
_STARTING_S = 300.0


@dataclass(frozen=True)
class ControlGroup:
    """`folders`: one for each controller (version 1), or the same one for both (version 2)."""

    memory: Path
    pids: Path
    version: int

    @classmethod
    def make(cls, memory_bytes: int, processes: int) -> ControlGroup | None:
        """None where the machine has no control groups, or keeps them for itself."""
        own, name = _own_groups(), f"{_PREFIX}{os.getpid()}-{secrets.token_hex(4)}"
        for version, memory, pids in (
            (1, _ROOT / "memory" / own.get("memory", "-"), _ROOT / "pids" / own.get("pids", "-")),
            (2, _ROOT / own.get("", "-"), _ROOT / own.get("", "-")),
        ):
            group = cls(memory / name, pids / name, version)
            _sweep({memory, pids})
            try:
                group.memory.mkdir()
                if group.pids != group.memory:
                    group.pids.mkdir()
                limit = "memory.max" if version == 2 else "memory.limit_in_bytes"
                (group.memory / limit).write_text(str(memory_bytes))
                (group.pids / "pids.max").write_text(str(processes))
            except OSError:
                group.remove()
                continue
            return group
        return None

    def holds(self, pid: int) -> bool:
        """Puts the process in; false where the kernel refuses, and the watch has to count by itself."""
        try:
            for folder in {self.memory, self.pids}:
                (folder / "cgroup.procs").write_text(str(pid))
        except OSError:
            return False
        return True

    def exceeded(self) -> str:
        """Which limit the kernel had to enforce: "memory", "processes" or nothing."""
        events = self.memory / ("memory.events" if self.version == 2 else "memory.oom_control")
        if _count(events, "oom_kill"):
            return "memory"
        return "processes" if _count(self.pids / "pids.events", "max") else ""

    def remove(self) -> None:
        """A group can go once its last process has; one that is not empty yet is left to the next sweep."""
        for folder in {self.memory, self.pids}:
            with contextlib.suppress(OSError):
                os.rmdir(folder)  # noqa: PTH106  a control group is removed with its files in it


def _sweep(parents: set[Path]) -> None:
    """Remove what is left of programs that have ended; a young group is empty while its program is about to start."""
    young = time.time() - _STARTING_S
    for parent in parents:
        with contextlib.suppress(OSError):
            for name in os.listdir(parent):  # noqa: PTH208
                if name.startswith(_PREFIX):
                    with contextlib.suppress(OSError):
                        if (parent / name).stat().st_mtime > young:
                            continue
                        os.rmdir(parent / name)  # noqa: PTH106  refused while a process is in it


def _own_groups() -> dict[str, str]:
    """The group this process is in, for each controller; version 2 under the empty name."""
    found: dict[str, str] = {}
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines():
            _, controllers, path = line.split(":", 2)
            for controller in controllers.split(","):
                found[controller] = path.lstrip("/")
    return found


def _count(file: Path, key: str) -> int:
    with contextlib.suppress(OSError, ValueError):
        for line in file.read_text(encoding="ascii").splitlines():
            name, _, number = line.partition(" ")
            if name == key:
                return int(number)
    return 0
