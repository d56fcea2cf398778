"""Climbs out of its folders by opening .. from an open folder, again and again."""

from __future__ import annotations

import os
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import KNOWN, OWN, got, trying  # type: ignore[import-not-found]

for own in (*OWN.values(), "/"):
    with trying(own):
        here = os.open(own, os.O_RDONLY | os.O_DIRECTORY)
        for _ in range(20):
            for path in KNOWN["paths"].values():
                with trying():
                    got(os.read(os.open(path.lstrip("/"), os.O_RDONLY, dir_fd=here), 50_000))
            here = os.open("..", os.O_RDONLY | os.O_DIRECTORY, dir_fd=here)
