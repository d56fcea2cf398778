"""Becomes a daemon: forks twice, closes its streams, ignores every signal."""

from __future__ import annotations

import os
import signal
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
    if os.fork() == 0:
        for number in range(1, 65):
            with trying():
                signal.signal(number, signal.SIG_IGN)
        null = os.open("/dev/null", os.O_RDWR)
        for fd in (0, 1, 2):
            os.dup2(null, fd)
        os.chdir("/")
        beat()
    os._exit(0)
wait_until(lambda: os.path.exists(OWN["tmp"] + "/heartbeat"), 2)
