"""What the engine costs beside the loop a careful person writes by hand; everything included, from start to files.

Every figure is the median over interleaved repetitions of both in one run. `…_cpu` figures compare processor time,
which a busy machine disturbs less than wall time. Run: python benchmarks/montecarlo/bench_montecarlo.py [--json]
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

WORKERS = 2
BATCH = 50

NOOP = """
from statsclaw.montecarlo import Estimate, Study
def dgp(cell, rng):
    return rng.random()
def method(data, cell):
    return {"mu": Estimate(data)}
study = Study("noop", {}, {"method": method}, {"mu": 0.5}, COUNT, 1, dgp=dgp)
"""
ONE_MS = """
import numpy as np
from statsclaw.montecarlo import Estimate, Study
def dgp(cell, rng):
    return rng.normal(size=18_000)
def method(data, cell):
    data = np.sort(data)
    return {"mu": Estimate(data[1800:16200].mean(), data.std())}
study = Study("1 ms", {}, {"method": method}, {"mu": 0.0}, COUNT, 1, dgp=dgp)
"""
PROBIT = """
import numpy as np
from scipy.special import log_ndtr, ndtr
from statsclaw.montecarlo import Estimate, Study
BETA = np.array([0.5, -1.0, 1.0])
def dgp(cell, rng):
    x = np.column_stack([np.ones(1000), rng.normal(size=(1000, 2))])
    return x, (x @ BETA + rng.normal(size=1000) > 0).astype(float)
def mle(data, cell):
    x, y = data
    sign, beta = 2 * y - 1, np.zeros(3)
    for _ in range(25):
        index = sign * (x @ beta)
        ratio = np.exp(-0.5 * index**2 - log_ndtr(index)) / np.sqrt(2 * np.pi)
        information = x.T @ (x * (ratio * (ratio + index))[:, None])
        step = np.linalg.solve(information, x.T @ (sign * ratio))
        beta = beta + step
        if np.abs(step).max() < 1e-10:
            break
    se = np.sqrt(np.diag(np.linalg.inv(information)))
    return {f"b{k}": Estimate(beta[k], se[k], beta[k] - 1.96 * se[k], beta[k] + 1.96 * se[k]) for k in range(3)}
study = Study("probit", {}, {"mle": mle}, {f"b{k}": float(BETA[k]) for k in range(3)}, COUNT, 1, dgp=dgp)
"""


def write(folder: Path, text: str, count: int) -> Path:
    path = folder / "study.py"
    path.write_text(text.replace("COUNT", str(count)))
    return path


def functions(path: Path) -> dict[str, Any]:
    space: dict[str, Any] = {}
    exec(path.read_text(), space)
    return space


def ours(path: Path) -> None:
    from statsclaw.montecarlo import load_study, run

    shutil.rmtree(path.with_suffix(".results"), ignore_errors=True)
    run(load_study(path), workers=WORKERS)


def _one(space: dict[str, Any], replication: int) -> list[float]:
    rng = np.random.default_rng([1, replication])
    (method,) = space["study"].methods.values()
    found = method(space["dgp"]({}, rng), {})
    return [number for each in found.values() for number in (each.value, each.se, each.low, each.high) if number]


_SPACE: dict[str, Any] = {}


def _part(first_stop: tuple[int, int]) -> list[list[float]]:
    found = []
    for replication in range(*first_stop):
        try:
            found.append(_one(_SPACE, replication))
        except Exception:
            found.append([float("nan")])
    return found


def by_pool(path: Path) -> None:
    """The hand-written loop: forked processes, parts of 50, failures caught, one array saved at the end."""
    _SPACE.update(functions(path))
    count = _SPACE["study"].replications
    parts = [(first, min(first + BATCH, count)) for first in range(0, count, BATCH)]
    with multiprocessing.get_context("fork").Pool(WORKERS) as pool:
        rows = [row for part in pool.imap(_part, parts) for row in part]
    np.save(path.with_suffix(".npy"), np.array(rows))


def by_joblib(path: Path) -> None:
    import joblib

    _SPACE.update(functions(path))
    count = _SPACE["study"].replications
    with joblib.parallel_config(backend="multiprocessing", n_jobs=WORKERS):
        joblib.Parallel()(joblib.delayed(_part)((first, first + 1)) for first in range(count))


def by_loop(path: Path) -> None:
    """One process, no engine, nothing kept: what the functions and their streams cost."""
    _SPACE.update(functions(path))
    for replication in range(_SPACE["study"].replications):
        _one(_SPACE, replication)


def cost(act: Callable[[Path], None], path: Path) -> tuple[float, float]:
    """Wall and processor seconds, in a process of its own."""
    program = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\nimport bench_montecarlo as b\n"
    program += f"from pathlib import Path\nb.{act.__name__}(Path({str(path)!r}))"
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    environment = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PATH": "/usr/bin:/bin"}
    subprocess.run([sys.executable, "-c", program], check=True, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.perf_counter() - begun, used


def medians(path: Path, repetitions: int, *acts: Callable[[Path], None]) -> list[tuple[float, float]]:
    """Of each act, interleaved so that a busy moment meets all."""
    costs = [[cost(act, path) for act in acts] for _ in range(repetitions)]
    return [
        (statistics.median(row[k][0] for row in costs), statistics.median(row[k][1] for row in costs))
        for k in range(len(acts))
    ]


def nothing(path: Path) -> None:
    """What starting a process and importing costs."""
    from statsclaw.montecarlo import load_study, running

    assert load_study(path) and running


def noop(folder: Path, repetitions: int, count: int) -> dict[str, float]:
    path = write(folder, NOOP, count)
    own, pool, loop, start = medians(path, repetitions, ours, by_pool, by_loop, nothing)
    small = write(folder, NOOP, count // 50)
    joblib_wall = medians(small, 1, by_joblib)[0][0]
    return {
        "noop_us_per_replication": 1e6 * (own[0] - start[0]) / count,
        "noop_us_per_replication_cpu": 1e6 * (own[1] - start[1]) / count,
        "noop_us_pool_imap": 1e6 * (pool[0] - start[0]) / count,
        "noop_us_hand_written_loop": 1e6 * (loop[0] - start[0]) / count,
        "noop_us_joblib": 1e6 * (joblib_wall - start[0]) / (count // 50),
    }


def ratio(folder: Path, name: str, text: str, repetitions: int, count: int) -> dict[str, float]:
    path = write(folder, text, count)
    own, pool = medians(path, repetitions, ours, by_pool)
    return {name: own[0] / pool[0], f"{name}_cpu": own[1] / pool[1], f"{name}_hand_written_s": pool[0]}


def r_worker() -> dict[str, float]:
    if shutil.which("Rscript") is None:
        return {}
    script = Path(__file__).with_name("bench_r_worker.py")
    said = subprocess.run([sys.executable, str(script), "--json"], capture_output=True, text=True, check=True).stdout
    found: dict[str, float] = json.loads(said)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one object")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--scale", type=float, default=1.0, help="share of the usual number of replications")
    options = parser.parse_args()

    def size(count: int) -> int:
        return max(200, int(count * options.scale))

    found: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        found |= noop(place, options.repetitions, size(500_000))
        found |= ratio(place, "overhead_ratio_1ms", ONE_MS, options.repetitions, size(20_000))
        found |= ratio(place, "probit_ratio", PROBIT, options.repetitions, size(40_000))
    found |= r_worker()
    if options.json:
        print(json.dumps(found))
        return
    last = ("noop_us_per_replication", "overhead_ratio_1ms", "probit_ratio", "r_worker_ratio")
    for name in [*(name for name in found if name not in last), *(name for name in last if name in found)]:
        print(f"{name}: {found[name]:.3f}")


if __name__ == "__main__":
    main()
