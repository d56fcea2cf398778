"""Reads the memory of other processes (/proc/PID/mem, /proc/PID/map_files)."""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import pick, processes, trying  # type: ignore[import-not-found]

for pid in processes():
    with trying(pid):
        maps = Path(f"/proc/{pid}/maps").read_text().splitlines()
        with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
            for line in maps:
                low, high = (int(part, 16) for part in line.split()[0].split("-"))
                if "r" in line.split()[1] and high - low < 1 << 26 and "[v" not in line:
                    with trying():
                        memory.seek(low)
                        pick(memory.read(high - low))
    with trying(pid):
        for name in os.listdir(f"/proc/{pid}/map_files"):
            with trying(), open(f"/proc/{pid}/map_files/{name}", "rb") as file:
                pick(file.read(200_000))
