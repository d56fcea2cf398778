"""Becomes root, or takes capabilities."""

from __future__ import annotations

import ctypes
import os
import struct
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import call, claim, trying  # type: ignore[import-not-found]


def look(how: str) -> None:
    with open("/proc/self/status") as file:
        rows = dict(line.split(":", 1) for line in file)
    effective = int(rows["CapEff"], 16) | int(rows["CapPrm"], 16) | int(rows["CapAmb"], 16) | int(rows["CapBnd"], 16)
    if effective:
        claim(f"it has capabilities {effective:#x} {how}")
    if 0 in os.getresuid() + os.getresgid():
        claim(f"it is root {how}")


look("from the start")
for way, arguments in ((os.setresuid, (0, 0, 0)), (os.setuid, (0,)), (os.setresgid, (0, 0, 0)), (os.setgroups, ([0],))):
    with trying():
        way(*arguments)
        look("by asking for it")
with trying("capset"):
    header = ctypes.create_string_buffer(struct.pack("Ii", 0x20080522, 0))
    call("capset", header, ctypes.create_string_buffer(struct.pack("6I", 2**32 - 1, 2**32 - 1, 0, 2**31, 2**31, 0)))
    look("by asking for them")
