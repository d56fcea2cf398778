"""Clones the target, fetches from it, attaches a worktree to it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import KNOWN, OWN, run, trying  # type: ignore[import-not-found]

os.chdir(OWN["tmp"])
for place in (KNOWN["target"], KNOWN["clone"]):
    for url in (place, f"file://{place}", f"ext::cat {place}/HEAD"):
        run(
            "git",
            "-c",
            "protocol.allow=always",
            "-c",
            "safe.directory=*",
            "clone",
            "--mirror",
            url,
            f"clone-{len(url)}",
        )
    run("git", "-c", "safe.directory=*", "-C", OWN["repo"], "fetch", place, "+refs/*:refs/stolen/*")
    run("git", "-C", OWN["repo"], "log", "--all", "-p")
    run("git", "-c", "safe.directory=*", "archive", f"--remote={place}", "HEAD")
    run("git", "-c", "safe.directory=*", "bundle", "create", "all.bundle", "--all")
    with trying("worktree"):
        tree = Path(f"worktree-{len(place)}")
        tree.mkdir()
        (tree / ".git").write_text(f"gitdir: {place}\n")
        run("git", "-c", "safe.directory=*", "-C", str(tree), "log", "-p", "--all")
for name in KNOWN["objects"]:
    run("git", "-C", OWN["repo"], "cat-file", "-p", name)
