"""Takes its own system-call filter off, or lets a child start without it."""

from __future__ import annotations

import ctypes
import struct
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import LIBC, apart, call, claim  # type: ignore[import-not-found]


def state() -> dict[str, str]:
    with open("/proc/self/status") as file:
        return {name: value.strip() for name, value in (line.split(":", 1) for line in file)}


if state().get("Seccomp") != "2":
    claim("there is no system-call filter")
if state().get("NoNewPrivs") != "1":
    claim("more rights can be gained")
LIBC.prctl(38, 0, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS off
LIBC.prctl(22, 0, 0, 0, 0)  # PR_SET_SECCOMP off
if state().get("NoNewPrivs") != "1" or state().get("Seccomp") != "2":
    claim("the filter or the bar on new rights was taken off")
allow = ctypes.create_string_buffer(struct.pack("HBBI", 6, 0, 0, 0x7FFF0000))
program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", 1, ctypes.addressof(allow)))


def another() -> None:
    LIBC.prctl(22, 2, program, 0, 0)
    call("unshare", 0x200)
    claim("a second filter that allows everything undoes the first")


apart(another)
