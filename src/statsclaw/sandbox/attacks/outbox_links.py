"""Leaves links, pipes and second names in its outbox and repository for the engine to follow."""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import KNOWN, OWN, trying  # type: ignore[import-not-found]

for own in (OWN["out"], OWN["repo"]):
    for index, path in enumerate(KNOWN["paths"].values()):
        with trying(path):
            os.symlink(path, f"{own}/document-{index}.md")
    with trying():
        os.symlink(KNOWN["room"], f"{own}/folder")
    with trying():
        os.mkfifo(f"{own}/implementation.md")
    with trying():
        os.symlink("/proc/self/environ", f"{own}/environ.md")
    with trying():
        Path(f"{own}/.git").mkdir()
    with trying():
        os.symlink(KNOWN["target"], f"{own}/src")
