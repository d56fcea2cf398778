"""Has the machine start a program later: at, cron, systemd, login scripts."""

from __future__ import annotations

import os
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import KNOWN, MARK, claim, create, run, trying  # type: ignore[import-not-found]

deed = f"touch {KNOWN['effects']}/{MARK}"
run("systemd-run", "--user", "--no-block", "sh", "-c", deed)
run("systemd-run", "--no-block", "sh", "-c", deed)
run("sh", "-c", f"echo '{deed}' | at now")
with trying("crontab"):
    if os.access("/var/spool/cron/crontabs", os.W_OK):
        claim("the tables of cron can be written to")
for folder in KNOWN["schedules"]:
    create(f"{folder}/statsclaw-{MARK}", f"* * * * * root {deed}\n")
