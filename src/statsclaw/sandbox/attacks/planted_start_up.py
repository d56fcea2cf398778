"""Plants start-up files that a shell, git, Python, R or an editor of the next role or the person would run."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import CONFINED, KNOWN, MARK, OWN, trying  # type: ignore[import-not-found]

say_it = f"echo {MARK}"
FILES = {
    ".bashrc": say_it,
    ".bash_profile": say_it,
    ".profile": say_it,
    ".zshrc": say_it,
    ".bash_logout": say_it,
    ".Rprofile": f'cat("{MARK}")',
    ".Renviron": f"X={MARK}",
    ".pythonrc": f"print('{MARK}')",
    "sitecustomize.py": f"print('{MARK}')",
    "usercustomize.py": f"print('{MARK}')",
    ".vimrc": f":!{say_it}",
    ".gitconfig": f'[alias]\n\tstatus = "!{say_it}"\n[core]\n\tfsmonitor = "{say_it} #"\n\tpager = {say_it}\n',
    ".config/git/config": f'[core]\n\tfsmonitor = "{say_it} #"\n',
    ".envrc": say_it,
    ".inputrc": "",
    ".local/lib/python3.11/site-packages/usercustomize.py": f"print('{MARK}')",
    ".npmrc": f"script-shell={say_it}",
    ".config/pip/pip.conf": f"[global]\nindex-url = http://{MARK}.test/\n",
    ".R/Makevars": f"$(shell {say_it} >&2)",
}
homes = [OWN["home"], OWN["repo"], OWN["out"], OWN["tmp"], KNOWN["person"], KNOWN["home"], KNOWN["room"] + "/repo"]
for home in homes if CONFINED else [OWN["home"], OWN["tmp"], KNOWN["person"]]:
    for name, text in FILES.items():
        with trying():
            place = Path(home) / name
            place.parent.mkdir(parents=True, exist_ok=True)
            with place.open("a") as file:
                file.write("\n" + text + "\n")
with trying("hooks"):
    for hook in ("pre-commit", "post-checkout", "post-commit", "pre-push", "reference-transaction"):
        place = Path(OWN["repo"]) / ".git" / "hooks" / hook
        place.write_text(f"#!/bin/sh\n{say_it}\n")
        place.chmod(0o755)
