"""Reads what the other role spells with locks on many files that both may only read."""

from __future__ import annotations

import fcntl
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import KNOWN, got, trying  # type: ignore[import-not-found]

bits = 0
for bit, path in enumerate(KNOWN["shared_files"][: 8 * 28]):
    with trying(), open(path, "rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            bits |= 1 << bit
got(bits.to_bytes(28, "little"))
