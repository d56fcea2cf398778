"""Takes apart the process that made its sandbox: memory, files, environment, root."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import APART, CONFINED, KNOWN, call, claim, pick, read, trying  # type: ignore[import-not-found]

first = 1 if APART else KNOWN["bystander"]["pid"]
for name in ("environ", "cmdline"):
    pick(read(f"/proc/{first}/{name}"))
for path in KNOWN["paths"].values():
    read(f"/proc/{first}/root{path}")
    read(f"/proc/{first}/cwd{path}")
with trying("memory"):
    for line in Path(f"/proc/{first}/maps").read_text().splitlines():
        low, high = (int(part, 16) for part in line.split()[0].split("-"))
        with trying(), open(f"/proc/{first}/mem", "rb", buffering=0) as memory:
            memory.seek(low)
            pick(memory.read(min(high - low, 1 << 24)))
with trying("write"), open(f"/proc/{first}/mem", "r+b", buffering=0):
    if CONFINED:
        claim("the memory of the process outside its system-call filter can be written to")
with trying("attach"):
    call("ptrace", 0x4206, first, 0, 0)
    call("ptrace", 17, first, 0, 0)
    if CONFINED:
        claim("the process that made the sandbox can be traced")
