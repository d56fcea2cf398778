"""Results kept apart are gone on with, earlier ones can be seen, and what is mixed is said wherever it is shown."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.montecarlo.test_mc_commands import mc

TEXT = """
from statsclaw.montecarlo import Criterion, Estimate, Study
def dgp(cell, rng): return rng.normal(size=cell["n"])
def mean(x, cell):
    m = x.mean() SHIFT
    se = x.std(ddof=1) / len(x) ** 0.5
    return {"mu": Estimate(m, se, m - 2 * se, m + 2 * se)}
study = Study(name="s", grid={"n": [20, 40]}, methods={"mean": mean}, truth={"mu": 0.0}, replications=100, cap=400,
              seed=7, dgp=dgp, criteria=[Criterion("C", "coverage", "mean", "mu", low=0.94, high=0.96)])
"""
SMALL = ("--workers", "1")


def write(folder: Path, shift: str = "", grid: str = "[20, 40]") -> None:
    (folder / "study.py").write_text(TEXT.replace("SHIFT", shift).replace("[20, 40]", grid))


def bias(folder: Path, *arguments: str) -> float:
    said = mc(folder, "summary", "study.py", "--json", *arguments)
    assert said.returncode == 0, said
    return float(next(row["value"] for row in json.loads(said.stdout)["rows"] if row["metric"] == "bias"))


def test_after_apart_everything_goes_on_there_and_the_earlier_results_can_be_seen(tmp_path: Path) -> None:
    write(tmp_path)
    assert mc(tmp_path, "run", "study.py", *SMALL).returncode == 0
    before = bias(tmp_path)
    write(tmp_path, "+ 1")
    refused = mc(tmp_path, "summary", "study.py")
    assert refused.returncode == 4 and "study.results" in refused.stderr.partition("as they are: --out")[2]
    assert mc(tmp_path, "run", "study.py", "--apart", *SMALL).returncode == 0
    more = mc(tmp_path, "run", "study.py", "--sequential", *SMALL)
    assert more.returncode == 0 and "apart-" in more.stdout, more
    assert bias(tmp_path) > before + 0.9 and bias(tmp_path, "--out", "study.results") == before
    old = mc(tmp_path, "summary", "study.py", "--out", "study.results")
    assert "200 of 200 stored replications are of an earlier version (1), before code: study.py" in old.stdout
    assert "results of the study as it is now are in study.results/apart-" in old.stderr

    write(tmp_path, "+ 1", "[20, 30, 40]")
    more = mc(tmp_path, "run", "study.py", *SMALL, "--apart")
    assert more.returncode == 0 and "100 of them now" in more.stdout, more
    assert len(list((tmp_path / "study.results").glob("apart-*"))) == 1
    assert mc(tmp_path, "run", "study.py", *SMALL).returncode == 0


def test_status_speaks_of_the_results_that_a_run_adds_to(tmp_path: Path) -> None:
    write(tmp_path)
    assert mc(tmp_path, "run", "study.py", *SMALL).returncode == 0
    write(tmp_path, "+ 1")
    said = mc(tmp_path, "status", "study.py").stdout
    assert "A run is refused without --redo, --apart or --accept" in said and "would compute" not in said
    assert mc(tmp_path, "run", "study.py", "--apart", "-r", "50", *SMALL).returncode == 0
    said = mc(tmp_path, "status", "study.py").stdout
    assert "apart-" in said and "A run would compute 100 replications" in said and "refused" not in said


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mixed")
    write(folder)
    assert mc(folder, "run", "study.py", *SMALL).returncode == 0
    write(folder, "+ 0.001")
    assert mc(folder, "run", "study.py", "--accept", "-r", "150", *SMALL).returncode == 0
    return folder


NOTE = "200 of 300 stored replications are of an earlier version (1), before code: study.py: replications 0–99 in every"


@pytest.mark.parametrize(
    "arguments",
    [
        ["summary"],
        ["summary", "--format", "markdown"],
        ["summary", "--format", "latex"],
        ["verdict"],
        ["table"],
        ["table", "--html"],
        ["table", "--latex"],
    ],
)
def test_what_is_mixed_stands_with_every_table_and_verdict(mixed: Path, arguments: list[str]) -> None:
    said = mc(mixed, arguments[0], "study.py", *arguments[1:]).stdout
    assert NOTE in said.replace("--", "–").replace("\\", ""), said


def test_what_is_mixed_stands_in_files_captions_and_the_report(mixed: Path) -> None:
    heads = mc(mixed, "table", "study.py", "--csv").stdout.splitlines()
    assert heads[0].endswith(",Versions") and heads[1].endswith(',"1, 2"')
    rows = list(csv.DictReader(mc(mixed, "summary", "study.py", "--format", "csv").stdout.splitlines()))
    assert {row["versions"] for row in rows} == {"1, 2"}
    exported = list(csv.DictReader(mc(mixed, "export", "study.py", "--to", "-").stdout.splitlines()))
    assert [row["version"] for row in exported if row["cell"] == "0"] == ["1"] * 100 + ["2"] * 50
    assert mc(mixed, "figures", "study.py", "-f", "svg").returncode == 0
    captions = list((mixed / "study.results" / "figures").glob("*.caption.md"))
    assert captions and all(NOTE in path.read_text() for path in captions)
    assert mc(mixed, "report", "study.py").returncode == 0
    assert NOTE in (mixed / "study.results" / "report.html").read_text()


def test_status_counts_failures_behind_a_gap(tmp_path: Path) -> None:
    text = TEXT.replace("SHIFT", "").replace("se = x", "assert False, 'never'\n    se = x")
    (tmp_path / "study.py").write_text(text)
    assert mc(tmp_path, "run", "study.py", "--workers", "2").returncode == 5
    chunks = sorted((tmp_path / "study.results" / "chunks").glob("*.parquet"))
    chunks[0].unlink()  # as where the first task was still being computed when the run stopped
    rows = json.loads(mc(tmp_path, "status", "study.py", "--json").stdout)["cells"]
    counted = sum(row["failures"]["mean"]["exception"] for row in rows if row["failures"]["mean"])
    listed = json.loads(mc(tmp_path, "failures", "study.py", "--json").stdout)
    assert counted == listed[0]["count"] == sum(row["done"] for row in rows) > 0
