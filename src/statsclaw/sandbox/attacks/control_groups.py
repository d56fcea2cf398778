"""Writes to control groups, through which a program of the machine can be started."""

from __future__ import annotations

import os
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import CONFINED, KNOWN, claim, trying  # type: ignore[import-not-found]

places = [KNOWN["cgroup"], "/sys/fs/cgroup", "/cgroup", "/sys/fs/cgroup/unified"]
places += ["/proc/1/root/sys/fs/cgroup"] if CONFINED else []
for place in dict.fromkeys(places):
    with trying(place):
        claim(f"control groups are there: {sorted(os.listdir(place))[:5]}")
    for name in ("release_agent", "cgroup.procs", "tasks", "notify_on_release", "memory.max", "pids.max"):
        with trying(name):
            os.close(os.open(f"{place}/{name}", os.O_WRONLY))
            claim(f"{place}/{name} can be written to")
if CONFINED:
    with trying("/sys"):
        claim(f"/sys is there: {os.listdir('/sys')}")
