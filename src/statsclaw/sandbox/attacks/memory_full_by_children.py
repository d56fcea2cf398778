"""Takes more memory than it may, in many processes that each take little."""

from __future__ import annotations

import os
import signal
import sys
import time

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import KNOWN, claim, trying  # type: ignore[import-not-found]

most, share = KNOWN["limits"]["memory_bytes"], 1 << 25
children = []
for _ in range(3 * most // share):
    with trying():
        child = os.fork()
        if child == 0:
            held = bytearray(os.urandom(1 << 12) * (share >> 12))
            time.sleep(3)
            os._exit(len(held) == 0)
        children.append(child)
time.sleep(2)
alive = sum(os.waitpid(child, os.WNOHANG)[0] == 0 for child in children)
if alive * share > 2 * most:
    claim(f"{alive * share >> 20} MiB are in use, {most >> 20} are allowed")
for child in children:
    with trying():
        os.kill(child, signal.SIGKILL)
