"""Is what StatsClaw builds fast? One fit of both probit packages beside glm, statsmodels and a kernel written by hand.

The packages are those of the recorded demonstrations. Run: python benchmarks/probit/bench_fits.py [--repetitions 5]
[--page docs/explanation/is-it-fast.md]
"""

from __future__ import annotations

import argparse
import ctypes
import importlib
import os
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

from statsclaw.demo.demo import lay_out_shipped

HERE = Path(__file__).parent
SIZES = (200, 500, 1000, 5000)


def compiled_kernel(folder: Path) -> Path:
    library = folder / "kernel.so"
    source = HERE / "kernel" / "kernel.c"
    subprocess.run(
        ["gcc", "-O3", "-march=native", "-shared", "-fPIC", str(source), "-o", str(library), "-lm"], check=True
    )
    return library


def of_r(folder: Path, kernel: Path, repetitions: int) -> dict[str, float]:
    package, library = lay_out_shipped("probit-r", folder / "probitr"), folder / "library"
    library.mkdir()
    subprocess.run(["R", "CMD", "INSTALL", f"--library={library}", str(package)], check=True, capture_output=True)
    argv = ["Rscript", "--vanilla", str(HERE / "fits.R"), str(library), str(kernel), str(repetitions)]
    said = subprocess.run(argv, check=True, capture_output=True, text=True).stdout
    return {name: float(value) for name, value in (line.split(": ") for line in said.splitlines() if ": " in line)}


def seconds(act: Callable[[], Any], repetitions: int, inner: int = 1) -> float:
    act()
    found = []
    for _ in range(repetitions):
        begun = time.perf_counter()
        for _ in range(inner):
            act()
        found.append((time.perf_counter() - begun) / inner)
    return statistics.median(found)


def of_python(folder: Path, kernel: Path, repetitions: int) -> dict[str, float]:
    import statsmodels.api as sm

    sys.path.insert(0, str(lay_out_shipped("probit-python", folder / "probitpy") / "src"))
    package = importlib.import_module("probitpy")
    call = ctypes.CDLL(str(kernel))
    found: dict[str, float] = {}
    for n in SIZES:
        rng = np.random.default_rng(n)
        x = np.column_stack([np.ones(n), rng.normal(size=n)])
        y = (x @ [-1, 0.5] + rng.normal(size=n) > 0).astype(float)
        columns, inner = np.asfortranarray(x), max(5, 200_000 // n)
        whole = [np.array([v], np.int32) for v in (n, 2, 3500, 500, 10_000, 2000)]
        real = [np.array([v], np.float64) for v in (100.0, 2.4, 1.0)]
        beta, room = np.zeros(2), np.zeros(20_000)

        def pointers(*arrays: Any) -> list[ctypes.c_void_p]:
            return [array.ctypes.data_as(ctypes.c_void_p) for array in arrays]

        data = pointers(columns, whole[0], whole[1], y)
        mle = [*data, *pointers(beta, room[:2], room[2:3])]
        gibbs = [*data, *pointers(whole[2], whole[3], real[0], real[2], room)]
        mh = [*data, *pointers(whole[4], whole[5], real[0], real[1], beta, real[2], room, room[19_000:])]
        acts: dict[str, tuple[Callable[[], Any], int]] = {
            "mle_package": (lambda x=x, y=y: package.probit_mle(x, y), inner),
            "mle_statsmodels": (lambda x=x, y=y: sm.Probit(y, x).fit(disp=0), 20),
            "mle_kernel": (lambda mle=mle: call.kernel_mle(*mle), inner),
            "gibbs_package": (lambda x=x, y=y: package.probit_gibbs(x, y, n_iter=3500, burn_in=500), 1),
            "gibbs_kernel": (lambda gibbs=gibbs: call.kernel_gibbs(*gibbs), 1),
            "mh_package": (lambda x=x, y=y: package.probit_mh(x, y, n_iter=10_000, burn_in=2000, scale=2.4), 1),
            "mh_kernel": (lambda mh=mh: call.kernel_mh(*mh), 1),
        }
        found |= {f"python_{name}_s_n{n}": seconds(act, repetitions, k) for name, (act, k) in acts.items()}
    return found


def ratios(found: dict[str, float]) -> dict[str, float]:
    rows: dict[str, float] = {}
    for language, reference in (("r", "glm"), ("python", "statsmodels")):
        for n in SIZES:
            for method in ("mle", "gibbs", "mh"):
                for other in ("kernel", reference):
                    above, below = (f"{language}_{method}_{who}_s_n{n}" for who in ("package", other))
                    if above in found and below in found:
                        rows[f"{language}_{method}_vs_{other}_n{n}"] = found[above] / found[below]
    return rows


def page(found: dict[str, float], rows: dict[str, float]) -> str:
    """fits.md with its table: milliseconds, and how many times those of each alternative."""
    lines = ["| | N | method | ms a fit | ÷ glm or statsmodels | ÷ kernel in C |", "|---|---|---|---|---|---|"]
    for language, reference in (("r", "glm"), ("python", "statsmodels")):
        for method in ("mle", "gibbs", "mh"):
            for n in SIZES:
                if (own := found.get(f"{language}_{method}_package_s_n{n}")) is None:
                    continue
                beside = [rows.get(f"{language}_{method}_vs_{other}_n{n}") for other in (reference, "kernel")]
                cells = ["–" if ratio is None else f"{ratio:.2f}" for ratio in beside]
                lines.append(f"| {language} | {n} | {method} | {own * 1000:.3g} | {' | '.join(cells)} |")
    return (HERE / "fits.md").read_text(encoding="utf-8").replace("{table}", "\n".join(lines))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--page", type=Path, help="write the table into this page as well")
    options = parser.parse_args()
    os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        kernel = compiled_kernel(folder)
        found = of_r(folder, kernel, options.repetitions) if shutil.which("Rscript") else {}
        found |= of_python(folder, kernel, options.repetitions)
    for name, value in found.items():
        print(f"{name}: {value:.6g}")
    for name, value in ratios(found).items():
        print(f"{name}: {value:.2f}")
    if options.page:
        options.page.write_text(page(found, ratios(found)), encoding="utf-8")


if __name__ == "__main__":
    main()
