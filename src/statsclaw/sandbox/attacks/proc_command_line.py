"""Reads the command lines of other processes."""

from __future__ import annotations

import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import APART, processes, read, run  # type: ignore[import-not-found]

for pid in processes():
    read(f"/proc/{pid}/cmdline")
if APART:
    run("ps", "auxwwe")
