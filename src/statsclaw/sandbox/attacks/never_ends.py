"""Runs on and on, deaf to every request to stop, with a child that is no better."""

from __future__ import annotations

import os
import signal
import sys
import time

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import KNOWN, OWN, claim, trying, wait_until  # type: ignore[import-not-found]


def beat() -> None:
    end = time.monotonic() + 8
    while time.monotonic() < end and not os.path.exists(OWN["tmp"] + "/stop"):
        with trying(), open(OWN["tmp"] + "/heartbeat", "a") as file:
            file.write(f"{os.getpid()}\n")
        time.sleep(0.02)
    os._exit(0)


for number in range(1, 65):
    with trying():
        signal.signal(number, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    beat()
wait_until(lambda: False, 8)
claim(f"it ran eight seconds, {KNOWN['limits']['timeout_s']} are allowed")
