"""Takes more memory than it may."""

from __future__ import annotations

import os
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import KNOWN, claim, trying, wait_until  # type: ignore[import-not-found]

most, held = KNOWN["limits"]["memory_bytes"], []
with trying():
    for _ in range(3 * most >> 24):
        held.append(bytearray(os.urandom(1 << 12) * (1 << 12)))
wait_until(lambda: False, 1)
if len(held) << 24 > 2 * most:
    claim(f"{len(held) << 4} MiB are in use, {most >> 20} are allowed")
