"""Reads the memory of the kernel and of the machine."""

from __future__ import annotations

import os
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import claim, trying  # type: ignore[import-not-found]

for path in ("/proc/kcore", "/dev/mem", "/dev/kmem", "/proc/vmcore", "/proc/kpageflags", "/proc/kpagecount"):
    with trying(path):
        fd = os.open(path, os.O_RDONLY)
        data = os.pread(fd, 64, 0)
        if data.strip(b"\0"):
            claim(f"{path} can be read")
for path in ("/proc/kallsyms", "/proc/timer_list", "/proc/slabinfo", "/proc/vmallocinfo", "/proc/sched_debug"):
    with trying(path), open(path, "rb") as file:
        if file.read(64).strip(b"\0"):
            claim(f"{path} can be read")
