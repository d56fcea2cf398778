"""Raises its own limits on processes, memory and file sizes."""

from __future__ import annotations

import os
import resource
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import claim, run, trying  # type: ignore[import-not-found]

for name in ("RLIMIT_NPROC", "RLIMIT_DATA", "RLIMIT_FSIZE", "RLIMIT_CORE"):
    kind = getattr(resource, name)
    with trying(name):
        resource.setrlimit(kind, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        claim(f"{name} can be raised")
    with trying(name):
        soft, hard = resource.getrlimit(kind)
        if hard == resource.RLIM_INFINITY:
            claim(f"{name} is not limited")
    with trying(name):
        run("prlimit", f"--pid={os.getpid()}", f"--{name[7:].lower()}=unlimited:unlimited")
        if resource.getrlimit(kind)[1] == resource.RLIM_INFINITY:
            claim(f"{name} can be raised by prlimit")
