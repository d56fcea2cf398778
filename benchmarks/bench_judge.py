"""The judge of studies: how often it is wrong, and how often it cannot tell.

One criterion, one cell. "first look" is summed over all that can happen, not simulated; "all looks" is simulated as
the engine runs a study, doubling twice. A true coverage on the edge of the band counts as inside for a FAIL and as
outside for a PASS.

Run: python benchmarks/bench_judge.py
"""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy import stats

from statsclaw.montecarlo.table import Table
from statsclaw.montecarlo.verdicts.sequential import looks
from statsclaw.specs.sim_spec import Study, as_design
from statsclaw.verify.criteria.study import judge_study
from statsclaw.verify.study_report import Records

BANDS = ((0.93, 0.97), (0.90, 0.99))
TRUE = (0.95, 0.93, 0.90)
REPLICATIONS = (500, 1000, 2000)
STUDIES = 20_000
HEAVY_STUDIES = 2000


def study_of(metric: str, band: tuple[float, float], replications: int) -> Study:
    criterion = {
        "id": "M1", "quantity": metric, "metric": metric, "parameter": "mu", "method": "m", "low": band[0],
        "high": band[1], "source": "benchmark", "alternatives": [{"name": "wrong", "value": 0.5}],
    }  # fmt: skip
    return Study.model_validate({
        "id": "s", "dgp": "none", "parameters": [{"name": "mu", "truth": 0.0}], "grid": {}, "methods": ["m"],
        "replications": replications, "seed": 1, "criteria": [criterion],
    })  # fmt: skip


def records_of(columns: dict[str, np.ndarray]) -> Records:
    count = len(next(iter(columns.values())))
    return Records(1, 0, count, {("all", "m"): Table(np.zeros(count, dtype=bool), columns)})


@cache
def verdict(band: tuple[float, float], planned: int, count: int, hits: int) -> str:
    low = np.where(np.arange(count) < hits, -1.0, 1.0)
    records = records_of({"mu.low": low, "mu.high": low + 2})
    return judge_study(study_of("coverage", band, planned), records, "")[0].verdict


def first_look(band: tuple[float, float], planned: int, true: float) -> dict[str, float]:
    found = dict.fromkeys(("PASS", "FAIL", "UNDECIDED"), 0.0)
    ends = stats.binom.ppf([1e-9, 1 - 1e-9], planned, true).astype(int)
    for hits in range(ends[0], ends[1] + 1):
        found[verdict(band, planned, planned, hits)] += float(stats.binom.pmf(hits, planned, true))
    return found


def all_looks(band: tuple[float, float], planned: int, true: float, rng: np.random.Generator) -> dict[str, float]:
    found = dict.fromkeys(("PASS", "FAIL", "UNDECIDED"), 0)
    for _ in range(STUDIES // 10):
        hits, before, said = 0, 0, "UNDECIDED"
        for count in looks(as_design(study_of("coverage", band, planned))):
            hits, before = hits + int(rng.binomial(count - before, true)), count
            said = verdict(band, planned, count, hits)
            if said != "UNDECIDED":
                break
        found[said] += 1
    return {name: number / (STUDIES // 10) for name, number in found.items()}


def false_fail_of_spread(name: str, rng: np.random.Generator) -> float:
    """Standard deviation of estimates, truly 1 and on the edge of its band, at the first look at 1000 replications."""
    study = study_of("empse", (0.8, 1.0), 1000)
    wrong = 0
    for _ in range(HEAVY_STUDIES):
        draws = rng.normal(size=1000) if name == "normal" else rng.standard_t(5, size=1000) / np.sqrt(5 / 3)
        wrong += judge_study(study, records_of({"mu.estimate": draws}), "")[0].verdict == "FAIL"
    return wrong / HEAVY_STUDIES


def main() -> None:
    rng = np.random.default_rng(20260101)
    for band in BANDS:
        for true in TRUE:
            for planned in REPLICATIONS:
                where = f"band [{band[0]:.2f}, {band[1]:.2f}], coverage {true:.2f}, R = {planned}, first look"
                found = first_look(band, planned, true)
                if band[0] <= true <= band[1]:
                    print(f"false FAIL, {where}: {found['FAIL']:.5f}")
                if not band[0] < true < band[1]:
                    print(f"false PASS, {where}: {found['PASS']:.5f}")
                print(f"share UNDECIDED, {where}: {found['UNDECIDED']:.4f}")
    for true in TRUE:
        found = all_looks(BANDS[0], 500, true, rng)
        for name, share in found.items():
            print(f"{name}, band [0.93, 0.97], coverage {true:.2f}, R = 500 to 2000, all looks: {share:.4f}")
    for name in ("normal", "t with 5 degrees of freedom"):
        print(f"false FAIL of empse on the edge, R = 1000, estimates {name}: {false_fail_of_spread(name, rng):.4f}")


if __name__ == "__main__":
    main()
