"""How long `statsclaw mc verdict` takes on many replications.

Writes a study of synthetic records with the writer that a run uses, then times the command in a process of its own.

Run: python benchmarks/montecarlo/bench_verdict_speed.py [--replications 10000000] [--cells 1] [--folder FOLDER]
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from statsclaw.montecarlo.batch import Batch, Rows, Task
from statsclaw.montecarlo.load import load_study
from statsclaw.montecarlo.storage.writer import writing

STUDY = """from statsclaw.montecarlo import Criterion, Study

study = Study(
    name="many", grid={{"n": {levels}}}, methods={{"m": lambda data, cell: {{}}}}, truth={{"mu": 0.0}},
    dgp=lambda cell, rng: None, replications={replications}, cap={replications}, seed=1,
    criteria=[
        Criterion("C", "coverage", "m", "mu", 0.94, 0.96),
        Criterion("B", "bias", "m", "mu", -0.1, 0.1, unit="empse"),
        Criterion("S", "rms_se_ratio", "m", "mu", 0.95, 1.05),
        Criterion("E", "empse", "m", "mu", 0.9, 1.1),
        Criterion("R", "rmse", "m", "mu", 0.9, 1.1),
        Criterion("M", "median_bias", "m", "mu", -0.1, 0.1),
        Criterion("F", "failure_rate", "m", high=0.01),
    ],
)
"""
_BATCH = 1_000_000


def write_records(file: Path, replications: int, cells: int) -> None:
    """Normal estimates with standard errors of 50 degrees of freedom; one in a thousand failed."""
    text = STUDY.format(levels=[50 * 2**at for at in range(cells)], replications=replications)
    file.write_text(text, encoding="utf-8")
    rng = np.random.default_rng(1)
    with writing(file.with_suffix(".results"), load_study(file)) as store:
        for cell in range(cells):
            for first in range(0, replications, _BATCH):
                count = min(_BATCH, replications - first)
                store.add(batch_of(Task(cell, first, count), rng))


def batch_of(task: Task, rng: np.random.Generator) -> Batch:
    estimate = rng.normal(size=task.count)
    se = np.sqrt(rng.chisquare(50, task.count) / 50)
    failed = rng.random(task.count) < 0.001
    columns = {"estimate": estimate, "se": se, "low": estimate - 2.0086 * se, "high": estimate + 2.0086 * se}
    rows = Rows(
        status=np.where(failed, 1, 0).astype(np.uint8),
        seconds=np.full(task.count, 1e-3),
        warnings=np.zeros(task.count, np.uint16),
        columns={f"mu.{name}": np.where(failed, np.nan, values) for name, values in columns.items()},
    )
    return Batch(task, {"m": rows})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--replications", type=int, default=10_000_000)
    parser.add_argument("--cells", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="Keep the records there, and take them from there.")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        file = (options.folder or Path(temporary)) / "many.py"
        began = time.perf_counter()
        if not file.exists():
            write_records(file, options.replications, options.cells)
        print(f"seconds_to_write: {time.perf_counter() - began:.4g}")
        for command in ("verdict", "summary"):
            began = time.perf_counter()
            subprocess.run([sys.executable, "-m", "statsclaw", "mc", command, str(file)], stdout=subprocess.DEVNULL)
            print(f"{command}_seconds: {time.perf_counter() - began:.4g}")
            used = resource.getrusage(resource.RUSAGE_CHILDREN)
            print(f"{command}_cpu_seconds_so_far: {used.ru_utime + used.ru_stime:.4g}")
        print(f"most_memory_mib: {used.ru_maxrss / 1024:.4g}")


if __name__ == "__main__":
    main()
