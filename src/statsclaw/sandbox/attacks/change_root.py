"""Changes its root folder and climbs out of it (chroot, pivot_root)."""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import CONFINED, KNOWN, OWN, apart, call, claim, read, trying  # type: ignore[import-not-found]


def climb() -> None:
    place = Path(OWN["tmp"]) / "jail"
    place.mkdir()
    outside = os.open("/", os.O_RDONLY | os.O_DIRECTORY)
    call("chroot", str(place).encode())
    if CONFINED:
        claim("chroot is not refused")
    os.fchdir(outside)
    for _ in range(30):
        os.chdir("..")
    call("chroot", b".")
    for path in KNOWN["paths"].values():
        read(path)


apart(climb)


def pivot() -> None:
    for new, old in ((b".", b"."), (OWN["tmp"].encode(), OWN["tmp"].encode()), (b"/proc", b"/proc/1")):
        with trying("pivot_root"):
            call("pivot_root", new, old)
            claim("pivot_root is not refused")


if CONFINED and os.readlink("/proc/self/ns/mnt") != KNOWN["mnt_namespace"]:
    apart(pivot)
