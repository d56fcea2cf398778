"""Looks in its own fresh folders for what a role before it has left."""

from __future__ import annotations

import os
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import CONFINED, KNOWN, OWN, claim, trying  # type: ignore[import-not-found]

for own in (
    (OWN["home"], OWN["tmp"], OWN["out"], "/dev/shm", "/var/tmp", "/tmp")
    if CONFINED
    else (OWN["home"], OWN["tmp"], OWN["out"])
):
    with trying(own):
        found = [name for name in os.listdir(own) if name not in KNOWN["expected"]]
        if found:
            claim(f"{own} is not empty: {found[:5]}")
for name in ("TMPDIR", "HOME"):
    with trying(name):
        found = os.listdir(os.environ[name])
        if found:
            claim(f"{name} is not empty: {found[:5]}")
