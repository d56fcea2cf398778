"""Tries every process number up to a few thousand, in case some are only hidden from the listing."""

from __future__ import annotations

import os
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import APART, KNOWN, claim, trying  # type: ignore[import-not-found]

visible = {int(name) for name in os.listdir("/proc") if name.isdigit()}
known = {KNOWN["engine"], KNOWN["victim"], KNOWN["bystander"]["pid"], *KNOWN["accomplice"]}
for pid in sorted(known | (set(range(1, 5000)) if APART else set())):
    if pid in visible and pid not in known:
        continue
    with trying():
        os.kill(pid, 0)
        if pid in known or pid not in {int(name) for name in os.listdir("/proc") if name.isdigit()}:
            claim(f"process {pid} can be reached")
