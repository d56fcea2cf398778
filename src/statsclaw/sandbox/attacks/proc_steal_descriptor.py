"""Takes an open file out of another process (pidfd_getfd)."""

from __future__ import annotations

import os
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import CONFINED, KNOWN, call, claim, got, processes, trying  # type: ignore[import-not-found]

targets = [(KNOWN["bystander"]["pid"], KNOWN["bystander"]["fd"])]
targets += [(pid, fd) for pid in processes() for fd in range(3, 20) if CONFINED]
for pid, fd in targets:
    with trying():
        taken = call("pidfd_getfd", call("pidfd_open", pid, 0), fd, 0)
        got(os.pread(taken, 50_000, 0))
        if CONFINED:
            claim(f"descriptor {fd} of process {pid} was taken")
