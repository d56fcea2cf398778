"""Reads the environment of other processes (/proc/PID/environ)."""

from __future__ import annotations

import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import processes, read  # type: ignore[import-not-found]

for pid in processes():
    read(f"/proc/{pid}/environ")
    read(f"/proc/{pid}/task/{pid}/environ")
