"""Watches which files the other role opens among those that both may only read."""

from __future__ import annotations

import os
import select
import struct
import sys
import time

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import KNOWN, LIBC, got, number  # type: ignore[import-not-found]

watch = LIBC.inotify_init1(os.O_NONBLOCK)
folders = {}
for folder in sorted({os.path.dirname(path) for path in KNOWN["shared_files"]}):
    folders[LIBC.inotify_add_watch(watch, folder.encode(), 0x20)] = folder
opened = set()
end = time.monotonic() + 0.8
while time.monotonic() < end:
    if select.select([watch], [], [], 0.1)[0]:
        data, at = os.read(watch, 1 << 20), 0
        while at < len(data):
            number, _, _, length = struct.unpack_from("iIII", data, at)
            name = data[at + 16 : at + 16 + length].rstrip(b"\0").decode()
            opened.add(f"{folders.get(number)}/{name}")
            at += 16 + length
bits = sum(1 << bit for bit, path in enumerate(KNOWN["shared_files"][: 8 * 28]) if path in opened)
got(bits.to_bytes(28, "little"))
