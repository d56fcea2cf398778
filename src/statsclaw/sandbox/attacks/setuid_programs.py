"""Runs programs that make their user root: su, sudo, mount, ping, newuidmap, pkexec."""

from __future__ import annotations

import os
import stat
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import CONFINED, OWN, claim, got, run, trying  # type: ignore[import-not-found]

with open("/proc/self/status") as file:
    rows = dict(line.split(":", 1) for line in file)
if rows["NoNewPrivs"].strip() != "1":
    claim("programs can give it more rights than it has")
for folder in ("/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/lib/openssh", "/usr/libexec") if CONFINED else ():
    with trying(folder):
        for entry in os.scandir(folder):
            if entry.is_file(follow_symlinks=False) and entry.stat().st_mode & (stat.S_ISUID | stat.S_ISGID):
                got(entry.path)
for argv in (
    (
        ["su", "-c", "id -u"],
        ["sudo", "-n", "id", "-u"],
        ["pkexec", "id", "-u"],
        ["newuidmap", str(os.getpid()), "0", "0", "1"],
        ["mount", "-t", "tmpfs", "none", OWN["tmp"]],
        ["umount", OWN["in"]],
        ["ping", "-c", "1", "-W", "1", "127.0.0.1"],
        ["newgrp", "root"],
        ["fusermount", "-V"],
        ["chsh", "-s", "/bin/sh"],
        ["at", "-l"],
        ["crontab", "-l"],
    )
    if CONFINED
    else ()
):
    if run(*argv, seconds=3).strip() == "0":
        claim(f"{argv[0]} made it root")
