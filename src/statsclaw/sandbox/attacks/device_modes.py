"""Changes the access rights of the device files that everybody on the machine shares."""

from __future__ import annotations

import os
import stat
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import claim, trying  # type: ignore[import-not-found]

for name in ("null", "zero", "full", "random", "urandom", "tty"):
    with trying(name):
        mode = os.stat(f"/dev/{name}").st_mode
        os.chmod(f"/dev/{name}", stat.S_IMODE(mode))  # as it was
        claim(f"the access rights of the machine's /dev/{name} can be set")
