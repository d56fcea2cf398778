"""Somebody else on the machine: a process with secrets in its memory, files, sockets and shared memory.

Reads one line of JSON, says in one line what it has made, and stays until its standard input is closed.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import mmap
import os
import socket
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

GIVEN: dict[str, Any] = json.loads(sys.stdin.readline())
SECRETS: dict[str, str] = GIVEN["secrets"]
FOLDER = Path(GIVEN["folder"])
MADE: dict[str, Any] = {"pid": os.getpid()}
UNDO: list[Callable[[], object]] = []
LIBC = ctypes.CDLL(None, use_errno=True)
KEEP: list[object] = []


def received(data: bytes) -> None:
    with (FOLDER / "received").open("ab") as file:
        file.write(data + b"\n")


def serve(listener: socket.socket, secret: str) -> None:
    """Tell the secret to whoever connects."""
    while True:
        with contextlib.suppress(OSError):
            there, _ = listener.accept()
            with there:
                there.settimeout(1)
                there.sendall(secret.encode() + b"\n")
                with contextlib.suppress(OSError):
                    received(there.recv(4096))


def serve_datagrams(listener: socket.socket, secret: str) -> None:
    while True:
        with contextlib.suppress(OSError):
            data, sender = listener.recvfrom(4096)
            received(data)
            listener.sendto(secret.encode(), sender)


def hand_out(listener: socket.socket, secret: str) -> None:
    """Pass an open file to whoever connects."""
    while True:
        with contextlib.suppress(OSError):
            there, _ = listener.accept()
            fd = os.memfd_create("handed out")
            os.write(fd, secret.encode())
            with there:
                socket.send_fds(there, [b"x"], [fd])
            os.close(fd)


def talk(secret: str) -> None:
    """Traffic on the loopback interface, for those who listen in."""
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as there,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as a,
    ):
        there.bind(("127.0.0.1", 0))
        while True:
            with contextlib.suppress(OSError):
                a.sendto(secret.encode(), there.getsockname())
                there.recv(4096)
            time.sleep(0.05)


def start(work: Callable[..., None], *given: object) -> None:
    threading.Thread(target=work, args=given, daemon=True).start()


def listener(family: int, kind: int, address: Any) -> socket.socket:
    made = socket.socket(family, kind)
    made.bind(address)
    if kind == socket.SOCK_STREAM:
        made.listen(8)
    KEEP.append(made)
    return made


def network() -> None:
    tcp4 = listener(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0))
    MADE["tcp4"] = tcp4.getsockname()[1]
    start(serve, tcp4, SECRETS["tcp4"])
    udp = listener(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0))
    MADE["udp"] = udp.getsockname()[1]
    start(serve_datagrams, udp, SECRETS["udp"])
    abstract = listener(socket.AF_UNIX, socket.SOCK_STREAM, "\0" + GIVEN["abstract"])
    start(serve, abstract, SECRETS["abstract socket"])
    named = listener(socket.AF_UNIX, socket.SOCK_STREAM, GIVEN["socket"])
    start(serve, named, SECRETS["path socket"])
    for path in GIVEN["session_sockets"]:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        start(serve, listener(socket.AF_UNIX, socket.SOCK_STREAM, path), SECRETS["session socket"])
    giver = listener(socket.AF_UNIX, socket.SOCK_STREAM, "\0" + GIVEN["abstract"] + "-fd")
    start(hand_out, giver, SECRETS["passed descriptor"])
    start(hand_out, listener(socket.AF_UNIX, socket.SOCK_STREAM, GIVEN["socket"] + "-fd"), SECRETS["passed descriptor"])
    start(talk, SECRETS["loopback traffic"])


def network_v6() -> None:
    tcp6 = listener(socket.AF_INET6, socket.SOCK_STREAM, ("::1", 0))
    MADE["tcp6"] = tcp6.getsockname()[1]
    start(serve, tcp6, SECRETS["tcp6"])


def vsock() -> None:
    """Only ever this machine's own loopback (1), never a hypervisor."""
    made = listener(socket.AF_VSOCK, socket.SOCK_STREAM, (1, GIVEN["vsock_port"]))
    with socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM) as probe:
        start(serve, made, SECRETS["vsock"])
        probe.settimeout(1)
        probe.connect((1, GIVEN["vsock_port"]))
    MADE["vsock"] = [1, GIVEN["vsock_port"]]


def memory() -> None:
    held = ctypes.create_string_buffer(SECRETS["memory"].encode())
    KEEP.append(held)
    MADE["address"], MADE["length"] = ctypes.addressof(held), len(SECRETS["memory"])
    file = FOLDER / "opened-and-removed"
    file.write_text(SECRETS["open file"])
    MADE["fd"] = os.open(file, os.O_RDONLY)
    KEEP.append(mmap.mmap(MADE["fd"], 0, prot=mmap.PROT_READ))
    file.unlink()
    (FOLDER / "cwd").mkdir()
    (FOLDER / "cwd" / "notes").write_text(SECRETS["working folder"])
    os.chdir(FOLDER / "cwd")


def sysv() -> None:
    LIBC.shmat.restype = ctypes.c_void_p
    shm = LIBC.shmget(GIVEN["key"], 4096, 0o1600 | 0o66)
    if shm >= 0:
        UNDO.append(lambda: LIBC.shmctl(shm, 0, None))
        text = SECRETS["shared memory"].encode()
        ctypes.memmove(LIBC.shmat(shm, None, 0), text, len(text))
        MADE["shm"] = shm
    queue = LIBC.msgget(GIVEN["key"], 0o1600 | 0o66)
    if queue >= 0:
        UNDO.append(lambda: LIBC.msgctl(queue, 0, None))
        text = SECRETS["message queue"].encode()
        message = ctypes.create_string_buffer(b"\1\0\0\0\0\0\0\0" + text)
        for _ in range(8):
            LIBC.msgsnd(queue, message, len(text), 0o4000)
        MADE["msg"] = queue
    group = LIBC.semget(GIVEN["key"], 1, 0o1600 | 0o66)
    if group >= 0:
        UNDO.append(lambda: LIBC.semctl(group, 0, 0))
        MADE["sem"] = group


def posix() -> None:
    place = Path("/dev/shm") / GIVEN["posix_name"]
    place.write_text(SECRETS["posix shared memory"])
    UNDO.append(place.unlink)
    MADE["posix_shm"] = GIVEN["posix_name"]


def message_queue() -> None:
    name = b"/" + GIVEN["posix_name"].encode()
    queue = LIBC.mq_open(name, os.O_CREAT | os.O_RDWR | os.O_NONBLOCK, 0o666, None)
    if queue < 0:
        raise OSError(ctypes.get_errno(), "mq_open")
    UNDO.append(lambda: LIBC.mq_unlink(name))
    text = SECRETS["posix message queue"].encode()
    for _ in range(8):
        LIBC.mq_send(queue, text, len(text), 0)
    KEEP.append(queue)
    MADE["mq"] = GIVEN["posix_name"]


def keyring() -> None:
    """A key of the user, readable by all of the user's processes."""
    add, control = (248, 250) if os.uname().machine == "x86_64" else (217, 219)
    text = SECRETS["keyring"].encode()
    key = LIBC.syscall(add, b"user", GIVEN["abstract"].encode(), text, len(text), -4)
    if key < 0:
        raise OSError(ctypes.get_errno(), "add_key")
    UNDO.append(lambda: LIBC.syscall(control, 9, key, -4))  # unlink
    LIBC.syscall(control, 5, key, 0x3F3F3F3F)  # whoever is the user may read it
    MADE["key"] = key


for part in (network, network_v6, vsock, memory, sysv, posix, message_queue, keyring):
    try:
        part()
    except (OSError, AttributeError) as error:
        MADE.setdefault("missing", {})[part.__name__] = str(error)
print(json.dumps(MADE), flush=True)
try:
    sys.stdin.read()
finally:
    for undo in reversed(UNDO):
        with contextlib.suppress(OSError):
            undo()
