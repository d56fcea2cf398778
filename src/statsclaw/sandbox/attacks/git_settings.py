"""Has git read the other role's files as settings, ignore lists, attributes and mail maps."""

from __future__ import annotations

import os
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import KNOWN, OWN, run  # type: ignore[import-not-found]

os.chdir(OWN["repo"])
for path in KNOWN["paths"].values():
    run("git", "config", "-f", path, "--list")
    run("git", "-c", f"include.path={path}", "config", "--list")
    run("git", "hash-object", "-w", path)
    run("git", "diff", "--no-index", "/dev/null", path)
