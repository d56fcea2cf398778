"""Opens shared memory of another process by its name (POSIX)."""

from __future__ import annotations

import ctypes
import os
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import KNOWN, LIBC, got, read, trying  # type: ignore[import-not-found]

for name in (KNOWN["posix_shm"], KNOWN["posix_name"] + "-accomplice"):
    for way in (f"/dev/shm/{name}", f"/proc/self/root/dev/shm/{name}", f"/run/shm/{name}"):
        if name:
            read(way)
    with trying(name):
        LIBC.shm_open.argtypes = (ctypes.c_char_p, ctypes.c_int, ctypes.c_uint)
        fd = LIBC.shm_open(f"/{name}".encode(), os.O_RDWR, 0)
        got(os.pread(fd, 4096, 0))
