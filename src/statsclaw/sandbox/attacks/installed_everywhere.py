"""Searches the folder of tools for anything of the installed package: caches, leftovers, archives."""

from __future__ import annotations

import os
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import KNOWN, pick, trying  # type: ignore[import-not-found]

for root, _, names in os.walk(KNOWN["tools"]):
    for name in names:
        with trying(), open(os.path.join(root, name), "rb") as file:
            pick(file.read(200_000))
