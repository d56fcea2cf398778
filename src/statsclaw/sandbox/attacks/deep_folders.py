"""Nests folders deeper than a path can be long, so that looking after it fails."""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import MARK, OWN, trying  # type: ignore[import-not-found]

os.chdir(OWN["tmp"])
for _ in range(1500):
    os.mkdir("d")
    os.chdir("d")
with trying():
    Path("end").write_text(MARK)
