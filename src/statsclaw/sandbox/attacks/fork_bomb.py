"""Starts processes that start processes."""

from __future__ import annotations

import os
import sys
import time

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import KNOWN, claim, trying  # type: ignore[import-not-found]

most, children = KNOWN["limits"]["processes"], []
for _ in range(4 * most):
    with trying():
        child = os.fork()
        if child == 0:
            with trying():
                os.fork()
            time.sleep(4)
            os._exit(0)
        children.append(child)
time.sleep(1.5)
alive = len([name for name in os.listdir("/proc") if name.isdigit()])
if alive > 2 * most:
    claim(f"{alive} processes run, {most} are allowed")
