"""Lines that judge: Python and R, not blank, at an earlier commit and now. What is not committed does not count.

Of the engine only the files that judge count: `JUDGING` names those of either commit.

Run: python benchmarks/lines.py --since COMMIT [--until COMMIT]
"""

from __future__ import annotations

import argparse
import subprocess
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[1]
SOURCES = "src/statsclaw"
PARTS = ("verify", "specs", "engine")
JUDGING = frozenset({
    "carrying.py", "covering.py", "disturbing.py", "judges.py", "questions.py", "rejudging.py", "side_by_side.py",
    "study_looks.py", "verifying.py",
})  # fmt: skip


def git(*arguments: str) -> bytes:
    return subprocess.run(["git", "-C", str(ROOT), *arguments], check=True, capture_output=True).stdout


def counts(path: str, part: str) -> bool:
    name = PurePosixPath(path)
    return name.suffix in (".py", ".R") and (part != "engine" or name.name in JUDGING)


def lines(commit: str, part: str) -> int:
    paths = git("ls-tree", "-r", "-z", "--name-only", commit, f"{SOURCES}/{part}/").decode().split("\0")
    texts = (git("show", f"{commit}:{path}") for path in paths if counts(path, part))
    return sum(bool(line.strip()) for text in texts for line in text.splitlines())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--since", default="HEAD", metavar="COMMIT")
    parser.add_argument("--until", default="HEAD", metavar="COMMIT")
    options = parser.parse_args()
    total = {"before": 0, "after": 0}
    for part in PARTS:
        for when, commit in zip(total, (options.since, options.until), strict=True):
            found = lines(commit, part)
            total[when] += found
            print(f"lines_{part}{'_judging' if part == 'engine' else ''}_{when}: {found}")
    for when, found in total.items():
        print(f"lines_total_{when}: {found}")


if __name__ == "__main__":
    main()
