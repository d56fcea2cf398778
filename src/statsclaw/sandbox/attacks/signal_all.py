"""Sends the signal that ends a program to every process there is: kill(-1)."""

from __future__ import annotations

import os
import signal
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import APART, KNOWN, apart, claim, say, trying  # type: ignore[import-not-found]

if not APART:
    for pid in (KNOWN["engine"], KNOWN["victim"], KNOWN["bystander"]["pid"], *KNOWN["accomplice"]):
        with trying(pid):
            os.kill(pid, 0)
            claim("the processes of the machine are within reach; it would have ended all of them")
else:
    with trying("the first process"):
        os.kill(1, signal.SIGKILL)
    with trying("its group"):
        os.kill(-os.getpgid(1), 0)
    say(KNOWN["finished"])  # it will not survive the next line
    apart(lambda: os.kill(-1, signal.SIGKILL))
