"""Writes into the other role's room, the log, the store, the desk and the person's folders."""

from __future__ import annotations

import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import KNOWN, MARK, append, create  # type: ignore[import-not-found]

for path in KNOWN["paths"].values():
    append(path)
for name in ("room", "run", "desk", "store", "target", "workspace", "person", "effects"):
    create(f"{KNOWN[name]}/{MARK}")
for name in ("repo/tests/validation", "out", "home", "tmp", "in"):
    create(f"{KNOWN['room']}/{name}/{MARK}")
