"""What it costs that a package is asked behind a barrier, beside calling it.

Questions: so many small ones through a worker, against the same calls in one process of the package's language.
`…_us_per_question` leaves the start out, `…_ratio` counts everything.
Study: replications of about a millisecond, drawn by one process and answered by another, twice; against a loop with
multiprocessing that draws the same, calls the same package and stores the same number. `study_ratio` counts everything
from the start of the process to the file; `study_ratio_under_way` what each further replication takes. Every
replication crosses two barriers, so neither can be as low as the ratios of bench_montecarlo.py.

Both sides of every ratio are measured in turn, and the medians compared. Run: python benchmarks/bench_worker.py
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from statsclaw.engine.tools import language_tools
from statsclaw.profiles.profile import load_profile
from statsclaw.runlog.store import ContentStore
from statsclaw.sandbox.choose import make_barrier
from statsclaw.sandbox.limits import Limits
from statsclaw.specs.interface import Interface
from statsclaw.specs.sim_spec import Study
from statsclaw.specs.test_spec import TestSpec
from statsclaw.verify.blind.answering import read_answer, request_for
from statsclaw.verify.blind.questionnaire import Call
from statsclaw.verify.blind.rooms import lay_out_scripts
from statsclaw.verify.blind.study import Simulation
from statsclaw.verify.blind.validation import Validation
from statsclaw.verify.runner import Bench
from statsclaw.verify.study_report import read_records

WORKERS, SEED, LIMIT_S = 2, 7, 60.0
FEW = 100  # replications of the run that shows what starting costs
NUMBERS = [0.25 * number for number in range(10)]
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PATH": os.environ.get("PATH", "/usr/bin:/bin")}

INTERFACE = {
    "package": "small",
    "functions": [
        {"name": "middle", "arguments": [{"name": "x"}], "returns": {"type": "number"}},
        {"name": "slope", "arguments": [{"name": "x"}, {"name": "y"}], "returns": {"type": "number"}},
    ],
}
SMALL = """
def middle(x):
    return sum(x) / len(x)
"""
SMALL_R = {
    "DESCRIPTION": "Package: small\nVersion: 1.0\nTitle: Small\nLicense: MIT\n",
    "NAMESPACE": "export(middle)\n",
    "R/small.R": "middle <- function(x) sum(x) / length(x)\n",
}
DIRECT = """
import sys, time
sys.path.insert(0, sys.argv[1])
import small
begun = time.perf_counter()
for _ in range(int(sys.argv[2])):
    small.middle({numbers})
print(time.perf_counter() - begun)
"""
DIRECT_R = """
given <- commandArgs(trailingOnly = TRUE)
library(small, lib.loc = given[[1]])
begun <- as.double(Sys.time())
for (i in seq_len(as.integer(given[[2]]))) middle(c({numbers}))
cat(as.double(Sys.time()) - begun)
"""
#: A package whose one answer takes about a millisecond.
SLOW = """
import numpy as np

def slope(x, y):
    for _ in range({times}):
        found = np.linalg.solve(x.T @ x, x.T @ y)
    return float(found[1])
"""
DRAW = """
import numpy as np

def drawn(rng, n):
    x = np.column_stack([np.ones(n), rng.normal(size=(n, 2))])
    return x, x.sum(axis=1) + rng.normal(size=n)
"""
STUDY = """
import statsclaw_ask as ask

@ask.draw
def draw(rng, cell):
    return drawn(rng, cell["n"])

@ask.method("solve")
def solve(data, cell):
    return {"slope": {"estimate": ask.call("slope", *data)}}
"""
#: Forked processes, parts of 50, failures caught, one array saved at the end.
BY_HAND = """
import multiprocessing, sys
sys.path.insert(0, {site!r})
import small

def part(first_stop):
    found = []
    for replication in range(*first_stop):
        try:
            found.append(small.slope(*drawn(np.random.default_rng([{seed}, replication]), 100)))
        except Exception:
            found.append(float("nan"))
    return found

count = int(sys.argv[1])
parts = [(first, min(first + 50, count)) for first in range(0, count, 50)]
with multiprocessing.get_context("fork").Pool({workers}) as pool:
    rows = [row for part in pool.imap(part, parts) for row in part]
np.save({found!r}, np.array(rows))
"""


# --- a bench ---------------------------------------------------------------------------------------------------------


def made_bench(folder: Path, language: str) -> Bench:
    profile = load_profile(language)
    python = sys.executable if language == "python" else None
    return Bench(
        folder=folder / "verify", desk=folder / "desk", cache=folder / "cache", profile=profile,
        store=ContentStore(folder / "store"), barrier=make_barrier("bubblewrap"),
        tools=lambda _: language_tools(profile, python), limits=Limits(), scrub=str, python=python, seed=SEED,
    )  # fmt: skip


def asked_of(bench: Bench) -> Validation:
    lay_out_scripts(bench)
    tests = TestSpec.model_construct(scenarios=(), criteria=())
    return Validation(bench, tests, Interface.model_validate(INTERFACE))


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def install_r(site: Path, source: Path) -> None:
    for name, text in SMALL_R.items():
        write(source / name, text)
    site.mkdir(parents=True)
    command = ["R", "CMD", "INSTALL", "--no-docs", "--no-test-load", "-l", str(site), str(source)]
    subprocess.run(command, check=True, capture_output=True)


# --- questions -------------------------------------------------------------------------------------------------------


def through_worker(validation: Validation, count: int) -> tuple[float, float]:
    """Seconds until the first answer, and for `count` questions after it."""
    calls = [Call(number, "S1", "one", "call", "middle", (NUMBERS,), {}) for number in range(count + 1)]

    def answer(call: Call) -> None:
        found = read_answer(worker.ask(request_for(call, validation.forms, ""), LIMIT_S), call.id)
        assert found.error is None and abs(found.value - statistics.mean(NUMBERS)) < 1e-12
        worker.send_later({"do": "forget"})

    begun = time.perf_counter()
    with validation.start() as worker:
        answer(calls[count])
        started = time.perf_counter()
        for call in calls[:count]:
            answer(call)
        return started - begun, time.perf_counter() - started


def directly(command: list[str], site: Path, count: int) -> tuple[float, float]:
    """The same of one process that calls the package."""
    begun = time.perf_counter()
    said = subprocess.run([*command, str(site), str(count)], check=True, capture_output=True, text=True).stdout
    whole, calls = time.perf_counter() - begun, float(said.split()[-1])
    return whole - calls, calls


def questions(folder: Path, language: str, count: int, repetitions: int) -> dict[str, float]:
    bench = made_bench(folder, language)
    if language == "python":
        write(bench.place("site") / "small" / "__init__.py", SMALL)
        command = [sys.executable, str(write(folder / "direct.py", DIRECT.format(numbers=NUMBERS)))]
    else:
        install_r(bench.place("site"), folder / "small")
        script = write(folder / "direct.R", DIRECT_R.format(numbers=str(NUMBERS)[1:-1]))
        command = ["Rscript", "--vanilla", str(script)]
    validation = asked_of(bench)
    rows = [
        (*through_worker(validation, count), *directly(command, bench.place("site"), count)) for _ in range(repetitions)
    ]
    start, asking, direct_start, calling = (statistics.median(column) for column in zip(*rows, strict=True))
    figures = {
        "start_s": start,
        "total_s": start + asking,
        "us_per_question": 1e6 * asking / count,
        "direct_start_s": direct_start,
        "direct_total_s": direct_start + calling,
        "direct_us_per_call": 1e6 * calling / count,
        "ratio": (start + asking) / (direct_start + calling),
    }
    return {f"questions_{language}_{name}": value for name, value in figures.items()}


# --- a study ---------------------------------------------------------------------------------------------------------


def loaded(*texts: str) -> dict[str, Any]:
    space: dict[str, Any] = {}
    exec("\n".join(texts), space)
    return space


def times_for(seconds: float) -> int:
    """How often the package solves to take so long. Decided once, so that both sides compute the same."""
    times = 100
    space = loaded(DRAW, SLOW.format(times=times))
    data = space["drawn"](np.random.default_rng(SEED), 100)
    taken = []
    for _ in range(30):
        begun = time.perf_counter()
        space["slope"](*data)
        taken.append(time.perf_counter() - begun)
    return max(1, round(times * seconds / statistics.median(taken)))


def by_study(folder: Path, count: int) -> None:
    """In a process of its own, because the other side starts one too."""
    program = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\nimport bench_worker\n"
    program += f"from pathlib import Path\nbench_worker.computed(Path({str(folder)!r}), {count})"
    subprocess.run([sys.executable, "-c", program], check=True, env=ONE_THREAD)


def computed(folder: Path, count: int) -> None:
    """As in a run: what is computed lies in the folder of the study."""
    for name in ("results", "desk"):
        shutil.rmtree(folder / name, ignore_errors=True)
    bench = made_bench(folder, "python")
    validation = asked_of(bench)
    specified = Study.model_validate({
        "id": "slope", "dgp": "a line", "parameters": [{"name": "slope", "truth": 1.0}], "grid": {"n": [100]},
        "methods": ["solve"], "replications": count, "seed": SEED,
        "criteria": [{
            "id": "M1", "quantity": "bias", "metric": "bias", "parameter": "slope", "method": "solve", "low": -1,
            "high": 1, "source": "benchmark", "alternatives": [{"name": "wrong", "value": 2.0}],
        }],
    })  # fmt: skip
    made = Simulation(
        replace(bench, workers=WORKERS), specified, "study.py", validation.forms, validation.start, folder / "results"
    )
    (table,) = read_records(made.report(0, count), specified, seed=SEED).tables.values()
    assert not any(table.failed) and abs(statistics.mean(table.columns["slope.estimate"]) - 1) < 0.1


def by_hand(folder: Path, count: int) -> None:
    """The loop that a careful person writes, which imports nothing of ours."""
    subprocess.run([sys.executable, str(folder / "by_hand.py"), str(count)], check=True, env=ONE_THREAD)


def seconds(act: Callable[[Path, int], None], folder: Path, count: int) -> float:
    begun = time.perf_counter()
    act(folder, count)
    return time.perf_counter() - begun


def study(folder: Path, count: int, repetitions: int) -> dict[str, float]:
    verify = folder / "verify"
    write(verify / "site" / "small" / "__init__.py", SLOW.format(times=times_for(0.001)))
    write(verify / "simulation" / "study.py", DRAW + STUDY)
    parts = {"site": str(verify / "site"), "seed": SEED, "workers": WORKERS, "found": str(folder / "found.npy")}
    write(folder / "by_hand.py", DRAW + BY_HAND.format(**parts))
    kinds = [(act, size) for act in (by_study, by_hand) for size in (FEW, FEW + count)]
    rows = [[seconds(act, folder, size) for act, size in kinds] for _ in range(repetitions)]
    few, ours, hand_few, hand = (statistics.median(column) for column in zip(*rows, strict=True))
    return {
        "study_start_s": few,
        "study_s": ours,
        "study_us_per_replication": 1e6 * (ours - few) / count,
        "study_by_hand_start_s": hand_few,
        "study_by_hand_s": hand,
        "study_by_hand_us_per_replication": 1e6 * (hand - hand_few) / count,
        "study_ratio_under_way": (ours - few) / (hand - hand_few),
        "study_ratio": ours / hand,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one object")
    parser.add_argument("--questions", type=int, default=1000)
    parser.add_argument("--replications", type=int, default=10_000)
    parser.add_argument("--repetitions", type=int, default=3)
    options = parser.parse_args()
    found: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        for language in ("python", *(["r"] if shutil.which("Rscript") else [])):
            found |= questions(Path(folder) / language, language, options.questions, options.repetitions)
        found |= study(Path(folder) / "study", options.replications, options.repetitions)
    if options.json:
        print(json.dumps(found))
        return
    for name, value in found.items():
        print(f"{name}: {value:.4g}")


if __name__ == "__main__":
    main()
