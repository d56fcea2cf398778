"""Enters the namespaces of another process (setns)."""

from __future__ import annotations

import os
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import CONFINED, KNOWN, apart, call, claim, read, trying  # type: ignore[import-not-found]

for pid in (KNOWN["bystander"]["pid"], *((1, KNOWN["engine"], *KNOWN["accomplice"]) if CONFINED else ())):
    for kind in ("mnt", "user", "pid", "net", "ipc", "cgroup", "uts"):

        def deed(pid: int = pid, kind: str = kind) -> None:
            call("setns", os.open(f"/proc/{pid}/ns/{kind}", os.O_RDONLY), 0)
            claim(f"entered the {kind} namespace of process {pid}")
            for path in KNOWN["paths"].values():
                read(path)

        apart(deed)
    with trying(pid):
        call("setns", call("pidfd_open", pid, 0), 0x20000)
        claim(f"entered the mounts of process {pid}")
