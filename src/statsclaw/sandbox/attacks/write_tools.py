"""Writes into the programs of the machine and of the language, which every role shares."""

from __future__ import annotations

import os
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import CONFINED, KNOWN, MARK, append, claim, create, trying  # type: ignore[import-not-found]

places = [KNOWN["tools"], KNOWN["tools"] + "/bin"]
for place in dict.fromkeys([*places, *(KNOWN["shared_places"] if CONFINED else [])]):
    create(f"{place}/.statsclaw-{MARK}")
    with trying(place):
        os.mkdir(f"{place}/.statsclaw-{MARK}-folder")
files = [KNOWN["tools"] + "/bin/tool", *([sys.executable, "/usr/bin/env", os.__file__, "/bin/sh"] if CONFINED else [])]
for path in files:
    with trying(path), open(path, "r+b") as file:
        if CONFINED:
            claim(f"{path} can be written to")
    if CONFINED:
        with trying(path):
            os.utime(path)
            claim(f"the time of {path} can be set")
        with trying(path):
            os.chmod(path, os.stat(path).st_mode)
            claim(f"the mode of {path} can be set")
        with trying(path):
            os.setxattr(path, "user.statsclaw", b"x")
            claim(f"{path} can be labelled")
append(KNOWN["tools"] + "/bin/tool", f"# {MARK}")
