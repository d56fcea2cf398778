"""Takes a message from another process's queue, and looks for its semaphores (System V)."""

from __future__ import annotations

import ctypes
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import CONFINED, KNOWN, LIBC, claim, got  # type: ignore[import-not-found]

queues = [KNOWN["msg"], LIBC.msgget(KNOWN["key"], 0), *(range(100) if CONFINED else ())]
for queue in queues:
    if queue is None or queue < 0:
        continue
    room = ctypes.create_string_buffer(8192)
    if LIBC.msgrcv(queue, room, 8000, 0, 0o4000) > 0:
        got(room.raw.rstrip(b"\0"))
group = LIBC.semget(KNOWN["key"], 0, 0)
if group >= 0:
    claim("the semaphores of another process can be used")
if KNOWN["sem"] is not None and LIBC.semctl(KNOWN["sem"], 0, 12) >= 0:
    claim("the value of another process's semaphore can be read")
