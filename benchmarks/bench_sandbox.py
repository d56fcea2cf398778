"""What the barrier costs: starting a program behind it, and making the room of a repository of 50,000 files.

The start is compared with a plain process and with bubblewrap called by hand with the same enclosure.
"""

from __future__ import annotations

import contextlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from statsclaw.git import git, own_environment
from statsclaw.runlog.store import ContentStore
from statsclaw.sandbox.bubblewrap import Bubblewrap, _Held
from statsclaw.sandbox.enclosure import Enclosure
from statsclaw.sandbox.limits import Limits
from statsclaw.sandbox.room import Room
from statsclaw.sandbox.toolchain import system, with_tools
from statsclaw.sandbox.tree import TargetRepo, write_tree

STARTS, FILES = 100, 50_000


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        starts(Path(folder))
        views(Path(folder))


def starts(folder: Path) -> None:
    room = Room(folder / "room", folder / "desk")
    room.repo.mkdir(parents=True)
    room.furnish({}, {"spec.md": b"x"})
    enclosure = room.enclosure(with_tools(system(), [Path(sys.executable)]))
    barrier, limits = Bubblewrap(), Limits()

    def plain() -> None:
        subprocess.run(["/usr/bin/true"], check=True)

    def behind() -> None:
        done = barrier.run(["/usr/bin/true"], enclosure, desk=room.desk, env={}, limits=limits)
        assert done.exit_code == 0, done.output

    kinds = {"plain_process": plain, "bwrap_by_hand": lambda: by_hand(enclosure, limits), "statsclaw": behind}
    taken: dict[str, list[float]] = {name: [] for name in kinds}
    for _ in range(STARTS):
        for name, start in kinds.items():  # in turn, so that a busy moment touches all of them
            begun = time.perf_counter()
            start()
            taken[name].append(1000 * (time.perf_counter() - begun))
    for name, times in taken.items():
        print(f"start_{name}_median_ms: {statistics.median(times):.2f}")
        print(f"start_{name}_p95_ms: {statistics.quantiles(times, n=20)[-1]:.2f}")
    middle = {name: statistics.median(times) for name, times in taken.items()}
    print(f"start_on_top_of_plain_ms: {middle['statsclaw'] - middle['plain_process']:.2f}")
    print(f"start_ratio_to_bwrap_by_hand: {middle['statsclaw'] / middle['bwrap_by_hand']:.2f}")


def by_hand(enclosure: Enclosure, limits: Limits) -> None:
    with contextlib.ExitStack() as stack:
        held = _Held(stack)
        arguments = Bubblewrap().arguments(enclosure, {}, limits, held)
        subprocess.run(["bwrap", *arguments, "--", "/usr/bin/true"], check=True, pass_fds=held.fds)


def views(folder: Path) -> None:
    source, bare = folder / "source", folder / "target.git"
    for number in range(FILES):
        place = source / f"d{number % 500:03}" / f"f{number}.py"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f"x = {number}\n" * 20)
    env = own_environment()
    git("init", "--quiet", cwd=source, env=env)
    git("add", "--all", cwd=source, env=env)
    git("commit", "--quiet", "-m", "base", cwd=source, env=env)
    git("clone", "--quiet", "--bare", str(source), str(bare), env=env)
    base = git("rev-parse", "HEAD", cwd=source, env=env).decode().strip()

    room = Room(folder / "large", folder / "desk-large")
    begun = time.perf_counter()
    manifest = write_tree(TargetRepo(bare, base), {}, ContentStore(folder / "store"), room.repo, lambda path: True)
    laid_out = time.perf_counter()
    room.furnish(manifest, {})
    print(f"view_files: {len(manifest)}")
    print(f"view_laid_out_s: {laid_out - begun:.2f}")
    print(f"view_with_its_git_s: {time.perf_counter() - begun:.2f}")
    begun = time.perf_counter()
    git("clone", "--quiet", "--no-hardlinks", str(bare), str(folder / "clone"), env=env)
    cloned = time.perf_counter() - begun
    print(f"git_clone_of_the_same_s: {cloned:.2f}")
    begun = time.perf_counter()
    shutil.copytree(source, folder / "copy", ignore=shutil.ignore_patterns(".git"))
    print(f"copy_of_the_same_s: {time.perf_counter() - begun:.2f}")


if __name__ == "__main__":
    main()
