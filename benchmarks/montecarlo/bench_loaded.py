"""What it costs to know what workers have loaded: R packages when they are seen first, and before every later command.

    python benchmarks/montecarlo/bench_loaded.py [PACKAGE ...]

Prints `name: value`; the first is processor time of R, which a busy machine disturbs less.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time

from statsclaw.montecarlo.batch import Loaded
from statsclaw.montecarlo.storage.loaded import R_PACKAGE, present, states


def main(names: list[str]) -> None:
    code = (
        'for (p in commandArgs(TRUE)) loadNamespace(p); cat(vapply(loadedNamespaces(), find.package, ""), sep = "\\n")'
    )
    said = subprocess.run(["Rscript", "-e", code, *names], check=True, capture_output=True, text=True).stdout
    paths = [line for line in said.splitlines() if line.startswith("/")]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    record = states(Loaded(R_PACKAGE, path.rpartition("/")[2], "", path) for path in paths)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"loaded_packages: {len(record)}")
    print(f"loaded_first_cpu_s: {after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime:.2f}")
    begun = time.process_time()
    present(record)
    print(f"loaded_again_cpu_ms: {1000 * (time.process_time() - begun):.1f}")


if __name__ == "__main__":
    main(sys.argv[1:] or ["testthat"])
