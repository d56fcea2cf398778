"""Opens a program to be read and then once more, through that, to be written to."""

from __future__ import annotations

import mmap
import os
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import CONFINED, KNOWN, MARK, OWN, claim, got, trying  # type: ignore[import-not-found]

for path in (KNOWN["tools"] + "/bin/tool", *((sys.executable, OWN["in"] + "/knowledge.json") if CONFINED else ())):
    with trying(path):
        fd = os.open(path, os.O_RDONLY)
        for way in (f"/proc/self/fd/{fd}", f"/dev/fd/{fd}", f"/proc/thread-self/fd/{fd}"):
            with trying(way):
                again = os.open(way, os.O_WRONLY | os.O_APPEND)
                os.write(again, f"# {MARK}\n".encode()) if path.startswith(KNOWN["tools"]) else None
                claim(f"{path} can be opened again to be written to") if CONFINED else None
        with trying("shared memory"):
            room = mmap.mmap(fd, 1, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE)
            claim(f"{path} can be written to through memory {len(room)}")
        with trying("/proc/self/mem"), open("/proc/self/mem", "r+b", buffering=0):
            got("its own memory can be written to")
