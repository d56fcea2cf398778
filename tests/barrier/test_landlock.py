"""Attacks on the Landlock barrier, each a small program that is run as a role.

Every attack is also run without a barrier, where it must succeed: an attack that never works proves nothing. The rooms
do not lie in pytest's folder, which is closed to other users. Run as an ordinary user, the same attacks are made on the
weaker variant; run as root, one test makes them there as an ordinary user (`python -m tests.barrier.test_landlock`).
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import secrets
import shutil
import signal
import socket
import stat
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from statsclaw.errors import InputRefused, MachineRefused
from statsclaw.sandbox import landlock, lending
from statsclaw.sandbox.barrier import Barrier, NoBarrier
from statsclaw.sandbox.choose import KINDS, make_barrier
from statsclaw.sandbox.enclosure import Enclosure, Mount, Purpose, nested
from statsclaw.sandbox.landlock import LAUNCHER, USERS, Landlock
from statsclaw.sandbox.limits import MIB, Limits
from statsclaw.sandbox.process import Completed
from statsclaw.sandbox.room import remove_tree
from statsclaw.sandbox.toolchain import find_program, hide, system, with_paths
from tests.support.patience import within

ROOT = os.geteuid() == 0
SRC = Path(landlock.__file__).parents[2]
DISKS = sorted(str(path) for path in Path("/dev").iterdir() if path.is_block_device())

#: Only what the kernel lacks is a reason to skip: a barrier that has become unusable must be seen to fail.
pytestmark = pytest.mark.skipif(
    landlock.abi() < landlock.OLDEST_ABI, reason="this kernel has no Landlock, or an old one"
)


# ---------------------------------------------------------------------------------------------------------------------
# The scene: two rooms, a workspace, a tool folder, and a machine with services that are open to everybody
# ---------------------------------------------------------------------------------------------------------------------

PLACES: tuple[tuple[str, str, Purpose, bool], ...] = (
    ("repo", "/repo", "repository", True),
    ("in", "/in", "documents", False),
    ("out", "/out", "outbox", True),
    ("home", "/home/role", "home", True),
    ("tmp", "/tmp", "temporary", True),
)

#: The other role at work. It wants to be found: it opens whatever it may open to everybody.
VICTIM = """
import ctypes, json, os, sys, time
secret = sys.argv[1]
kept = ctypes.create_string_buffer(secret.encode())
fd = os.open("note", os.O_RDWR | os.O_CREAT)
os.write(fd, secret.encode())
os.unlink("note")
tmp, out = os.environ["TMPDIR"], os.environ["OUT"]
os.symlink(secret, tmp + "/link")
with open(tmp + "/open", "w") as file:
    file.write(secret)
for path, mode in ((tmp + "/open", 0o666), (tmp, 0o777), (out, 0o777), (".", 0o777)):
    try:
        os.chmod(path, mode)
    except OSError:
        pass
facts = {"pid": os.getpid(), "parent": os.getppid(), "address": ctypes.addressof(kept), "fd": fd, "user": os.getuid()}
with open(out + "/new", "w") as file:
    json.dump(facts, file)
os.rename(out + "/new", out + "/ready")
while not os.path.exists(out + "/stop"):
    time.sleep(0.01)
"""

#: What every attack starts with. `T` holds what an attacker could know or guess: names, process numbers, ports.
PRELUDE = """
import ctypes, errno, json, os, select, signal, socket, struct, subprocess, sys, time
T = json.loads(os.environ["T"])
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *arguments):
    result = libc.syscall(number, *(ctypes.c_long(a) if isinstance(a, int) else a for a in arguments))
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result
def read(path):
    with open(path, "rb") as file:
        return file.read().decode("utf-8", "replace")
def taken(sock):
    sock.settimeout(3)
    return sock.recv(100).decode()
"""


class Room:
    def __init__(self, folder: Path) -> None:
        self.folder, self.desk = folder, folder.with_name(folder.name + "-desk")
        for name, _, _, _ in PLACES:
            (folder / name).mkdir(parents=True)
        self.desk.mkdir()

    def __truediv__(self, name: str) -> Path:
        return self.folder / name

    def enclosure(self, tools: Enclosure) -> Enclosure:
        own = [Mount(inside=i, host=str(self / name), purpose=p, writable=w) for name, i, p, w in PLACES]
        return replace(tools, mounts=nested((*tools.mounts, *own)), cwd="/repo")

    def run(self, barrier: Barrier, argv: list[str], tools: Enclosure, **given: object) -> Completed:
        env = {"HOME": str(self / "home"), "TMPDIR": str(self / "tmp"), "OUT": str(self / "out"), "LANG": "C.UTF-8"}
        env |= given.pop("env", {})  # type: ignore[call-overload]
        limits = given.pop("limits", Limits(timeout_s=30))
        assert isinstance(limits, Limits)
        return barrier.run(argv, self.enclosure(tools), desk=self.desk, env=env, limits=limits, **given)  # type: ignore[arg-type]


class Scene:
    """`secret` is what no attack may print; `world()` is what no attack may change."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="statsclaw-landlock-"))
        self.folder.chmod(0o755)
        self.secret = "TOKEN" + secrets.token_hex(12)
        self.builder, self.tester = Room(self.folder / "builder"), Room(self.folder / "tester")
        self.closing = contextlib.ExitStack()
        self.closing.callback(remove_tree, self.folder)
        (self.tester / "in" / "test-spec.md").write_text(self.secret)
        (self.tester / "in" / f"{self.secret}.md").write_text("its name is the secret")
        (self.tester / "repo" / "validation.py").write_text(self.secret)
        (self.tester / "home" / ".netrc").write_text(self.secret)
        (self.builder / "in" / "spec.md").write_text("for the builder")
        store = self.folder / "store"
        store.mkdir()
        store.chmod(0o777)
        for name in ("object", "kept", "open"):
            (store / name).write_text(self.secret)
            (store / name).chmod(0o666)
        with contextlib.suppress(OSError):
            os.setxattr(store / "object", "user.secret", self.secret.encode())
        self.machine_file = Path(tempfile.gettempdir()) / f"statsclaw-{secrets.token_hex(8)}"
        for path in (self.machine_file, self.machine_file.with_name(f"statsclaw-{self.secret}")):
            path.write_text(self.secret)
            path.chmod(0o666)
            self.closing.callback(path.unlink, missing_ok=True)
        self.tools = self._tools()
        self.facts: dict[str, object] = {}

    def __enter__(self) -> Scene:
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.close()

    def _tools(self) -> Enclosure:
        folder = self.folder / "tools" / "lib"
        for name in ("statsclaw", "numbers"):
            (folder / name).mkdir(parents=True)
            (folder / name / "__init__.py").write_text(f"SECRET = {self.secret!r}\nVALUE = 42\n")
        (folder / "alias").symlink_to("statsclaw")
        if ROOT:
            shutil.copy("/usr/bin/cat", self.folder / "tools" / "cat")
            (self.folder / "tools" / "cat").chmod(0o4755)
            (self.folder / "tools" / "root-only").write_text(self.secret)
            (self.folder / "tools" / "root-only").chmod(0o600)
        shown = with_paths(system(), [self.folder / "tools"], "toolchain")
        return hide(shown, [folder / "statsclaw"])

    def with_services(self) -> None:
        """Sockets, shared memory: what a machine offers to every user."""
        for name, family, kind, address in (
            ("tcp", socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
            ("udp", socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
            ("abstract", socket.AF_UNIX, socket.SOCK_STREAM, f"\0statsclaw-{self.secret[:12]}"),
            ("path", socket.AF_UNIX, socket.SOCK_STREAM, str(self.folder / "store" / "stream")),
            ("datagram", socket.AF_UNIX, socket.SOCK_DGRAM, str(self.folder / "store" / "datagram")),
        ):
            server = socket.socket(family, kind)
            self.closing.callback(server.close)
            server.bind(address)
            at = server.getsockname()
            self.facts[name] = at[1] if family == socket.AF_INET else (at if isinstance(at, str) else at.decode())
            if isinstance(address, str) and address.startswith("/"):
                Path(address).chmod(0o777)
            if kind == socket.SOCK_STREAM:
                server.listen()
            threading.Thread(target=self._serve, args=(server, kind), daemon=True).start()
        libc = ctypes.CDLL(None)
        shared = libc.shmget(0, 4096, 0o1666)
        libc.shmat.restype = ctypes.c_void_p
        ctypes.memmove(libc.shmat(shared, None, 0), self.secret.encode(), len(self.secret))
        self.closing.callback(libc.shmctl, shared, 0, None)
        self.facts["shared"] = shared
        memory = Path("/dev/shm") / self.machine_file.name
        memory.write_text(self.secret)
        memory.chmod(0o666)
        self.closing.callback(memory.unlink, missing_ok=True)
        self.facts["memory"] = str(memory)

    def _serve(self, server: socket.socket, kind: socket.SocketKind) -> None:
        with contextlib.suppress(OSError):
            while True:
                if kind == socket.SOCK_STREAM:
                    with server.accept()[0] as connection:
                        connection.sendall(self.secret.encode())
                else:
                    message, back = server.recvfrom(100)
                    if back:
                        server.sendto(self.secret.encode(), back)
                    else:
                        (self.folder / "store" / "received").write_bytes(message)

    @contextlib.contextmanager
    def victim(self, barrier: Barrier) -> Iterator[None]:
        """The other role is at work, behind the same kind of barrier."""
        done: list[Completed] = []
        argv = ["/usr/bin/python3", "-c", VICTIM, self.secret]
        thread = threading.Thread(
            target=lambda: done.append(self.tester.run(barrier, argv, self.tools, env={"SECRET": self.secret}))
        )
        thread.start()
        try:
            while not (self.tester / "out" / "ready").exists():
                assert thread.is_alive(), done
                time.sleep(0.005)
            self.facts |= json.loads((self.tester / "out" / "ready").read_text())
            yield
        finally:
            (self.tester / "out" / "stop").touch()
            thread.join()
        self.facts["victim ended"] = done[0].exit_code

    def attack(self, barrier: Barrier, code: str, limits: Limits | None = None) -> str:
        told = {"base": str(self.folder), "tester": str(self.tester.folder), "own": str(self.builder.folder)}
        told |= {"disk": DISKS[0] if DISKS else "/dev/sda"}
        told |= {"machine_file": str(self.machine_file), "tmp": tempfile.gettempdir(), "launcher": str(LAUNCHER)}
        done = self.builder.run(
            barrier,
            ["/usr/bin/python3", "-c", PRELUDE + code],
            self.tools,
            env={"T": json.dumps(told | self.facts)},
            limits=limits or Limits(timeout_s=20),
        )
        return done.output.decode("utf-8", "replace") + done.ended_by

    def world(self) -> dict[str, object]:
        """Everything outside the builder's room, as it is, with modes, owners and times."""
        found: dict[str, object] = {}
        own = (self.builder.folder, self.builder.desk, self.tester.desk)
        tops = [path for path in self.folder.iterdir() if path not in own]
        for path in [self.machine_file, *tops, *(path for top in tops for path in top.rglob("*"))]:
            if path.name not in ("ready", "stop"):
                info = path.lstat()
                regular = stat.S_ISREG(info.st_mode)
                data, times = (path.read_bytes(), info.st_mtime_ns) if regular else (b"", 0)
                found[str(path)] = (data, stat.S_IMODE(info.st_mode), info.st_uid, times)
        return found


# ---------------------------------------------------------------------------------------------------------------------
# The attacks
# ---------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Attack:
    """`code` prints the secret, or changes something outside the room, or prints DONE when it did what it must not.

    `same_user`: refused even where roles are run as the user who runs StatsClaw. `open`: works without a barrier here.
    """

    name: str
    code: str
    same_user: bool = True
    victim: bool = False
    services: bool = False
    open: bool = True
    root_only: bool = False
    limits: Limits = field(default_factory=lambda: Limits(timeout_s=20))


READING = (
    Attack("the other role's document", "print(read(T['tester'] + '/in/test-spec.md'))"),
    Attack("the other role's repository", "print(read(T['tester'] + '/repo/validation.py'))"),
    Attack("the other role's home", "print(read(T['tester'] + '/home/.netrc'))"),
    Attack("the workspace's store", "print(read(T['base'] + '/store/object'))"),
    Attack("a file of the machine's temporary folder", "print(read(T['machine_file']))"),
    Attack("listing the other role's documents", "print(os.listdir(T['tester'] + '/in'))"),
    Attack("listing the machine's temporary folder", "print(os.listdir(T['tmp']))"),
    Attack("listing by pattern", "import glob; print(glob.glob(T['tester'] + '/in/*'))"),
    Attack("a symbolic link to it", "os.symlink(T['tester'] + '/in/test-spec.md', 'a'); print(read('a'))"),
    Attack("a symbolic link to the folder", "os.symlink(T['tester'], 'a'); print(read('a/in/test-spec.md'))"),
    Attack("a hard link to it", "os.link(T['base'] + '/store/object', 'a'); print(read('a'))"),
    Attack("renaming it into the room", "os.rename(T['base'] + '/store/kept', 'a'); print(read('a'))"),
    Attack("going up from the room", "os.chdir('../../tester/in'); print(read('test-spec.md'))"),
    Attack(
        "by way of its own process",
        "print(read('/proc/self/root' + T['tester'] + '/in/test-spec.md'))",
    ),
    Attack(
        "opening it without reading, then again",
        "fd = os.open(T['base'] + '/store/object', os.O_PATH); print(read(f'/proc/self/fd/{fd}'))",
    ),
    Attack(
        "opening it without reading, then executing",
        "fd = os.open(T['base'] + '/store/object', os.O_PATH)\n"
        "print(subprocess.run(['/bin/sh', f'/proc/self/fd/{fd}'], capture_output=True, pass_fds=[fd]).stderr.decode())",
    ),
    Attack(
        "by handle",
        "handle = ctypes.create_string_buffer(struct.pack('Ii', 120, 0) + bytes(120)); where = ctypes.c_int()\n"
        "call(303, -100, (T['base'] + '/store/object').encode(), handle, ctypes.byref(where), 0)\n"
        "fd = call(304, os.open('/', os.O_RDONLY), handle, 0); print(os.read(fd, 100).decode())",
        open=ROOT,
    ),
    Attack("extended attributes", "print(os.getxattr(T['base'] + '/store/object', 'user.secret').decode())"),
    Attack(
        "being told of names as they are used",
        "fd = libc.inotify_init()\n"
        "if libc.inotify_add_watch(fd, T['base'].encode() + b'/tester/in', 0xfff) < 0: sys.exit('refused')\n"
        "subprocess.run(['/bin/ls', T['tester'] + '/in'], stdout=-3)\n"
        "print('DONE', select.select([fd], [], [], 1)[0])",
    ),
    Attack("a block device", "os.open(T['disk'], os.O_RDONLY); print('DONE')", open=ROOT and bool(DISKS)),
    Attack("a device made by itself", "os.mknod('disk', 0o60666, os.makedev(254, 0)); print('DONE')", open=ROOT),
    Attack("the kernel's messages", "os.open('/dev/kmsg', os.O_RDONLY); print('DONE')",
           open=os.access("/dev/kmsg", os.R_OK)),
    Attack("the list of mounts", "print('DONE' if read('/proc/self/mountinfo') else '')"),
    Attack("the machine's accounts", "print('DONE' if 'root:' in read('/etc/passwd') else '')"),
    Attack(
        "a set-user-id program",
        "print(subprocess.run([T['base'] + '/tools/cat', T['base'] + '/tools/root-only'], capture_output=True).stdout)",
        root_only=True,
    ),
    Attack("a file that only root may read", "print(read(T['base'] + '/tools/root-only'))", root_only=True),
    Attack("what is hidden in a tool folder", "print(read(T['base'] + '/tools/lib/statsclaw/__init__.py'))"),
    Attack("what is hidden, by a link beside it", "print(read(T['base'] + '/tools/lib/alias/__init__.py'))"),
    Attack("importing what is hidden",
           "sys.path.insert(0, T['base'] + '/tools/lib'); import statsclaw as s; print(s.SECRET)"),
    Attack(
        "inherited files",
        "for fd in range(3, 1024):\n"
        "    try:\n"
        "        os.fstat(fd); print('DONE', fd)\n"
        "    except OSError: pass",
        open=False,
    ),
)  # fmt: skip

OTHER_PROCESSES = (
    Attack("its environment", "print(read(f\"/proc/{T['pid']}/environ\"))", victim=True),
    Attack("its command line", "print(read(f\"/proc/{T['pid']}/cmdline\"))", victim=True),
    Attack("its root", "print(read(f\"/proc/{T['pid']}/root{T['tester']}/in/test-spec.md\"))", victim=True),
    Attack("its working folder", "print(read(f\"/proc/{T['pid']}/cwd/validation.py\"))", victim=True),
    Attack("where its working folder is", "print('DONE', os.readlink(f\"/proc/{T['pid']}/cwd\"))", victim=True),
    Attack("its open files", "print(read(f\"/proc/{T['pid']}/fd/{T['fd']}\"))", victim=True),
    Attack("its memory as a file", "f = open(f\"/proc/{T['pid']}/mem\", 'rb'); f.seek(T['address']); print(f.read(30))",
           victim=True),
    Attack(
        "its memory by a debugger",
        "call(101, 16, T['pid'], None, None); os.waitpid(T['pid'], 0); word = ctypes.c_long()\n"
        "call(101, 2, T['pid'], ctypes.c_void_p(T['address']), ctypes.byref(word))\n"
        "print('DONE' if word.value else ''); call(101, 17, T['pid'], None, None)",
        victim=True,
    ),
    Attack(
        "its memory by one call",
        "here = ctypes.create_string_buffer(30)\n"
        "local, remote = (struct.pack('QQ', a, 29) for a in (ctypes.addressof(here), T['address']))\n"
        "call(310, T['pid'], local, 1, remote, 1, 0); print(here.value.decode())",
        victim=True,
    ),
    Attack(
        "a copy of its open file",
        "fd = call(438, os.pidfd_open(T['pid']), T['fd'], 0); print(os.pread(fd, 100, 0).decode())",
        victim=True,
    ),
    Attack("the list of processes", "print('DONE' if str(T['pid']) in os.listdir('/proc') else '')", victim=True),
    Attack("ending it", "os.kill(T['pid'], signal.SIGKILL); print('DONE')", victim=True),
    Attack("stopping it by another handle",
           "signal.pidfd_send_signal(os.pidfd_open(T['pid']), signal.SIGUSR1); print('DONE')", victim=True),
    Attack("ending what started it", "os.kill(T['parent'], signal.SIGCONT); print('DONE')", victim=True),
    Attack("ending what started oneself", "os.kill(os.getppid(), signal.SIGCONT); print('DONE')"),
    Attack("its priority", "os.setpriority(os.PRIO_PROCESS, T['pid'], 5); print('DONE')", victim=True, same_user=False),
    Attack("its limits", "import resource; resource.prlimit(T['pid'], resource.RLIMIT_CORE, (0, 0)); print('DONE')",
           victim=True),
    Attack("what it left open to everybody", "print(read(T['tester'] + '/tmp/open'))", victim=True),
    Attack("a message in a link", "print(os.readlink(T['tester'] + '/tmp/link'))", victim=True, same_user=False),
    Attack("a message in a size", "print('DONE', os.stat(T['tester'] + '/tmp/open').st_size)", victim=True,
           same_user=False),
)  # fmt: skip

CHANGES = (
    Attack("appending to a file", "open(T['tester'] + '/repo/validation.py', 'a').write('x')"),
    Attack("making a file", "open(T['base'] + '/store/new', 'w').write('x')"),
    Attack("making a folder", "os.mkdir(T['base'] + '/store/new')"),
    Attack("making a link", "os.symlink('/', T['base'] + '/store/new')"),
    Attack("making a pipe", "os.mkfifo(T['base'] + '/store/new')"),
    Attack("removing a file", "os.unlink(T['base'] + '/store/object')"),
    Attack("cutting a file", "os.truncate(T['base'] + '/store/object', 0)"),
    Attack("cutting a file by opening it", "os.open(T['base'] + '/store/object', os.O_WRONLY | os.O_TRUNC)"),
    Attack("renaming over a file", "open('a', 'w'); os.rename('a', T['base'] + '/store/object')"),
    Attack("exchanging two files",
           "open('a', 'w'); call(316, -100, b'a', -100, (T['base'] + '/store/object').encode(), 2)"),
    Attack("hard link to the outside", "open('a', 'w'); os.link('a', T['base'] + '/store/new')"),
    Attack("a file of the machine", "open(T['machine_file'], 'a').write('x')"),
    Attack("a tool", "open(T['base'] + '/tools/lib/numbers/__init__.py', 'a').write('x')"),
    Attack("the mode of a file", "os.chmod(T['base'] + '/store/object', 0o600)", same_user=False),
    Attack("the owner of a file", "os.chown(T['base'] + '/store/object', 1, 1)", open=ROOT),
    Attack("the times of a file", "os.utime(T['base'] + '/store/object', (1, 1))", same_user=False),
    Attack("an attribute of a file",
           "os.setxattr(T['base'] + '/store/open', 'user.x', b'y'); print('DONE')"),
    Attack("its own documents", "open(T['own'] + '/in/spec.md', 'a').write('x'); print('DONE')"),
    Attack("its own documents' mode", "os.chmod(T['own'] + '/in/spec.md', 0); print('DONE')", same_user=False),
    Attack("opening its own room to others", "os.chmod(T['own'] + '/tmp', 0o777); print('DONE')", same_user=False),
)  # fmt: skip

WAYS_OUT = (
    Attack("TCP", "print(taken(socket.create_connection(('127.0.0.1', T['tcp']), 3)))", services=True),
    Attack("listening on TCP", "s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen(); print('DONE')"),
    Attack("UDP", "s = socket.socket(type=socket.SOCK_DGRAM); s.sendto(b'x', ('127.0.0.1', T['udp'])); print(taken(s))",
           services=True),
    Attack("UDP of version 6", "s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)\n"
           "s.sendto(b'x', ('::ffff:127.0.0.1', T['udp'])); print(taken(s))", services=True),
    Attack("another stream protocol",
           "s = socket.socket(2, 1, 262); s.connect(('127.0.0.1', T['tcp'])); print(taken(s))",
           services=True, open=Path("/proc/sys/net/mptcp/enabled").exists()),
    Attack("connecting by sending", "s = socket.socket()\n"
           "s.sendto(b'x', 0x20000000, ('127.0.0.1', T['tcp'])); print(taken(s))", services=True),
    Attack("raw sockets", "socket.socket(socket.AF_INET, socket.SOCK_RAW, 1); print('DONE')", open=ROOT),
    Attack("the kernel's sockets", "s = socket.socket(16, 3, 0); s.bind((0, 0)); print('DONE')"),
    Attack("the machine's addresses by a pair", "import fcntl; a, b = socket.socketpair()\n"
           "here = ctypes.create_string_buffer(4096)\n"
           "told = fcntl.ioctl(a, 0x8912, struct.pack('iP', 4096, ctypes.addressof(here)))\n"
           "print('DONE' if struct.unpack_from('i', told)[0] else '')"),
    Attack("an abstract socket", "s = socket.socket(1); s.connect(T['abstract']); print(taken(s))", services=True),
    Attack("a socket with a path", "s = socket.socket(1); s.connect(T['path']); print(taken(s))", services=True),
    Attack("a pair, sent elsewhere", "a, b = socket.socketpair(1, 2); a.sendto(b'x', T['datagram'])\n"
           "time.sleep(.3); print('DONE')", services=True),
    Attack("a pair, connected elsewhere", "a, b = socket.socketpair(1, 2); a.connect(T['datagram']); print('DONE')",
           services=True),
    Attack("shared memory by number", "libc.shmat.restype = ctypes.c_void_p\n"
           "where = libc.shmat(T['shared'], None, 0)\n"
           "print(ctypes.string_at(where, 40) if where != 2**64 - 1 else '')", services=True),
    Attack("shared memory by name", "print(read(T['memory']))", services=True),
    Attack("a message queue", "print('DONE' if libc.msgget(0, 0o1600) >= 0 else '')"),
    Attack("a named message queue", "print('DONE' if libc.syscall(240, b'x', 0o102, 0o600, None) >= 0 else '')"),
    Attack("a user namespace", "call(272, 0x10000000); print('DONE')"),
    Attack("a mount namespace", "call(272, 0x00020000); print('DONE')", open=ROOT),
    Attack("a namespace by fork", "print('DONE' if call(56, 0x10000000 | 17, 0, 0, 0, 0) >= 0 else '')"),
    Attack("mounting", "os.mkdir('m'); call(165, b'none', b'm', b'tmpfs', 0, None); call(166, b'm', 0); print('DONE')",
           open=ROOT),
    Attack("another root", "os.chroot('/usr'); print('DONE')", open=ROOT),
    Attack("io_uring", "call(425, 4, ctypes.create_string_buffer(120)); print('DONE')"),
    Attack("loading a program into the kernel",
           "call(321, 0, struct.pack('IIII', 2, 4, 4, 1) + bytes(112), 128); print('DONE')",
           open=ROOT),
    Attack("becoming root again", "os.setuid(0); print('DONE' if os.getuid() == 0 else '')", open=ROOT),
    Attack("being dumped", "import resource; resource.setrlimit(resource.RLIMIT_CORE, (-1, -1)); print('DONE')",
           open=ROOT),
    Attack("the machine's control groups", "open('/sys/fs/cgroup/memory/cgroup.procs', 'a'); print('DONE')",
           open=ROOT and Path("/sys/fs/cgroup/memory/cgroup.procs").exists()),
    Attack("a new terminal", "os.openpty(); print('DONE')", open=os.access("/dev/ptmx", os.W_OK)),
)  # fmt: skip

ATTACKS = (*READING, *OTHER_PROCESSES, *CHANGES, *WAYS_OUT)


def succeeds(attack: Attack, barrier: Barrier) -> str:
    """What the attack achieved; nothing if it was refused."""
    with Scene() as scene, contextlib.ExitStack() as stack:
        if attack.services:
            scene.with_services()
        if attack.victim:
            stack.enter_context(scene.victim(barrier))
        before = scene.world()
        said = scene.attack(barrier, attack.code, attack.limits)
        after = scene.world()
    gone = attack.victim and scene.facts["victim ended"] != 0
    if scene.secret in said or "DONE" in said:
        return said
    return "the other role's program was ended" if gone else _difference(before, after)


def _difference(before: dict[str, object], after: dict[str, object]) -> str:
    return " ".join(path for path in sorted({*before, *after}) if before.get(path) != after.get(path))


def barrier_attacks() -> list[Attack]:
    return [attack for attack in ATTACKS if (ROOT or attack.same_user) and (ROOT or not attack.root_only)]


@pytest.mark.parametrize("attack", barrier_attacks(), ids=lambda attack: attack.name)
def test_an_attack_is_refused(attack: Attack) -> None:
    with within(60):
        assert not succeeds(attack, Landlock())


@pytest.mark.parametrize("attack", [a for a in barrier_attacks() if a.open], ids=lambda attack: attack.name)
def test_the_attack_works_without_a_barrier(attack: Attack) -> None:
    with within(60):
        assert succeeds(attack, NoBarrier())


# ---------------------------------------------------------------------------------------------------------------------
# What it does not hide: `shows` must say all of it, and no more
# ---------------------------------------------------------------------------------------------------------------------


def test_what_shows_says_is_what_can_be_seen() -> None:
    """Each row: words of `shows`, and a program that finds out what they admit."""
    admitted = {
        "names, sizes, times and owners": "print(os.stat(T['base'] + '/store/object')[4:])",
        "where symbolic links lead": "print(os.readlink(T['base'] + '/tools/lib/alias'))",
        "the names (not the contents) below a hidden path": "print(os.listdir(T['base'] + '/tools/lib/statsclaw'))",
        "which process numbers are in use, by which user": "print(os.stat(f\"/proc/{T['pid']}\").st_uid)",
        "and how busy": "print(time.clock_gettime(~T['pid'] << 3 | 2))",
        "machine's name, kernel": "print(*os.uname())",
        "processors, memory": "print(len(read('/proc/cpuinfo')), len(read('/proc/meminfo')), len(read('/proc/stat')))",
        "load": "print(os.getloadavg())",
        "how full its disks are": "print(os.statvfs('/').f_bavail)",
    }  # fmt: skip
    barrier = Landlock()
    with within(60), Scene() as scene, scene.victim(barrier):
        for words, code in admitted.items():
            said = scene.attack(barrier, code)
            assert words in barrier.shows
            assert said.strip() and "Error" not in said and scene.secret not in said, (words, said)
        said = scene.attack(barrier, admitted["which process numbers are in use, by which user"])
        assert said.strip() == str(scene.facts["user"])


def test_what_is_shown_as_an_ordinary_user_is_said_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert "can change modes and times of this user's files" in Landlock().shows
    assert "end this user's other programs" not in Landlock().shows or landlock.abi() < 6
    monkeypatch.setattr(landlock, "abi", lambda: 5)
    assert "it can end this user's other programs" in Landlock().shows


@pytest.mark.skipif(not ROOT, reason="only root can be another user")
def test_as_an_ordinary_user_the_same_is_refused_but_for_what_is_said() -> None:
    """Modes, times, priorities and links of the same user's files: `shows` says so. Everything else is refused."""
    packages = Path(pytest.__file__).parents[1]
    env = {"PYTHONPATH": f"{SRC}:{packages}:{SRC.parent}", "PYTHONDONTWRITEBYTECODE": "1", "PATH": os.defpath}
    command = ["/usr/bin/python3", "-m", "tests.barrier.test_landlock"]
    trial = [*command[:1], "-c", "import pydantic, pytest, statsclaw"]
    as_other = {"user": USERS[0] - 1, "group": USERS[0] - 1, "extra_groups": [], "env": env, "cwd": SRC.parent}
    if subprocess.run(trial, capture_output=True, check=False, **as_other).returncode:  # type: ignore[call-overload]
        pytest.skip("another user cannot start StatsClaw here")
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, **as_other)  # type: ignore[call-overload]
    assert done.returncode == 0, done.stderr
    achieved = json.loads(done.stdout)
    assert len(achieved) > 60
    wrong = {a.name for a in ATTACKS if a.name in achieved and bool(achieved[a.name]) == a.same_user}
    assert not wrong, {name: achieved[name] for name in wrong}


# ---------------------------------------------------------------------------------------------------------------------
# Endings
# ---------------------------------------------------------------------------------------------------------------------

#: A program that nobody waits for, in a session of its own, which writes down who it is.
SURVIVOR = """
import os, sys, time, signal
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
    signal.signal(number, signal.SIG_IGN)
for _ in range(2):
    if os.fork():
        if _ == 0 and len(sys.argv) > 1:
            time.sleep(float(sys.argv[1]))
        os._exit(0)
    os.setsid()
for fd in (0, 1, 2):
    os.close(fd)
with open(os.environ["OUT"] + "/new", "w") as file:
    file.write(str(os.getpid()))
os.rename(os.environ["OUT"] + "/new", os.environ["OUT"] + "/ready")
time.sleep(60)
"""


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def _survivor(room: Room) -> int:
    while not (room / "out" / "ready").exists():
        time.sleep(0.005)
    return int((room / "out" / "ready").read_text())


def _gone_soon(pid: int) -> bool:
    end = time.monotonic() + 10
    while time.monotonic() < end and _alive(pid):
        time.sleep(0.01)
    return not _alive(pid)


def test_nothing_survives_its_program() -> None:
    waits = 'import os, time\nwhile not os.path.exists(os.environ["OUT"] + "/ready"): time.sleep(.01)\n'
    argv = ["/bin/sh", "-c", f"python3 -c '{SURVIVOR}'; python3 -c '{waits}'"]
    with within(60), Scene() as scene:
        done = scene.builder.run(Landlock(), argv, scene.tools)
        assert done.exit_code == 0, done.output
        assert not _alive(_survivor(scene.builder))
    with within(60), Scene() as scene:
        scene.builder.run(NoBarrier(), argv, scene.tools)
        left = _survivor(scene.builder)
        assert _alive(left)  # the program is one that would survive
        os.kill(left, signal.SIGKILL)


def test_a_time_limit_ends_everything() -> None:
    with within(60), Scene() as scene:
        done = scene.builder.run(
            Landlock(), ["/usr/bin/python3", "-c", SURVIVOR, "30"], scene.tools, limits=Limits(timeout_s=4)
        )
        assert "longer than 4 s" in done.ended_by
        assert not _alive(_survivor(scene.builder))


def test_a_term_signal_to_the_launcher_ends_everything() -> None:
    done: list[Completed] = []
    with within(60), Scene() as scene:
        argv = ["/usr/bin/python3", "-c", SURVIVOR, "30"]
        thread = threading.Thread(target=lambda: done.append(scene.builder.run(Landlock(), argv, scene.tools)))
        thread.start()
        left = _survivor(scene.builder)
        os.kill(int((scene.builder.desk / "pid").read_text().split()[0]), signal.SIGTERM)
        thread.join()
        assert done[0].exit_code != 0
        assert not _alive(left)


def test_the_program_ends_with_an_engine_that_is_killed() -> None:
    engine = """
import sys
from pathlib import Path
from tests.barrier.test_landlock import SURVIVOR, Landlock, Room, system
room = Room.__new__(Room)
room.folder, room.desk = Path(sys.argv[1]), Path(sys.argv[1] + "-desk")
room.run(Landlock(), ["/usr/bin/python3", "-c", SURVIVOR, "30"], system())
"""
    with within(60), Scene() as scene:
        process = subprocess.Popen([sys.executable, "-c", engine, str(scene.builder.folder)], cwd=SRC.parent)
        left = _survivor(scene.builder)
        first = int((scene.builder.desk / "pid").read_text().split()[0])
        process.kill()
        process.wait()
        assert _gone_soon(left)
        assert _gone_soon(first)


BOMB = "import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass\n"


def test_a_fork_bomb_is_ended_and_cleared_away() -> None:
    with within(60), Scene() as scene:
        marker = f"# {scene.secret}\n"
        limits = Limits(timeout_s=10, processes=60)
        done = scene.builder.run(Landlock(), ["/usr/bin/python3", "-c", marker + BOMB], scene.tools, limits=limits)
        assert done.ended_by
        assert done.elapsed_s < 30
        assert not _with_in_command_line(scene.secret)


def _with_in_command_line(text: str) -> list[int]:
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if text.encode() in entry.read_bytes() and int(entry.parent.name) != os.getpid():
                found.append(int(entry.parent.name))
    return found


def test_memory_disk_and_output_have_limits() -> None:
    with within(90), Scene() as scene:

        def run(code: str, **limits: object) -> Completed:
            given = Limits(timeout_s=20).model_copy(update=limits)
            return scene.builder.run(Landlock(), ["/usr/bin/python3", "-c", code], scene.tools, limits=given)

        assert run("x = bytearray(10**9)", memory_bytes=200 * MIB).exit_code != 0
        assert run("x = bytearray(10**7)", memory_bytes=200 * MIB).exit_code == 0
        assert run("open('big', 'wb').write(bytes(10**8))", disk_bytes=50 * MIB).exit_code != 0
        many = "import time\nfor n in range(40): open(f'f{n}', 'wb').write(bytes(2 * 10**6))\ntime.sleep(20)"
        assert "disk" in run(many, disk_bytes=50 * MIB).ended_by
        assert "printed more" in run("while True: print('x' * 1000)", output_bytes=10**6).ended_by


# ---------------------------------------------------------------------------------------------------------------------
# The separate user, and whose the files are
# ---------------------------------------------------------------------------------------------------------------------

only_root = pytest.mark.skipif(not ROOT, reason="roles have a user of their own only where StatsClaw is root")


@only_root
def test_two_programs_at_a_time_are_two_users_without_an_account() -> None:
    import grp
    import pwd

    barrier = Landlock()
    with within(60), Scene() as scene, scene.victim(barrier):
        said = scene.attack(barrier, "print(*os.getresuid(), *os.getresgid(), os.getgroups())")
        user = int(said.split()[0])
        assert said.split() == [str(user)] * 6 + ["[]"]
        assert user in USERS
        assert user != scene.facts["user"]
        assert scene.facts["user"] in USERS
        assert barrier.user == USERS[0]
        with pytest.raises(KeyError):
            pwd.getpwuid(user)
        with pytest.raises(KeyError):
            grp.getgrgid(user)


@only_root
def test_a_user_with_an_account_or_a_program_is_never_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lending, "USERS", range(61184, 61188))
    monkeypatch.setattr(lending, "users_at_work", lambda: {61184})
    monkeypatch.setattr(lending, "_is_known", lambda look_up, number: number == 61186)
    with lending.user_of_its_own() as one, lending.user_of_its_own() as two:
        assert {one, two} == {61185, 61187}
        with pytest.raises(MachineRefused, match="is taken"), lending.user_of_its_own():
            pass
    with lending.user_of_its_own() as again:
        assert again in (61185, 61187)


@only_root
def test_the_room_comes_back_and_nothing_outside_it_changes_hands() -> None:
    mess = """
os.symlink(T["base"] + "/store", "folder"); os.symlink(T["base"] + "/store/object", "file")
open("mine", "w").write("x"); os.link("mine", "twice"); os.chmod("mine", 0o6755)
os.mkdir("closed"); open("closed/inside", "w"); os.chmod("closed", 0)
os.mkfifo("pipe")
for n in range(1500):
    os.mkdir("d"); os.chdir("d")
"""
    with within(90), Scene() as scene:
        before = scene.world()
        assert "Error" not in scene.attack(Landlock(), mess)
        assert _difference(before, scene.world()) == ""
        repo = scene.builder / "repo"
        assert not os.lstat(repo / "mine").st_mode & (stat.S_ISUID | stat.S_ISGID)
        strangers = [(name, info.st_uid) for _, name, info in lending.below(repo) if info.st_uid or info.st_gid]
        assert not strangers
        assert len(list(lending.below(repo))) > 1500
        for name, _, _, _ in PLACES:
            info = (scene.builder / name).lstat()
            assert (info.st_uid, stat.S_IMODE(info.st_mode)) == (0, 0o700)


@only_root
def test_a_file_with_a_second_name_elsewhere_is_not_given_away() -> None:
    with within(60), Scene() as scene:
        os.link(scene.folder / "store" / "object", scene.builder / "repo" / "linked")
        (scene.folder / "store" / "object").chmod(0o644)
        said = scene.attack(Landlock(), "os.chmod('linked', 0o777); print('DONE')")
        assert "DONE" not in said
        assert (scene.folder / "store" / "object").stat().st_uid == 0


@only_root
def test_the_room_is_its_users_while_it_works() -> None:
    """Its own files can be changed in every way, and git takes the repository for its own."""
    with within(60), Scene() as scene:
        (scene.builder / "repo" / "given.txt").write_text("x")
        (scene.builder / "in" / "closed.md").write_text("for the builder")
        (scene.builder / "in" / "closed.md").chmod(0o600)
        said = scene.attack(
            Landlock(),
            "os.chmod('given.txt', 0o755); open('given.txt', 'a').write('y'); print(read(T['own'] + '/in/closed.md'))\n"
            "os.rename('given.txt', T['own'] + '/out/moved')\n"
            "print(os.path.getsize(T['own'] + '/out/moved'), flush=True)\n"
            "git = lambda *a: subprocess.run(['git', '-c', 'user.name=x', '-c', 'user.email=y', *a], check=True)\n"
            "git('init', '-q', '.'); git('commit', '-qm', 'm', '--allow-empty')\n"
            "git('log', '--format=%s')",
        )
        assert said.split() == ["for", "the", "builder", "2", "m"], said


@only_root
def test_a_room_that_the_user_cannot_reach_is_refused_in_one_line(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir()
    tmp_path.chmod(0o755)
    room = Room(closed / "room")
    closed.chmod(0o700)
    for folder in tmp_path.parents:  # pytest closes its own folders
        if folder.stat().st_uid == 0 and folder != Path("/") and not folder.stat().st_mode & 1:
            closed = folder
    with within(60), pytest.raises(MachineRefused) as refused:
        room.run(Landlock(), ["true"], system())
    line = refused.value.line()
    assert "closed to other users" in line
    assert "--workspace" in line
    assert "Nothing was started" in line
    assert (room / "repo").stat().st_gid == 0


@only_root
def test_a_tool_that_the_user_cannot_reach_is_refused(tmp_path: Path) -> None:
    with within(60), Scene() as scene:
        tool = scene.folder / "closed" / "bin" / "tool"
        tool.parent.mkdir(parents=True)
        tool.write_text("#!/bin/sh\n")
        tool.parent.parent.chmod(0o700)
        with pytest.raises(MachineRefused, match="closed to other users"):
            scene.builder.run(Landlock(), ["true"], with_paths(scene.tools, [tool], "toolchain"))


# ---------------------------------------------------------------------------------------------------------------------
# What works behind it
# ---------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["python3", "-c", "import os, ssl, sqlite3; print(os.cpu_count() > 0, os.listdir('.'))"], "True []"),
        (["Rscript", "-e", "cat(sum(unlist(parallel::mclapply(1:2, function(i) i, mc.cores = 2))))"], "3"),
        (["node", "-e", "console.log(require('os').cpus().length > 0, require('fs').readdirSync('.'))"], "true []"),
        (["sh", "-c", "echo 'int main(){return 0;}' > a.c && gcc a.c -o a && ./a && echo built"], "built"),
        (["bash", "-c", "cat <(echo one) - < /dev/null; head -c 4 /dev/urandom | wc -c"], "one\n4"),
        (["git", "--version"], "git version"),
    ],
    ids=["python", "R", "node", "compiler", "shell", "git"],
)  # fmt: skip
def test_programs_start(argv: list[str], said: str) -> None:
    if not find_program(argv[0], system()) or ("gcc" in argv[-1] and not find_program("gcc", system())):
        pytest.skip(f"{argv[0]} is not installed")
    with within(60), Scene() as scene:
        done = scene.builder.run(Landlock(), argv, scene.tools)
        assert done.exit_code == 0, done.output
        assert said in done.output.decode()


def test_a_launcher_that_cannot_be_started_is_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    with within(20), Scene() as scene:
        monkeypatch.setattr(sys, "executable", "/nonexistent/python")
        done = scene.builder.run(Landlock(), ["true"], scene.tools)
        assert done.exit_code == 127
        assert stat.S_IMODE((scene.builder / "repo").stat().st_mode) & 0o070 == 0 or not ROOT


@only_root
def test_a_user_that_keeps_a_right_is_refused() -> None:
    """A process told to keep its capabilities over a change of user starts nothing."""
    code = """
import ctypes, sys
from pathlib import Path
from tests.barrier.test_landlock import Landlock, MachineRefused, Scene
assert ctypes.CDLL(None).prctl(28, 4, 0, 0, 0) == 0  # SECBIT_NO_SETUID_FIXUP
with Scene() as scene:
    try:
        print(scene.builder.run(Landlock(), ["true"], scene.tools))
    except MachineRefused as refused:
        print(refused.line())
"""
    with within(60):
        done = subprocess.run([sys.executable, "-c", code], cwd=SRC.parent, capture_output=True, text=True, check=False)
    assert "the separate user was not taken on" in done.stdout, done.stderr


@only_root
def test_a_whole_run(tmp_path: Path) -> None:
    """Scripted roles, verification and shipping, all behind Landlock."""
    from tests.support.runs import HERE, HONEST, Bench, make_target, order_for

    with within(240), tempfile.TemporaryDirectory(prefix="statsclaw-landlock-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        backend = f"command:/usr/bin/python3 {HERE / 'agent.py'} {HONEST}"
        order = order_for(make_target(folder), backend=backend, python="/usr/bin/python3")
        view = Bench(folder, barrier="landlock").start(order)
        assert str(view.state) == "DONE"
        started = [dispatch.started for dispatch in view.dispatches.values()]
        assert {row.barrier for row in started} == {"landlock"}
        assert all("can be asked for one by one" in row.sandbox.shows for row in started if row.sandbox)


PAIRS = (("first", "second"), ("second", "first"))


@only_root
def test_programs_that_verify_at_once_read_the_same_folder_and_nothing_else_of_each_other() -> None:
    with within(60), tempfile.TemporaryDirectory(prefix="statsclaw-landlock-") as name:
        place = Path(name) / "verify"
        place.parent.chmod(0o711)
        for folder in ("site", "first", "second"):
            (place / folder).mkdir(parents=True)
        (place / "site" / "module").write_text("both read this")
        (place / "site" / "module").chmod(0o600)
        place.chmod(0o700)

        def started(own: str, script: str) -> Completed:
            mounts = (
                *system().mounts,
                Mount(inside="/verify/site", host=str(place / "site"), purpose="verification"),
                Mount(inside="/verify/own", host=str(place / own), purpose="temporary", writable=True),
            )
            enclosure = Enclosure(mounts=mounts, search_path=system().search_path, cwd="/verify/own")
            (Path(name) / f"desk-{own}").mkdir()
            given = {"desk": Path(name) / f"desk-{own}", "env": {}, "limits": Limits(timeout_s=30)}
            return Landlock().run(["sh", "-c", script], enclosure, **given)  # type: ignore[arg-type]

        look = f"touch here; until [ -e go ]; do sleep 0.05; done; cat {place}/site/module; id -G; cat {place}/%s/mine"
        with ThreadPoolExecutor(2) as pool:
            rows = [pool.submit(started, own, f"echo my own > mine; {look % other}") for own, other in PAIRS]
            while not all((place / own / "here").exists() for own, _ in PAIRS):
                time.sleep(0.05)
            assert stat.S_IMODE(place.lstat().st_mode) == 0o710
            for own, _ in PAIRS:
                (place / own / "go").touch()
            said = [row.result().output.decode() for row in rows]
        groups = [set(text.splitlines()[0].removeprefix("both read this").split()) for text in said]
        assert all(text.startswith("both read this") and "my own" not in text for text in said), said
        assert len(groups[0] & groups[1]) == 1 and all(len(row) == 2 for row in groups)
        assert stat.S_IMODE(place.lstat().st_mode) == 0o700 and place.lstat().st_gid == os.getegid()
        info = (place / "site" / "module").lstat()
        assert (info.st_gid, stat.S_IMODE(info.st_mode)) == (os.getegid(), 0o600)


@only_root
def test_a_role_is_in_no_group_of_those_that_verify() -> None:
    with within(60), Scene() as scene:
        done = scene.builder.run(Landlock(), ["id", "-G"], scene.tools)
        assert len(done.output.split()) == 1


def test_exit_codes_streams_and_environment() -> None:
    barrier = Landlock()
    with within(60), Scene() as scene:

        def run(*argv: str, **given: object) -> tuple[int, str]:
            done = scene.builder.run(barrier, list(argv), scene.tools, **given)
            return done.exit_code, done.output.decode().strip()

        assert run("sh", "-c", "exit 3") == (3, "")
        assert run("sh", "-c", "kill -9 $$") == (137, "")
        assert run("no-such-program") == (127, "no-such-program: No such file or directory")
        assert run(str(scene.folder / "tools" / "lib"))[0] == 126
        assert run("sh", "-c", "cat; echo err >&2", stdin=b"given\n") == (0, "given\nerr")
        assert run("sh", "-c", "yes | head -n 1") == (0, "y")  # a broken pipe ends a program, as it should
        names = {line.split("=")[0] for line in run("env")[1].splitlines()}
        assert names == {"PATH", "HOME", "TMPDIR", "OUT", "LANG", *landlock._GIT}
        assert run("pwd") == (0, str(scene.builder / "repo"))
        assert barrier.path(scene.tools, scene.folder) == str(scene.folder)


def test_what_is_beside_a_hidden_path_stays_usable() -> None:
    with within(60), Scene() as scene:
        said = scene.attack(
            Landlock(),
            "sys.path.insert(0, T['base'] + '/tools/lib'); import numbers; print(numbers.VALUE)\n"
            "print(sorted(os.listdir(T['base'] + '/tools/lib')))",
        )
        assert said.split("\n")[0] == "42", said
        assert "alias" in said


def test_verification_has_semaphores_and_leaves_none() -> None:
    code = "import multiprocessing as m\nwith m.Pool(2) as p: print(sum(p.map(abs, [-1, -2])))\n"
    left = "open('/dev/shm/statsclaw-left', 'w').write('x')\n"
    listing = "import os; os.listdir('/dev/shm')"
    with within(60), Scene() as scene:
        work = scene.folder / "work"
        work.mkdir()
        own = Mount(inside="/verify/tree", host=str(work), purpose="verification", writable=True)
        tools = replace(scene.tools, mounts=(*scene.tools.mounts, own))
        try:
            done = scene.builder.run(Landlock(), ["/usr/bin/python3", "-c", left + code], tools)
            assert done.output == b"3\n"
            assert not ROOT or not Path("/dev/shm/statsclaw-left").exists()
        finally:
            Path("/dev/shm/statsclaw-left").unlink(missing_ok=True)
        assert scene.builder.run(Landlock(), ["/usr/bin/python3", "-c", listing], tools).exit_code != 0
        assert scene.builder.run(Landlock(), ["/usr/bin/python3", "-c", code], scene.tools).exit_code != 0


def test_a_bridge_is_the_only_way_out() -> None:
    """One port, one folder with sockets; still no UDP, no other port, no other protocol."""
    with within(60), Scene() as scene:
        scene.with_services()
        port, folder = scene.facts["tcp"], scene.folder / "bridge"
        assert isinstance(port, int)
        folder.mkdir(mode=0o700)
        server = socket.socket(socket.AF_UNIX)
        server.bind(str(folder / "model.sock"))
        (folder / "model.sock").chmod(0o600)
        server.listen()
        threading.Thread(target=scene._serve, args=(server, socket.SOCK_STREAM), daemon=True).start()
        mount = Mount(inside="/run/bridge", host=str(folder), purpose="bridge")
        scene.tools = replace(scene.tools, mounts=(*scene.tools.mounts, mount))
        barrier = Landlock(bridge_port=port)
        assert str(port) in barrier.shows
        tcp = "s = socket.create_connection(('127.0.0.1', T['tcp']), 3); print(taken(s))"
        assert scene.secret in scene.attack(barrier, tcp)
        assert scene.secret in scene.attack(
            barrier, "s = socket.socket(1); s.connect(T['base'] + '/bridge/model.sock'); print(taken(s))"
        )
        assert stat.S_IMODE((folder / "model.sock").stat().st_mode) == 0o600
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert (folder / "model.sock").stat().st_gid == os.getegid()
        words = "where a bridge leads out, also the machine's sockets that are open to every user"
        assert words in barrier.shows
        assert scene.secret in scene.attack(barrier, "s = socket.socket(1); s.connect(T['path']); print(taken(s))")
        other = Landlock(bridge_port=port - 1 if port > 1 else port + 1)
        assert scene.secret not in scene.attack(other, tcp)
        assert scene.secret not in scene.attack(Landlock(), tcp)
        for name in (
            "UDP", "UDP of version 6", "another stream protocol", "connecting by sending", "raw sockets",
            "the kernel's sockets", "the machine's addresses by a pair", "an abstract socket", "a pair, sent elsewhere",
            "a pair, connected elsewhere",
        ):  # fmt: skip
            (attack,) = (attack for attack in WAYS_OUT if attack.name == name)
            said = scene.attack(barrier, attack.code)
            assert scene.secret not in said, name
            assert "DONE" not in said, name
        server.close()


# ---------------------------------------------------------------------------------------------------------------------
# Parts
# ---------------------------------------------------------------------------------------------------------------------


def _allowed(enclosure: Enclosure) -> dict[str, int]:
    return {path: rights for path, rights, _ in landlock.rules(enclosure)}


def test_rules_go_around_what_is_hidden_and_what_is_read_only(tmp_path: Path) -> None:
    for name in ("tools/lib/a/x", "tools/lib/b", "tools/bin", "room/in", "room/out"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "tools/lib/link").symlink_to("a")
    (tmp_path / "tools/file").touch()
    real = Path(os.path.realpath(tmp_path))
    enclosure = Enclosure(
        mounts=(
            Mount(inside="/t", host=str(tmp_path / "tools"), purpose="toolchain"),
            Mount(inside="/room", host=str(tmp_path / "room"), purpose="repository", writable=True),
            Mount(inside="/room/in", host=str(tmp_path / "room/in"), purpose="documents"),
        ),
        hidden=("/t/lib/a",),
    )
    found = _allowed(enclosure)
    assert not [path for path in found if Path(path).is_relative_to(real / "tools/lib/a")]
    assert str(real / "tools/lib/link") not in found
    assert found[str(real / "tools/lib")] == found[str(real / "tools")] == landlock._READ_DIR
    assert found[str(real / "tools/lib/b")] == found[str(real / "tools/bin")] == landlock._READ
    assert found[str(real / "tools/file")] == landlock._READ & landlock._ON_FILES
    assert found[str(real / "room")] == landlock._READ_DIR
    assert found[str(real / "room/in")] == landlock._READ
    assert found[str(real / "room/out")] == landlock._READ | landlock._CHANGE
    outside = {path for path in found if not Path(path).is_relative_to(real)}
    assert outside == {*landlock._DEVICES, *landlock._MACHINE}


def _decide(program: bytes, number: int, *arguments: int) -> int:
    """Runs a filter as the kernel would."""
    steps = [struct.unpack_from("=HBBI", program, at) for at in range(0, len(program), 8)]
    data = struct.pack("=IIQ6Q", number, 0, 0, *arguments, *[0] * (6 - len(arguments)))
    register, at = 0, 0
    while True:
        code, yes, no, value = steps[at]
        at += 1
        if code == landlock._LOAD:
            register = struct.unpack_from("=I", data, value)[0]
        elif code == landlock._AND:
            register &= value
        elif code == landlock._RETURN:
            return int(value)
        else:
            true = register == value if code == landlock._EQUAL else bool(register & value)
            at += yes if true else no


@pytest.mark.parametrize("column", [0, 1], ids=landlock._MACHINES)
def test_the_filter_lets_through_what_a_bridge_needs_and_nothing_else(column: int) -> None:
    machine, passed = landlock._MACHINES[column], landlock._PASS
    number = {name: numbers[column] for name, numbers in landlock._LOOKED_AT.items()}
    for unix in (False, True):
        for tcp in (False, True):
            program = landlock.closed_calls(unix=unix, tcp=tcp, machine=machine)
            assert program
            assert len(program) // 8 < 4096
            for family in (0, 1, 2, 3, 10, 16, 17, 38, 40, 43):
                for kind in range(16):
                    for flags in (0, 0o4000, 0o2000000):
                        for protocol in (0, 1, 6, 17, 132, 262):
                            may = (unix and family == 1) or (
                                tcp and family in (2, 10) and kind == 1 and protocol in (0, 6)
                            )
                            answer = _decide(program, number["socket"], family, kind | flags, protocol)
                            assert (answer == passed) == may
                        pair = _decide(program, number["socketpair"], family, kind | flags)
                        assert (pair == passed) == (family == 1 and kind in (1, 5))
            assert _decide(program, number["prlimit64"], 0) == passed
            assert _decide(program, number["prlimit64"], 1) != passed
            for request in range(0x8000, 0x9000):
                assert (_decide(program, number["ioctl"], 0, request) == passed) == (request >> 8 != 0x89)
            for name, flags_at in (("sendto", 3), ("sendmsg", 2), ("sendmmsg", 3)):
                sent = [0] * flags_at
                assert _decide(program, number[name], *sent, 0x4000) == passed
                assert (_decide(program, number[name], *sent, 0x20004000) == passed) == (not tcp)
            closed = (*landlock._SHARED.values(), *landlock._WATCHED.values(), *landlock._ATTRIBUTES.values())
            for numbers in closed:
                assert _decide(program, numbers[column]) != passed
            for harmless in (0, 1, 2, 3, 100, 200, 300, 400, 500):
                if harmless not in {row[column] for row in closed} | set(number.values()):
                    assert _decide(program, harmless) == passed
    assert landlock.closed_calls(unix=False, tcp=False, machine="riscv64") is None


@pytest.mark.skipif(not Path("/usr/include/asm-generic/unistd.h").exists(), reason="no kernel headers")
def test_call_numbers_are_the_kernels() -> None:
    import re

    generic = Path("/usr/include/asm-generic/unistd.h").read_text()
    known = [
        dict(re.findall(r"#define __NR_(\w+) (\d+)", path.read_text()))
        for path in Path("/usr/include").glob("*/asm/unistd_64.h")
    ]
    for calls in (landlock._SHARED, landlock._WATCHED, landlock._ATTRIBUTES, landlock._LOOKED_AT):
        for name, numbers in calls.items():
            if found := re.search(rf"#define __NR(?:3264)?_{name} (\d+)", generic):
                assert int(found[1]) == numbers[1], name
            for table in known:
                assert int(table.get(name, numbers[0])) == numbers[0], name


@pytest.mark.parametrize(
    ("answer", "reason", "todo"),
    [
        ((-1, 38), "this kernel has no Landlock", "Linux 6.7"),
        ((-1, 95), "Landlock is switched off in this kernel", "lsm=landlock"),
        ((3, 0), "Landlock of this kernel is too old (ABI 3, needed is 4)", "Linux 6.7"),
    ],
)
def test_why_it_cannot_be_used(
    monkeypatch: pytest.MonkeyPatch, answer: tuple[int, int], reason: str, todo: str
) -> None:
    monkeypatch.setattr(landlock, "_ask_abi", lambda: answer)
    landlock.why_not.cache_clear()
    try:
        assert landlock.why_not() == reason
        with pytest.raises(MachineRefused) as refused:
            make_barrier("landlock")
        assert reason in refused.value.line()
        assert todo in refused.value.line()
    finally:
        monkeypatch.undo()
        landlock.why_not.cache_clear()


def test_a_barrier_that_does_not_start_is_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    launcher = 'import os, sys; os.write(int(sys.argv[2]), b\'{"refused": "root cannot become another user here"}\\n\')'
    with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
        file.write(launcher)
        file.flush()
        monkeypatch.setattr(landlock, "LAUNCHER", Path(file.name))
        landlock.why_not.cache_clear()
        try:
            assert "root cannot become another user" in landlock.why_not()
            with pytest.raises(MachineRefused, match="another user") as refused:
                make_barrier("landlock")
            assert "ordinary user" in refused.value.todo
        finally:
            monkeypatch.undo()
            landlock.why_not.cache_clear()


def test_it_can_be_used_here() -> None:
    assert landlock.why_not() == ""


def test_it_is_made_only_by_name() -> None:
    barrier = make_barrier("landlock")
    assert (barrier.kind, barrier.version) == ("landlock", f"ABI {landlock.abi()}")
    assert "landlock" in KINDS
    with pytest.raises(InputRefused, match="there is no barrier"):
        make_barrier("Landlock")


def _as_an_ordinary_user() -> Callable[[], None]:
    def main() -> None:
        attacks = [attack for attack in ATTACKS if not attack.root_only]
        json.dump({attack.name: succeeds(attack, Landlock()) for attack in attacks}, sys.stdout)

    return main


if __name__ == "__main__":
    _as_an_ordinary_user()()
