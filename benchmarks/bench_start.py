"""What starting costs: commands that only tell something, and ten replications beside a pool written by hand.

Processor seconds (user and system, all processes together), least of a few: a busy machine disturbs them less.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

REPETITIONS = 3
STUDY = """
from statsclaw.montecarlo import Criterion, Estimate, Study
def dgp(cell, rng):
    return rng.normal(size=50)
def mean(data, cell):
    return {"mu": Estimate(data.mean(), data.std())}
criteria = [Criterion("C1", "bias", "mean", "mu", low=-1.0, high=1.0)]
study = Study("ten", {}, {"mean": mean}, {"mu": 0.0}, 10, 1, dgp=dgp, criteria=criteria)
"""
POOL = """
import json, multiprocessing
import numpy as np
def one(seed):
    data = np.random.default_rng([1, seed]).normal(size=50)
    return float(data.mean()), float(data.std())
if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        json.dump(pool.map(one, range(10)), open("pool.json", "w"))
"""


def measure(argv: list[str], folder: Path) -> tuple[float, float]:
    """(processor, wall) seconds of a fresh run."""
    found = []
    for number in range(REPETITIONS):
        place = folder / str(number)
        place.mkdir(exist_ok=True)
        for name, text in (("study.py", STUDY), ("pool.py", POOL)):
            (place / name).write_text(text)
        before, begun = os.times(), time.monotonic()
        subprocess.run(argv, cwd=place, check=True, capture_output=True)
        after = os.times()
        used = after.children_user + after.children_system - before.children_user - before.children_system
        found.append((used, time.monotonic() - begun))
    return min(row[0] for row in found), min(row[1] for row in found)


def main() -> None:
    statsclaw = [sys.executable, "-m", "statsclaw"]
    rows = {
        "version": [*statsclaw, "--version"],
        "help": [*statsclaw, "--help"],
        "mc_run_10": [*statsclaw, "mc", "run", "study.py", "--workers", "2", "--quiet"],
        "pool_by_hand_10": [sys.executable, "pool.py"],
    }
    for name, argv in rows.items():
        with tempfile.TemporaryDirectory() as folder:
            cpu, wall = measure(argv, Path(folder))
        print(f"{name}_cpu_s: {cpu:.3f}")
        print(f"{name}_wall_s: {wall:.3f}")


if __name__ == "__main__":
    main()
