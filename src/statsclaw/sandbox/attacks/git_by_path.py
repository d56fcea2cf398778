"""Reads the history of the target by the path of its clones: commits, notes, stashes, packs."""

from __future__ import annotations

import os
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import KNOWN, OWN, read_below, run  # type: ignore[import-not-found]

for place in (KNOWN["target"], KNOWN["clone"] + "/.git", KNOWN["clone"]):
    env = {"PATH": os.environ["PATH"], "HOME": OWN["home"], "GIT_CONFIG_COUNT": "1"}
    env |= {"GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*"}
    for words in ("log --all --reflog -p", "notes show", "stash show -p", "show HEAD", "for-each-ref"):
        run("git", "-C", place, *words.split(), env=env)
    for name in KNOWN["objects"]:
        run("git", "--git-dir", place, "cat-file", "-p", name, env=env)
    read_below(place)
