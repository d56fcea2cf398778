"""Lays links to the other role's files into its folders and reads through them."""

from __future__ import annotations

import os
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import KNOWN, OWN, read, trying  # type: ignore[import-not-found]

for own in (OWN["out"], OWN["repo"], OWN["home"], OWN["tmp"]):
    for index, path in enumerate(KNOWN["paths"].values()):
        for kind, goal in (
            ("absolute", path),
            ("relative", os.path.relpath(path, own)),
            ("root", "/proc/self/root" + path),
        ):
            link = f"{own}/{kind}-{index}"
            with trying(link):
                os.symlink(goal, link)
                read(link)
