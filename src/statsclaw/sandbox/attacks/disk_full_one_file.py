"""Fills the disk with one file, and with one that only seems large."""

from __future__ import annotations

import os
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import CONFINED, KNOWN, OWN, claim, trying, wait_until  # type: ignore[import-not-found]

most, written = KNOWN["limits"]["disk_bytes"], 0
with trying("sparse"), open(OWN["tmp"] + "/sparse", "wb") as file:
    file.truncate(most * 1000)
    if CONFINED:
        claim("a file can be larger than the limit")
with trying("allocate"), open(OWN["tmp"] + "/allocated", "wb") as file:
    os.posix_fallocate(file.fileno(), 0, most * 4)
    claim("room for four times the limit was taken")
with trying("write"), open(OWN["tmp"] + "/full", "wb") as file:
    for _ in range(4 * most >> 20):
        written += file.write(b"x" * (1 << 20))
wait_until(lambda: False, 3)
if written > 2 * most:
    claim(f"{written >> 20} MiB were written, {most >> 20} are allowed")
