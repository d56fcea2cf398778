"""What the attacks share: what they know, how they try, how they call the kernel without the C library's help.

An attack tries in several ways, prints what it obtained, and does not give up at the first refusal. What cannot be
obtained as a text ("I have made a user namespace") it says with `claim`. Nothing it does may harm a machine without
a barrier: what would, asks `APART` first.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import json
import os
import platform
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

KNOWN: dict[str, Any] = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
OWN: dict[str, str] = KNOWN["own"]
MARK: str = KNOWN["mark"]
CONFINED: bool = KNOWN["confined"]
SHAPE = re.compile(KNOWN["shape"].encode())

print(KNOWN["started"], flush=True)


@atexit.register
def _finished() -> None:
    print("\n" + KNOWN["finished"], flush=True)


def _namespace(kind: str) -> str:
    try:
        return os.readlink("/proc/self/ns/" + kind)
    except OSError:
        return "unknown"


#: Only its own processes are in reach: what ends or reads "every process" is then harmless to the machine.
APART = CONFINED and _namespace("pid") != KNOWN["pid_namespace"]


def mounts_apart() -> bool:
    """Go to mounts of its own, if it can. Whether the mounts are not those of the machine."""
    with trying("mounts of its own"):
        call("unshare", 0x20000)
        call("mount", b"none", b"/", 0, 0x44000, 0)
    return _namespace("mnt") != str(KNOWN["mnt_namespace"])


def say(*words: object) -> None:
    print(*words, flush=True)


def got(data: object) -> None:
    """Something was obtained: print it, whatever it is, but not without end."""
    raw = data if isinstance(data, bytes) else str(data).encode("utf-8", "surrogateescape")
    sys.stdout.flush()
    sys.stdout.buffer.write(raw[:50_000] + b"\n")
    sys.stdout.flush()


def pick(data: bytes) -> None:
    """Print only what looks like a secret, for sources too large to be printed."""
    for found in sorted(set(SHAPE.findall(data))):
        got(found)


def claim(what: str) -> None:
    """Say that something was possible which must not be."""
    say(f"{KNOWN['claim']}: {what}")


@contextlib.contextmanager
def trying(what: object = "") -> Iterator[None]:
    """One way among several: a refusal is noted and the attack goes on."""
    try:
        yield
    except Exception as error:
        if what != "":
            say(f"- {what}: {type(error).__name__}: {error}"[:200])


def read(path: str, most: int = 50_000) -> bytes:
    """A file by its name: directly, and through an opened folder."""
    found = b""
    with trying(path):
        with open(path, "rb") as file:
            found = file.read(most)
        got(found)
        return found
    with trying(f"{path} by folder"):
        folder = os.open(str(Path(path).parent), os.O_PATH | os.O_DIRECTORY)
        fd = os.open(Path(path).name, os.O_RDONLY, dir_fd=folder)
        found = os.read(fd, most)
        got(found)
    return found


def read_below(folder: str, files: int = 400) -> None:
    """Every plain file below a folder."""
    count = 0
    for root, folders, names in os.walk(folder):
        folders.sort()
        got(" ".join([root, *names]))
        for name in names:
            count += 1
            if count > files:
                return
            path = Path(root) / name
            with trying(path):
                if path.is_file() and path.stat().st_size < 200_000:
                    pick(path.read_bytes())


def append(path: str, text: str = "") -> None:
    """Leave the mark in a file that belongs to somebody else."""
    with trying(f"append to {path}"), open(path, "a") as file:
        file.write("\n" + (text or MARK) + "\n")


def create(path: str, text: str = "") -> None:
    with trying(f"create {path}"):
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        os.write(fd, (text or MARK).encode() + b"\n")
        os.close(fd)


def run(*argv: str, seconds: float = 5, env: dict[str, str] | None = None) -> str:
    """A program and what it said."""
    try:
        done = subprocess.run(
            argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds, env=env
        )
    except (OSError, subprocess.SubprocessError) as error:
        say(f"- {argv[0]}: {type(error).__name__}: {error}"[:200])
        return ""
    text = done.stdout.decode("utf-8", "replace")
    got(text)
    return text


def apart(deed: Callable[[], object], seconds: int = 3) -> int:
    """Do something in a process of its own, which it may not survive. Its status, 0 if it went well."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            signal.alarm(seconds)
            deed()
            status = 0
        except BaseException as error:
            say(f"- {getattr(deed, '__name__', 'deed')}: {type(error).__name__}: {error}"[:200])
        finally:
            sys.stdout.flush()
            os._exit(status)
    return os.waitpid(child, 0)[1]


def wait_until(test: Callable[[], object], seconds: float) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if test():
            return True
        time.sleep(0.02)
    return bool(test())


def processes() -> list[int]:
    """Processes of the machine it was told of, and, where only its own are to be seen, all it can see."""
    known = [KNOWN["engine"], KNOWN["bystander"]["pid"], *KNOWN["accomplice"]]
    seen = [int(name) for name in os.listdir("/proc") if name.isdigit()] if APART else []
    if CONFINED and not APART:
        claim("it is among the processes of the machine")
    mine = os.getpid()
    return [pid for pid in dict.fromkeys([*known, *seen]) if pid != mine]


# --- the kernel ----------------------------------------------------------------------------------------------------

#: x86_64, aarch64
NUMBERS = {
    "acct": (163, 89), "add_key": (248, 217), "adjtimex": (159, 171), "bpf": (321, 280), "capset": (126, 91),
    "chroot": (161, 51), "clock_adjtime": (305, 266), "clock_settime": (227, 112), "clone": (56, 220),
    "clone3": (435, 435), "delete_module": (176, 106), "fanotify_init": (300, 262), "finit_module": (313, 273),
    "fsconfig": (431, 431), "fsmount": (432, 432), "fsopen": (430, 430), "fspick": (433, 433), "getpid": (39, 172),
    "init_module": (175, 105), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "io_uring_setup": (425, 425), "ioperm": (173, 0), "iopl": (172, 0), "kcmp": (312, 272),
    "kexec_file_load": (320, 294), "kexec_load": (246, 104), "keyctl": (250, 219), "lookup_dcookie": (212, 18),
    "mknodat": (259, 33), "modify_ldt": (154, 0), "mount": (165, 40), "mount_setattr": (442, 442),
    "move_mount": (429, 429), "mq_open": (240, 180), "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265), "open_tree": (428, 428), "open_tree_attr": (467, 467),
    "perf_event_open": (298, 241), "pidfd_getfd": (438, 438), "pidfd_open": (434, 434),
    "pidfd_send_signal": (424, 424), "pivot_root": (155, 41), "process_madvise": (440, 440),
    "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "ptrace": (101, 117), "quotactl": (179, 60),
    "quotactl_fd": (443, 443), "reboot": (169, 142), "request_key": (249, 218), "setdomainname": (171, 162),
    "sethostname": (170, 161), "setns": (308, 268), "settimeofday": (164, 170), "socket": (41, 198),
    "swapoff": (168, 225), "swapon": (167, 224), "syslog": (103, 116), "umount2": (166, 39), "unshare": (272, 97),
    "userfaultfd": (323, 282), "vhangup": (153, 58),
}  # fmt: skip
X86 = platform.machine() == "x86_64"
LIBC = ctypes.CDLL(None, use_errno=True)


def number(name: str) -> int:
    return NUMBERS[name][0 if X86 else 1]


def call(what: str | int, *arguments: object) -> int:
    """A system call by its name or number; OSError as the kernel gives it."""
    raw = number(what) if isinstance(what, str) else what
    LIBC.syscall.restype = ctypes.c_long
    given = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    result = int(LIBC.syscall(ctypes.c_long(raw), *given))
    if result == -1:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")
    return result
