"""Summary and verdicts of ten million stored replications: time, and memory beyond what the interpreter holds.

Three methods with five quantities each (estimate, se, low, high, reject; the time of each replication besides) are
written to a store in chunks of a million, then summarised in a process of its own, so that its memory is its own.

Run: python benchmarks/montecarlo/bench_summary.py [--json] [--replications 10000000]
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import tempfile
import time
from pathlib import Path

import numpy as np

from statsclaw.montecarlo.batch import Batch, Rows, Task
from statsclaw.montecarlo.design import Criterion, Study
from statsclaw.montecarlo.metrics.summary import summarise
from statsclaw.montecarlo.storage.store import Store
from statsclaw.montecarlo.storage.writer import writing
from statsclaw.montecarlo.verdicts.judge import judge_study

METHODS = ("a", "b", "c")
CHUNK = 1_000_000


def nothing(*_: object) -> dict[str, float]:
    """Methods are not run here."""
    return {}


def study_of(replications: int) -> Study:
    criteria = (
        Criterion("C", "coverage", "a", "mu", 0.93, 0.97),
        Criterion("S", "se_ratio", "a", "mu", 0.95, 1.05),
    )
    return Study(
        "ten-million", {}, dict.fromkeys(METHODS, nothing), {"mu": 0.0}, replications, 1, dgp=nothing, criteria=criteria
    )


def write(folder: Path, study: Study) -> None:
    rng = np.random.default_rng(1)
    with writing(folder, study) as store:
        for first in range(0, study.replications, CHUNK):
            count = min(CHUNK, study.replications - first)
            store.add(Batch(Task(0, first, count), {name: rows_of(rng, count) for name in METHODS}))


def rows_of(rng: np.random.Generator, count: int) -> Rows:
    x, se = rng.standard_normal(count), rng.uniform(0.9, 1.1, count)
    columns = {
        "mu.estimate": x, "mu.se": se, "mu.low": x - 1.96 * se, "mu.high": x + 1.96 * se,
        "mu.reject": (np.abs(x) > 1.96 * se).astype(float),
    }  # fmt: skip
    status = np.zeros(count, dtype=np.uint8)
    return Rows(status, rng.exponential(1e-3, count), columns, np.zeros(count, dtype=np.uint16))


def measure(folder: Path, replications: int) -> dict[str, float]:
    study, store = study_of(replications), Store.open(folder)
    before, began, cpu = memory_mb(), time.perf_counter(), time.process_time()
    rows = len(summarise(study, store).rows)
    summary, used = time.perf_counter() - began, time.process_time() - cpu
    began = time.perf_counter()
    judge_study(study, store)
    return {
        "summary_s": summary,
        "summary_cpu_s": used,
        "summary_rows": rows,
        "verdict_s": time.perf_counter() - began,
        "memory_mb": memory_mb() - before,
        "columns_mb": replications * 8 * 6 * len(METHODS) / 2**20,
    }


def memory_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--replications", type=int, default=10_000_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "results"
        write(folder, study_of(options.replications))
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            found = pool.apply(measure, (folder, options.replications))
    if options.json:
        print(json.dumps(found))
        return
    for key, value in found.items():
        print(f"{key}: {value:.4g}")


if __name__ == "__main__":
    main()
