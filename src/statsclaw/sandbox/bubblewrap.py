"""The barrier: a root built from nothing with bubblewrap, in namespaces of its own, behind a system-call filter."""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import select
import shutil
import stat
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import MappingProxyType

from statsclaw.sandbox.cgroup import ControlGroup
from statsclaw.sandbox.enclosure import Enclosure
from statsclaw.sandbox.limits import Limits
from statsclaw.sandbox.process import Completed, End, run_program
from statsclaw.sandbox.room import remove_tree
from statsclaw.sandbox.seccomp import seccomp_filter
from statsclaw.sandbox.toolchain import system, system_table
from statsclaw.sandbox.watch import Watch

#: Who the program is inside. On the machine it is the user who runs StatsClaw, without any capability.
USER = 1000

_NAMESPACES = (
    "--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try",
    "--disable-userns",
)  # fmt: skip
_LONGEST_START_S = 20


class Bubblewrap:
    kind = "bubblewrap"
    user = USER
    shows = "nothing of the machine but its enclosure"

    def __init__(self, program: str = "bwrap") -> None:
        self.program = program
        _devices()
        self.version = _version(program)

    def path(self, enclosure: Enclosure, host: Path) -> str:
        return enclosure.inside(host)

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
        with contextlib.ExitStack() as open_files:
            held = _Held(open_files)
            devices = open_files.enter_context(_own_devices())
            arguments = self.arguments(enclosure, env, limits, held, devices)
            told_r, told_w = held.pipe()
            wait_r, wait_w = held.pipe()
            sealed = held.memory(b"\0".join(os.fsencode(argument) for argument in arguments) + b"\0")
            command = [self.program, "--args", str(sealed), "--info-fd", str(told_w), "--block-fd", str(wait_r)]
            command += ["--sync-fd", str(wait_w)]  # held by bubblewrap too: an engine that is killed now says nothing
            command += ["--", "prlimit", *_limits(limits), "--", *argv]
            group = ControlGroup.make(limits.memory_bytes, limits.processes)
            seen: list[str] = []

            @contextmanager
            def attend(pid: int, end: End) -> Iterator[None]:
                for fd in (told_w, wait_r):
                    held.close(fd)
                inner = _inner_process(told_r)
                counted = group if group and inner and group.holds(inner) else None
                watch = Watch(inner or pid, limits, writable, end, counted, _mended_devices)
                with contextlib.suppress(OSError):
                    os.write(wait_w, b"go")
                with watch:
                    yield
                seen.append(watch.last_look() or _mended_devices())

            try:
                done = run_program(
                    command,
                    cwd=Path("/"),
                    env={"PATH": os.defpath},
                    limits=limits,
                    stdin=stdin,
                    pid_file=desk / "pid",
                    pass_fds=(*held.fds, told_w, wait_r, wait_w),
                    attend=attend,
                    own_namespace=True,
                )
            finally:
                if group:
                    group.remove()
        return Completed(done.exit_code, done.output, done.elapsed_s, done.ended_by or "".join(seen))

    def arguments(
        self,
        enclosure: Enclosure,
        env: Mapping[str, str],
        limits: Limits,
        held: _Held,
        devices: Mapping[str, Path] = MappingProxyType({}),
    ) -> list[str]:
        """What bubblewrap is told; everything but the files it reads from `held` follows from the enclosure."""
        given = [*_NAMESPACES, "--uid", str(USER), "--gid", str(USER), "--hostname", "sandbox"]
        given += ["--die-with-parent", "--new-session", "--cap-drop", "ALL"]
        program = seccomp_filter()
        assert program is not None  # `why_not` has looked
        given += ["--seccomp", str(held.memory(program))]
        given += ["--proc", "/proc", "--dev", "/dev"]
        for name, place in devices.items():
            given += ["--dev-bind", str(place), f"/dev/{name}"]
        given += ["--size", str(limits.shared_memory_bytes), "--perms", "1777", "--tmpfs", "/dev/shm"]
        for mount in enclosure.mounts:
            given += ["--bind" if mount.writable else "--ro-bind", mount.host, mount.inside]
        for inside, goal in enclosure.links:
            given += ["--symlink", goal, inside]
        for inside, text in enclosure.files:
            given += ["--ro-bind-data", str(held.memory(text.encode())), inside]
        masked = system_table().masked + (system_table().masked_from_root if os.geteuid() == 0 else ())
        for path in (*masked, *enclosure.hidden):
            host = Path(path) if path.startswith("/proc/") else Path(enclosure.outside(path))
            if host.is_dir() and not host.is_symlink():
                given += ["--size", "4096", "--tmpfs", path, "--remount-ro", path]
            elif host.exists():
                given += ["--ro-bind", "/dev/null", path]
        given += ["--remount-ro", "/proc", "--remount-ro", "/dev", "--remount-ro", "/"]
        given += ["--chdir", enclosure.cwd, "--clearenv"]
        inner = {"PATH": ":".join(enclosure.search_path), **enclosure.env, **env}
        for name, value in inner.items():
            given += ["--setenv", name, value]
        return given


class _Held:
    """File descriptors that bubblewrap inherits."""

    def __init__(self, stack: contextlib.ExitStack) -> None:
        self.fds: list[int] = []
        self._open: set[int] = set()
        stack.callback(self._close_all)

    def memory(self, data: bytes) -> int:
        fd = os.memfd_create("statsclaw")
        self._open.add(fd)
        with os.fdopen(os.dup(fd), "wb") as file:
            file.write(data)
        os.lseek(fd, 0, os.SEEK_SET)
        self.fds.append(fd)
        return fd

    def pipe(self) -> tuple[int, int]:
        reads, writes = os.pipe2(os.O_CLOEXEC)
        self._open |= {reads, writes}
        return reads, writes

    def close(self, fd: int) -> None:
        self._open.discard(fd)
        os.close(fd)

    def _close_all(self) -> None:
        for fd in tuple(self._open):
            self.close(fd)


_DEVICE_FOLDER = ".statsclaw-"
_DEVICES = ("full", "null", "random", "tty", "urandom", "zero")


@contextmanager
def _own_devices() -> Iterator[dict[str, Path]]:
    """Device files of its own for a program that root starts: it would own, and could close, those of the machine.

    They are made below /dev, where no copy or search of folders meets them, and go when the program has ended.
    """
    if os.geteuid() != 0:
        yield {}
        return
    folder, made = Path(f"/dev/{_DEVICE_FOLDER}{os.getpid()}-{secrets.token_hex(4)}"), dict[str, Path]()
    with contextlib.suppress(OSError):  # where none can be made, those of the machine are shown, and looked after
        _sweep_devices()
        folder.mkdir(mode=0o700)
        for name in _DEVICES:
            number = os.stat(f"/dev/{name}").st_rdev  # noqa: PTH116
            os.mknod(folder / name, stat.S_IFCHR | 0o666, number)
            (folder / name).chmod(0o666)
            if name != "tty":
                os.close(os.open(folder / name, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY))
            made[name] = folder / name
    try:
        yield made
    finally:
        remove_tree(folder)


def _sweep_devices() -> None:
    """Remove what an engine that was killed has left."""
    for left in Path("/dev").glob(f"{_DEVICE_FOLDER}*"):
        pid = left.name.removeprefix(_DEVICE_FOLDER).partition("-")[0]
        if not Path(f"/proc/{pid}").exists():
            remove_tree(left)


@cache
def _devices() -> dict[str, tuple[int, int, int]]:
    """Mode and owner of the device files that are shown, as they were when this process first looked."""
    found = {}
    for name in _DEVICES:
        with contextlib.suppress(OSError):
            info = os.stat(f"/dev/{name}")  # noqa: PTH116
            found[f"/dev/{name}"] = (info.st_mode, info.st_uid, info.st_gid)
    return found


def _mended_devices() -> str:
    """Under root, a program inside owns the machine's device files and could close them to everybody."""
    changed = ""
    for path, (mode, user, group) in _devices().items() if os.geteuid() == 0 else ():
        with contextlib.suppress(OSError):
            info = os.stat(path)  # noqa: PTH116
            if (info.st_mode, info.st_uid, info.st_gid) != (mode, user, group):
                os.chown(path, user, group)
                os.chmod(path, stat.S_IMODE(mode))  # noqa: PTH101
                changed = f"it changed {path} of the machine (mended)"
    return changed


def _limits(limits: Limits) -> list[str]:
    data = limits.memory_bytes + limits.reserved_bytes
    return [f"--nproc={limits.processes}", f"--data={data}", "--core=0", f"--fsize={limits.disk_bytes}"]


def _inner_process(told: int) -> int | None:
    """The process number of the first process inside, which bubblewrap tells before it starts the program."""
    text, end = b"", time.monotonic() + _LONGEST_START_S
    while b"}" not in text and (left := end - time.monotonic()) > 0:
        if not select.select([told], [], [], left)[0] or not (chunk := os.read(told, 4096)):
            break
        text += chunk
    try:
        return int(json.loads(text)["child-pid"])
    except (ValueError, KeyError):
        return None


@cache
def _version(program: str) -> str:
    try:
        done = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return "unknown"
    found = re.search(r"\d+(\.\d+)+", done.stdout)
    return found[0] if found else "unknown"


@cache
def why_not(program: str = "bwrap") -> str:
    """Why this barrier cannot be made here, found by making one; nothing if it can."""
    for needed in (program, "prlimit"):
        if shutil.which(needed) is None:
            return f"{needed} is not installed"
    if seccomp_filter() is None:
        return f"there is no system-call filter for a machine of type {os.uname().machine}"
    with contextlib.ExitStack() as stack:
        held = _Held(stack)
        arguments = Bubblewrap(program).arguments(system(), {}, Limits(), held)
        try:
            done = subprocess.run(
                [program, *arguments, "--", "true"],
                capture_output=True,
                text=True,
                timeout=30,
                pass_fds=held.fds,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return str(error)
    return "" if done.returncode == 0 else (done.stderr.strip().splitlines() or ["bwrap failed"])[-1]
