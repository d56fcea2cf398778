"""A weaker barrier, only ever the one a person asked for: Landlock, a system-call filter and, for root, another user.

Nothing is relocated: a program finds every path where it is on the machine, and may open only those of its enclosure.
What Landlock does not look at (asking for a file's size, shared memory, sockets) is closed by the filter below where it
can be, by the owner of the files where StatsClaw runs as root, and named in `shows` where it cannot.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import json
import os
import platform
import select
import struct
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from statsclaw.errors import MachineRefused
from statsclaw.sandbox.cgroup import ControlGroup
from statsclaw.sandbox.enclosure import Enclosure, Mount
from statsclaw.sandbox.lending import SHARED_MEMORY, USERS, lent, user_of_its_own
from statsclaw.sandbox.limits import Limits
from statsclaw.sandbox.process import Completed, End, run_program
from statsclaw.sandbox.seccomp import Instruction, seccomp_filter
from statsclaw.sandbox.toolchain import system
from statsclaw.sandbox.watch import Watch

LAUNCHER = Path(__file__).with_name("landlock_launcher.py")

OLDEST_ABI = 4  # Linux 6.7: the first that can close TCP

_LONGEST_START_S, _LONGEST_END_S = 20.0, 30.0

# rights to files, as in linux/landlock.h
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_REMOVE_DIR, _REMOVE_FILE, _MAKE_DIR, _MAKE_REG, _MAKE_SOCK = 1 << 4, 1 << 5, 1 << 7, 1 << 8, 1 << 9
_MAKE_FIFO, _MAKE_SYM, _REFER, _TRUNCATE, _IOCTL_DEV = 1 << 10, 1 << 12, 1 << 13, 1 << 14, 1 << 15
_ON_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE
_READ = _EXECUTE | _READ_FILE | _READ_DIR
_CHANGE = (
    _WRITE_FILE | _REMOVE_DIR | _REMOVE_FILE | _MAKE_DIR | _MAKE_REG | _MAKE_SOCK | _MAKE_FIFO | _MAKE_SYM | _REFER
    | _TRUNCATE
)  # fmt: skip
_TCP = 0b11  # bind, connect
_ABSTRACT_SOCKETS, _SIGNALS = 0b01, 0b10

#: Open to every program: devices that hold nothing, and files without which no program can count processors.
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
_MACHINE = ("/proc/cpuinfo", "/proc/meminfo", "/proc/stat")

#: Git would stop at a file it may not open, and at a folder whose owner is another user.
_GIT = {
    "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*"
}  # fmt: skip

_ANY = (
    "names, sizes, times and owners of files can be asked for one by one, and where symbolic links lead; the names "
    "(not the contents) below a hidden path can be listed; which process numbers are in use, by which user and how "
    "busy; the machine's name, kernel, processors, memory, load and how full its disks are; where a bridge leads out, "
    "also the machine's sockets that are open to every user"
)
_SEPARATE = f"no contents, no listings, no network and no process outside the enclosure, but: {_ANY}"
_SAME = (
    f"no contents, no listings and no network outside the enclosure, but: {_ANY}. The program is the user who runs "
    "StatsClaw: it can change modes and times of this user's files and the priority of this user's processes"
)


class Landlock:
    """`user` is the first of those it uses: each program that runs at the same time has one of its own."""

    kind = "landlock"

    def __init__(self, bridge_port: int | None = None) -> None:
        self.abi = abi()
        self.version = f"ABI {self.abi}"
        self.separate = os.geteuid() == 0
        self.user = USERS[0] if self.separate else os.getuid()
        self.bridge_port = bridge_port
        self.shows = _SEPARATE if self.separate else _SAME
        if not self.separate and self.abi < 6:
            self.shows += "; it can end this user's other programs"
        if bridge_port is not None:
            self.shows += f"; port {bridge_port} of every machine can be connected to"

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
        writable = [Path(mount.host) for mount in enclosure.mounts if mount.writable]
        group = ControlGroup.make(limits.memory_bytes, limits.processes)
        seen: list[str] = []
        with contextlib.ExitStack() as stack:
            if group:
                stack.callback(group.remove)
            user = stack.enter_context(user_of_its_own()) if self.separate else None
            groups = stack.enter_context(lent(enclosure.mounts, user)) if user is not None else ()
            held = stack.enter_context(_Held())
            order = self.instructions(argv, enclosure, env, limits, user) | {"groups": groups}
            sealed = held.memory(json.dumps(order).encode())
            told_r, told_w = held.pipe()
            wait_r, wait_w = held.pipe()
            gone_r, gone_w = held.pipe()
            given = (sealed, told_w, wait_r, gone_w)

            @contextmanager
            def attend(pid: int, end: End) -> Iterator[None]:
                for fd in given:
                    held.close(fd)
                told = _told(told_r)
                if "keeper" not in told:
                    raise _refused(user, str(told.get("refused", "it did not start")), str(told.get("path", "")))
                counted = group if group and group.holds(told["program"]) else None
                watch = Watch(told["keeper"], limits, writable, end, counted)
                with contextlib.suppress(OSError):
                    os.write(wait_w, b".")
                with watch:
                    yield
                seen.append(watch.last_look())

            try:
                done = run_program(
                    [sys.executable, "-I", "-S", str(LAUNCHER), *map(str, given)],
                    cwd=Path("/"),
                    env={"PATH": os.defpath},
                    limits=limits,
                    stdin=stdin,
                    pid_file=desk / "pid",
                    pass_fds=given,
                    attend=attend,
                )
            finally:
                for fd in given:
                    held.close(fd)
                _wait_until_gone(gone_r)
        return Completed(done.exit_code, done.output, done.elapsed_s, done.ended_by or "".join(seen))

    def instructions(
        self, argv: Sequence[str], enclosure: Enclosure, env: Mapping[str, str], limits: Limits, user: int | None
    ) -> dict[str, Any]:
        """What the launcher is told. Whatever is not in `paths` cannot be opened."""
        handled_files = _READ | _CHANGE | 1 << 6 | 1 << 11  # and making devices, which nothing allows
        handled_files |= _IOCTL_DEV if self.abi >= 5 else 0
        scoped = _ABSTRACT_SOCKETS | _SIGNALS if self.abi >= 6 else 0
        unix, tcp = bool(enclosure.of("bridge")), self.bridge_port is not None
        filters = (seccomp_filter(), closed_calls(unix=unix, tcp=tcp))
        search_path = ":".join(enclosure.outside(place) for place in enclosure.search_path)
        return {
            "argv": list(argv),
            "env": {"PATH": search_path, **_GIT, **enclosure.env, **env},
            "cwd": enclosure.outside(enclosure.cwd),
            "user": user,
            "limits": {
                "RLIMIT_NPROC": limits.processes,
                "RLIMIT_DATA": limits.memory_bytes + limits.reserved_bytes,
                "RLIMIT_CORE": 0,
                "RLIMIT_FSIZE": limits.disk_bytes,
            },
            "handled": [handled_files, _TCP, scoped],
            "handled_bytes": 24 if self.abi >= 6 else 16,
            "paths": [*rules(enclosure)],
            "ports": [] if self.bridge_port is None else [[self.bridge_port, _TCP]],
            "filters": [program.hex() for program in filters if program],
            "reach": [mount.host for mount in enclosure.mounts if mount.purpose != "system"],
        }


Rule = tuple[str, int, bool]  # a path, what is allowed at and below it, whether a link in its place is followed


def rules(enclosure: Enclosure) -> Iterator[Rule]:
    """What an enclosure allows. Landlock cannot take back: a tree with a gap in it is allowed around the gap."""
    for path in _DEVICES:
        yield path, _READ_FILE | _WRITE_FILE, False
    for path in _MACHINE:
        yield path, _READ_FILE, False
    if enclosure.of("verification"):
        # the machine has one for all, so only verification has it, where no agent is in reach
        yield SHARED_MEMORY, _READ_FILE | _WRITE_FILE | _TRUNCATE | _MAKE_REG | _REMOVE_FILE, False
    hidden = [_real(enclosure.outside(path)) for path in enclosure.hidden]
    for mount in enclosure.mounts:
        gaps = hidden + [_real(other.host) for other in enclosure.mounts if _protects(other, mount)]
        yield from _around(_real(mount.host), _READ | _CHANGE if mount.writable else _READ, gaps, top=True)


def _protects(inner: Mount, outer: Mount) -> bool:
    """A read-only part of a writable tree, at its own place in it."""
    if not outer.writable or inner.writable or inner == outer or not Path(inner.host).is_relative_to(outer.host):
        return False
    return Path(inner.inside) == Path(outer.inside) / Path(inner.host).relative_to(outer.host)


def _around(path: Path, rights: int, gaps: Sequence[Path], *, top: bool = False) -> Iterator[Rule]:
    """In a folder with a gap below it nothing can be made; it can be listed, and so can the gap: programs need that."""
    if any(path.is_relative_to(gap) for gap in gaps):
        return
    inner = [gap for gap in gaps if gap.is_relative_to(path)]
    if not inner:
        yield str(path), rights if path.is_dir() else rights & _ON_FILES, top
        return
    yield str(path), _READ_DIR, top
    with contextlib.suppress(OSError), os.scandir(path) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            if not entry.is_symlink():  # what a link leads to is allowed or not where it is
                yield from _around(Path(entry.path), rights, inner)


def _real(path: str) -> Path:
    return Path(os.path.realpath(path))


# Calls that Landlock does not look at and that would lead to other programs. Numbers: [x86_64, aarch64].
_SHARED = {
    "shmget": (29, 194), "shmat": (30, 196), "shmctl": (31, 195), "semget": (64, 190), "semop": (65, 193),
    "semctl": (66, 191), "semtimedop": (220, 192), "msgget": (68, 186), "msgsnd": (69, 189), "msgrcv": (70, 188),
    "msgctl": (71, 187), "mq_open": (240, 180), "mq_unlink": (241, 181),
}  # fmt: skip
_WATCHED = {"inotify_add_watch": (254, 27), "statmount": (457, 457), "listmount": (458, 458)}
_ATTRIBUTES = {
    "setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7), "getxattr": (191, 8), "lgetxattr": (192, 9),
    "fgetxattr": (193, 10), "listxattr": (194, 11), "llistxattr": (195, 12), "flistxattr": (196, 13),
    "removexattr": (197, 14), "lremovexattr": (198, 15), "fremovexattr": (199, 16), "setxattrat": (463, 463),
    "getxattrat": (464, 464), "listxattrat": (465, 465), "removexattrat": (466, 466),
}  # fmt: skip
_LOOKED_AT = {
    "socket": (41, 198), "socketpair": (53, 199), "prlimit64": (302, 261), "sendto": (44, 206), "sendmsg": (46, 211),
    "sendmmsg": (307, 269), "ioctl": (16, 29),
}  # fmt: skip
_MACHINES = ("x86_64", "aarch64")
_LOAD, _AND, _EQUAL, _ANY_BIT, _RETURN = 0x20, 0x54, 0x15, 0x45, 0x06
_PASS, _ANSWER = 0x7FFF0000, 0x00050000
_NUMBER, _ARGUMENTS = 0, 16
_UNIX, _INET, _INET6, _STREAM, _SEQPACKET, _FASTOPEN = 1, 2, 10, 1, 5, 0x20000000


def closed_calls(*, unix: bool, tcp: bool, machine: str = platform.machine()) -> bytes | None:
    """Loaded beside `seccomp_filter`, which ends programs of another machine type. `unix`, `tcp`: what a bridge needs.

    Without a bridge no socket can be made but connected pairs. With one: unix sockets, TCP to where Landlock allows;
    never UDP, never another protocol, never the kernel's own sockets.
    """
    if machine not in _MACHINES:
        return None
    column = _MACHINES.index(machine)
    denied, unsupported = (_RETURN, 0, 0, _ANSWER | errno.EACCES), (_RETURN, 0, 0, _ANSWER | errno.EOPNOTSUPP)
    program: list[Instruction] = [(_LOAD, 0, 0, _NUMBER)]
    for calls, answer in ((_SHARED, denied), (_WATCHED, denied), (_ATTRIBUTES, unsupported)):
        for numbers in calls.values():
            program += [(_EQUAL, 0, 1, numbers[column]), answer]
    for name, body in _bodies(unix=unix, tcp=tcp, denied=denied).items():
        program += [(_EQUAL, 0, len(body), _LOOKED_AT[name][column]), *body]
    program.append((_RETURN, 0, 0, _PASS))
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)


def _bodies(*, unix: bool, tcp: bool, denied: Instruction) -> dict[str, list[Instruction]]:
    passed = (_RETURN, 0, 0, _PASS)

    def argument(number: int) -> Instruction:
        return (_LOAD, 0, 0, _ARGUMENTS + 8 * number)

    def only(*values: int) -> list[Instruction]:
        return [step for value in values for step in ((_EQUAL, 0, 1, value), passed)] + [denied]

    a_socket = [argument(0), *(only(_UNIX)[:-1] if unix else ())]
    if tcp:
        a_socket += [(_EQUAL, 2, 0, _INET), (_EQUAL, 1, 0, _INET6), denied]
        a_socket += [argument(1), (_AND, 0, 0, 0xF), (_EQUAL, 1, 0, _STREAM), denied, argument(2), *only(0, 6)]
    else:
        a_socket.append(denied)
    a_pair = [argument(0), (_EQUAL, 1, 0, _UNIX), denied, argument(1), (_AND, 0, 0, 0xF), *only(_STREAM, _SEQPACKET)]
    # any socket, even a pair, can be asked for the machine's network interfaces: requests 0x8900 to 0x89FF
    asking = [argument(1), (_AND, 0, 0, 0xFFFFFF00), (_EQUAL, 0, 1, 0x8900), denied, passed]
    bodies = {"socket": a_socket, "socketpair": a_pair, "prlimit64": [argument(0), *only(0)], "ioctl": asking}
    if tcp:  # a connection can be made by sending, too, where Landlock does not look
        for name, flags in (("sendto", 3), ("sendmsg", 2), ("sendmmsg", 3)):
            bodies[name] = [argument(flags), (_ANY_BIT, 0, 1, _FASTOPEN), denied, passed]
    return bodies


class _Held:
    """File descriptors of one start."""

    def __init__(self) -> None:
        self._open: set[int] = set()

    def __enter__(self) -> _Held:
        return self

    def __exit__(self, *_: object) -> None:
        for fd in tuple(self._open):
            self.close(fd)

    def memory(self, data: bytes) -> int:
        fd = os.memfd_create("statsclaw")
        self._open.add(fd)
        with os.fdopen(os.dup(fd), "wb") as file:
            file.write(data)
        os.lseek(fd, 0, os.SEEK_SET)
        return fd

    def pipe(self) -> tuple[int, int]:
        ends = os.pipe2(os.O_CLOEXEC)
        self._open |= {*ends}
        return ends

    def close(self, fd: int) -> None:
        if fd in self._open:
            self._open.remove(fd)
            os.close(fd)


def _told(fd: int) -> dict[str, Any]:
    """What the launcher says before it starts the program."""
    text = b""
    while b"\n" not in text and select.select([fd], [], [], _LONGEST_START_S)[0] and (chunk := os.read(fd, 65536)):
        text += chunk
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _wait_until_gone(fd: int) -> None:
    if not select.select([fd], [], [], _LONGEST_END_S)[0]:
        raise MachineRefused(
            "a program could not be ended", kept="its folders are kept", todo="end it by hand, and resume the run"
        )


def _refused(user: int | None, why: str, path: str) -> MachineRefused:
    if not path:
        return MachineRefused(f"no program could be started behind Landlock: {why}", kept="Nothing was started")
    if user is None:
        return MachineRefused(f"{path} cannot be reached: {why}", kept="Nothing was started")
    closed = _closed_folder(Path(path))
    return MachineRefused(
        f"{path} cannot be reached by the separate user that roles are run as: "
        + (f"{closed} is closed to other users" if closed else why),
        kept="Nothing was started",
        todo=f"put it elsewhere (`--workspace` for the workspace), or let others through (chmod o+x {closed or path})",
    )


def _closed_folder(path: Path) -> Path | None:
    """The first folder on the way that lets no other user through."""
    for folder in reversed(path.parents):
        with contextlib.suppress(OSError):
            if not folder.stat().st_mode & 0o001:
                return folder
    return None


def abi() -> int:
    """0 where the kernel has none."""
    return max(0, _ask_abi()[0])


@cache
def _ask_abi() -> tuple[int, int]:
    """What the kernel answers, and its error number."""
    if not sys.platform.startswith("linux"):
        return -1, errno.ENOSYS
    libc = ctypes.CDLL(None, use_errno=True)
    found = libc.syscall(ctypes.c_long(444), None, ctypes.c_size_t(0), ctypes.c_uint32(1))
    return int(found), ctypes.get_errno()


@cache
def why_not() -> str:
    """Why this barrier cannot be used here, found by using it; nothing if it can."""
    found, problem = _ask_abi()
    if found < 0:
        switched_off = problem == errno.EOPNOTSUPP
        return "Landlock is switched off in this kernel" if switched_off else "this kernel has no Landlock"
    if found < OLDEST_ABI:
        return f"Landlock of this kernel is too old (ABI {found}, needed is {OLDEST_ABI})"
    if seccomp_filter() is None or closed_calls(unix=False, tcp=False) is None:
        return f"there is no system-call filter for a machine of type {platform.machine()}"
    with tempfile.TemporaryDirectory(prefix="statsclaw-") as name:
        Path(name).chmod(0o711)
        desk, room = Path(name) / "desk", Path(name) / "room"
        for folder in (desk, room):
            folder.mkdir()
        own = Mount(inside="/tmp", host=str(room), purpose="temporary", writable=True)
        enclosure = Enclosure(mounts=(*system().mounts, own), search_path=system().search_path, cwd="/tmp")
        try:
            done = Landlock().run(["true"], enclosure, desk=desk, env={}, limits=Limits(timeout_s=30))
        except MachineRefused as refusal:
            return refusal.happened
    return "" if done.exit_code == 0 else f"a program did not start: {done.output.decode('utf-8', 'replace').strip()}"
