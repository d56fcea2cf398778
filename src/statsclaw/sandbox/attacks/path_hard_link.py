"""Makes second names for the other role's files in its own folder."""

from __future__ import annotations

import os
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import KNOWN, OWN, claim, read, trying  # type: ignore[import-not-found]

for index, path in enumerate(KNOWN["paths"].values()):
    place = f"{OWN['tmp']}/linked-{index}"
    with trying(path):
        os.link(path, place)
        read(place)
    with trying(path):
        os.link(path, place + "-followed", follow_symlinks=True)
        read(place + "-followed")
for name in os.listdir(OWN["in"]):
    with trying(name):
        os.link(f"{OWN['in']}/{name}", f"{OWN['out']}/{name}")
        claim("a document has a second name where it can be written to")
