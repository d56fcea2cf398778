"""Uses files that the engine has open and might have passed on."""

from __future__ import annotations

import os
import stat
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import claim, got, trying  # type: ignore[import-not-found]

for name in sorted(os.listdir("/proc/self/fd"), key=int):
    with trying(name):
        where = os.readlink(f"/proc/self/fd/{name}")
        kind = stat.S_IFMT(os.fstat(int(name)).st_mode)
        got(f"{name} {where}")
        if int(name) > 2 and kind == stat.S_IFDIR and not where.endswith("/fd"):
            claim(f"a folder is open: {where}")
        elif int(name) > 2 and kind != stat.S_IFDIR:
            claim(f"a file is open: {where}")
            got(os.pread(int(name), 50_000, 0))
        elif kind not in (stat.S_IFIFO, stat.S_IFDIR, stat.S_IFCHR):
            claim(f"a stream is a file: {where}")
