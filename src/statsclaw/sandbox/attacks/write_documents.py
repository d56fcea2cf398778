"""Changes the documents it was given, which the engine has attested."""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import MARK, OWN, claim, trying  # type: ignore[import-not-found]

inbox = Path(OWN["in"])
for path in sorted(inbox.rglob("*")):
    with trying(path), open(path, "r+b") as file:
        claim(f"{path} can be written to")
    with trying(path):
        os.chmod(path, path.stat().st_mode)
        claim(f"the mode of {path} can be set")
    with trying(path):
        os.utime(path)
        claim(f"the time of {path} can be set")
    with trying(path):
        os.rename(path, f"{path}-moved")
        os.rename(f"{path}-moved", path)
        claim(f"{path} can be moved")
with trying():
    (inbox / MARK).write_text(MARK)
    claim("something can be added to the documents")
with trying():
    fd = os.open(inbox / "spec.md", os.O_RDONLY)
    os.close(os.open(f"/proc/self/fd/{fd}", os.O_RDWR))
    claim("an opened document can be opened again to be written to")
