"""Changes the access rights of the device files that everybody on the machine shares."""

from __future__ import annotations

import os
import stat
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import KNOWN, claim, trying  # type: ignore[import-not-found]

for path, inode in KNOWN["devices"].items():
    with trying(path):
        info = os.stat(path)
        os.chmod(path, stat.S_IMODE(info.st_mode))  # as it was
        if info.st_ino == inode:
            claim(f"the access rights of the machine's {path} can be set")
