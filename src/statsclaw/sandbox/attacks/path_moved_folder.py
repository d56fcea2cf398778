"""Moves the folder it stands in to another place and climbs out from there."""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import KNOWN, OWN, got, trying  # type: ignore[import-not-found]

for own in (OWN["tmp"], OWN["out"], OWN["repo"], OWN["home"]):
    with trying(own):
        deep = Path(own) / "a" / "b" / "c"
        deep.mkdir(parents=True)
        os.chdir(deep)
        os.rename(deep.parent, Path(own) / "moved")
        for depth in range(1, 12):
            for path in KNOWN["paths"].values():
                with trying(), open("../" * depth + path.lstrip("/"), "rb") as file:
                    got(file.read(50_000))
    for other in OWN.values():
        with trying(f"{own} to {other}"):
            os.rename(Path(own) / "moved", Path(other) / "moved-here")
