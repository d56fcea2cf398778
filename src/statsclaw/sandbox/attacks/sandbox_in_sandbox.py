"""Builds a sandbox of its own inside, with the mounts it wants."""

from __future__ import annotations

import shutil
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import CONFINED, claim, run  # type: ignore[import-not-found]

for options in (
    ["--bind", "/", "/"],
    ["--unshare-all", "--ro-bind", "/", "/"],
    ["--dev-bind", "/", "/", "--proc", "/proc"],
):
    if "inside-works" in run("bwrap", *options, "sh", "-c", "echo inside-$(echo works)"):
        claim(f"bwrap {' '.join(options)} works inside")
for program in ("podman", "docker", "firejail", "flatpak-spawn", "systemd-nspawn", "nsenter", "runc"):
    if CONFINED and shutil.which(program):
        run(program, "--version")
