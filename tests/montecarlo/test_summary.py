"""The table of a study: what is in it, in every format, and what failures could have done to it."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from statsclaw.montecarlo.batch import Status
from statsclaw.montecarlo.design import Study, StudyRefused
from statsclaw.montecarlo.metrics.failures import worst_case
from statsclaw.montecarlo.metrics.measures import METRICS, estimate_metric
from statsclaw.montecarlo.metrics.paired import COMPARISONS
from statsclaw.montecarlo.metrics.rendering import number, seconds
from statsclaw.montecarlo.metrics.summary import render_summary, summarise
from statsclaw.montecarlo.storage.results import MemoryResults
from statsclaw.montecarlo.table import Table


def table_of(rng: np.random.Generator, count: int, failed: Any = None) -> Table:
    x, se = rng.normal(0.5, 0.1, count), rng.uniform(0.09, 0.11, count)
    flags = np.zeros(count, dtype=bool) if failed is None else np.asarray(failed, dtype=bool)
    columns = {
        "mu.estimate": x, "mu.se": se, "mu.low": x - 2 * se, "mu.high": x + 2 * se, "mu.reject": (x > 0.6) * 1.0,
        "seconds": rng.exponential(1e-3, count), "acceptance": rng.uniform(size=count),
    }  # fmt: skip
    return Table(flags, {name: np.where(flags, np.nan, values) for name, values in columns.items()})


def study_of(methods: Sequence[str] = ("a", "b"), n: Sequence[int] = (50, 100)) -> Study:
    return Study("example", {"n": list(n)}, list(methods), {"mu": 0.5}, 200, 1)


def results_of(study: Study, count: int = 200, failed: Any = None) -> MemoryResults:
    rng = np.random.default_rng(1)
    cells = range(len(study.cells()))
    return MemoryResults({(cell, name): table_of(rng, count, failed) for cell in cells for name in study.method_names})


def test_every_metric_that_the_columns_allow_is_there() -> None:
    study = study_of()
    found = summarise(study, results_of(study))
    assert {row.metric for row in found.rows if row.method == "b"} == set(METRICS) | set(COMPARISONS)
    assert {row.metric for row in found.rows if row.method == "a"} == set(METRICS)
    row = found.find("bias", cell=1, method="b", parameter="mu")
    table = results_of(study).table(1, "b")
    assert row is not None and row.value == estimate_metric("bias", table, parameter="mu", truth=0.5).value
    assert row.n == row.replications == 200 and row.low == row.high == row.value


def test_only_what_is_asked_for_is_computed_and_unknown_names_are_refused() -> None:
    study = study_of()
    found = summarise(study, results_of(study), metrics=["coverage"])
    assert {row.metric for row in found.rows} == {"coverage"}
    with pytest.raises(StudyRefused, match="no metric 'coverag'"):
        summarise(study, results_of(study), metrics=["coverag"])


class Recorder(MemoryResults):
    asked: list[tuple[str, ...]] = []

    def table(self, cell: int, method: str, columns: Sequence[str] | None = None) -> Table:
        assert columns is not None
        self.asked.append(tuple(columns))
        return MemoryResults.table(self, cell, method, columns)


def test_columns_are_read_a_few_at_a_time() -> None:
    study = study_of(n=(50,))
    results = Recorder(results_of(study).tables)
    summarise(study, results)
    assert max(len(columns) for columns in results.asked) <= 5
    Recorder.asked.clear()
    summarise(study, results, metrics=["bias"])
    assert {column for columns in results.asked for column in columns} <= {"mu.estimate", "seconds"}


def test_a_truth_that_is_not_known_leaves_out_what_needs_it() -> None:
    study = Study("s", {}, ["a"], {}, 200, 1)
    found = summarise(study, results_of(study))
    assert {"empse", "modse", "width"} <= {row.metric for row in found.rows}
    assert not {"bias", "coverage", "rmse"} & {row.metric for row in found.rows}


def test_formats() -> None:
    study = study_of()
    found = summarise(study, results_of(study))
    text = render_summary(found)
    assert text.splitlines()[0].split() == [
        "cell", "method", "bias", "EmpSE", "ModSE", "RMSE", "coverage", "failed", "time",
    ]  # fmt: skip
    assert len(text.partition("\n\n")[0].splitlines()) == 5 and "0/200" in text
    markdown = render_summary(found, "markdown").splitlines()
    assert markdown[1] == "| --- | --- | --- | --- | --- | --- | --- | --- | --- |" and len(markdown) == 8
    latex = render_summary(found, "latex")
    assert r"\toprule" in latex and latex.count(r"\\") == 5 and "µ" not in latex
    rows = list(csv.DictReader(io.StringIO(render_summary(found, "csv"))))
    assert len(rows) == len(found.rows)
    exact = next(row for row in found.rows if row.metric == "rmse")
    assert float(next(row for row in rows if row["metric"] == "rmse")["value"]) == exact.value
    assert "mean acceptance" in render_summary(found, metrics=["bias", "mean"])
    with pytest.raises(ValueError, match="no format"):
        render_summary(found, "html")


def test_numbers_have_two_digits_of_their_error() -> None:
    assert (number(0.95012, 0.0097), number(-1234.56, 12.3), number(0.0, 0.0)) == ("0.9501", "-1235", "0")
    assert (number(0.95, 0.0), number(3e-12, 1e-13)) == ("0.9500", "3e-12")
    assert (seconds(1.2345), seconds(0.99999), seconds(2e-3), seconds(5e-6)) == ("1.23 s", "1 s", "2 ms", "5 µs")


def test_special_characters_survive_latex_and_markdown() -> None:
    study = Study("s", {}, ["a_b&c|d"], {"mu": 0.5}, 200, 1)
    found = summarise(study, results_of(study))
    assert r"a\_b\&c|d" in render_summary(found, "latex")
    assert r"a_b&c\|d" in render_summary(found, "markdown")


# --- failures --------------------------------------------------------------------------------------------------------


def test_failures_are_in_every_table_with_bounds() -> None:
    study = study_of(["a"], (50,))
    found = summarise(study, results_of(study, failed=np.arange(200) < 20))
    assert "20/200" in render_summary(found) and "20 of 200" in render_summary(found)
    coverage = found.find("coverage", parameter="mu")
    assert coverage is not None and (coverage.n, coverage.failures) == (180, 20)
    hits = round(coverage.value * 180)
    assert (coverage.low, coverage.high) == (hits / 200, (hits + 20) / 200)
    bias = found.find("bias", parameter="mu")
    assert bias is not None and (bias.low, bias.high) == (-math.inf, math.inf) and "anything" in bias.note
    bounded = summarise(study, results_of(study, failed=np.arange(200) < 20), support=(0.0, 1.0))
    bias = bounded.find("bias", parameter="mu")
    assert bias is not None and bias.low == pytest.approx(0.9 * (bias.value + 0.5) - 0.5)


@pytest.mark.parametrize(
    "metric", ["bias", "relative_bias", "mse", "rmse", "empse", "median_bias", "robust_empse", "coverage", "modse"]
)
def test_no_way_to_fill_in_the_failures_leaves_the_bounds(metric: str) -> None:
    """A thousand ways to fill them in within the support, and the extreme ones."""
    rng = np.random.default_rng(7)
    table = table_of(rng, 60, np.arange(60) < 6)
    found = estimate_metric(metric, table, parameter="mu", truth=0.5)
    bounds = worst_case(metric, found, table, parameter="mu", truth=0.5, support=(0.0, 1.5))
    values = []
    for trial in range(1000):
        ends = rng.choice([0.0, 1.5], 6) if trial % 2 else np.full(6, rng.uniform(0, 1.5))
        filled = {name: np.where(table.failed, 0.0, column) for name, column in table.columns.items()}
        for name in ("mu.estimate", "mu.se", "mu.low"):
            filled[name][:6] = ends
        filled["mu.high"][:6] = ends + rng.uniform(0, 1.5)
        values.append(estimate_metric(metric, Table(np.zeros(60, dtype=bool), filled), parameter="mu", truth=0.5).value)
    assert bounds.low - 1e-12 <= min(values) and max(values) <= bounds.high + 1e-12
    if metric not in ("coverage", "median_bias", "robust_empse"):
        assert max(values) == pytest.approx(bounds.high)  # and they are reached
    if metric in ("bias", "relative_bias"):
        assert min(values) == pytest.approx(bounds.low, abs=0.02)


def test_too_many_failures_leave_a_median_without_bounds() -> None:
    table = table_of(np.random.default_rng(3), 60, np.arange(60) < 40)
    found = estimate_metric("median_bias", table, parameter="mu", truth=0.5)
    bounds = worst_case("median_bias", found, table, parameter="mu", truth=0.5)
    assert (bounds.low, bounds.high) == (-math.inf, math.inf)


def test_an_estimator_that_fails_for_low_means_says_so() -> None:
    """The lower bound of the median is where it would have been: all failures were below."""
    x = np.random.default_rng(4).normal(0, 0.2, 5000)
    failed = x < -0.2
    results = MemoryResults({(0, "a"): Table(failed, {"mu.estimate": np.where(failed, np.nan, x)})})
    found = summarise(Study("s", {}, ["a"], {"mu": 0.0}, 5000, 1), results)
    bias, median = found.find("bias"), found.find("median_bias")
    assert bias is not None and 0.04 < bias.value < 0.07 and bias.failures == np.sum(failed)
    assert median is not None and median.low == pytest.approx(np.median(x)) and median.high > median.value
    assert len(found.warnings) == 1 and "conditional on success" in found.warnings[0]


def test_why_replications_failed_decides_on_convergence() -> None:
    class Stored(MemoryResults):
        def statuses(self, cell: int, method: str) -> Any:
            return np.array([Status.OK] * 6 + [Status.NOT_CONVERGED] * 3 + [Status.EXCEPTION], dtype=np.uint8)

    results = Stored({(0, "a"): table_of(np.random.default_rng(1), 10, np.arange(10) > 5)})
    found = summarise(Study("s", {}, ["a"], {"mu": 0.5}, 10, 1), results)
    rates = [found.find(name) for name in ("failure_rate", "convergence_rate")]
    assert [row.value for row in rates if row is not None] == [0.4, 0.7]


# --- traps -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_next_to_nothing_is_a_table_too(count: int) -> None:
    study = study_of(["a", "b"], (50,))
    for failed in (None, np.ones(count)):
        found = summarise(study, results_of(study, count, failed))
        for format in ("text", "markdown", "latex", "csv"):
            assert render_summary(found, format)


def test_heavy_tails_and_no_variance_are_told() -> None:
    rng = np.random.default_rng(8)
    tables = {
        (0, "a"): Table(np.zeros(500, dtype=bool), {"mu.estimate": rng.standard_cauchy(500)}),
        (0, "b"): Table(np.zeros(500, dtype=bool), {"mu.estimate": np.ones(500)}),
    }
    found = summarise(Study("s", {}, ["a", "b"], {"mu": 0.5}, 500, 1), MemoryResults(tables))
    assert any("Heavy tails: mu by a" in text for text in found.warnings)
    told = next(text for text in found.warnings if text.startswith("Robust errors are shown"))
    row = found.find("empse", method="a")
    assert row is not None and row.robust_mcse and row.mcse
    assert f"EmpSE in 1 of 2 rows, up to {row.robust_mcse / row.mcse:.2f} times (mu by a in" in told
    assert any("do not vary: mu by b" in text for text in found.warnings)


def test_a_method_that_fails_alone_leaves_the_other_as_it_was() -> None:
    rng = np.random.default_rng(9)
    own, other = table_of(rng, 100), table_of(rng, 100, np.arange(100) < 10)
    found = summarise(Study("s", {}, ["a", "b"], {"mu": 0.5}, 100, 1), MemoryResults({(0, "a"): own, (0, "b"): other}))
    rows = [found.find("bias", method=name) for name in "ab"]
    assert [row.n for row in rows if row is not None] == [100, 90]
    paired = found.find("relative_precision", method="b")
    assert paired is not None and (paired.n, paired.failures, paired.reference) == (90, 10, "a")
