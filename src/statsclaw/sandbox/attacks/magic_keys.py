"""Restarts or halts the machine by its emergency keys (sysrq), or by the call for it."""

from __future__ import annotations

import os
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import call, claim, trying  # type: ignore[import-not-found]

for path in ("/proc/sysrq-trigger", "/proc/sys/kernel/sysrq"):
    with trying(path):
        os.close(os.open(path, os.O_WRONLY))  # opened, never written to
        claim(f"{path} can be written to")
with trying("reboot"):
    call("reboot", 0xFEE1DEAD, 672274793, 0x0, 0)  # "do not restart on Ctrl-Alt-Del"
    claim("the call that restarts the machine is not refused")
