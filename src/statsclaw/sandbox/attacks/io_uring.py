"""Has the kernel open files for it through io_uring, past a filter of system calls."""

from __future__ import annotations

import ctypes
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import apart, call, claim  # type: ignore[import-not-found]


def ring() -> None:
    parameters = ctypes.create_string_buffer(120)
    fd = call("io_uring_setup", 8, parameters)
    claim(f"io_uring is there: descriptor {fd}")


apart(ring)
