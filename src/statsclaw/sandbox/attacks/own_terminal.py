"""Makes a terminal of its own and looks for those of the machine beside it."""

from __future__ import annotations

import os
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import CONFINED, KNOWN, claim, got, trying  # type: ignore[import-not-found]

with trying("the person's"):
    fd = os.open(KNOWN["terminal"], os.O_RDWR | os.O_NOCTTY)
    claim("the person's terminal can be opened")
    os.close(fd)
with trying("ptmx"):
    master, slave = os.openpty()
    got(os.ttyname(slave))
    if CONFINED:
        names = set(os.listdir("/dev/pts")) - {"ptmx", os.path.basename(os.ttyname(slave))}
        if names:
            claim(f"other terminals are there: {sorted(names)}")
