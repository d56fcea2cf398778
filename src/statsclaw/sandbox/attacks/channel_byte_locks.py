"""Reads what the other role spells with locks on bytes of a file that both may only read."""

from __future__ import annotations

import fcntl
import struct
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import KNOWN, got, trying  # type: ignore[import-not-found]

file = open(KNOWN["shared_file"], "rb")
bits = 0
for bit in range(8 * 28):
    asked = struct.pack("hhqqi", fcntl.F_WRLCK, 0, KNOWN["lock_base"] + bit, 1, 0)
    with trying():
        kind = struct.unpack("hhqqi", fcntl.fcntl(file, fcntl.F_GETLK, asked))[0]
        bits |= (kind != fcntl.F_UNLCK) << bit
got(bits.to_bytes(28, "little"))
