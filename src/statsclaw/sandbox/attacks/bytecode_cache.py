"""Leaves compiled code beside shared modules, for the next role to run."""

from __future__ import annotations

import os
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import CONFINED, KNOWN, MARK, create, trying  # type: ignore[import-not-found]

places = [KNOWN["tools"] + "/lib"]
for place in [*places, *(KNOWN["shared_places"] if CONFINED else [])]:
    with trying(place):
        cache = os.path.join(place, "__pycache__")
        os.mkdir(cache) if not os.path.exists(cache) else None
        create(f"{cache}/.statsclaw-{MARK}")
