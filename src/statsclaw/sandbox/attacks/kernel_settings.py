"""Changes settings of the kernel (/proc/sys), among them the program that gets crash reports."""

from __future__ import annotations

import os
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import CONFINED, claim, trying  # type: ignore[import-not-found]

names = ["kernel/core_pattern", "kernel/hostname", "kernel/modprobe", "vm/overcommit_memory", "fs/file-max"]
names += [
    "kernel/domainname",
    "kernel/yama/ptrace_scope",
    "net/ipv4/ip_forward",
    "kernel/ns_last_pid",
    "vm/drop_caches",
]
for name in names:
    for start in ("/proc/sys/", "/proc/self/root/proc/sys/", *(["/proc/1/root/proc/sys/"] if CONFINED else [])):
        with trying(name):
            fd = os.open(start + name, os.O_WRONLY)
            claim(f"{name} can be written to")
            os.close(fd)
for path in (
    ("/proc/1/oom_score_adj", "/proc/1/uid_map", "/proc/self/uid_map", "/proc/self/setgroups") if CONFINED else ()
):
    with trying(path):
        os.close(os.open(path, os.O_WRONLY))
        claim(f"{path} can be written to")
with trying("/sys"):
    for path in ("/sys/kernel/uevent_helper", "/sys/power/state", "/sys/module/kernel/parameters/panic"):
        with trying(path):
            os.close(os.open(path, os.O_WRONLY))
            claim(f"{path} can be written to")
