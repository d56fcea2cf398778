"""Starts threads without end."""

from __future__ import annotations

import os
import sys
import threading
import time

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import KNOWN, claim, trying  # type: ignore[import-not-found]

most, threads = KNOWN["limits"]["processes"], []
threading.stack_size(1 << 16)
with trying():
    for _ in range(6 * most):
        one = threading.Thread(target=time.sleep, args=(2,), daemon=True)
        one.start()
        threads.append(one)
time.sleep(1)
alive = len(os.listdir("/proc/self/task"))
if alive > 2 * most:
    claim(f"{alive} threads run, {most} are allowed")
