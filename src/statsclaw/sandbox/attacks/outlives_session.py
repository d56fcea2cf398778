"""Leaves a process in a session of its own that goes on when its work has ended."""

from __future__ import annotations

import os
import sys
import time

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import OWN, trying, wait_until  # type: ignore[import-not-found]


def beat() -> None:
    end = time.monotonic() + 8
    while time.monotonic() < end and not os.path.exists(OWN["tmp"] + "/stop"):
        with trying(), open(OWN["tmp"] + "/heartbeat", "a") as file:
            file.write(f"{os.getpid()}\n")
        time.sleep(0.02)
    os._exit(0)


if os.fork() == 0:
    os.setsid()
    beat()
wait_until(lambda: os.path.exists(OWN["tmp"] + "/heartbeat"), 2)
