"""Geweke's joint distribution test of the Metropolis–Hastings samplers that the recorded roles built, from outside.

Beside the sound packages the R package with slips of `benchmarks/probit_faults` in its sampler, and one that concerns
another method. The Gibbs samplers take no starting value, so that no step of theirs can be made from a given state;
the recorded suites look at them by simulation-based calibration and by recovering the prior.

Run: python benchmarks/probit/bench_geweke.py [--draws 10000] [--seed 1]
"""

from __future__ import annotations

import argparse
import importlib
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from scipy import special

from statsclaw.demo.demo import lay_out_shipped
from statsclaw.montecarlo.chains.geweke import JointTest, Parameters, geweke

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "probit_faults"))
from variants import Variant, variants  # noqa: E402

SLIPS = ("acceptance-without-prior", "stale-likelihood", "gibbs-without-prior")
#: Of the sampler between new data: a fault in what it remembers from one to the next shows, too.
STEPS = 10
X = np.column_stack([np.ones(10), np.linspace(-1.5, 1.5, 10)])


def prior(rng: np.random.Generator) -> Parameters:
    return {"b0": float(rng.normal()), "b1": float(rng.normal())}


def simulate(parameters: Parameters, rng: np.random.Generator) -> Any:
    return (rng.random(len(X)) < special.ndtr(X @ beta_of(parameters))).astype(int)


def quantities(parameters: Parameters, y: Any) -> dict[str, float]:
    eta = X @ beta_of(parameters)
    return {"log_likelihood": float(special.log_ndtr(np.where(y == 1, eta, -eta)).sum()), "ones": float(y.sum())}


def beta_of(parameters: Parameters) -> Any:
    return np.array([parameters["b0"], parameters["b1"]])


def tested(transition: Any, asked: argparse.Namespace) -> JointTest:
    return geweke(prior, simulate, transition, draws=asked.draws, seed=asked.seed, quantities=quantities)


def of_python(folder: Path, asked: argparse.Namespace) -> JointTest:
    sys.path.insert(0, str(lay_out_shipped("probit-python", folder / "probitpy") / "src"))
    package = importlib.import_module("probitpy")

    def transition(parameters: Parameters, y: Any, rng: np.random.Generator) -> Parameters:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of so few proposals none may be accepted
            fit = package.probit_mh(
                X, y, n_iter=STEPS, burn_in=0, beta0=np.zeros(2), Sigma0=np.eye(2), init=beta_of(parameters), rng=rng
            )
        return {"b0": float(fit.beta_draws[-1, 0]), "b1": float(fit.beta_draws[-1, 1])}

    return tested(transition, asked)


@contextmanager
def r_worker(folder: Path, package: Variant) -> Iterator[subprocess.Popen[str]]:
    place, library, design = folder / package.id, folder / f"{package.id}-library", folder / "X.csv"
    for path, data in package.files.items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_bytes(data)
    library.mkdir()
    np.savetxt(design, X, delimiter=",")
    subprocess.run(["R", "CMD", "INSTALL", f"--library={library}", str(place)], check=True, capture_output=True)
    argv = ["Rscript", "--vanilla", str(HERE / "geweke.R"), str(library), str(design), str(STEPS)]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as worker:
        yield worker
        assert worker.stdin is not None
        worker.stdin.close()


def of_r(folder: Path, package: Variant, asked: argparse.Namespace) -> JointTest:
    with r_worker(folder, package) as worker:

        def transition(parameters: Parameters, y: Any, rng: np.random.Generator) -> Parameters:
            assert worker.stdin is not None and worker.stdout is not None
            row = [int(rng.integers(2**31)), *beta_of(parameters), *y]
            worker.stdin.write(" ".join(f"{value:.17g}" for value in row) + "\n")
            b0, b1 = map(float, worker.stdout.readline().split())
            return {"b0": b0, "b1": b1}

        return tested(transition, asked)


def main() -> None:
    parser = argparse.ArgumentParser(description="Geweke's test of the recorded samplers.")
    parser.add_argument("--draws", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        _say("python", of_python(Path(scratch), asked))
        for package in variants():
            if package.kind == "clean" or package.id in SLIPS:
                _say(f"r_{package.id}".replace("-", "_"), of_r(Path(scratch), package, asked))


def _say(name: str, found: JointTest) -> None:
    smallest = min(row.adjusted for row in found.comparisons)
    print(f"geweke_{name}: {'PASS' if found.passed else 'FAIL'}")
    print(f"geweke_{name}_smallest_adjusted_p: {smallest:.3g}", flush=True)


if __name__ == "__main__":
    main()
