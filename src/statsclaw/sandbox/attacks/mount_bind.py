"""Mounts the machine's folders into its own."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import CONFINED, KNOWN, OWN, apart, call, claim, mounts_apart, read, trying  # type: ignore[import-not-found]


def deed() -> None:
    if not mounts_apart():
        return
    places = iter(Path(OWN["tmp"]) / f"mounted-{n}" for n in range(100))
    rest = [(b"none", b"tmpfs", 0), (b"none", b"proc", 0), (b"none", b"sysfs", 0), (b"none", b"devtmpfs", 0)]
    rest += [(b"none", b"overlay", 0), (b"none", b"cgroup2", 0), (b"none", b"devpts", 0), (b"none", b"mqueue", 0)]
    for source, kind, flags in [
        (p.encode(), b"none", 0x5000) for p in ("/", KNOWN["folder"], "/proc/self/root")
    ] + rest:
        place = next(places)
        place.mkdir()
        with trying(f"{source!r} {kind!r}"):
            call("mount", source, str(place).encode(), kind, flags, 0)
            if CONFINED:
                claim(f"{kind.decode()} {source.decode()} was mounted")
            for path in KNOWN["paths"].values():
                read(f"{place}{path}")
                read(f"{place}{path[len(KNOWN['folder']) :]}")


apart(deed, 5)
