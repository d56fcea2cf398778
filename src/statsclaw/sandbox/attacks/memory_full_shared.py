"""Takes more memory than it may, as shared memory that is not counted as its own."""

from __future__ import annotations

import mmap
import os
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import KNOWN, claim, trying, wait_until  # type: ignore[import-not-found]

most, held, piece = KNOWN["limits"]["memory_bytes"], list[object](), os.urandom(1 << 12) * (1 << 10)
with trying("mapped"):
    for _ in range(3 * most // len(piece) // 2):
        room = mmap.mmap(-1, len(piece), mmap.MAP_SHARED | mmap.MAP_ANONYMOUS)
        room.write(piece)
        held.append(room)
with trying("unmapped"):
    for _ in range(3 * most // len(piece) // 2):
        fd = os.memfd_create("filler")
        os.write(fd, piece)
        held.append(fd)
wait_until(lambda: False, 1.5)
if len(held) * len(piece) > 2 * most:
    claim(f"{len(held) * len(piece) >> 20} MiB are in use, {most >> 20} are allowed")
