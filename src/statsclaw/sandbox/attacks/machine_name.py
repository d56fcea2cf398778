"""Renames the machine and sets its clock."""

from __future__ import annotations

import ctypes
import os
import struct
import sys
import time

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import CONFINED, KNOWN, call, claim, trying  # type: ignore[import-not-found]

name = os.uname().nodename
if CONFINED and name == KNOWN["hostname"] and name != "sandbox":
    claim("it is told the name of the machine")
if CONFINED:
    with trying("name"):
        call("sethostname", name.encode(), len(name))
        claim("the name of the machine can be set")
    with trying("clock"):
        call("clock_settime", 0, ctypes.create_string_buffer(struct.pack("qq", *divmod(time.time_ns(), 10**9))))
        claim("the clock of the machine can be set")
