"""Engine overhead of a full replay run: wall time minus the commands it executes.

Run: python benchmarks/bench_engine.py
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.support.runs import Bench, make_target, order_for

ROUNDS = 5


def main() -> None:
    with tempfile.TemporaryDirectory(dir=".") as scratch:
        folder = Path(scratch).resolve()
        recording = Bench(folder / "recorded")
        recording.folder.mkdir()
        recording.start(order_for(make_target(recording.folder), run_id="recorded-0001"))
        source = recording.workspace.find("recorded-0001").path
        overheads, walls, events = [], [], 0
        for number in range(ROUNDS):
            bench = Bench(folder / str(number))
            bench.folder.mkdir()
            target = make_target(bench.folder)
            start = time.perf_counter()
            view = bench.start(order_for(target, "replay", recording=source, run_id=f"bench-{number:04d}"))
            wall = time.perf_counter() - start
            walls.append(wall)
            overheads.append(wall - sum(command.elapsed_s for command in view.evidence.values()))
            events = view.seq
        print(f"full_replay_wall_s_median: {sorted(walls)[ROUNDS // 2]:.3f}")
        print(f"engine_overhead_s_median: {sorted(overheads)[ROUNDS // 2]:.3f}")
        print(f"engine_overhead_s_max: {max(overheads):.3f}")
        print(f"engine_overhead_ms_per_event: {1000 * sorted(overheads)[ROUNDS // 2] / events:.1f}")


if __name__ == "__main__":
    main()
