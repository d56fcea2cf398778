"""Takes a message from another process's queue (POSIX)."""

from __future__ import annotations

import ctypes
import os
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import KNOWN, LIBC, got, trying  # type: ignore[import-not-found]

with trying("queue"):
    queue = LIBC.mq_open(b"/" + KNOWN["posix_name"].encode(), os.O_RDWR | os.O_NONBLOCK)
    if queue < 0:
        raise OSError(ctypes.get_errno(), "mq_open")
    room = ctypes.create_string_buffer(65536)
    if LIBC.mq_receive(queue, room, 65536, None) > 0:
        got(room.raw.rstrip(b"\0"))
for folder in ("/dev/mqueue", "/proc/self/root/dev/mqueue"):
    with trying(folder):
        got(os.listdir(folder))
