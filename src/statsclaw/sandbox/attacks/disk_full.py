"""Fills the disk with many files."""

from __future__ import annotations

import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import KNOWN, OWN, claim, trying, wait_until  # type: ignore[import-not-found]

piece, most = b"x" * (1 << 20), KNOWN["limits"]["disk_bytes"]
written = 0
for own in (OWN["tmp"], OWN["repo"], OWN["out"], OWN["home"]):
    for index in range(4 * most // len(piece) // 4):
        with trying(), open(f"{own}/filler-{index}", "wb") as file:
            written += file.write(piece)
wait_until(lambda: False, 4)
if written > 2 * most:
    claim(f"{written >> 20} MiB were written, {most >> 20} are allowed")
