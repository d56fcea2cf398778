"""Reads from /proc/self/mountinfo where its folders lie on the disk and looks for their neighbours."""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import CONFINED, KNOWN, OWN, got, read, trying  # type: ignore[import-not-found]

roots = {line.split()[3] for line in Path("/proc/self/mountinfo").read_text().splitlines()}
for root in sorted(roots) if CONFINED else [KNOWN["room"] + "/repo"]:
    for up in list(Path(root).parents)[:5]:
        for name in ("", "in/test-spec.md", "tester-1/in/test-spec.md", "dispatches/tester-1/in/test-spec.md"):
            for start in ("", "/proc/self/root", "/proc/1/root", OWN["repo"] + "/../.."):
                path = f"{start}{up}/{name}"
                with trying():
                    read(path) if name else got(f"{path} {os.listdir(path)}")
