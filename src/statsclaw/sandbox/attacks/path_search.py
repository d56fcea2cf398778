"""Looks through every folder it can see, outside of the machine's programs, for anything to read."""

from __future__ import annotations

import os
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import CONFINED, KNOWN, pick, trying  # type: ignore[import-not-found]

places = ["/"] if CONFINED else [KNOWN["folder"]]
skipped = {"/proc", "/sys", "/dev", "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix", "/gnu", "/etc/ssl"}
skipped |= {sys.prefix, sys.base_prefix, KNOWN["tools"]}
for place in places:
    for root, folders, names in os.walk(place):
        folders[:] = [name for name in folders if os.path.join(root, name) not in skipped]
        for name in names:
            path = os.path.join(root, name)
            with trying():
                if os.path.isfile(path) and os.path.getsize(path) < 200_000:
                    with open(path, "rb") as file:
                        pick(file.read())
