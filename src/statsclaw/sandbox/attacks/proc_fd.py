"""Reads the files that other processes have open (/proc/PID/fd)."""

from __future__ import annotations

import os
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import KNOWN, got, processes, trying  # type: ignore[import-not-found]

for pid in processes():
    for fd in sorted({*range(40), KNOWN["bystander"]["fd"]}):
        with trying():
            path = f"/proc/{pid}/fd/{fd}"
            if "pipe:" not in os.readlink(path) and "socket:" not in os.readlink(path):
                got(os.read(os.open(path, os.O_RDONLY | os.O_NONBLOCK), 50_000))
