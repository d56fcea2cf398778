"""Prints without end."""

from __future__ import annotations

import os
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import KNOWN, claim  # type: ignore[import-not-found]

line = b"x" * 65535 + b"\n"
for _ in range(64 * KNOWN["limits"]["output_bytes"] // len(line)):
    os.write(1, line)
claim("it could print sixty-four times what it may")
