"""Changes priority, processors and limits of a process of the machine."""

from __future__ import annotations

import os
import resource
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import KNOWN, claim, trying  # type: ignore[import-not-found]

with trying("nice"):
    os.setpriority(os.PRIO_PROCESS, KNOWN["victim"], 7)
with trying("limits"):
    resource.prlimit(KNOWN["victim"], resource.RLIMIT_CORE, (0, 0))
    claim("the limits of another process can be set")
with trying("processors"):
    os.sched_setaffinity(KNOWN["victim"], os.sched_getaffinity(0))
    claim("the processors of another process can be set")
with trying("user"):
    claim(f"priority of the user's processes: {os.getpriority(os.PRIO_PROCESS, KNOWN['victim'])}")
