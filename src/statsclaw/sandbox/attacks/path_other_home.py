"""Reads HOME, caches and transcript of the other role."""

from __future__ import annotations

import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import KNOWN, read, read_below  # type: ignore[import-not-found]

read(KNOWN["transcript"])
read_below(KNOWN["home"])
read_below(KNOWN["room"])
