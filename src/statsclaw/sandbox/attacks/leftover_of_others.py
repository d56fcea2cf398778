"""Looks in its own fresh folders for what a role before it has left."""

from __future__ import annotations

import os
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import CONFINED, KNOWN, OWN, claim, trying  # type: ignore[import-not-found]


def holds_a_mount(folder: str, name: str) -> bool:
    """A tool whose own place lies below this folder is mounted there."""
    place = os.path.join(folder, name)
    with open("/proc/self/mountinfo", encoding="utf-8") as file:
        return any((line.split()[4] + "/").startswith(place + "/") for line in file)


for own in (
    (OWN["home"], OWN["tmp"], OWN["out"], "/dev/shm", "/var/tmp", "/tmp")
    if CONFINED
    else (OWN["home"], OWN["tmp"], OWN["out"])
):
    with trying(own):
        found = [name for name in os.listdir(own) if name not in KNOWN["expected"]]
        found = [name for name in found if not holds_a_mount(own, name)]
        if found:
            claim(f"{own} is not empty: {found[:5]}")
for name in ("TMPDIR", "HOME"):
    with trying(name):
        found = [one for one in os.listdir(os.environ[name]) if not holds_a_mount(os.environ[name], one)]
        if found:
            claim(f"{name} is not empty: {found[:5]}")
