"""Mounts with the newer calls: open_tree, move_mount, fsopen, fspick."""

from __future__ import annotations

import os
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import CONFINED, KNOWN, OWN, call, claim, got, trying  # type: ignore[import-not-found]

for source in ("/", KNOWN["folder"], KNOWN["room"], OWN["in"], *(["/proc/1/root"] if CONFINED else [])):
    for name in ("open_tree", "open_tree_attr"):
        for flags in (0x80001, 0x88001, 1, 0x81001):
            with trying(f"{name} {source}"):
                fd = call(name, -100, source.encode(), flags, 0, 0)
                if CONFINED and name == "open_tree":
                    claim(f"open_tree of {source} is not refused")
                for path in KNOWN["paths"].values():
                    for start in ("", KNOWN["folder"], KNOWN["room"]):
                        with trying():
                            got(os.read(os.open(path[len(start) :].lstrip("/"), os.O_RDONLY, dir_fd=fd), 50_000))
                with trying("move_mount"):
                    if CONFINED and os.readlink("/proc/self/ns/mnt") != KNOWN["mnt_namespace"]:
                        call("move_mount", fd, b"", -100, OWN["tmp"].encode(), 4)
                        claim(f"{source} was mounted")
for kind in (b"tmpfs", b"proc", b"ext4", b"overlay", b"sysfs"):
    with trying(kind):
        fd = call("fsopen", kind, 1)
        call("fsconfig", fd, 6, 0, 0, 0)
        call("fsmount", fd, 1, 0)
        if CONFINED:
            claim(f"a file system {kind.decode()} was made")
for path in ("/", OWN["in"], "/usr"):
    with trying(path):
        os.close(call("fspick", -100, path.encode(), 1))
        if CONFINED:
            claim(f"fspick of {path} is not refused")
