"""Reads the person's own keys, settings and start-up files."""

from __future__ import annotations

import os
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import CONFINED, KNOWN, claim, read_below, trying  # type: ignore[import-not-found]

read_below(KNOWN["person"])
for name in (".ssh", ".netrc", ".gnupg", ".aws", ".config/gh", ".claude", ".codex", ".bash_history", ".gitconfig"):
    for home in (os.path.expanduser(f"~{KNOWN['user']}"), "/root", f"/home/{KNOWN['user']}") if CONFINED else ():
        with trying():
            claim(f"{home}/{name} is there: {os.stat(f'{home}/{name}')}")
