"""A stand-in for a run, full of secrets, on which the barrier is attacked: files, processes, sockets, another role.

Everything lies in a temporary folder; every secret is made up anew and stands in one place only, so that whoever
finds one can tell where it was taken from. `Stage` is a context: whatever it has started ends with it.
"""

from __future__ import annotations

import contextlib
import getpass
import json
import os
import secrets
import select
import shutil
import signal
import stat
import subprocess
import sys
import threading
import time
from importlib.resources import files
from pathlib import Path
from typing import Any

from statsclaw.errors import MachineRefused
from statsclaw.profiles.profile import load_profile
from statsclaw.sandbox.barrier import Barrier, NoBarrier
from statsclaw.sandbox.enclosure import Enclosure
from statsclaw.sandbox.limits import MIB, Limits
from statsclaw.sandbox.process import end_leftover
from statsclaw.sandbox.props import PACKAGE, SHAPE, Props
from statsclaw.sandbox.room import Room
from statsclaw.sandbox.toolchain import check_apart, hide, installed_copies, system, with_tools
from statsclaw.sandbox.watch import descendants

LIMITS = Limits(
    timeout_s=60,
    memory_bytes=256 * MIB,
    processes=64,
    disk_bytes=64 * MIB,
    disk_files=2_000,
    free_disk_bytes=8 * MIB,
    shared_memory_bytes=8 * MIB,
    output_bytes=2 * MIB,
    kept_output_bytes=2 * MIB,
)
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty")
#: Where a machine looks for programs to start later.
SCHEDULES = ("/etc/cron.d", "/var/spool/cron", "/var/spool/cron/crontabs", "/etc/systemd/system", "/etc/profile.d")
_LONGEST_START_S = 20


def programs(folder: str = "") -> Path:
    return Path(str(files("statsclaw.sandbox").joinpath("attacks", folder)))


class Stage(Props):
    def __init__(self, barrier: Barrier) -> None:
        super().__init__()
        self.barrier = barrier

    def __enter__(self) -> Stage:
        try:
            with contextlib.ExitStack() as undo:
                self._undo = undo
                self._set()
                self._undo = undo.pop_all()
        except OSError as error:
            raise MachineRefused(f"the attacks cannot be prepared: {error}", todo="mend what it names") from error
        return self

    def __exit__(self, *_: object) -> None:
        self._undo.close()

    def _set(self) -> None:
        self.lay_out()
        self._open_terminal()
        self.victim = self._start_victim()
        self.bystander = self._start_bystander()
        self.accomplice = self._start_accomplice()
        self._open_to_heirs()

    def _open_terminal(self) -> None:
        self.master, self.slave = os.openpty()
        for fd in (self.master, self.slave):
            self._undo.callback(os.close, fd)
            os.set_blocking(fd, False)

    def _start_victim(self) -> subprocess.Popen[bytes]:
        """A process that does nothing but live, in a group of its own."""
        victim = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", "import sys; sys.stdin.read()"],
            stdin=subprocess.PIPE,
            start_new_session=True,
        )
        self._undo.callback(_end, victim)
        return victim

    def _start_bystander(self) -> dict[str, Any]:
        place = self.folder / "bystander"
        place.mkdir()
        self.received = place / "received"
        self.names = {
            "abstract": f"statsclaw-{self.word}",
            "socket": str(place / "socket"),
            "posix_name": f"statsclaw-{self.word}-shared",
            "key": secrets.randbelow(2**30) + 2**20,
            "session_sockets": [str(place / "agent"), str(place / "bus"), str(place / "X0")],
            "vsock_port": 20_000 + secrets.randbelow(40_000),
            "port": 20_000 + secrets.randbelow(40_000),
        }
        inside = (
            "tcp4", "tcp6", "udp", "abstract socket", "path socket", "session socket", "passed descriptor",
            "loopback traffic", "vsock", "memory", "open file", "working folder", "shared memory", "message queue",
            "posix shared memory", "posix message queue", "keyring",
        )  # fmt: skip
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(programs("stage") / "bystander.py"), self.secret("a command line")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={"PATH": os.defpath, "SECRET": self.secret("an environment")},
            start_new_session=True,
        )
        self._undo.callback(_end, process)
        assert process.stdin and process.stdout
        given = {"secrets": {name: self.secret(name) for name in inside}, "folder": str(place), **self.names}
        process.stdin.write(json.dumps(given).encode() + b"\n")
        process.stdin.flush()
        line = process.stdout.readline()
        if not line:
            raise MachineRefused("the attacks cannot be prepared: the process to be attacked did not start")
        made: dict[str, Any] = json.loads(line)
        wanted = (
            "tcp4",
            "tcp6",
            "udp",
            "vsock",
            "address",
            "length",
            "fd",
            "shm",
            "msg",
            "sem",
            "posix_shm",
            "mq",
            "key",
        )
        return {name: made.get(name) for name in ("pid", *wanted)}

    def _start_accomplice(self) -> list[int]:
        """The other role, running behind the same barrier in its own room."""
        room, names = self.tester, ("answer", "socket", "shared memory", "byte locks", "file locks", "openings")
        enclosure = room.enclosure(self._tools())
        given = {
            "secrets": {f"accomplice's {name}": self.secret(f"accomplice's {name}") for name in names},
            "own": self._own(room, enclosure),
            **self.names,
            **self._shared(),
        }
        shutil.copy(programs("stage") / "accomplice.py", room.inbox)
        (room.inbox / "given.json").write_text(json.dumps(given))
        place = self._own(room, enclosure)["in"]
        argv = [sys.executable, "-I", "-S", f"{place}/accomplice.py", f"{place}/given.json"]
        limits = LIMITS.model_copy(update={"timeout_s": 900.0})
        work = threading.Thread(
            target=self.barrier.run, args=(argv, enclosure), daemon=True,
            kwargs={"desk": room.desk, "env": {"SECRET": self.secret("accomplice's environment")}, "limits": limits},
        )  # fmt: skip
        work.start()
        self._undo.callback(work.join, 10)
        self._undo.callback(end_leftover, room.desk / "pid")
        self._undo.callback(work.join, 3)  # it tidies up after itself
        self._undo.callback((room.tmp / "stop").touch)
        end = time.monotonic() + _LONGEST_START_S
        while not (room.tmp / "ready").exists():
            if time.monotonic() > end or not work.is_alive():
                raise MachineRefused("the attacks cannot be prepared: no program could be started in the other room")
            time.sleep(0.02)
        return list(descendants(int((room.desk / "pid").read_text().split()[0]), 20))

    def _open_to_heirs(self) -> None:
        """What the engine has open and in its environment, which no program may inherit."""
        fd = os.memfd_create("engine")
        self._undo.callback(os.close, fd)
        os.write(fd, self.secret("an inherited descriptor").encode())
        os.set_inheritable(fd, True)
        folder = os.open(self.run, os.O_RDONLY | os.O_DIRECTORY)
        self._undo.callback(os.close, folder)
        os.set_inheritable(folder, True)
        name = f"STATSCLAW_STAGE_{self.word}"
        os.environ[name] = self.secret("the engine's environment")
        self._undo.callback(os.environ.pop, name, None)

    # --- for one attack --------------------------------------------------------------------------------------------

    def new_room(self, number: int) -> Room:
        room = Room(self.run / "dispatches" / f"builder-{number}", self.run / "desk" / f"builder-{number}")
        room.repo.mkdir(parents=True)
        (room.repo / "README.md").write_text("# tinymean\n")
        return room

    def enclosure(self, room: Room) -> Enclosure:
        shown = room.enclosure(self._tools())
        check_apart(shown, [self.folder / "workspace"], "keep them apart")
        return shown

    def _tools(self) -> Enclosure:
        """The read-only part of every enclosure, with the installed copies of the package covered."""
        shown = with_tools(system(), [Path(sys.executable), self.tools / "bin" / "tool"])
        patterns = [pattern for name in ("python", "r") for pattern in load_profile(name).tools.installed]
        return hide(shown, installed_copies(shown, patterns, [PACKAGE, "tinymedian"]))

    def knowledge(self, room: Room, enclosure: Enclosure, mark: str, limits: Limits) -> dict[str, object]:
        """Everything a strong attacker could know, but no secret."""
        return {
            **{word: f"{word}-{self.word}-{mark[:6]}" for word in ("started", "finished", "claim")},
            **self.names,
            **self._shared(),
            **{
                name: self.bystander[name]
                for name in ("tcp4", "tcp6", "udp", "vsock", "shm", "msg", "sem", "posix_shm")
            },
            "mark": mark,
            "shape": SHAPE,
            "confined": self.barrier.kind != NoBarrier.kind,
            "pid_namespace": os.readlink("/proc/self/ns/pid"),  # noqa: PTH115
            "mnt_namespace": os.readlink("/proc/self/ns/mnt"),  # noqa: PTH115
            "own": self._own(room, enclosure),
            "expected": self.tools.parts,
            "paths": {name: str(path) for name, path in self.paths.items()},
            "temporary": [str(path) for path in self.temporary],
            "installed": [str(path) for path in self.installed.values()],
            "shared_places": self.shared_places(),
            "import_paths": [str(path) for path in self.import_paths],
            "folder": str(self.folder),
            "workspace": str(self.folder / "workspace"),
            "run": str(self.run),
            "store": str(self.run / "store"),
            "desk": str(self.tester.desk),
            "target": str(self.target),
            "clone": str(self.clone),
            "objects": self.objects,
            "room": str(self.tester.folder),
            "home": str(self.tester.home),
            "transcript": str(self.paths["the tester's transcript"]),
            "person": str(self.person),
            "tools": str(self.tools),
            "effects": str(self.effects),
            "schedules": SCHEDULES,
            "bystander": self.bystander,
            "accomplice": self.accomplice,
            "engine": os.getpid(),
            "victim": self.victim.pid,
            "terminal": os.ttyname(self.slave),
            "uid": os.getuid(),
            "devices": {str(path): path.stat().st_ino for path in map(Path, _DEVICES) if path.exists()},
            "user": _user(),
            "hostname": os.uname().nodename,
            "cgroup": "/sys/fs/cgroup",
            "limits": limits.model_dump(),
        }

    def shared_places(self) -> list[str]:
        """Folders of the machine that every role sees or could expect, and none may write to."""
        python = [Path(sys.executable).parent, Path(os.__file__).parent, Path(sys.prefix), Path(sys.base_prefix)]
        usual = ("/", "/usr", "/usr/bin", "/usr/lib", "/usr/local/lib", "/etc", "/etc/ssl/certs", "/opt", "/var")
        return [*usual, *dict.fromkeys(map(str, python))]

    def _own(self, room: Room, enclosure: Enclosure) -> dict[str, str]:
        parts = {"repo": room.repo, "in": room.inbox, "out": room.outbox, "home": room.home, "tmp": room.tmp}
        return {name: self.barrier.path(enclosure, path) for name, path in parts.items()}

    def _shared(self) -> dict[str, object]:
        """Files that both roles may read and neither may write."""
        return {
            "shared_file": str(self.tools / "bin" / "tool"),
            "shared_files": [str(path) for path in self.shared_files],
            "lock_base": 2**40,
            "meeting": str(self.folder / "meeting"),
        }

    # --- what can be seen afterwards -------------------------------------------------------------------------------

    def snapshot(self, room: Room) -> dict[str, tuple[int, ...]]:
        """Everything that an attack must not have changed: the run, the person's folders, the tools."""
        own = {room.folder, room.desk}
        found: dict[str, tuple[int, ...]] = {}
        waiting = [self.folder / "workspace", self.person, self.tools, self.effects, self.folder / "meeting"]
        while waiting:
            folder = waiting.pop()
            with os.scandir(folder) as entries:
                for entry in entries:
                    info = entry.stat(follow_symlinks=False)
                    if Path(entry.path) in own or entry.name.startswith("builder-"):
                        continue
                    if stat.S_ISDIR(info.st_mode):
                        waiting.append(Path(entry.path))
                        found[entry.path] = (info.st_mode, info.st_uid)
                    else:
                        found[entry.path] = (info.st_mode, info.st_uid, info.st_size, info.st_mtime_ns, info.st_nlink)
        return found

    def terminal_output(self) -> bytes:
        """What has arrived at either end of the person's terminal."""
        text = b""
        for fd in (self.master, self.slave):
            while select.select([fd], [], [], 0)[0]:
                with contextlib.suppress(OSError):
                    text += os.read(fd, 4096)
                    continue
                break
        return text

    def victim_suffered(self) -> str:
        """What was done to the process that only wants to live; a new one takes its place."""
        if self.victim.poll() is not None:
            self.victim = self._start_victim()
            return "a process of the machine was ended"
        if os.getpriority(os.PRIO_PROCESS, self.victim.pid) != os.getpriority(os.PRIO_PROCESS, os.getpid()):
            _end(self.victim)
            self.victim = self._start_victim()
            return "the priority of a process of the machine was changed"
        return ""


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "nobody"


def _end(process: subprocess.Popen[bytes]) -> None:
    """Let it end by itself, then end it."""
    if process.stdin:
        with contextlib.suppress(OSError):
            process.stdin.close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(2)
    with contextlib.suppress(OSError):
        process.send_signal(signal.SIGKILL)
    process.wait()
    if process.stdout:
        process.stdout.close()
