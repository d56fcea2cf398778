"""Time and memory of the demonstrations, from the command to the push. Everything in them is live but the roles.

`peak_memory` is the largest process of all that took part, not their sum.

Run: python benchmarks/probit/bench_demos.py [--full] [probit-r] [probit-python]
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time


def main() -> None:
    parser = argparse.ArgumentParser(description="Time and memory of the demonstrations.")
    parser.add_argument("demos", nargs="*", default=["probit-r", "probit-python"])
    parser.add_argument("--full", action="store_true", help="all replications of the study: half an hour and more each")
    asked = parser.parse_args()
    for demo in asked.demos:
        with tempfile.TemporaryDirectory() as folder:
            argv = [sys.executable, "-m", "statsclaw", "demo", demo, "--workspace", folder]
            begun = time.monotonic()
            done = subprocess.run(
                [*argv, *(["--full"] if asked.full else [])], stdin=subprocess.DEVNULL, capture_output=True
            )
        name = f"{demo.replace('-', '_')}_{'full' if asked.full else 'quick'}"
        if done.returncode != 0:
            raise SystemExit(f"error: {demo} ended with status {done.returncode}: {done.stderr.decode()[-300:]}")
        print(f"{name}_seconds: {time.monotonic() - begun:.0f}")
        print(f"{name}_peak_memory_mb: {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024:.0f}", flush=True)


if __name__ == "__main__":
    main()
