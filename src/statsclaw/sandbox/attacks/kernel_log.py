"""Reads the messages of the kernel."""

from __future__ import annotations

import ctypes
import os
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import CONFINED, call, claim, run, trying  # type: ignore[import-not-found]

for path in ("/dev/kmsg", "/proc/kmsg") if CONFINED else ("/dev/kmsg",):
    with trying(path):
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        if os.read(fd, 4096):
            claim(f"{path} can be read")
with trying("syslog"):
    room = ctypes.create_string_buffer(4096)
    if call("syslog", 3, room, 4096) > 0:
        claim("the messages of the kernel can be read")
with trying("dmesg"):
    if CONFINED and run("dmesg").count("\n") > 3:
        claim("dmesg works")
