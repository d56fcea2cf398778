"""A study's own metrics: their errors by closed forms, and that they stand wherever others do."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path

import numpy as np
import pytest

from statsclaw.montecarlo import Criterion, Estimate, Study, StudyRefused, load_study, run
from statsclaw.montecarlo.metrics.measures import estimate_metric
from statsclaw.montecarlo.metrics.summary import summarise
from statsclaw.montecarlo.own import own_metric
from statsclaw.montecarlo.table import Table
from statsclaw.montecarlo.verdicts.judge import judge_study
from statsclaw.montecarlo.verdicts.sensitivity import sensitivity
from tests.montecarlo.test_mc_commands import mc
from tests.montecarlo.test_metrics import metric, table_of

TEXT = """
import numpy as np
from statsclaw.montecarlo import Criterion, Estimate, Study
def dgp(cell, rng): return np.asarray(rng.normal(size=cell["n"]))
def mean(x, cell):
    if x[0] > 2.2: raise ValueError("no")
    return {"mu": Estimate(x.mean(), x.std(ddof=1) / len(x) ** 0.5), "largest": x.max()}
HELPERS
study = Study(name="s", grid={"n": [20, 40]}, methods={"mean": mean}, truth={"mu": 0.0}, replications=120, seed=7,
              dgp=dgp, METRICS)
"""
LOSS = """
POWER = 1
def loss(estimate, truth): return np.mean(np.abs(estimate - truth) ** POWER)
"""
METRICS = (
    'metrics={"loss": loss, "top": lambda largest: largest.mean()}, failures_allowed=0.1, '
    'criteria=[Criterion("L", "loss", "mean", "mu", high=0.5), Criterion("T", "top", "mean", low=1, high=3)]'
)


def write(folder: Path, helpers: str = "", metrics: str = "") -> Path:
    (folder / "study.py").write_text(TEXT.replace("HELPERS", helpers).replace("METRICS", metrics))
    return folder / "study.py"


@pytest.mark.parametrize("count", [7, 400, 4000])
def test_the_jackknife_gives_the_error_of_a_mean_and_of_a_variance(count: int) -> None:
    """Exactly where each block is one replication: of a mean S/√n, of a variance √(n Σ(d² − m₂)² / ((n−1)(n−2)²))."""
    values = np.random.default_rng(1).normal(2, 3, count)
    table = table_of(estimate=values)
    mean, variance = (
        estimate_metric(own_metric("own", function), table, parameter="mu", truth=0.5)
        for function in (lambda estimate, truth: np.mean(estimate) - truth, lambda estimate: np.var(estimate, ddof=1))
    )
    assert mean.value == pytest.approx(metric("bias", table).value) and mean.trials == count
    near = 1e-9 if count <= 400 else 0.12  # 400 blocks: 3.5 % at one standard error
    assert mean.mcse == pytest.approx(metric("bias", table).mcse, rel=near)
    squares = (values - values.mean()) ** 2
    known = math.sqrt(count * np.sum((squares - squares.mean()) ** 2) / (count - 1)) / (count - 2)
    assert variance.mcse == pytest.approx(known, rel=near)


def test_blocks_of_unequal_size_are_not_taken_for_equal() -> None:
    values = np.random.default_rng(2).normal(size=(4000, 601))
    own = own_metric("own", lambda estimate: np.mean(estimate))
    errors = [estimate_metric(own, table_of(estimate=row), parameter="mu").mcse or 0.0 for row in values[:300]]
    assert np.sqrt(np.mean(np.square(errors))) == pytest.approx(1 / math.sqrt(601), rel=0.01)


def test_failures_and_columns_that_are_not_known_are_left_out() -> None:
    table = Table(np.array([False, True, False, False]), {"mu.se": np.array([1, np.nan, np.nan, 3.0])})
    found = estimate_metric(own_metric("own", lambda se: np.sum(se)), table, parameter="mu")
    assert (found.value, found.trials, found.failures) == (4.0, 2, 2)


def test_an_own_metric_stands_where_others_do(tmp_path: Path) -> None:
    write(tmp_path, LOSS, METRICS)
    assert mc(tmp_path, "run", "study.py", "-w", "1").returncode == 0
    text = mc(tmp_path, "summary", "study.py").stdout
    assert "loss" in text.splitlines()[0] and "top" in text.splitlines()[0]
    rows = list(csv.DictReader(mc(tmp_path, "summary", "study.py", "--format", "csv").stdout.splitlines()))
    found = next(row for row in rows if row["metric"] == "loss" and row["cell"] == "1")
    assert float(found["value"]) == pytest.approx(0.8 / math.sqrt(40), rel=0.2) and float(found["mcse"]) > 0
    assert int(found["failures"]) > 0 and found["parameter"] == "mu"
    assert "Loss" in mc(tmp_path, "table", "study.py", "--metric", "loss").stdout
    said = json.loads(mc(tmp_path, "verdict", "study.py", "--json").stdout)
    assert [row["verdict"] for row in said["criteria"]] == ["PASS", "PASS"]
    assert "loss of mu by mean at most 0.5" in said["text"]
    assert {row["criterion"] for row in said["unnoticed"]} == {"L"}  # what is of a field is not perturbed
    assert "L: loss of mu" in mc(tmp_path, "plan", "study.py", "--pilot").stdout


def test_results_do_not_depend_on_a_metric_but_its_verdict_does(tmp_path: Path) -> None:
    """It may come later, with its function, what that uses and imports, and may change; an edit leaves a trace."""
    write(tmp_path)
    assert mc(tmp_path, "run", "study.py", "-w", "1", "-q").returncode == 0
    later = "from statistics import fmean\n" + LOSS.replace("np.mean", "fmean")
    write(tmp_path, later, METRICS)
    judged = mc(tmp_path, "verdict", "study.py")
    assert "PASS  L" in judged.stdout, judged
    write(tmp_path, LOSS.replace("np.abs", "3 * np.abs"), METRICS)
    again = mc(tmp_path, "verdict", "study.py")
    assert "note: criterion L changed since" in again.stdout and "metric was loss (" in again.stdout, again
    used = LOSS + "\nmean = (lambda real: lambda x, cell: real(x, cell) if loss(x, 0) else None)(mean)\n"
    write(tmp_path, used, METRICS)
    assert mc(tmp_path, "verdict", "study.py").returncode == 4


def test_more_replications_are_made_until_its_error_is_small_enough(tmp_path: Path) -> None:
    path = write(tmp_path, LOSS, 'metrics={"loss": loss}, mcse={"loss": 0.008}')
    study = load_study(path)
    results = run(study, folder=tmp_path / "out", workers=0)
    assert results.completed(0) > 120
    row = summarise(study, results, metrics=["loss"]).find("loss")
    assert row is not None and row.mcse is not None and row.mcse < 0.0085


def small(**more: object) -> Study:
    def method(x: np.ndarray, cell: object) -> dict[str, object]:
        return {"mu": Estimate(x.mean())}

    given = {"name": "s", "grid": {}, "methods": {"m": method}, "truth": {"mu": 0.0}, "replications": 30, "seed": 1}
    return Study(**{**given, "dgp": lambda cell, rng: rng.normal(size=9), **more})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("metrics", "said"),
    [
        ({"bias": lambda estimate: 0.0}, "the metric 'bias' is one of the engine's: give it another name"),
        ({"rate": lambda estimate: 0.0}, "the metric 'rate' is one of the engine's: give it another name"),
        ({"own": 3}, "the metric own is not a function"),
        ({"own": lambda *rows: 0.0}, "the metric own must take its columns by name, such as (estimate, truth)"),
        ({"own": lambda truth: 0.0}, "the metric own must take its columns by name, such as (estimate, truth)"),
        ([len], "metrics must be a mapping from name to function, e.g. {'loss': lambda estimate, truth: …}"),
    ],
)
def test_what_is_no_metric_is_refused(metrics: object, said: str, tmp_path: Path) -> None:
    with pytest.raises(StudyRefused) as refused:
        run(small(metrics=metrics), folder=tmp_path / "out", workers=0)
    assert str(refused.value) == said


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda estimate: estimate, "the metric own cannot be computed: TypeError"),
        (lambda estimate: estimate.sort(), "the metric own cannot be computed: ValueError: sort array is read-only"),
        (lambda estimate: [][0], "the metric own cannot be computed: IndexError: list index out of range"),
    ],
)
def test_a_function_that_fails_is_named(function: object, said: str, tmp_path: Path) -> None:
    study = small(metrics={"own": function})
    results = run(study, folder=tmp_path / "out", workers=0)
    with pytest.raises(StudyRefused, match=said):
        summarise(study, results)


def test_a_metric_of_what_nobody_records_is_told_and_stops_a_careful_run(tmp_path: Path) -> None:
    study = small(metrics={"own": lambda estimate, acceptance: 0.0})
    results = run(study, folder=tmp_path / "out", workers=0)
    assert "own has no value anywhere: no method records acceptance." in summarise(study, results).warnings
    asked = small(
        metrics={"own": lambda estimate, acceptance: 0.0}, criteria=[Criterion("C", "own", "m", "mu", high=1.0)]
    )
    with pytest.raises(StudyRefused, match="C needs acceptance, which m has not given"):
        run(asked, folder=tmp_path / "out2", workers=0, careful=True)


def test_the_metric_of_a_criterion_needs_what_its_function_takes() -> None:
    with pytest.raises(StudyRefused, match="the metric own is of a parameter"):
        run(small(metrics={"own": lambda estimate: 0.0}, criteria=[Criterion("C", "own", "m", high=1.0)]))
    with pytest.raises(StudyRefused, match="minus goes with"):
        run(small(metrics={"own": lambda estimate: 0.0}, methods={"m": lambda x, c: {}, "k": lambda x, c: {}},
                  criteria=[Criterion("C", "own", "m", "mu", high=1.0, minus="k")]))  # fmt: skip


def test_a_trend_of_an_own_metric_and_its_sensitivity(tmp_path: Path) -> None:
    trend = Criterion("T", "trend", "m", "mu", high=0.0, axis="n", of="own")
    below = Criterion("B", "own", "m", "mu", high=0.9)

    def method(x: np.ndarray, cell: object) -> dict[str, object]:
        return {"mu": Estimate(x.mean())}

    study = small(
        grid={"n": [5, 50]}, dgp=lambda cell, rng: rng.normal(size=cell["n"]), methods={"m": method}, cap=200,
        replications=200, metrics={"own": lambda estimate: estimate.std()}, criteria=[trend, below],
    )  # fmt: skip
    results = run(study, folder=tmp_path / "out", workers=0)
    assert [row.verdict for row in judge_study(study, results)] == ["PASS", "PASS"]
    assert sensitivity(study, results)


TOML = """
name = "t"
methods = ["m"]
replications = 60
seed = 3
metrics = "own.py"
truth = { mu = 0.0 }
[program]
command = ["python", "p.py"]
[[criterion]]
id = "C"
metric = "loss"
method = "m"
parameter = "mu"
high = 5.0
"""


def test_a_study_file_names_a_file_of_functions(tmp_path: Path) -> None:
    (tmp_path / "p.py").write_text("")
    (tmp_path / "t.toml").write_text(TOML)
    with pytest.raises(StudyRefused, match=r"t\.toml: there is no file 'own.py'"):
        load_study(tmp_path / "t.toml")
    (tmp_path / "own.py").write_text(
        "import math\nfrom math import sqrt\ndef loss(estimate): return _r(estimate)\ndef _r(x): return sqrt(x[0])\n"
    )
    study = load_study(tmp_path / "t.toml")
    assert list(study.metrics) == ["loss"] and study.criteria[0].metric == "loss"
    (tmp_path / "own.py").write_text("import nowhere_at_all\n")
    with pytest.raises(StudyRefused, match=r"own\.py cannot be loaded: ModuleNotFoundError"):
        load_study(tmp_path / "t.toml")
