"""`statsclaw list` with two hundred runs in the workspace, first look and later looks.

Run: python benchmarks/bench_list.py
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from statsclaw.workspace.layout import summary
from tests.support.runs import Bench, make_target, order_for

RUNS = 200


def main() -> None:
    with tempfile.TemporaryDirectory(dir=".") as scratch:
        bench = Bench(Path(scratch).resolve())
        bench.start(order_for(make_target(bench.folder), run_id="run-0000"))
        first = bench.workspace.find("run-0000").path
        for number in range(1, RUNS):
            shutil.copytree(first, first.parent / f"run-{number:04d}", ignore=shutil.ignore_patterns("summary.json"))
        (first / "summary.json").unlink(missing_ok=True)
        for name in ("first_list_200_runs_s", "later_list_200_runs_s"):
            start = time.perf_counter()
            rows = [summary(run) for run in bench.workspace.runs()]
            assert len(rows) == RUNS
            print(f"{name}: {time.perf_counter() - start:.3f}")


if __name__ == "__main__":
    main()
