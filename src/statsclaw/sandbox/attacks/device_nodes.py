"""Makes device files of its own, for the disk and for memory."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import CONFINED, MARK, OWN, claim, trying  # type: ignore[import-not-found]

disks = []
with trying():
    rows = [line.split() for line in Path("/proc/partitions").read_text().splitlines()[2:]]
    disks = [(stat.S_IFBLK, int(row[0]), int(row[1])) for row in rows if not row[3].startswith(("ram", "loop", "zram"))]
characters = [(1, 5), (1, 1), (10, 229), (5, 1), (10, 200)] if CONFINED else [(1, 5)]
for kind, major, minor in [*disks, *((stat.S_IFCHR, *numbers) for numbers in characters)]:
    for own in (OWN["tmp"], OWN["repo"], "/dev/shm"):
        place = f"{own}/device-{major}-{minor}-{MARK}"
        with trying(place):
            os.mknod(place, kind | 0o666, os.makedev(major, minor))
            if CONFINED:
                claim(f"device {major}:{minor} can be made")
            fd = os.open(place, os.O_RDONLY | os.O_NONBLOCK)
            claim(f"device {major}:{minor} can be opened: {len(os.read(fd, 512))} bytes")
            os.close(fd)
        with trying():
            os.unlink(place)
