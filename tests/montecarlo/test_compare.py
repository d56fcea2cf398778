"""`mc compare`: every metric of one method against that of another, with the error of the pairs."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from statsclaw.montecarlo.design import Study
from statsclaw.montecarlo.metrics.comparing import NEUTRAL, as_csv, bootstrapped, compare_methods, render_compared
from statsclaw.montecarlo.metrics.differences import DIFFERENCES
from statsclaw.montecarlo.metrics.measures import METRICS, estimate_metric
from statsclaw.montecarlo.own import own_metric
from statsclaw.montecarlo.storage.results import MemoryResults
from statsclaw.montecarlo.table import Table
from tests.montecarlo.test_differences import TRUTH, drawn, table_of
from tests.montecarlo.test_mc_commands import mc


def loss(estimate: Any, truth: float) -> float:
    return float(np.mean(np.abs(estimate - truth)))


LEFT = sorted(set(METRICS) - DIFFERENCES)


def study_of(*names: str, metrics: dict[str, Any] | None = None) -> Study:
    return Study(
        "pair", {}, {name: lambda data, cell: {} for name in names}, {"mu": TRUTH}, 10, 1,
        dgp=lambda cell, rng: None, metrics=metrics or {},
    )  # fmt: skip


@pytest.mark.parametrize("metric", [*LEFT, "loss"])
def test_errors_without_a_formula_are_the_spread_over_repeated_studies(metric: str) -> None:
    asked = own_metric("loss", loss) if metric == "loss" else metric
    found = [
        bootstrapped(asked, *drawn(np.random.default_rng(seed), 300), parameter="mu", truth=TRUTH)
        for seed in range(120)
    ]
    spread = float(np.std([each.value for each in found], ddof=1))
    said = math.sqrt(float(np.mean([np.square(each.mcse or math.nan) for each in found])))
    assert said == pytest.approx(spread, rel=0.25)  # the spread of 120 is known to 6.5 %; quantiles resample roughly
    a, b = drawn(np.random.default_rng(0), 300)
    one, other = (estimate_metric(asked, table, parameter="mu", truth=TRUTH) for table in (a, b))
    assert found[0].value == pytest.approx(one.value - other.value)


def test_of_many_replications_a_part_is_drawn_and_the_error_scaled(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = drawn(np.random.default_rng(1), 4000)
    whole = bootstrapped("median_bias", *pair, parameter="mu", truth=TRUTH)
    monkeypatch.setattr("statsclaw.montecarlo.metrics.comparing.LARGEST", 1000)
    part = bootstrapped("median_bias", *pair, parameter="mu", truth=TRUTH)
    assert part.value == whole.value and part.mcse == pytest.approx(whole.mcse, rel=0.2)


def test_every_metric_is_compared_and_any_two_methods_can_be() -> None:
    first, second = drawn(np.random.default_rng(4), 500)
    study = study_of("a", "b", "c", metrics={"loss": loss})
    results = MemoryResults({(0, "a"): first, (0, "b"): second, (0, "c"): first})
    found = compare_methods(study, results, method="b", reference="c")
    assert {row.metric for row in found.rows} == {*METRICS, *NEUTRAL, "loss"}
    assert {(row.method, row.reference) for row in found.rows} == {("b", "c")}
    assert {row.field for row in found.rows if row.metric == "mean"} == {"score"}
    assert all(math.isfinite(row.value) for row in found.rows)
    both = compare_methods(study, results)
    assert {(row.method, row.reference) for row in both.rows} == {("b", "a"), ("c", "a")}
    same = [row for row in both.rows if row.method == "c" and row.metric in ("bias", "coverage", "loss", "rmse")]
    assert len(same) == 4 and all(row.value == 0 and not row.is_clear for row in same)
    text = render_compared(both, ["bias", "coverage"])
    assert "Δ bias" in text and "each method minus a" in text and "of 4;" in text
    assert as_csv(found).splitlines()[0].startswith("cell,cell_name,method,reference,parameter,field,metric,value,mcse")


def test_a_difference_beyond_chance_is_starred_and_failures_are_left_out() -> None:
    rng = np.random.default_rng(5)
    x = rng.normal(size=400)
    shifted = x + 0.5
    shifted[:30] = math.nan
    study = study_of("a", "b")
    results = MemoryResults({(0, "a"): table_of(estimate=x), (0, "b"): table_of(estimate=shifted)})
    (bias,) = compare_methods(study, results, metrics=["bias"]).rows
    assert bias.value == pytest.approx(0.5) and bias.n == 370 and bias.is_clear
    (failed,) = compare_methods(study, results, metrics=["failure_rate"]).rows
    assert failed.value == pytest.approx(30 / 400) and failed.is_clear
    assert "0.5 (" in (text := render_compared(compare_methods(study, results, metrics=["bias"]), ["bias"]))
    assert ")*\n" in text and "1 of 1" in text


def test_where_tails_leave_no_interval_that_is_said() -> None:
    rng = np.random.default_rng(6)
    results = MemoryResults({(0, name): table_of(estimate=rng.standard_cauchy(300)) for name in "ab"})
    found = compare_methods(study_of("a", "b"), results, metrics=["empse"])
    text = render_compared(found, ["empse"])
    assert ")°\n" in text and "°: no interval, because tails are heavy" in text


def test_what_cannot_be_compared_is_one_line(tmp_path: Path) -> None:
    assert mc(tmp_path, "new", "s.py").returncode == 0
    assert mc(tmp_path, "run", "s.py", "--replications", "20", "--workers", "1").returncode == 0
    shown = mc(tmp_path, "compare", "s.py")
    assert shown.returncode == 0 and "median minus mean" in shown.stdout and "times faster" in shown.stdout
    rows = json.loads(mc(tmp_path, "compare", "s.py", "mean", "--against", "median", "--json").stdout)["rows"]
    assert {(row["method"], row["reference"]) for row in rows} == {("mean", "median")}
    assert len(mc(tmp_path, "compare", "s.py", "--csv").stdout.splitlines()) == 1 + len(rows)
    for words, said in (
        (["s.py", "meam"], "there is no method 'meam': did you mean 'mean'?"),
        (["s.py", "mean", "--against", "mean"], "mean cannot be compared with itself"),
        (["s.py", "--metric", "biass"], "there is no metric 'biass': did you mean 'bias'?"),
    ):
        refused = mc(tmp_path, "compare", *words)
        assert refused.returncode == 4 and said in refused.stderr and len(refused.stderr.splitlines()) == 1
    empty = Table(np.zeros(5, dtype=bool), {})
    with pytest.raises(Exception, match="one method"):
        compare_methods(study_of("a"), MemoryResults({(0, "a"): empty}))


def test_a_verdict_says_how_what_is_undecided_gets_more_replications(tmp_path: Path) -> None:
    assert mc(tmp_path, "new", "s.py").returncode == 0
    assert mc(tmp_path, "run", "s.py", "--replications", "40", "--workers", "1").returncode == 0
    said = mc(tmp_path, "verdict", "s.py").stdout
    assert "UNDECIDED" in said and "More replications for what is undecided: statsclaw mc run s.py --sequential" in said
    text = (tmp_path / "s.py").read_text()
    (tmp_path / "s.py").write_text(
        text.replace("replications=1000", "replications=40, cap=40").replace("cap=8000,", "")
    )
    assert "More replications" not in mc(tmp_path, "verdict", "s.py").stdout
