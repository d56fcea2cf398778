"""The study of a probit run beside the published figures. Run: python benchmarks/probit/against_paper.py RUN_FOLDER"""

from __future__ import annotations

import argparse
import math
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment, StrictUndefined
from scipy.integrate import quad
from scipy.stats import norm

from statsclaw.montecarlo.design import Criterion, Study
from statsclaw.montecarlo.metrics.measures import estimate_metric
from statsclaw.montecarlo.storage.results import MemoryResults
from statsclaw.montecarlo.verdicts.judge import judge_study
from statsclaw.montecarlo.verdicts.sensitivity import sensitivity
from statsclaw.runlog.fold import RunView
from statsclaw.runlog.log import read_view
from statsclaw.runlog.store import ContentStore
from statsclaw.specs.contract import SPECIFICATIONS, Contract, read_contract
from statsclaw.verify.run_study import recorded_study

HERE = Path(__file__).parent
PARAMETERS = {"intercept": "β₀", "slope": "β₁"}
#: A share of figures that differ by more than two standard errors by chance.
BY_CHANCE = 0.0455


@dataclass(frozen=True)
class Figure:
    n: int
    method: str
    name: str
    published: float
    published_error: float
    here: float
    error: float

    @property
    def apart(self) -> float:
        return (self.here - self.published) / math.hypot(self.error, self.published_error)


def read_run(folder: Path) -> tuple[RunView, Contract, Study, MemoryResults]:
    view, store = read_view(folder), ContentStore(folder / "store")
    names = [name for name in ("comprehension.md", "interface.md", *SPECIFICATIONS) if view.artifact(name)]
    contract = read_contract({name: store.get_text(view.artifacts[name].sha256) for name in dict.fromkeys(names)})
    found = recorded_study(store, view.evidence_for(view.tree_sha256), contract)
    if found is None:
        raise SystemExit(f"error: {folder} holds no recorded study")
    return view, contract, *found


def figures(published: dict[str, Any], study: Study, results: MemoryResults) -> list[Figure]:
    """Every published figure with the same one from here; the error of a published one follows from its R."""
    total = published["replications"]
    found: list[Figure] = []
    for row in published["rows"]:
        cell = [one["n"] for one in study.cells()].index(row["n"])
        table = results.table(cell, row["method"])
        for metric in ("bias", "rmse", "coverage"):
            for (parameter, sign), value in zip(PARAMETERS.items(), row.get(metric, ()), strict=False):
                truth = study.truth_in(study.cells()[cell])[parameter]
                here = estimate_metric(metric, table, parameter=parameter, truth=truth)
                spread = estimate_metric("empse", table, parameter=parameter, truth=truth).value
                error = spread / math.sqrt(total if metric == "bias" else 2 * total)
                if metric == "coverage":
                    error = math.sqrt(value * (1 - value) / total)
                name = f"{metric} of {sign}"
                found.append(Figure(row["n"], row["method"], name, value, error, here.value, here.mcse or 0.0))
    return found


def first_order(found: list[Figure]) -> list[dict[str, str]]:
    """Standard errors from the expected information, with the standard normal regressor of the design."""
    truth = (-1.0, 0.5)

    def weight(x: float) -> float:
        eta = truth[0] + truth[1] * x
        return float(norm.pdf(eta) ** 2 / (norm.cdf(eta) * norm.sf(eta)) * norm.pdf(x))

    moments = [quad(lambda x, power=power: weight(x) * x**power, -12, 12)[0] for power in range(3)]
    variances = np.diag(np.linalg.inv([[moments[0], moments[1]], [moments[1], moments[2]]]))
    rows = []
    for n in sorted({row.n for row in found}):
        seen = [row for row in found if row.n == n and row.method == "mle" and row.name.startswith("rmse")]
        values = [f"{math.sqrt(variance / n):.4f}" for variance in variances]
        beside = {
            "published": ", ".join(f"{row.published:.4f}" for row in seen) or "–",
            "here": ", ".join(f"{row.here:.4f} ± {row.error:.4f}" for row in seen) or "–",
        }
        rows.append({"n": f"{n}", "intercept": values[0], "slope": values[1], **beside})
    return rows


def times(published: dict[str, Any], study: Study, results: MemoryResults) -> list[dict[str, str]]:
    def here(n: int, method: str) -> float:
        cell = [one["n"] for one in study.cells()].index(n)
        return estimate_metric("time", results.table(cell, method), parameter="slope").value

    known = {(row["n"], row["method"]): row["seconds"] for row in published["rows"]}
    rows = []
    for n, method in [(cell["n"], method) for cell in study.cells() for method in study.method_names]:
        ratio = here(n, "gibbs") / here(n, "mle")
        their = known.get((n, "gibbs"), math.nan) / known.get((n, "mle"), math.nan)
        rows.append(
            {
                "n": f"{n}",
                "method": method,
                "published": f"{known[n, method]:.6f}" if (n, method) in known else "–",
                "here": f"{here(n, method):.6f}",
                "published_ratio": f"{their:.0f}" if method == "gibbs" and math.isfinite(their) else "",
                "ratio": f"{ratio:.0f}" if method == "gibbs" else "",
            }
        )
    return rows


def acceptance(published: dict[str, Any], contract: Contract, study: Study, results: MemoryResults) -> list[str]:
    criterion = next(row for row in study.criteria if row.metric == "mean" and row.low == 0.2 and row.high == 0.5)
    rates = [
        estimate_metric("mean", results.table(cell, "mh"), of_field=criterion.field)
        for cell in range(len(study.cells()))
    ]
    low, high = min(rate.value for rate in rates), max(rate.value for rate in rates)
    worst = max(rate.mcse or 0.0 for rate in rates)
    choice = (
        next(row for row in contract.comprehension.choices if "scale" in row.id) if contract.comprehension else None
    )
    lines = [f"published, {name}: {a} to {b}" for name, (a, b) in published["acceptance"].items()]
    lines.append(f"here, scale 2.4, mean over the data sets of each N: {low:.3f} to {high:.3f} (± {worst:.4f})")
    if choice is not None and choice.decision is not None:
        lines.append(
            "The document prints scale 1 and demands 0.20 to 0.50. The published run noted that the scale needs tuning "
            "and chose 2.4 by itself; here the contradiction was put to a person before anything was built: "
            f"“{choice.question}”"
        )
    return lines


def claims(study: Study, results: MemoryResults) -> list[str]:
    """Each judged with the engine's own rules: by interval at 1 %."""
    asked = [
        Criterion(f"rate {m} {p}", "rate", m, p, low=-0.6, high=-0.4, axis="n", of="rmse")
        for m in study.method_names
        for p in PARAMETERS
    ]
    asked += [
        Criterion(f"coverage {m} {p}", "coverage", m, p, low=0.93, high=0.97)
        for m in study.method_names
        for p in PARAMETERS
    ]
    verdicts = judge_study(replace(study, criteria=asked), results)
    rates = [v for v in verdicts if v.criterion.metric == "rate"]
    covers = [v for v in verdicts if v.criterion.metric == "coverage"]
    kept = sum(v.interval == "PASS" for v in rates)
    lines = [
        f"RMSE falls with the root of N (slope of log RMSE on log N between −0.6 and −0.4): PASS for {kept} of "
        f"{len(rates)} pairs of method and coefficient, {sum(v.interval == 'FAIL' for v in rates)} FAIL."
    ]
    counted = {kind: sum(v.interval == kind for v in covers) for kind in ("PASS", "UNDECIDED", "FAIL")}
    literal = sum(v.literal == "PASS" for v in covers)
    lines.append(
        f"“Nominal coverage” of all three methods, read as 0.93 to 0.97 at every N: literally PASS for {literal} of "
        f"{len(covers)} pairs; with Monte Carlo error {counted['PASS']} PASS, {counted['UNDECIDED']} undecided, "
        f"{counted['FAIL']} FAIL at R = {results.completed(0)}."
    )
    return lines


def judged(view: RunView, study: Study, results: MemoryResults) -> list[str]:
    decided = view.judged[view.tree_sha256, "after"].judgements
    stated = {row.id: row.source for row in study.criteria}
    coverage = [row for row in decided if stated.get(row.id, "").endswith("C4")]
    count = {kind: sum(row.verdict == kind for row in coverage) for kind in ("PASS", "UNDECIDED", "FAIL")}
    lines = [
        f"C4 (coverage between 0.90 and 0.99): literally all pass there. Here, of {len(coverage)} criteria over all N, "
        f"{count['PASS']} PASS with Monte Carlo error, {count['UNDECIDED']} stay undecided and {count['FAIL']} FAIL at "
        f"R = {results.completed(0)}."
    ]
    names = {row.id for row in coverage}
    rows = [row for row in sensitivity(study, results) if row.criterion in names and row.rule == "literal"]
    small = [
        row for row in rows if row.perturbation == "standard errors" and row.direction == "too small" and row.smallest
    ]
    if small:
        least = min(small, key=lambda row: row.smallest or math.inf)
        lines.append(
            f"What C4 cannot see: taken literally, the study would still have passed with standard errors "
            f"{100 * (least.smallest or 0.0):.0f} % too small (criterion {least.criterion})."
        )
    smallest = next(number for number, cell in enumerate(study.cells()) if cell["n"] == 200)
    spread = estimate_metric("empse", results.table(smallest, "mle"), parameter="slope").value
    lines.append(
        f"C1 (within 0.05 of glm) could hardly fail: at N = 200 it accepts {100 * 0.05 / spread:.0f} % of a standard "
        "error. It is carried at 1e-6 here, and the lint refuses what a wrong result would pass."
    )
    lines.append("C3 could not be met by the specification as written; see above.")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path, help="the folder of a finished probit run, made with --full")
    parser.add_argument("--out", type=Path, default=HERE.parents[1] / "docs" / "explanation" / "probit-vs-paper.md")
    options = parser.parse_args()
    view, contract, study, results = read_run(options.run)
    published = tomllib.loads((HERE / "published.toml").read_text(encoding="utf-8"))
    found = figures(published, study, results)
    beyond = [row for row in found if abs(row.apart) > 2]
    environment = Environment(undefined=StrictUndefined, keep_trailing_newline=True)
    text = environment.from_string((HERE / "against_paper.md").read_text(encoding="utf-8")).render(
        intro=f"Package {view.head.target}, {results.completed(0)} replications for each N.",
        compared=len(found),
        expected=f"{BY_CHANCE * len(found):.1f}",
        beyond=len(beyond),
        largest=f"{max((abs(row.apart) for row in found), default=0.0):.1f}",
        where=", ".join(dict.fromkeys(f"{row.name.rpartition(' ')[2]} at N = {row.n}" for row in beyond)) or "none",
        first_order=first_order(found),
        rows=[
            {
                "n": row.n,
                "method": row.method,
                "figure": row.name,
                "published": f"{row.published:.4f}",
                "here": f"{row.here:.4f} ± {row.error:.4f}",
                "apart": f"{row.apart:+.1f}",
            }
            for row in found
        ],
        times=times(published, study, results),
        acceptance=acceptance(published, contract, study, results),
        claims=claims(study, results),
        judged=judged(view, study, results),
    )
    options.out.write_text(text, encoding="utf-8")
    print(f"compared: {len(found)}\nbeyond_two_errors: {len(beyond)}\nwritten: {options.out.name}")


if __name__ == "__main__":
    main()
