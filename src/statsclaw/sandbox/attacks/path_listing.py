"""Asks whether the folders of the run exist and what is in them."""

from __future__ import annotations

import os
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import KNOWN, claim, trying  # type: ignore[import-not-found]

for name in ("folder", "workspace", "run", "room", "desk", "store", "target", "person"):
    with trying(name):
        claim(f"{name} holds {os.listdir(KNOWN[name])}")
    with trying(name):
        claim(f"{name} exists: {os.stat(KNOWN[name])}")
