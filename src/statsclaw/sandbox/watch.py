"""Looking after a running program: memory, processes and disk, each with its limit."""

from __future__ import annotations

import contextlib
import os
import stat
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from statsclaw.errors import MachineRefused
from statsclaw.sandbox.cgroup import ControlGroup
from statsclaw.sandbox.limits import MIB, Limits

_EVERY_S = 0.1
_DISK_EVERY_S = 1.0
_DISK_SHARE = 20  # measuring the disk takes at most a twentieth of the time


class Watch(threading.Thread):
    """Ends the program through `end` when it passes a limit; `folders` are what it can write to."""

    def __init__(
        self,
        pid: int,
        limits: Limits,
        folders: Iterable[Path],
        end: Callable[[str], None],
        group: ControlGroup | None = None,
        also: Callable[[], str] = lambda: "",
    ) -> None:
        super().__init__(daemon=True)
        self.pid, self.limits, self.folders, self.end, self.group = pid, limits, tuple(folders), end, group
        self.also = also
        self._over = threading.Event()
        self._filled_by_others = False

    def __enter__(self) -> Watch:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Raises MachineRefused where the program had to be ended for a disk that others had filled."""
        self._over.set()
        self.join()
        if self._filled_by_others:
            raise MachineRefused(
                self._little_room(),
                kept="the run is kept up to here",
                todo="make room on the disk of the workspace, then resume the run",
            )

    def run(self) -> None:
        disk_at = time.monotonic() + _DISK_EVERY_S
        while not self._over.wait(_EVERY_S):
            reason = self._over_memory_or_processes() or self.also()
            if not reason and time.monotonic() >= disk_at:
                begun = time.monotonic()
                reason = self._over_disk()
                disk_at = time.monotonic() + max(_DISK_EVERY_S, _DISK_SHARE * (time.monotonic() - begun))
            if reason:
                self.end(reason)
                return

    def last_look(self) -> str:
        """What the kernel enforced in the moments before the program ended by itself."""
        return self._sentence(self.group.exceeded()) if self.group else ""

    def _over_memory_or_processes(self) -> str:
        if self.group and (which := self.group.exceeded()):
            return self._sentence(which)
        processes = list(descendants(self.pid, self.limits.processes + 1))
        if sum(map(_threads, processes)) > self.limits.processes:
            return self._sentence("processes")
        used = sum(map(_resident_bytes, processes))  # shared pages counted more than once: too much at worst
        if used > self.limits.memory_bytes:
            used = sum(map(_own_share, processes))
        return self._sentence("memory") if used > self.limits.memory_bytes else ""

    def _sentence(self, which: str) -> str:
        if which == "memory":
            return f"it used more than {self.limits.memory_bytes // MIB} MiB of memory"
        return f"it started more than {self.limits.processes} processes" if which else ""

    def _little_room(self) -> str:
        return f"less than {self.limits.free_disk_bytes // MIB} MiB were left on the disk"

    def _over_disk(self) -> str:
        used, files = nameless_files(descendants(self.pid, self.limits.processes)), 0
        for folder in self.folders:
            with contextlib.suppress(OSError):
                info = os.statvfs(folder)
                if (free := info.f_bavail * info.f_frsize) < self.limits.free_disk_bytes:
                    own = sum(disk_use(row, self.limits.disk_bytes, self.limits.disk_files)[0] for row in self.folders)
                    self._filled_by_others = free + used + own < self.limits.free_disk_bytes
                    return self._little_room()
            more, count = disk_use(folder, self.limits.disk_bytes - used, self.limits.disk_files - files)
            used, files = used + more, files + count
            if files > self.limits.disk_files:
                return f"it made more than {self.limits.disk_files} files"
            if used > self.limits.disk_bytes:
                return f"it wrote more than {self.limits.disk_bytes // MIB} MiB to the disk"
        return ""


def descendants(pid: int, most: int) -> Iterator[int]:
    """The process and everything it started that is still there, `most` of them at most."""
    waiting, seen = [pid], 0
    while waiting and seen < most:
        current = waiting.pop()
        seen += 1
        yield current
        with contextlib.suppress(OSError, ValueError):
            for thread in os.listdir(f"/proc/{current}/task"):  # noqa: PTH208
                children = Path(f"/proc/{current}/task/{thread}/children").read_text(encoding="ascii")
                waiting += map(int, children.split())


def _threads(pid: int) -> int:
    """As the kernel counts in a control group: every thread is one."""
    try:
        return len(os.listdir(f"/proc/{pid}/task"))  # noqa: PTH208
    except OSError:
        return 0


def _resident_bytes(pid: int) -> int:
    try:
        fields = Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()
        return int(fields[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


def _own_share(pid: int) -> int:
    """Memory of a process with its part of what it shares; costs more to ask for."""
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    return 0


def disk_use(folder: Path, most: int, most_files: int) -> tuple[int, int]:
    """Bytes on disk and files below a folder, without following links; stops counting once it is too much."""
    total, files, waiting = 0, 0, [str(folder)]
    while waiting and total <= most and files <= most_files:
        with contextlib.suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                files += 1
                with contextlib.suppress(OSError):
                    total += entry.stat(follow_symlinks=False).st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
    return total, files


def nameless_files(pids: Iterable[int]) -> int:
    """Bytes of files that were removed while a process still holds them open."""
    found: dict[tuple[int, int], int] = {}
    for pid in pids:
        with contextlib.suppress(OSError):
            for fd in os.listdir(f"/proc/{pid}/fd"):  # noqa: PTH208
                with contextlib.suppress(OSError):
                    info = os.stat(f"/proc/{pid}/fd/{fd}")  # noqa: PTH116
                    if stat.S_ISREG(info.st_mode) and info.st_nlink == 0:
                        found[info.st_dev, info.st_ino] = info.st_blocks * 512
    return sum(found.values())
