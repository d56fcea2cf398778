"""Sends a signal that cannot be caught to a process of the machine."""

from __future__ import annotations

import fcntl
import os
import signal
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import KNOWN, call, claim, trying  # type: ignore[import-not-found]

with trying("kill"):
    os.kill(KNOWN["victim"], signal.SIGKILL)
with trying("kill the group"):
    os.killpg(KNOWN["victim"], signal.SIGKILL)
with trying("pidfd"):
    call("pidfd_send_signal", call("pidfd_open", KNOWN["victim"], 0), signal.SIGKILL, 0, 0)
with trying("by a file"):
    call("pidfd_send_signal", os.open(f"/proc/{KNOWN['victim']}", os.O_DIRECTORY), signal.SIGKILL, 0, 0)
with trying("owner of a pipe"):
    reads, writes = os.pipe()
    fcntl.fcntl(reads, 10, int(signal.SIGKILL))
    fcntl.fcntl(reads, fcntl.F_SETOWN, KNOWN["victim"])
    fcntl.fcntl(reads, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
    os.write(writes, b"x")
for pid in (KNOWN["engine"], KNOWN["bystander"]["pid"], *KNOWN["accomplice"]):
    with trying(pid):
        os.kill(pid, 0)
        claim(f"process {pid} can be sent signals")
