"""Reads the user's keys, which the kernel keeps."""

from __future__ import annotations

import ctypes
import os
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import CONFINED, KNOWN, call, claim, got, pick, read, trying  # type: ignore[import-not-found]


def show(key: int) -> None:
    room = ctypes.create_string_buffer(4096)
    length = call("keyctl", 11, key, room, 4096)
    got(room.raw[: max(0, min(length, 4096))])


with trying("by its number"):
    show(KNOWN["bystander"]["key"] or 0)
for ring in (-4, -5, -3, -2, -1):
    with trying(f"search {ring}"):
        show(call("keyctl", 10, ring, b"user", KNOWN["abstract"].encode(), 0))
    with trying(f"read {ring}"):
        show(ring)
        if CONFINED:
            claim(f"keyring {ring} can be read")
with trying("request"):
    show(call("request_key", b"user", KNOWN["abstract"].encode(), 0, -3))
with trying("persistent"):
    show(call("keyctl", 22, KNOWN["uid"], -3))
for path in ("/proc/keys", "/proc/key-users"):
    pick(read(path))
    if CONFINED and os.path.getsize(path) == 0 and read(path):
        claim(f"{path} lists keys")
