"""Reads the copy of the package that is installed on the machine: folder, metadata, finder, checkout."""

from __future__ import annotations

import os
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import KNOWN, pick, read, read_below  # type: ignore[import-not-found]

for path in KNOWN["installed"]:
    if os.path.isdir(path):
        read_below(path)
    else:
        pick(read(path))
