"""A study inside a run and the same study of `statsclaw mc` have one judge."""

from __future__ import annotations

import math
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from statsclaw.montecarlo import design
from statsclaw.montecarlo.metrics.measures import METRICS
from statsclaw.montecarlo.metrics.paired import COMPARISONS
from statsclaw.montecarlo.storage.results import MemoryResults
from statsclaw.montecarlo.table import Table
from statsclaw.montecarlo.verdicts import judge
from statsclaw.montecarlo.verdicts.questions import ALONG_AXIS
from statsclaw.runlog.events import Judgement
from statsclaw.specs.lint.power import power_table
from statsclaw.specs.sim_spec import Metric, Study
from statsclaw.verify.criteria.study import cell_values, judge_study, needed_replications
from statsclaw.verify.study_report import Records, RecordsRefused, read_records, written

Z = 1.959964
WRONG = [{"name": "wrong", "value": 0.5}]
ROWS: tuple[dict[str, Any], ...] = (
    {"id": "M1", "metric": "coverage", "parameter": "mu", "low": 0.92, "high": 0.98},
    {"id": "M2", "metric": "bias", "parameter": "mu", "low": -0.1, "high": 0.1},
    {"id": "M3", "metric": "rms_se_ratio", "parameter": "mu", "low": 0.85, "high": 1.15},
    {"id": "M4", "metric": "bias", "parameter": "mu", "minus": "b", "low": -0.05, "high": 0.05},
    {"id": "M5", "metric": "rate", "parameter": "mu", "axis": "n", "low": -0.6, "high": -0.4},
)
LIMIT = {"id": "M9", "metric": "failure_rate", "high": 0.1}


def spec_of(*rows: dict[str, Any], n: tuple[int, ...] = (40, 80), replications: int = 200, **more: Any) -> Study:
    full = {"quantity": "q", "method": "a", "source": "planner", "alternatives": WRONG}
    data = {
        "id": "s", "dgp": "normal", "parameters": [{"name": "mu", "truth": 0.0}], "grid": {"n": list(n)},
        "methods": ["a", "b"], "replications": replications, "seed": 7, "criteria": [full | row for row in rows],
    }  # fmt: skip
    return Study.model_validate(data | more)


def table_of(estimate: np.ndarray, failed: np.ndarray | None = None, se: float = 1.0) -> Table:
    flags = np.zeros(len(estimate), dtype=bool) if failed is None else failed
    errors = np.full(len(estimate), se)
    columns = {"estimate": estimate, "se": errors, "low": estimate - Z * errors, "high": estimate + Z * errors}
    return Table(flags, {f"mu.{name}": np.where(flags, np.nan, values) for name, values in columns.items()})


def tables_of(rng: np.random.Generator, count: int, failing: float, shift: float) -> dict[tuple[int, str], Table]:
    found = {}
    for cell, n in enumerate((40, 80)):
        shared = rng.normal(size=count) / math.sqrt(n)
        for method, own in (("a", shift), ("b", 0.0)):
            noise = shared + 0.2 * rng.normal(size=count) / math.sqrt(n)
            failed = rng.random(count) < failing
            found[cell, method] = table_of(own + noise, failed, 1.02 / math.sqrt(n))
    return found


def as_mc(rows: tuple[dict[str, Any], ...], replications: int, allowed: float) -> design.Study:
    """Written by hand, as the author of a study for `statsclaw mc` would."""
    criteria = [design.Criterion(method="a", **row) for row in rows]
    return design.Study(
        "s", {"n": [40, 80]}, ["a", "b"], {"mu": 0.0}, replications, 7, criteria=criteria, failures_allowed=allowed
    )


def as_records(tables: dict[tuple[int, str], Table]) -> Records:
    count = len(next(iter(tables.values())).failed)
    return Records(7, 0, count, {(f"n={(40, 80)[cell]}", method): table for (cell, method), table in tables.items()})


def both(
    rows: tuple[dict[str, Any], ...], tables: dict[tuple[int, str], Table], allowed: float = 0.01, planned: int = 200
) -> tuple[list[Judgement], list[judge.CriterionVerdict]]:
    in_run = judge_study(spec_of(*rows, replications=planned, failures_allowed=allowed), as_records(tables), "")
    return in_run, judge.judge_study(as_mc(rows, planned, allowed), MemoryResults(tables))


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**31),
    count=st.sampled_from([1, 15, 200, 400, 800]),
    failing=st.sampled_from([0.0, 0.003, 0.01, 0.02, 0.05, 0.3, 1.0]),
    shift=st.sampled_from([0.0, 0.03, 0.1, 0.5]),
    allowed=st.sampled_from([0.0, 0.01, 0.1]),
    limited=st.booleans(),
)
def test_the_same_records_get_the_same_verdicts(
    seed: int, count: int, failing: float, shift: float, allowed: float, limited: bool
) -> None:
    rows = (*ROWS, LIMIT) if limited else ROWS
    tables = tables_of(np.random.default_rng(seed), count, failing, shift)
    in_run, in_mc = both(rows, tables, allowed)
    assert [row.verdict for row in in_run] == [row.verdict for row in in_mc]
    assert [row.literal == "PASS" for row in in_run] == [row.literal == "PASS" for row in in_mc]
    for row, other in zip(in_run, in_mc, strict=True):
        assert other.verdict in (row.verdict, row.literal, "UNDECIDED")
    spec, records = spec_of(*rows, failures_allowed=allowed), as_records(tables)
    needed = judge.undecided_cells(as_mc(rows, 200, allowed), MemoryResults(tables))
    assert needed_replications(spec, in_run, records) == max(needed.values(), default=None)


def test_five_per_cent_of_failures_fail_both() -> None:
    """It was FAIL in a run and PASS in `mc`: bias has room for whatever the failures would have given."""
    rng = np.random.default_rng(3)
    failed = np.arange(400) % 20 == 19
    tables = {key: table_of(rng.normal(size=400) / 6, failed, 1 / 6) for key in ((c, m) for c in (0, 1) for m in "ab")}
    rows = ({"id": "M2", "metric": "bias", "parameter": "mu", "low": -0.5, "high": 0.5},)
    (in_run,), (in_mc,) = both(rows, tables)
    assert (in_run.verdict, in_run.literal, in_mc.verdict, in_mc.by) == ("FAIL", "FAIL", "FAIL", "sequential")
    assert "20 of 400 replications failed in n=40, and no criterion allows failures: 1 % are let pass" in in_run.note
    for lenient in (both(rows, tables, allowed=0.05), both((*rows, LIMIT), tables)):
        assert (lenient[0][0].verdict, lenient[1][0].verdict) == ("PASS", "PASS")


def test_within_the_allowed_share_failures_that_could_move_the_value_leave_it_undecided() -> None:
    rng = np.random.default_rng(4)
    tables = {(cell, method): table_of(rng.normal(size=800)) for cell in (0, 1) for method in "ab"}
    own = tables[0, "a"]
    covers = (own.columns["mu.low"] <= 0) & (own.columns["mu.high"] >= 0)
    share = float(np.mean(covers))
    failed = np.zeros(800, dtype=bool)
    failed[np.flatnonzero(covers)[50:450:50]] = True  # eight of them, 1 %
    tables[0, "a"] = table_of(np.where(failed, 0.0, own.columns["mu.estimate"]), failed)
    rows = ({"id": "M1", "metric": "coverage", "parameter": "mu", "low": share - 0.009, "high": 1.0},)
    (in_run,), (in_mc,) = both(rows, tables)
    assert (in_run.verdict, in_run.literal, in_mc.verdict) == ("UNDECIDED", "PASS", "UNDECIDED")


def test_every_metric_of_mc_is_one_of_a_specification() -> None:
    assert set(get_args(Metric)) == {*METRICS, *COMPARISONS, *ALONG_AXIS}
    needs: dict[str, dict[str, Any]] = {
        "mean": {"field": "seconds"}, "trend": {"axis": "n", "of": "rmse"}, "rate": {"axis": "n"},
        **{name: {"reference": "b"} for name in COMPARISONS},
    }  # fmt: skip
    for metric in get_args(Metric):
        row = {"id": "M1", "metric": metric, "parameter": "mu", "low": -0.5, "high": 0.9} | needs.get(metric, {})
        study = spec_of(row, fields=["seconds"], replications=100)
        tables = tables_of(np.random.default_rng(1), 100, 0.0, 0.0)
        timed = {
            at: Table(table.failed, {**table.columns, "seconds": np.ones(100), "mu.reject": np.zeros(100)})
            for at, table in tables.items()
        }
        (row_found,) = judge_study(study, as_records(timed), "")
        assert row_found.verdict in ("PASS", "FAIL", "UNDECIDED") and row_found.rule.startswith(metric)
        power_table(study)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"metric": "bias", "minus": "a"}, "minus names another method"),
        ({"metric": "bias", "minus": "c"}, "no method 'c'"),
        ({"metric": "median_bias", "minus": "b"}, "minus goes with"),
        ({"metric": "speed_ratio", "reference": "b"}, 'needs the field "seconds"'),
        ({"metric": "agreement"}, "needs a reference"),
        ({"metric": "rate"}, "needs an axis"),
    ],
)
def test_what_cannot_be_judged_is_refused_when_the_specification_is_read(row: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        spec_of({"id": "M1", "parameter": "mu", "low": 0.0} | row)


def test_a_difference_needs_the_columns_of_both_methods() -> None:
    study = spec_of(ROWS[3], n=(40,), replications=5)
    none_failed, columns = np.zeros(5, dtype=bool), {"mu.estimate": np.array([1.0, 2.0, 4.0, 8.0, 16.0])}
    tables = {("n=40", method): Table(none_failed, recorded) for method, recorded in (("a", columns), ("b", {}))}
    with pytest.raises(RecordsRefused, match=r"M4 needs the column mu.estimate, which is missing in .*method b"):
        read_records(written(Records(7, 0, 5, tables)), study, seed=7)


def test_a_paired_difference_is_judged_with_its_paired_error() -> None:
    """Both methods share nearly all of their error: their difference is known forty times better than either bias."""
    shared, own = np.random.default_rng(6).normal(size=(2, 400))
    tables = {(cell, "a"): table_of(shared + 0.02 * own) for cell in (0, 1)}
    tables |= {(cell, "b"): table_of(shared) for cell in (0, 1)}
    single, paired = (
        {"id": "M1", "metric": "bias", "parameter": "mu", "low": -0.01, "high": 0.01} | more
        for more in ({}, {"minus": "b"})
    )
    (alone,), _ = both((single,), tables)
    (together,), _ = both((paired,), tables)
    assert together.verdict == "PASS" and alone.verdict != "PASS"
    assert together.mcse == pytest.approx(0.02 * np.std(own, ddof=1) / 20)
    assert together.observed == pytest.approx(0.02 * float(np.mean(own)))
    assert together.rule == "bias minus that of b between -0.01 and 0.01"
    assert cell_values(spec_of(paired), as_records(tables))["M1"] == (together.observed,) * 2
