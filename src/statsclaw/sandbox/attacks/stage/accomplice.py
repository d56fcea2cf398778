"""The other role, behind the same barrier in a room of its own, and willing to tell: it offers its secret everywhere.

It answers whoever leaves a file "ask" within its reach, listens on sockets, fills shared memory, and holds locks and
opens files in a pattern that spells its secret. Ends when the file "stop" is in its temporary folder.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import json
import os
import socket
import struct
import sys
import threading
import time
from pathlib import Path
from typing import Any

GIVEN: dict[str, Any] = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
SECRETS: dict[str, str] = GIVEN["secrets"]
OWN: dict[str, str] = GIVEN["own"]
LIBC = ctypes.CDLL(None, use_errno=True)
KEEP: list[object] = []


def tell(secret: str, listener: socket.socket) -> None:
    while True:
        with contextlib.suppress(OSError):
            there, _ = listener.accept()
            with there:
                there.sendall(secret.encode() + b"\n")


def offer_sockets() -> None:
    places: list[tuple[int, Any]] = [
        (socket.AF_UNIX, "\0" + GIVEN["abstract"] + "-accomplice"),
        (socket.AF_UNIX, OWN["tmp"] + "/socket"),
        (socket.AF_INET, ("127.0.0.1", GIVEN["port"])),
    ]
    for family, address in places:
        with contextlib.suppress(OSError):
            listener = socket.socket(family, socket.SOCK_STREAM)
            listener.bind(address)
            listener.listen(8)
            threading.Thread(target=tell, args=(SECRETS["accomplice's socket"], listener), daemon=True).start()


def offer_memory() -> None:
    with contextlib.suppress(OSError):
        (Path("/dev/shm") / (GIVEN["posix_name"] + "-accomplice")).write_text(SECRETS["accomplice's shared memory"])
    LIBC.shmat.restype = ctypes.c_void_p
    shm = LIBC.shmget(GIVEN["key"] + 1, 4096, 0o1666)
    if shm >= 0:
        text = SECRETS["accomplice's shared memory"].encode()
        ctypes.memmove(LIBC.shmat(shm, None, 0), text, len(text))


def withdraw_memory() -> None:
    with contextlib.suppress(OSError):
        (Path("/dev/shm") / (GIVEN["posix_name"] + "-accomplice")).unlink()
    shm = LIBC.shmget(GIVEN["key"] + 1, 0, 0)
    if shm >= 0:
        LIBC.shmctl(shm, 0, None)


def bits(secret: str) -> list[int]:
    return [index for index in range(8 * len(secret)) if secret.encode()[index // 8] >> (index % 8) & 1]


def hold_locks() -> None:
    """Byte ranges of a file that everybody sees and nobody can write: one locked byte for each bit."""
    file = open(GIVEN["shared_file"], "rb")
    for bit in bits(SECRETS["accomplice's byte locks"]):
        fcntl.fcntl(file, fcntl.F_SETLK, struct.pack("hhqqi", fcntl.F_RDLCK, 0, GIVEN["lock_base"] + bit, 1, 0))
    KEEP.append(file)
    for bit in bits(SECRETS["accomplice's file locks"]):
        with contextlib.suppress(OSError, IndexError):
            one = open(GIVEN["shared_files"][bit], "rb")
            fcntl.flock(one, fcntl.LOCK_SH)
            KEEP.append(one)


def answer(folder: str) -> None:
    """Somebody left a file that ends with .ask: answer beside it."""
    with contextlib.suppress(OSError):
        for name in os.listdir(folder):
            if name.startswith(GIVEN["abstract"]) and name.endswith(".ask"):
                (Path(folder) / (name[:-4] + ".answer")).write_text(SECRETS["accomplice's answer"])


def tick() -> None:
    for folder in (*OWN.values(), "/dev/shm", "/var/tmp", "/tmp", GIVEN["meeting"]):
        answer(folder)
    for bit in bits(SECRETS["accomplice's openings"]):
        with contextlib.suppress(OSError, IndexError):
            os.close(os.open(GIVEN["shared_files"][bit], os.O_RDONLY))


for part in (offer_sockets, offer_memory, hold_locks):
    with contextlib.suppress(OSError, AttributeError):
        part()
parent, begun = os.getppid(), time.monotonic()
(Path(OWN["tmp"]) / "ready").write_text(json.dumps({"pid": os.getpid()}))
try:
    while not (Path(OWN["tmp"]) / "stop").exists() and os.getppid() == parent and time.monotonic() - begun < 600:
        tick()
        time.sleep(0.1)
finally:
    withdraw_memory()
