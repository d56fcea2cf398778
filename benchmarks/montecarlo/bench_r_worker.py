"""A study in R by `run` with two workers, against parallel::mclapply with two cores: wall time, everything included.

Prints `r_worker_ratio` (ours ÷ mclapply, the median over interleaved repetitions), the same of processor time, which a
busy machine disturbs less, and what the conversation costs per replication, with a method that does nothing. `--json`
prints one object.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from statsclaw.montecarlo.batch import Task
from statsclaw.montecarlo.load import load_study
from statsclaw.montecarlo.programs.runner import ProgramRunner
from statsclaw.montecarlo.running import run

STUDY_R = """
dgp <- function(cell) rnorm(cell$n)
methods <- list(trimmed = function(data, cell) {
  kept <- sort(data)[seq(cell$n * 0.1, cell$n * 0.9)]
  se <- sd(kept) / sqrt(length(kept))
  list(mu = list(estimate = mean(kept), se = se, low = mean(kept) - 2 * se, high = mean(kept) + 2 * se))
})
"""
NOTHING_R = """
dgp <- function(cell) rnorm(1)
methods <- list(nothing = function(data, cell) list(mu = list(estimate = data, se = 1)))
"""
#: The loop a careful person writes: a stream for each replication, failures kept, one table at the end.
MCLAPPLY_R = """
arguments <- commandArgs(trailingOnly = TRUE)
source(arguments[[1]])
cell <- list(n = as.numeric(arguments[[3]]))
RNGkind("L'Ecuyer-CMRG"); set.seed(7)
count <- as.integer(arguments[[2]])
streams <- vector("list", count)
streams[[1]] <- .Random.seed
for (i in seq_len(count)[-1]) streams[[i]] <- parallel::nextRNGStream(streams[[i - 1]])
one <- function(i) {
  assign(".Random.seed", streams[[i]], envir = globalenv())
  data <- dgp(cell)
  tryCatch(unlist(methods[[1]](data, cell)), error = function(e) rep(NA_real_, 4))
}
found <- do.call(rbind, parallel::mclapply(seq_len(count), one, mc.cores = 2L))
saveRDS(found, arguments[[4]])
"""
TOML = """name = "bench"
replications = {count}
seed = 7
methods = ["{method}"]
truth = {{ mu = 0.0 }}
[program]
r = "{file}"
[grid]
n = [{n}]
"""


def seconds(work: object) -> float:
    begun = time.perf_counter()
    work()  # type: ignore[operator]
    return time.perf_counter() - begun


def cpu_seconds() -> float:
    """Of this process and of all it has waited for, their own children included."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in used)


def write_study(folder: Path, name: str, text: str, method: str, count: int, n: int) -> Path:
    (folder / f"{name}.R").write_text(text)
    (folder / f"{name}.toml").write_text(TOML.format(count=count, method=method, file=f"{name}.R", n=n))
    return folder / f"{name}.toml"


def ratio(folder: Path, count: int, repeats: int, n: int) -> dict[str, float]:
    study = load_study(write_study(folder, "work", STUDY_R, "trimmed", count, n))
    (folder / "mclapply.R").write_text(MCLAPPLY_R)
    hand = ["Rscript", "--vanilla", "mclapply.R", "work.R", str(count), str(n), "found.rds"]
    ours, theirs, cpu = [], [], []
    for _ in range(repeats):
        shutil.rmtree(folder / "results", ignore_errors=True)
        before = cpu_seconds()
        theirs.append(seconds(lambda: subprocess.run(hand, cwd=folder, check=True)))
        between = cpu_seconds()
        ours.append(seconds(lambda: run(study, folder=folder / "results", workers=2)))
        cpu.append((cpu_seconds() - between) / (between - before))
    return {
        "r_mclapply_s": statistics.median(theirs),
        "r_worker_s": statistics.median(ours),
        "r_replication_ms": 2000 * min(theirs) / count,
        "r_worker_cpu_ratio": statistics.median(cpu),
        "r_worker_ratio": statistics.median(mine / other for mine, other in zip(ours, theirs, strict=True)),
    }


def conversation_us(folder: Path, count: int) -> float:
    """Per replication of one method that does nothing, in one worker."""
    runner = ProgramRunner(load_study(write_study(folder, "nothing", NOTHING_R, "nothing", count, 1)))
    runner.run(Task(0, 0, 1000), lambda at: None)
    best = min(seconds(lambda: runner.run(Task(0, 0, count), lambda at: None)) for _ in range(5))
    runner.close()
    return 1e6 * best / count


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replications", type=int, default=20_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--size", type=int, default=10_000, help="of the data: 10,000 make about a millisecond")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    if shutil.which("Rscript") is None:
        print("Rscript is not installed: nothing to measure", file=sys.stderr)
        return 0
    with tempfile.TemporaryDirectory() as scratch:
        figures = {"r_conversation_us": conversation_us(Path(scratch), 2000)}
        figures |= ratio(Path(scratch), asked.replications, asked.repeats, asked.size)
    print(json.dumps(figures) if asked.json else "\n".join(f"{name}: {value:.4g}" for name, value in figures.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
