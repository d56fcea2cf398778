"""The judge: records, metrics and their errors, verdicts and their error rates, claims."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError
from scipy import stats

from statsclaw.montecarlo.metrics.intervals import clopper_pearson, interval
from statsclaw.montecarlo.metrics.measures import McEstimate, estimate_metric
from statsclaw.montecarlo.table import Table
from statsclaw.montecarlo.verdicts.sequential import looks
from statsclaw.runlog.events.command_executed import CaseOutcome, CommandExecuted, Observation
from statsclaw.runlog.events.criteria_judged import Judgement
from statsclaw.specs.contract import Contract
from statsclaw.specs.sim_spec import Study, as_design
from statsclaw.specs.test_spec import TestSpec
from statsclaw.verify import study_report
from statsclaw.verify.blind.inside import statsclaw_wire as wire
from statsclaw.verify.criteria.claims import contradicted_claims
from statsclaw.verify.criteria.judge import failed, judge, question_about_criterion
from statsclaw.verify.criteria.moved import Moved, moved
from statsclaw.verify.criteria.observed import lre
from statsclaw.verify.criteria.study import cell_values, judge_study, needed_replications, settle
from statsclaw.verify.criteria.tests import EvidenceMixed, JudgementMissing, judge_tests, one_per_criterion
from statsclaw.verify.study_report import Records, RecordsRefused, merge, packed, read_records, unpacked, written
from tests.blind.small_bench import Small

HONEST = Path(__file__).parents[1] / "support/honest"
WRONG = [{"name": "wrong", "value": 0.5}]

# --- studies and records ---------------------------------------------------------------------------------------------


def criterion_row(id: str, metric: str, **more: Any) -> dict[str, Any]:
    row = {"id": id, "quantity": metric, "metric": metric, "method": "m", "source": "planner", "alternatives": WRONG}
    return row | ({"parameter": "mu"} if metric not in ("mean", "failure_rate") else {}) | more


def study_of(*rows: dict[str, Any], n: Iterable[int] = (40,), replications: int = 200, **more: Any) -> Study:
    data = {
        "id": "s", "dgp": "normal", "parameters": [{"name": "mu", "truth": 0.0}], "grid": {"n": list(n)},
        "methods": ["m"], "replications": replications, "seed": 7, "fields": ["time"], "criteria": list(rows),
    }  # fmt: skip
    return Study.model_validate(data | more)


COVERAGE = criterion_row("M1", "coverage", low=0.92, high=0.98)


def table_of(failed: Any = None, **columns: Any) -> Table:
    """A table from columns such as estimate, se, low, high, reject of mu."""
    named = {f"mu.{name}": np.asarray(values, dtype=float) for name, values in columns.items()}
    count = len(next(iter(named.values())))
    flags = np.zeros(count, dtype=bool) if failed is None else np.asarray(failed, dtype=bool)
    return Table(flags, {name: np.where(flags, np.nan, values) for name, values in named.items()})


def covering(share: float, count: int) -> Table:
    """Evenly spread over the replications: their order counts, as they may be looked at as they come in."""
    steps = np.floor(np.arange(count + 1) * (round(share * count) / count) + 1e-9)
    low = np.where(np.diff(steps) > 0, -1.0, 1.0)
    return table_of(low=low, high=low + 2)


def records_of(*tables: Table, first: int = 0, seed: int = 7) -> Records:
    cells = [f"n={40 * (number + 1)}" for number in range(len(tables))]
    return Records(
        seed, first, len(tables[0].failed), {(c, "m"): table for c, table in zip(cells, tables, strict=True)}
    )


def report(count: int = 5, first: int = 0, seed: Any = 7, **changes: Any) -> dict[str, Any]:
    x = np.random.default_rng(first).normal(size=count)
    columns = {"mu.estimate": x, "mu.low": x - 2, "mu.high": x + 2}
    cell = {"cell": "n=40", "method": "m", "failed": np.zeros(count, dtype=bool), "columns": columns}
    return {"seed": seed, "first": first, "cells": [cell | changes]}


def read(found: Any) -> Records:
    return read_records(found if isinstance(found, bytes) else wire.encode(found), study_of(COVERAGE), seed=7)


def test_records_are_read_as_they_were_written() -> None:
    made = records_of(table_of([False, True, False], estimate=[0.1, 5.0, -0.0], low=[1, 2, 3], high=[4, 5, 6]), first=3)
    found = read(unpacked(packed(written(made))))
    (table,) = found.tables.values()
    assert (found.seed, found.first, found.count) == (7, 3, 3)
    assert table.failed.tolist() == [False, True, False]
    assert table.columns["mu.estimate"].tobytes() == made.tables["n=40", "m"].columns["mu.estimate"].tobytes()


def test_a_study_of_millions_of_numbers_is_read() -> None:
    """Eight columns, sixty cells of ten thousand replications: what papers report, and no fault of the simulator."""
    numbers = np.arange(6e5)
    made = records_of(
        table_of(estimate=numbers, **{f"further{n}": numbers for n in range(5)}, low=numbers, high=numbers)
    )
    data = written(made)
    assert read(unpacked(packed(data))).count == 600_000


def test_a_study_whose_records_could_not_be_kept_is_refused_before_anybody_works() -> None:
    assert study_of(COVERAGE, n=range(20, 1020), replications=10_000).replications == 10_000
    with pytest.raises(ValidationError, match=r"20,000,000 fits .*; a run keeps the records of 10,000,000"):
        study_of(COVERAGE, n=range(20, 1020), replications=10_000, cap=20_000)


def test_nothing_is_read_that_unpacks_to_more_than_records_may_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    data = written(records_of(table_of(low=[1.0], high=[2.0], estimate=[1.5])))
    monkeypatch.setattr(study_report, "_LARGEST", len(data) - 1)
    assert unpacked(packed(data)) == b"" == unpacked(b"no gzip")


def test_records_of_earlier_versions_are_read() -> None:
    """The recorded demonstrations have them; the numbers are those that were written."""
    (cell,) = report(40, first=20)["cells"]
    rows = {name: [None, *map(float, values[1:])] for name, values in cell["columns"].items()}
    old = {"replication": list(range(20, 60)), "failed": [True] + [False] * 39, "columns": rows}
    found = read(json.dumps({"seed": 7, "cells": [cell | old]}).encode())
    assert (found.first, found.count) == (20, 40)
    assert found.tables["n=40", "m"].columns["mu.low"][1:].tolist() == rows["mu.low"][1:]
    assert np.isnan(found.tables["n=40", "m"].columns["mu.low"][0])


def test_the_honest_study_runs_is_read_and_passes(tmp_path: Path) -> None:
    bench = Small(tmp_path / "bench")
    bench.lay_out({}, {})
    simulation = bench.simulation
    data = simulation.report(0, 4000)
    records = read_records(data, simulation.study, seed=simulation.bench.seed)
    judgements = judge_study(simulation.study, records, "abc")
    assert [row.verdict for row in judgements] == ["PASS", "PASS"]
    assert judgements[0].where == "n=40" and judgements[0].replications == 4000 and judgements[0].evidence == ("abc",)


def _changed(change: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
    """Records with one thing in the columns changed."""
    found = report()
    change(found["cells"][0]["columns"])
    return found


def _put(column: str, value: Any) -> dict[str, Any]:
    return _changed(lambda columns: columns.update({column: np.array([0.0, 1.0, value, 0.0, 1.0])}))


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (report(failed=np.zeros(4, dtype=bool)), "the column mu.estimate is not 4 numbers"),
        (report(failed=np.zeros(5)), "not 5 times true or false"),
        (report(failed=np.array([False] * 4 + [True])), "a value where a replication failed"),
        (report(cell="n=41"), "cell n=40, method m is missing"),
        (report(method="other"), "cell n=40, method m is missing"),
        (report(cell=["n=40"]), "cannot be read"),
        ({"seed": 7, "first": 0, "cells": []}, "missing"),
        (report() | {"cells": report()["cells"] * 2}, "twice"),
        (report() | {"cells": [3]}, "cannot be read"),
        ({"seed": 7, "first": 0}, "cannot be read"),
        ([], "cannot be read"),
        (report(seed=8), "changed seed"),
        (report(seed=None), "cannot be read"),
        (_changed(lambda columns: columns.pop("mu.high")), "M1 needs the column mu.high"),
        (report(columns=None), "cannot be read"),
        (_put("mu.low", math.nan), "no finite value"),
        (_put("mu.low", math.inf), "no finite value"),
        (_put("mu.reject", 0.5), "other than 0 and 1"),
        (_changed(lambda columns: columns.update({"mu.low": "1.0"})), "the column mu.low is not 5 numbers"),
        (_changed(lambda columns: columns.update({"mu.low": [0.0] * 5})), "the column mu.low is not 5 numbers"),
        (_changed(lambda columns: columns.update({"a\x1b[2J": np.zeros(3)})), "the column a�.2J is not 5 numbers"),
        (b'{"seed": 7, "cells": [{}]}', "cannot be read"),
        (b'{"seed": ' + b"9" * 10_000 + b"}", "cannot be read"),
        (b"{" * 100_000, "cannot be read"),
        (b"l" * 100_000, "cannot be read"),
        (b"\xff\xfe", "cannot be read"),
        (b"", "cannot be read"),
    ],
)  # fmt: skip
def test_records_that_are_not_what_was_asked_for_are_refused(found: Any, said: str) -> None:
    with pytest.raises(RecordsRefused, match=said) as refused:
        read(found)
    assert "\n" not in str(refused.value) and len(str(refused.value)) < 400


def test_batches_are_merged_only_if_they_follow_each_other() -> None:
    first, second = read(report(40)), read(report(20, first=40))
    both = merge(second, first)
    assert (both.first, both.count) == (0, 60)
    assert both.tables["n=40", "m"].columns["mu.low"][40] == second.tables["n=40", "m"].columns["mu.low"][0]
    with pytest.raises(RecordsRefused, match="do not follow"):
        merge(first, first)
    with pytest.raises(RecordsRefused, match="same seed"):
        merge(first, Records(8, 40, 20, second.tables))


# --- metrics ---------------------------------------------------------------------------------------------------------

CONTINUOUS = ("bias", "rmse", "empse", "modse", "se_ratio", "quantile_range")


def drawn(rng: np.random.Generator, count: int, size: int = 30) -> Table:
    """Means of normal numbers with their standard errors, which are independent of them."""
    estimate = rng.normal(0.1, 1 / math.sqrt(size), count)
    se = np.sqrt(rng.chisquare(size - 1, count) / (size - 1) / size)
    return table_of(estimate=estimate, se=se, low=estimate - 2 * se, high=estimate + 2 * se, reject=estimate > 0.2)


def metric(name: Any, table: Table) -> McEstimate:
    return estimate_metric(name, table, parameter="mu", truth=0.0)


def jackknife(name: str, table: Table) -> float:
    count = len(table.failed)
    rows = []
    for left_out in range(count):
        keep = np.arange(count) != left_out
        part = Table(table.failed[keep], {key: values[keep] for key, values in table.columns.items()})
        rows.append(metric(name, part).value)
    return math.sqrt((count - 1) / count * float(np.sum((np.array(rows) - np.mean(rows)) ** 2)))


@pytest.mark.parametrize("name", ["bias", "rmse", "modse", "coverage", "rejection"])
def test_monte_carlo_errors_agree_with_the_jackknife(name: str) -> None:
    table = drawn(np.random.default_rng(5), 400)
    assert metric(name, table).mcse == pytest.approx(jackknife(name, table), rel=0.01)


@pytest.mark.parametrize("name", [*CONTINUOUS, "coverage", "rejection"])
def test_monte_carlo_errors_are_the_spread_over_repeated_studies(name: str) -> None:
    rng = np.random.default_rng(11)
    found = [metric(name, drawn(rng, 400)) for _ in range(1500)]
    spread = float(np.std([row.value for row in found], ddof=1))
    ratio = float(np.mean([row.mcse or 0 for row in found])) / spread
    assert 0.94 < ratio < (1.15 if name == "quantile_range" else 1.06)  # of a quantile range, it is stated as too large


def test_metrics_are_what_their_names_say() -> None:
    table = table_of(
        estimate=[1, 2, 3, 6], se=[1, 1, 2, 2], low=[-1, 0, 1, -1], high=[0, 1, 2, -0.5], reject=[1, 0, 0, 0]
    )
    known = {"bias": 3, "rmse": math.sqrt(12.5), "empse": math.sqrt(14 / 3), "modse": math.sqrt(2.5)}
    known |= {"se_ratio": 1.5 / math.sqrt(14 / 3), "coverage": 0.5, "rejection": 0.25, "failure_rate": 0}
    for name, value in known.items():
        assert metric(name, table).value == pytest.approx(value), name
    big = table_of(estimate=np.arange(1001))
    assert metric("quantile_range", big).value == pytest.approx(950)


def test_failed_replications_are_excluded_and_counted() -> None:
    table = table_of([False, True, False, True], estimate=[1, 9, 3, 9], low=[-1, 0, 1, 0], high=[1, 0, 2, 0])
    assert metric("bias", table).value == 2
    assert (metric("coverage", table).value, metric("coverage", table).trials) == (0.5, 2)
    rate = metric("failure_rate", table)
    assert (rate.value, rate.failures, rate.replications, rate.trials) == (0.5, 2, 4, 4)


def test_nonsense_has_no_value_rather_than_a_good_one() -> None:
    still = table_of(estimate=[1.0] * 5, se=[0.1] * 5)
    assert math.isnan(metric("se_ratio", still).value)
    negative = table_of(estimate=[1, 2, 3], se=[1, -1, 1])
    assert math.isnan(metric("modse", negative).value) and math.isnan(metric("se_ratio", negative).value)
    assert metric("se_ratio", table_of(estimate=[1, 2, 3], se=[0, 0, 0])).value == 0
    huge = table_of(estimate=[1e308, -1e308, 1e308], se=[1e308] * 3)
    assert all(math.isnan(metric(name, huge).value) for name in ("rmse", "modse"))
    assert metric("bias", table_of(estimate=[1.0])).mcse is None
    gone = table_of([True, True], estimate=[1, 2])
    assert math.isnan(metric("bias", gone).value) and metric("failure_rate", gone).value == 1


# --- verdicts of studies ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("hits", "trials"), [(0, 10), (3, 10), (10, 10), (951, 1000), (1, 2)])
def test_the_interval_of_a_proportion_is_the_exact_one(hits: int, trials: int) -> None:
    exact = stats.binomtest(hits, trials).proportion_ci(0.99, method="exact")
    assert clopper_pearson(hits, trials, 0.01) == pytest.approx((exact.low, exact.high), abs=1e-12)


def test_the_interval_of_a_mean_is_that_of_the_t_distribution() -> None:
    values = np.random.default_rng(3).normal(size=12)
    found = interval(metric("bias", table_of(estimate=values)), 0.01)
    exact = stats.ttest_1samp(values, 0).confidence_interval(0.99)
    assert found == pytest.approx((exact.low, exact.high))


@pytest.mark.parametrize("name", ["normal", "t", "expon"])
def test_the_interval_of_a_quantile_range_holds_for_any_distribution(name: str) -> None:
    distribution = {"normal": stats.norm(), "t": stats.t(3), "expon": stats.expon()}[name]
    truth = distribution.ppf(0.975) - distribution.ppf(0.025)
    rng, missed, repeats = np.random.default_rng(8), 0, 1500
    for _ in range(repeats):
        low, high = interval(metric("quantile_range", table_of(estimate=distribution.rvs(400, random_state=rng))), 0.05)
        missed += not low <= truth <= high
    assert stats.binomtest(missed, repeats, 0.05, alternative="greater").pvalue > 0.001, missed
    assert missed > 0.005 * repeats  # and it is not wide enough for everything


def test_few_replications_say_nothing_about_tails() -> None:
    low, high = interval(metric("quantile_range", table_of(estimate=np.arange(30.0))), 0.01)
    assert high == math.inf and low < 29


@pytest.mark.parametrize(
    ("share", "verdict", "literal"),
    [(0.95, "PASS", "PASS"), (0.85, "FAIL", "FAIL"), (0.925, "UNDECIDED", "PASS"), (0.915, "UNDECIDED", "FAIL")],
)
def test_a_study_passes_fails_or_is_undecided(share: float, verdict: str, literal: str) -> None:
    (row,) = judge_study(study_of(COVERAGE, replications=2000), records_of(covering(share, 2000)), "sha")
    assert (row.verdict, row.literal) == (verdict, literal)
    assert row.margin == pytest.approx(min(share - 0.92, 0.98 - share))
    assert row.rule == "coverage between 0.92 and 0.98" and "likelihood ratios" in row.note


def test_the_worst_of_several_cells_decides_and_failures_are_told() -> None:
    bad = covering(0.8, 1000)
    flags = np.arange(1000) >= 997
    broken = Table(flags, {name: np.where(flags, np.nan, values) for name, values in bad.columns.items()})
    study = study_of(COVERAGE, n=(40, 80, 120), replications=1000)
    (row,) = judge_study(study, records_of(covering(0.95, 1000), broken, covering(0.925, 1000)), "")
    assert (row.verdict, row.where, row.literal) == ("FAIL", "n=80", "FAIL")
    assert "1 of 3 cells fail: n=80" in row.note and "1 of 3 cells are undecided: n=120" in row.note
    assert "3 of 1,000 replications failed in n=80" in row.note
    assert cell_values(study, records_of(covering(0.95, 1000), bad, bad))["M1"] == (0.95, 0.8, 0.8)


@pytest.mark.parametrize("name", ["coverage", "bias"])
def test_a_cell_in_which_everything_failed_fails(name: str) -> None:
    gone = table_of([True] * 50, estimate=[0.0] * 50, low=[0.0] * 50, high=[0.0] * 50)
    (row,) = judge_study(study_of(criterion_row("M1", name, low=-10, high=10)), records_of(gone), "")
    assert (row.verdict, row.literal, row.observed) == ("FAIL", "FAIL", None)
    assert "every replication failed in n=40" in row.note


def test_one_replication_decides_nothing() -> None:
    one = table_of(estimate=[0.0])
    (row,) = judge_study(study_of(criterion_row("M1", "bias", low=-1, high=1)), records_of(one), "")
    assert (row.verdict, row.literal) == ("UNDECIDED", "PASS")


def test_further_replications_double_up_to_the_cap() -> None:
    study = study_of(COVERAGE, replications=200)
    assert looks(as_design(study)) == (200, 400, 800)
    for count, needed in ((200, 200), (400, 400), (800, None)):
        records = records_of(covering(0.925, count))
        assert needed_replications(study, judge_study(study, records, ""), records) == needed
    decided = records_of(covering(0.5, 200))
    assert needed_replications(study, judge_study(study, decided, ""), decided) is None
    for cap, expected in ((300, (200, 300)), (900, (200, 400, 800, 900)), (200, (200,))):
        assert looks(as_design(study_of(COVERAGE, replications=200, cap=cap))) == expected


def test_undecided_at_the_cap_is_taken_literally() -> None:
    rows = judge_study(study_of(COVERAGE), records_of(covering(0.915, 800)), "")
    (row,) = settle(settle(rows))
    assert row.verdict == "UNDECIDED" and row.note.count("undecided at R = 800: taken literally") == 1
    assert failed([row]) == ("M1",)
    assert failed(settle(judge_study(study_of(COVERAGE), records_of(covering(0.925, 800)), ""))) == ()


@pytest.mark.parametrize("edge", [0.92, 0.98])
@pytest.mark.parametrize("count", [200, 1000])
def test_at_the_edge_of_the_band_both_wrong_verdicts_are_rare(edge: float, count: int) -> None:
    """Not simulated but summed over everything that can happen, for one look with all of the 1 %."""
    study = study_of(COVERAGE, replications=count, cap=count)
    probability = {"PASS": 0.0, "FAIL": 0.0, "UNDECIDED": 0.0}
    for hits in range(int(0.8 * count), count + 1):
        (row,) = judge_study(study, records_of(covering(hits / count, count)), "")
        probability[row.verdict] += float(stats.binom.pmf(hits, count, edge))
    assert probability["FAIL"] <= 0.01 and probability["PASS"] <= 0.01
    assert sum(probability.values()) == pytest.approx(1, abs=1e-6)


RATES = (
    criterion_row("M1", "coverage", low=0.95, high=0.99),
    criterion_row("M2", "bias", low=-0.1, high=0.1),
    criterion_row("M3", "se_ratio", low=0.8, high=1.0),
)


def verdicts_at_every_look(study: Study, rng: np.random.Generator, shifts: tuple[float, ...]) -> list[list[str]]:
    """A study as the engine runs it: cells with estimates at `shift` and exact coverage of 95 %."""
    records: Records | None = None
    found: list[list[str]] = []
    needed: int | None = study.replications
    while needed:
        tables = []
        for shift in shifts:
            noise = rng.normal(size=needed)
            low = np.where(np.abs(noise) < stats.norm.ppf(0.975), -1.0, 1.0)
            tables.append(table_of(estimate=shift + noise, se=np.full(needed, 1.0), low=low, high=low + 2))
        batch = records_of(*tables, first=records.count if records else 0)
        records = merge(records, batch) if records else batch
        judgements = judge_study(study, records, "")
        found.append([row.verdict for row in judgements])
        needed = needed_replications(study, judgements, records)
    return found


@pytest.mark.slow
def test_a_correct_package_fails_in_no_more_than_one_study_of_a_hundred() -> None:
    """The hardest correct one: every metric of every cell stands exactly on an edge of its band."""
    study, rng = study_of(*RATES, n=(40, 80, 120), replications=150), np.random.default_rng(42)
    studies = [verdicts_at_every_look(study, rng, (0.1, -0.1, 0.1)) for _ in range(250)]
    wrong = sum(any("FAIL" in look for look in found) for found in studies)
    assert stats.binomtest(wrong, 250, 0.01, alternative="greater").pvalue > 0.001, wrong


def test_one_bad_cell_among_good_ones_passes_in_no_more_than_one_study_of_a_hundred() -> None:
    study = study_of(criterion_row("M2", "bias", low=-0.3, high=0.3), n=(40, 80), replications=150)
    rng = np.random.default_rng(43)
    wrong = sum(verdicts_at_every_look(study, rng, (0.0, 0.3))[-1] == ["PASS"] for _ in range(600))
    assert stats.binomtest(wrong, 600, 0.01, alternative="greater").pvalue > 0.001, wrong
    right = sum(verdicts_at_every_look(study, rng, (0.0, 0.05))[-1] == ["PASS"] for _ in range(50))
    assert right >= 45, right  # and the judge is not one that never passes anything


# --- verdicts of tests -----------------------------------------------------------------------------------------------


def spec_of(*rows: dict[str, Any], may_skip: str = "") -> TestSpec:
    scenarios = [
        {"id": name, "behaviour": "b", "exercises": ["f"], "inputs": "x", "may_skip": may_skip} for name in ("S1", "S2")
    ]
    base = {"quantity": "q", "scenarios": ["S1"], "source": "planner"}
    return TestSpec.model_validate({"scenarios": scenarios, "criteria": [base | row for row in rows]})


CLOSE = {"id": "C1", "rule": "close", "tolerance": {"absolute": 0.1, "relative": 0.01}}
LRE = {"id": "C1", "rule": "close", "tolerance": {"lre": 6.0}}
BUILD = {"id": "C7", "rule": "holds", "kind": "structure", "decided_by": "check", "check": "build", "scenarios": []}


def seen(rule: Any = "close", criterion: str = "C1", test: str = "t", **more: Any) -> Observation:
    return Observation(criterion=criterion, test=test, rule=rule, **more)


def case(name: str = "t", outcome: Any = "passed", scenarios: tuple[str, ...] = ("S1",), **more: Any) -> CaseOutcome:
    return CaseOutcome(name=name, outcome=outcome, scenarios=scenarios, **more)


def ran(*parts: CaseOutcome | Observation, **more: Any) -> CommandExecuted:
    fields: dict[str, Any] = {
        "name": "validation", "phase": "validation", "subject": "after", "tree_sha256": "t", "argv": (), "exit_code": 0,
        "elapsed_s": 1.0, "output_sha256": "out", "passed": True, "summary": "ok",
        "tests": tuple(part for part in parts if isinstance(part, CaseOutcome)),
        "observations": tuple(part for part in parts if isinstance(part, Observation)),
    }  # fmt: skip
    return CommandExecuted(**(fields | more))


def verdict(row: dict[str, Any], *parts: CaseOutcome | Observation, **more: Any) -> Judgement:
    (found,) = judge_tests(spec_of(row, **more), [ran(*parts)])
    assert found.literal == found.verdict
    return found


@pytest.mark.parametrize(
    ("observed", "expected", "passes", "margin"),
    [(10.1, 10.0, True, 0.5), (10.2, 10.0, True, 0.0), (10.3, 10.0, False, -0.5), (0.05, 0.0, True, 0.5),
     (-10.3, -10.0, False, -0.5), (math.nan, 10.0, False, None), (10.0, math.nan, False, None),
     (math.inf, math.inf, False, None), (None, 10.0, False, None), (1.7e308, -1.7e308, False, -1e300)],
)  # fmt: skip
def test_close_is_recomputed(observed: float | None, expected: float, passes: bool, margin: float | None) -> None:
    observed = 10.199999 if observed == 10.2 else observed
    found = verdict(CLOSE, case(), seen(observed=observed, expected=expected))
    assert (found.verdict == "PASS") is passes
    assert found.margin == (pytest.approx(margin, abs=1e-4) if margin is not None else None)


def test_the_smallest_miss_is_a_miss() -> None:
    row = CLOSE | {"tolerance": {"absolute": 0.1}}
    assert verdict(row, case(), seen(observed=0.1, expected=0.0)).verdict == "PASS"
    beyond = verdict(row, case(), seen(observed=math.nextafter(0.1, 1), expected=0.0))
    assert beyond.verdict == "FAIL" and (beyond.margin or 0) < 0


@pytest.mark.parametrize(
    ("observed", "expected", "digits"),
    [(1.001, 1.0, 3), (1e-8, 0.0, 8), (5.0, 5.0, 15), (0.0, 0.0, 15), (-2.0, 2.0, -math.log10(2)),
     (1 + 2**-52, 1.0, 15), (3e-308, 1e-308, -math.log10(2))],
)  # fmt: skip
def test_digits_that_agree(observed: float, expected: float, digits: float) -> None:
    assert lre(observed, expected) == pytest.approx(digits, abs=1e-9)


def test_a_number_of_digits_is_asked() -> None:
    assert verdict(LRE, case(), seen(observed=1 + 1e-7, expected=1.0)).verdict == "PASS"
    assert verdict(LRE, case(), seen(observed=1 + 1e-5, expected=1.0)).margin == pytest.approx(-1, abs=1e-3)


@pytest.mark.parametrize(
    ("row", "value", "margin"),
    [({"rule": "at most", "high": 2.0}, 1.5, 0.5), ({"rule": "at least", "low": 2.0}, 1.5, -0.5),
     ({"rule": "between", "low": 1.0, "high": 2.0}, 1.75, 0.25)],
)  # fmt: skip
def test_bounds_are_compared_with_what_was_observed(row: dict[str, Any], value: float, margin: float) -> None:
    found = verdict({"id": "C1"} | row, case(), seen("value", observed=value))
    assert (found.verdict, found.margin) == ("PASS" if margin >= 0 else "FAIL", margin)
    assert verdict({"id": "C1"} | row, case(), seen("value", observed=math.nan)).verdict == "FAIL"


RAISES = {"id": "C1", "rule": "raises", "error": "ValueError", "message": "no numbers"}


@pytest.mark.parametrize(
    ("error_class", "said", "passes"),
    [("ValueError", "ValueError: there are no numbers", True), ("TypeError", "TypeError: no numbers", False),
     ("MyValueError", "MyValueError: no numbers", False), ("ValueError", "ValueError: other", False), ("", "", False)],
)  # fmt: skip
def test_refusals_need_the_exact_class_and_the_fragment(error_class: str, said: str, passes: bool) -> None:
    found = verdict(RAISES, case(), seen("raises", error_class=error_class, said=said))
    assert (found.verdict == "PASS") is passes


def test_the_name_of_the_class_is_not_its_message() -> None:
    row = RAISES | {"message": "Value"}
    assert verdict(row, case(), seen("raises", error_class="ValueError", said="ValueError: no")).verdict == "FAIL"


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ((), "no test decided it; 0"),
        ((case(),), "no test decided it; 0"),
        ((seen(observed=1.0, expected=1.0),), "no test decided it; 0"),  # an observation of no test
        ((case(scenarios=("S2",)), seen(observed=1.0, expected=1.0)), "no test decided it; 0"),
        ((case(outcome="skipped"), seen(observed=1.0, expected=1.0)), "no test decided it; 0"),
        ((case(outcome="error", error="boom"), seen(observed=1.0, expected=1.0)), "its test failed: t: boom"),
        ((case(outcome="failed", error="after\nall"), seen(observed=1.0, expected=1.0)), "its test failed: t: after;"),
        ((case(), case("u", "error", error="x"), seen(observed=1.0, expected=1.0)), "its test failed: u: x"),
        ((case(), seen("holds", held=True)), "answered another question"),
        ((case(), seen("value", observed=1.0), seen(observed=1.0, expected=1.0)), "answered another question"),
        ((case(), seen(observed=1.0, expected=1.0, size=0)), "nothing was compared"),
        ((case(), seen(observed=1.0, expected=1.0), seen(observed=2.0, expected=1.0)), "2.0 where 1.0"),
        ((case(), seen(observed=1.0, expected=1.0, criterion="C2")), "no test decided it; 0"),
    ],
)
def test_what_does_not_show_it_fails(parts: tuple[CaseOutcome | Observation, ...], said: str) -> None:
    found = verdict(CLOSE, *parts)
    assert found.verdict == "FAIL" and said in found.note, found.note


def test_the_builders_own_tests_decide_nothing() -> None:
    own = ran(case(), seen(observed=1.0, expected=1.0), phase="unit_tests", name="unit-tests")
    assert judge_tests(spec_of(CLOSE), [own])[0].verdict == "FAIL"


def test_every_scenario_of_a_criterion_needs_an_observation() -> None:
    row, good = CLOSE | {"scenarios": ["S1", "S2"]}, seen(observed=1.0, expected=1.0)
    assert "S2" in verdict(row, case(), good).note
    assert verdict(row, case(), good).verdict == "FAIL"
    assert (
        verdict(row, case(), good, case("u", scenarios=("S2",)), good.model_copy(update={"test": "u"})).verdict
        == "PASS"
    )
    skipped = case("u", "skipped", scenarios=("S2",))
    assert verdict(row, case(), good, skipped).verdict == "FAIL"
    assert verdict(row, case(), good, may_skip="without R").verdict == "FAIL"  # nothing was skipped: it is not there
    assert verdict(row, case(), good, skipped, may_skip="without R").verdict == "PASS"
    assert verdict(row, case(outcome="skipped"), skipped, may_skip="without R").verdict == "FAIL"


def test_a_failure_that_another_criterion_explains_is_that_ones() -> None:
    loose = {"id": "C2", "rule": "at most", "high": 1.0}
    parts = (case(outcome="failed", error="C2"), seen(observed=1.0, expected=1.0), seen("value", "C2", observed=3.0))
    assert [row.verdict for row in judge_tests(spec_of(CLOSE, loose), [ran(*parts)])] == ["PASS", "FAIL"]
    met = (*parts[:2], seen("value", "C2", observed=0.5))  # then nothing explains the failure
    assert [row.verdict for row in judge_tests(spec_of(CLOSE, loose), [ran(*met)])] == ["FAIL", "FAIL"]


def test_checks_are_commands_that_all_passed() -> None:
    install = ran(name="install", phase="build")
    assert judge_tests(spec_of(BUILD), [install])[0].verdict == "PASS"
    assert judge_tests(spec_of(BUILD), [install, ran(name="import", phase="build", passed=False)])[0].verdict == "FAIL"
    nothing = judge_tests(spec_of(BUILD), [])[0]
    assert nothing.verdict == "FAIL" and "was executed" in nothing.note
    check = BUILD | {"check": "R CMD check"}
    for summary, expected in (("0 errors, 0 warnings, 2 notes", "PASS"), ("0 errors, 1 warnings, 0 notes", "FAIL"),
                              ("10 errors, 0 warnings, 0 notes", "FAIL"), ("ok", "FAIL")):  # fmt: skip
        command = ran(name="r-cmd-check", phase="checks", summary=summary)
        assert judge_tests(spec_of(check), [command])[0].verdict == expected


def test_no_judgement_is_missing_and_no_evidence_mixed() -> None:
    with pytest.raises(JudgementMissing):
        one_per_criterion(["C1", "C2"], [verdict(CLOSE)])
    with pytest.raises(EvidenceMixed):
        judge_tests(spec_of(CLOSE), [ran(), ran(tree_sha256="u")])


# --- together --------------------------------------------------------------------------------------------------------

LOOSE = {"id": "C2", "rule": "at most", "high": 1.0}
GOOD = (case(), seen(observed=1.0, expected=1.0))


def test_a_missed_loose_bound_beside_exact_checks_that_pass_is_a_question() -> None:
    contract = Contract(tests=spec_of(CLOSE, LOOSE), study=study_of(COVERAGE))
    evidence = [ran(*GOOD, seen("value", "C2", observed=0.5)), ran(name="study", phase="study", tree_sha256="t")]
    rows = judge(contract, evidence, records_of(covering(0.6, 200)), records_sha256="sha")
    assert [row.id for row in rows] == ["C1", "C2", "M1"] and failed(rows) == ("M1",)
    assert (question_about_criterion(rows, contract) or rows[0]).id == "M1"
    wrong = judge(contract, [ran(case(), seen(observed=9.0, expected=1.0))], records_of(covering(0.6, 200)))
    assert question_about_criterion(wrong, contract) is None
    broken = judge(contract, evidence, None, refused="changed seed")
    assert failed(broken) == ("M1",) and "changed seed" in broken[-1].note
    assert question_about_criterion(broken, contract) is None  # a study that did not run is nobody's question


def test_without_an_exact_check_there_is_no_question() -> None:
    contract = Contract(study=study_of(COVERAGE))
    assert question_about_criterion(judge(contract, [], records_of(covering(0.6, 200))), contract) is None


def test_what_moved_between_before_and_after() -> None:
    was = ran(case("a"), case("b", "failed"), case("gone"), seen(test="a", observed=2.0))
    now = ran(case("a", "failed"), case("b", "failed"), case("new"), seen(test="a", observed=2.5))
    old, new = verdict(CLOSE, *GOOD), verdict(CLOSE, case(), seen(observed=1.5, expected=1.0))
    found = moved([was], [now], [old], [new])
    assert found == [
        Moved("test", "validation: a", "passed", "failed"),
        Moved("test", "validation: gone", "passed", "absent"),
        Moved("test", "validation: new", "absent", "passed"),
        Moved("test", "validation: a (C1)", "2", "2.5", 0.25),
        Moved("criterion", "C1", "PASS", "FAIL"),
        Moved("criterion", "C1", "1", "1.5", 0.5),
    ]
    assert moved([was], [was], [old], [old]) == []


# --- claims ----------------------------------------------------------------------------------------------------------

STUDY_ROW = Judgement(
    id="M1", quantity="coverage", rule="coverage between 0.92 and 0.98", verdict="PASS", literal="PASS",
    observed=0.9513, margin=0.0287, mcse=0.007, replications=1000, where="n=40",
)  # fmt: skip
FAILED_ROW = STUDY_ROW.model_copy(update={"id": "C9", "rule": "at most", "verdict": "FAIL", "mcse": None})
SUITE = ran(*(case(f"tests/a.py::t{n}") for n in range(12)), case("tests/b.py::bad", "error"))
R_CHECK = ran(name="r-cmd-check", phase="checks", summary="1 errors, 0 warnings, 0 notes", passed=False)


def claims(text: str, *evidence: CommandExecuted, file: str = "simulation.md", **more: Any) -> list[tuple[str, str]]:
    found = contradicted_claims({file: text}, [STUDY_ROW, FAILED_ROW], evidence or [SUITE, R_CHECK], **more)
    return [(row.severity, row.where) for row in found]


@pytest.mark.parametrize(
    "text",
    [
        "M1 came out well: coverage 0.951.", "M1: coverage of 95.1 %, and coverage was 0.95", "coverage = 0.9513",
        "M1 holds the coverage of 95 % intervals.", "The nominal coverage is 0.90.", "Coverage must be at least 0.99.",
        "M1: coverage between 0.92 and 0.98", "M1: coverage 0.92–0.98 is the band.", "M1: coverage about 0.99",
        "M1: coverage is 0.94 in n=80.", "| id | low | observed |\n|---|---|---|\n| M1 | 0.92 | 0.951 |",
        "12 tests passed.", "More than 10 tests passed.", "10 of 14 tests passed", "C9 does not pass.", "C9 failed.",
        "C9 would pass if the tolerance were wider.", "```python\nassert 99 tests passed\n```",
        "The function raises no errors for empty input.", "0 warnings.",
        "Replications: 0 failed of 1,000 replications.",
        "R CMD check gives 0 warnings", "M1 and C9: coverage 0.3",
    ],
)  # fmt: skip
def test_what_is_true_or_claims_nothing_is_left_alone(text: str) -> None:
    assert claims(text) == []


@pytest.mark.parametrize(
    ("text", "severity", "line"),
    [
        ("All is well.\n\nM1: coverage 0.97.", "warning", 3),
        ("coverage = 0.962", "warning", 1),
        ("M1: coverage was 96.2 % in n=40", "warning", 1),
        ("| id | observed |\n|---|---|\n| M1 | **0.962** |", "warning", 3),
        ("412 tests passed.", "warning", 1),
        ("```\n1,412 passed in 3 s\n```", "warning", 2),
        ("It ended with 0 errors, 0 warnings.", "error", 1),
        ("The validation ran\nwithout failures.", "error", 1),
        ("R CMD check: no errors", "error", 1),
        ("C9 passes.", "error", 1),
        ("| id | verdict |\n|---|---|\n| C9 | PASS |", "error", 3),
    ],
)
def test_what_the_evidence_contradicts_is_found(text: str, severity: str, line: int) -> None:
    assert claims(text) == [(severity, f"simulation.md:{line}")]


def test_claims_go_to_their_author_and_other_documents_are_not_read() -> None:
    documents = {"docs.md": "412 tests passed", "run/review.md": "412 tests passed", "spec.md": "412 tests passed"}
    found = contradicted_claims(documents, [], [SUITE])
    assert [(row.route_to, row.check) for row in found] == [("scriber", "claims"), ("reviewer", "claims")]
    assert found[0].key == contradicted_claims(documents, [], [SUITE])[0].key


def test_values_of_all_cells_may_be_told() -> None:
    assert claims("M1: coverage is 0.944 in n=80", cell_values={"M1": (0.9513, 0.9441)}) == []
    assert claims("M1: coverage is 0.93 in n=80", cell_values={"M1": (0.9513, 0.9441)}) != []


def test_a_hostile_document_is_read_in_bounded_time_and_findings_are_bounded() -> None:
    hostile = "M1 coverage " + "1" * 100_000 + " " + "a=" * 100_000 + "\n" + "about " + " " * 100_000 + "\n"
    hostile += "```\n" + "\n".join(f"{n} tests passed" for n in range(100, 5000)) + "\n" + "|" * 100_000
    assert len(claims(hostile)) <= 50
