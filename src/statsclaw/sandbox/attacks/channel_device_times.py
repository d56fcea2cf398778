"""Sets the time stamp of a device file that every role sees."""

from __future__ import annotations

import os
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import claim, trying  # type: ignore[import-not-found]

for path in ("/dev/full", "/dev/null", "/dev/zero", "/dev/random", "/dev/tty", "/dev/urandom"):
    with trying(path):
        os.utime(path)
        claim(f"the time of {path} can be set, and others see it")
        break
