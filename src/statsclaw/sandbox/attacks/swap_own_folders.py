"""Replaces its own /repo and /out by links while it runs, so that the engine would follow them."""

from __future__ import annotations

import os
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import KNOWN, LIBC, OWN, claim, trying  # type: ignore[import-not-found]

for name in ("repo", "out", "tmp", "home", "in"):
    own = OWN[name]
    with trying(f"remove {own}"):
        os.rename(own, own + "-away")
        os.symlink(KNOWN["room"], own)
        claim(f"{own} is a link to the other role's room")
    with trying(f"link beside {own}"):
        os.symlink(KNOWN["room"], own.rstrip("/") + "-beside")
        claim(f"something can be laid beside {own}")
    with trying(f"exchange {own}"):
        os.symlink(KNOWN["room"], f"{OWN['tmp']}/link-{name}")
        LIBC.renameat2.argtypes = None
        if LIBC.renameat2(-100, f"{OWN['tmp']}/link-{name}".encode(), -100, own.encode(), 2) == 0:
            claim(f"{own} was exchanged for a link")
