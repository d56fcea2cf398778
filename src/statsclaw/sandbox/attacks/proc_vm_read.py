"""Copies the memory of another process with process_vm_readv."""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import CONFINED, KNOWN, call, claim, got, pick, processes, trying  # type: ignore[import-not-found]


class Part(ctypes.Structure):
    _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))


def copy(pid: int, address: int, length: int) -> bytes:
    room = ctypes.create_string_buffer(length)
    here, there = Part(ctypes.addressof(room), length), Part(address, length)
    call("process_vm_readv", pid, ctypes.byref(here), 1, ctypes.byref(there), 1, 0)
    return room.raw


with trying():
    got(copy(KNOWN["bystander"]["pid"], KNOWN["bystander"]["address"], KNOWN["bystander"]["length"]))
for pid in processes():
    with trying(pid):
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            low, high = (int(part, 16) for part in line.split()[0].split("-"))
            if ("heap" in line or "stack" in line) and high - low < 1 << 24:
                pick(copy(pid, low, high - low))
if CONFINED:
    with trying("its own memory"):
        buffer = ctypes.create_string_buffer(b"mine")
        copy(os.getpid(), ctypes.addressof(buffer), 4)
        claim("process_vm_readv is not refused")
