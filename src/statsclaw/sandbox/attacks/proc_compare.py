"""Compares the inner addresses of two processes with kcmp."""

from __future__ import annotations

import os
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import CONFINED, KNOWN, call, claim, trying  # type: ignore[import-not-found]

for pid in (KNOWN["bystander"]["pid"], KNOWN["engine"], *([1] if CONFINED else [])):
    with trying(pid):
        claim(f"kcmp answers {call('kcmp', os.getpid(), pid, 1, 0, 0)}")
