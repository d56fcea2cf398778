"""Which user a program of a root engine runs as, and how rooms are lent to it and taken back.

Every program has a user of its own. What several verifying programs read at the same time (the package, our scripts) is
lent through one more group that all of them are in; no role is.
"""

from __future__ import annotations

import contextlib
import grp
import os
import pwd
import secrets
import socket
import stat
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from statsclaw.errors import MachineRefused
from statsclaw.sandbox.enclosure import Mount
from statsclaw.sandbox.process import running_processes

#: Users that no account has. Each program of a root engine is run as one of its own, whose group has the same number.
USERS = range(61184, 65520)

#: Where semaphores are.
SHARED_MEMORY = "/dev/shm"

#: What a room consists of: closed to all other users while a program runs in it.
_PRIVATE = ("repository", "documents", "outbox", "home", "temporary", "verification", "bridge")

Modes = dict[tuple[int, int], int]


@contextmanager
def user_of_its_own() -> Iterator[int]:
    """A user without an account, a process or a second program. Its number is held by a name that ends with us."""
    first = secrets.randbelow(len(USERS))
    running = users_at_work()
    for user in (*USERS[first:], *USERS[:first]):
        if user in running or _is_known(pwd.getpwuid, user) or _is_known(grp.getgrgid, user):
            continue
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as name:
            try:
                name.bind(f"\0statsclaw-user-{user}")
            except OSError:
                continue
            yield user
            return
    raise MachineRefused(
        f"every user from {USERS[0]} to {USERS[-1]} is taken", kept="Nothing was started", todo="wait for other runs"
    )


def _is_known(look_up: Callable[[int], object], number: int) -> bool:
    try:
        look_up(number)
    except KeyError:
        return False
    return True


def users_at_work() -> set[int]:
    found: set[int] = set()
    for process in running_processes():
        with contextlib.suppress(OSError, ValueError):
            status = Path(f"/proc/{process}/status").read_text("utf-8", "replace")
            rows = [line for line in status.splitlines() if line.startswith("Uid:")]
            found |= {int(word) for row in rows for word in row.split()[1:]}
    return found


def reads_with_others(mount: Mount) -> bool:
    return mount.purpose == "verification" and not mount.writable


class Company:
    """What programs that verify at the same time read together, lent to their common group until the last has ended."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held = contextlib.ExitStack()
        self._group: int | None = None
        self._readers: dict[Path, int] = {}
        self._modes: dict[Path, Modes] = {}
        self._parents: dict[Path, tuple[int, int]] = {}

    @contextmanager
    def lent(self, mounts: Sequence[Mount], folders: set[Path]) -> Iterator[int]:
        """Gives the group. `folders` are those that must be passed on the way."""
        with self._lock:
            if self._group is None:
                self._group = self._held.enter_context(user_of_its_own())
            group = self._group
            places = [*folders, *(Path(mount.host) for mount in mounts)]
            new = {place for place in places if place not in self._readers}
            for place in places:
                self._readers[place] = self._readers.get(place, 0) + 1
            try:
                for mount in mounts:
                    if (place := Path(mount.host)) in new:
                        self._modes[place] = _give(mount, group)
                self._parents |= _opened(folders & new, group)
            except OSError:
                self._return(places, group)
                raise
        try:
            yield group
        finally:
            with self._lock:
                self._return(places, group)

    def _return(self, places: Sequence[Path], group: int) -> None:
        for place in places:
            self._readers[place] -= 1
            if self._readers[place]:
                continue
            del self._readers[place]
            with contextlib.suppress(OSError):
                if place in self._parents:
                    _close({place: self._parents.pop(place)})
                else:
                    _take_back(place, group, self._modes.pop(place, {}))
        if not self._readers:
            self._held.close()
            self._group = None


#: One for the process: its runs verify one after the other.
COMPANY = Company()


@contextmanager
def lent(room: Sequence[Mount], user: int) -> Iterator[tuple[int, ...]]:
    """Rooms belong to the program's user while it runs, and to nobody but the engine afterwards.

    The topmost folders stay the engine's, open to the user through its group only: it cannot open them to others.
    Read-only ones are lent through the group alone, so that not even a mode can be changed.
    Gives the further groups that the program must be in.
    """
    mounts = [mount for mount in room if mount.purpose in _PRIVATE]
    common = [mount for mount in mounts if reads_with_others(mount)]
    own = [mount for mount in mounts if mount not in common]
    folders = {Path(mount.host).parent for mount in mounts}
    modes: Modes = {}
    parents: dict[Path, tuple[int, int]] = {}
    with contextlib.ExitStack() as stack:
        try:
            groups = (stack.enter_context(COMPANY.lent(common, folders)),) if common else ()
            stack.callback(_clear_shared_memory, user)
            stack.callback(_close, parents)
            for mount in own:
                stack.callback(_take_back_quietly, Path(mount.host), user, modes)
            for mount in own:
                modes |= _give(mount, user)
            if not common:
                parents |= _opened(folders, user)
        except OSError as error:
            raise MachineRefused(
                f"{error.filename or 'a folder of the room'} cannot be given to user {user}: {error.strerror}",
                kept="Nothing was started",
                todo="put the workspace on a file system of this machine (`--workspace`)",
            ) from None
        yield groups


def _close(parents: Mapping[Path, tuple[int, int]]) -> None:
    for folder, (group, mode) in parents.items():
        with contextlib.suppress(OSError):
            os.chown(folder, -1, group, follow_symlinks=False)
            folder.chmod(mode)


def _take_back_quietly(top: Path, user: int, modes: Mapping[tuple[int, int], int]) -> None:
    with contextlib.suppress(OSError):
        _take_back(top, user, modes)


def _opened(folders: set[Path], user: int) -> dict[Path, tuple[int, int]]:
    """Rooms are closed to every user; one that is the engine's own can be passed through by this one's group."""
    before: dict[Path, tuple[int, int]] = {}
    for folder in folders:
        info = folder.lstat()
        if info.st_uid == os.geteuid() and stat.S_IMODE(info.st_mode) == 0o700:
            before[folder] = (info.st_gid, 0o700)
            os.chown(folder, -1, user, follow_symlinks=False)
            folder.chmod(0o710)
    return before


def _give(mount: Mount, user: int) -> Modes:
    """The modes that had to be changed for it, by device and file number."""
    top, modes = Path(mount.host), Modes()
    for folder, name, info in below(top):
        if _may_belent(info, mount):
            os.chown(name, user if mount.writable else -1, user, dir_fd=folder, follow_symlinks=False)
            wanted = info.st_mode | _readable(info.st_mode)
            if not mount.writable and not stat.S_ISLNK(info.st_mode) and wanted != info.st_mode:
                modes[info.st_dev, info.st_ino] = info.st_mode
                _set_mode(name, folder, wanted)
    if _may_belent(info := top.lstat(), mount) and not stat.S_ISLNK(info.st_mode):
        os.chown(top, -1, user, follow_symlinks=False)
        mode = info.st_mode | _readable(info.st_mode) | (0o020 if mount.writable else 0)
        top.chmod(stat.S_IMODE(mode & ~0o007))
    return modes


def _may_belent(info: os.stat_result, mount: Mount) -> bool:
    """What is the engine's own and has no second name elsewhere; of a bridge only what is closed to others."""
    if info.st_uid != os.geteuid() or (info.st_nlink > 1 and not stat.S_ISDIR(info.st_mode)):
        return False
    return mount.purpose != "bridge" or not info.st_mode & 0o004


def _readable(mode: int) -> int:
    """The bits with which a group can read a file, enter a folder, connect to a socket."""
    if stat.S_ISDIR(mode):
        return 0o550
    return 0o660 if stat.S_ISSOCK(mode) else 0o440 | (mode & 0o100) >> 3


def _set_mode(name: str, folder: int, mode: int) -> None:
    fd = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    try:
        Path(f"/proc/self/fd/{fd}").chmod(stat.S_IMODE(mode))
    finally:
        os.close(fd)


def _take_back(top: Path, user: int, modes: Mapping[tuple[int, int], int]) -> None:
    """Whatever is the user's becomes the engine's. The folder stays closed to others: programs may still be running."""
    own, group = os.geteuid(), os.getegid()
    for folder, name, info in below(top):
        if user in (info.st_uid, info.st_gid):
            with contextlib.suppress(OSError):
                os.chown(name, own, group, dir_fd=folder, follow_symlinks=False)
                if (mode := modes.get((info.st_dev, info.st_ino))) is not None:
                    _set_mode(name, folder, mode)
    if (info := top.lstat()).st_gid == user:
        os.chown(top, own, group, follow_symlinks=False)
        top.chmod(stat.S_IMODE(info.st_mode) & 0o700)


def _clear_shared_memory(user: int) -> None:
    with contextlib.suppress(OSError), os.scandir(SHARED_MEMORY) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):
                if entry.stat(follow_symlinks=False).st_uid == user:
                    os.unlink(entry.path)  # noqa: PTH108


_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def below(top: Path) -> Iterator[tuple[int, str, os.stat_result]]:
    """Everything below a folder, however deep, by open folder and name; no link is followed."""
    if stat.S_ISREG(mode := top.lstat().st_mode) or stat.S_ISSOCK(mode):
        return
    here = os.open(top, _FOLDER)
    waiting: list[list[str]] = []
    try:
        while True:
            folders: list[str] = []
            for name in os.listdir(here):  # noqa: PTH208
                info = os.stat(name, dir_fd=here, follow_symlinks=False)
                yield here, name, info
                if stat.S_ISDIR(info.st_mode):
                    folders.append(name)
            waiting.append(folders)
            while not waiting[-1]:
                waiting.pop()
                if not waiting:
                    return
                here = _step(here, "..")
            here = _step(here, waiting[-1].pop())
    finally:
        os.close(here)


def _step(here: int, name: str) -> int:
    there = os.open(name, _FOLDER, dir_fd=here)
    os.close(here)
    return there
