"""Makes a user namespace, in which it would be root (unshare)."""

from __future__ import annotations

import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import CONFINED, apart, call, claim, run  # type: ignore[import-not-found]

KINDS = {"user": 0x10000000, "mount": 0x20000, "pid": 0x20000000, "net": 0x40000000, "cgroup": 0x2000000, "time": 0x80}
for name, flag in KINDS.items():
    for flags in (flag, flag | 0x10000000):

        def deed(flags: int = flags, name: str = name) -> None:
            call("unshare", flags)
            claim(f"a {name} namespace was made")

        apart(deed)
run("unshare", "--user", "--map-root-user", "true") if CONFINED else None
