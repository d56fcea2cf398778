"""What a person meets in a study says what it is: nothing is silent, and what is said helps."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest

from statsclaw.montecarlo import load_study, run
from statsclaw.montecarlo.replaying import recheck
from statsclaw.montecarlo.storage.loaded import _r_settings
from statsclaw.montecarlo.storage.uncommented import without_comments
from statsclaw.montecarlo.verdicts.questions import KNOWN
from tests.montecarlo.test_mc_commands import mc

TEXT = """
from statsclaw.montecarlo import Criterion, Estimate, Study
def dgp(cell, rng): return rng.normal(size=cell["n"])
def mean(x, cell):
    se = SE
    return {"mu": Estimate(x.mean() + SHIFT, se)}
def first(x, cell): return {"mu": x[0]}
study = Study(name="s", grid={"n": [20, 40]}, methods={"mean": meanMORE}, truth={"mu": 0.0}, replications=REPS,
              seed=7, dgp=dgp, criteria=[Criterion("SE", "se_ratio", "mean", "mu", low=0.9, high=1.1)], **{})
"""
SMALL = ("--workers", "1")
RIGHT, SMALL_SE = "x.std(ddof=1) / len(x) ** 0.5", "0.5 * x.std(ddof=1) / len(x) ** 0.5"


def write(folder: Path, se: str = RIGHT, shift: str = "0", more: str = "", reps: int = 120) -> Path:
    text = TEXT.replace("SE\n", f"{se}\n").replace("SHIFT", shift).replace("MORE", more).replace("REPS", str(reps))
    (folder / "study.py").write_text(text)
    return folder / "study.py"


def test_a_column_that_a_criterion_needs_and_nobody_gives_stops_the_run(tmp_path: Path) -> None:
    write(tmp_path, se="None")
    ran = mc(tmp_path, "run", "study.py", *SMALL, "--quiet")
    assert ran.returncode == 4 and len(ran.stderr.splitlines()) == 1, ran
    assert "the criterion SE needs mu.se, which mean has not given in the first" in ran.stderr
    assert mc(tmp_path, "run", "study.py", *SMALL, "--quiet", "--go-on").returncode == 0


def test_a_method_that_is_added_gets_the_replications_that_the_others_have(tmp_path: Path) -> None:
    write(tmp_path)
    assert mc(tmp_path, "run", "study.py", *SMALL, "-r", "200").returncode == 0
    path = write(tmp_path, more=', "first": first')
    refused = mc(tmp_path, "run", "study.py", *SMALL)
    assert refused.returncode == 4 and "new: first" in refused.stderr
    assert "run it with --accept: only first is computed" in refused.stderr
    assert mc(tmp_path, "run", "study.py", *SMALL, "--accept").returncode == 0
    rows = json.loads(mc(tmp_path, "status", "study.py", "--json").stdout)["cells"]
    assert [row["done"] for row in rows] == [200, 200]
    assert run(load_study(path), workers=1).completed(0) == 200


def test_replications_of_an_earlier_version_are_not_taken_for_state(tmp_path: Path) -> None:
    write(tmp_path)
    assert mc(tmp_path, "run", "study.py", *SMALL).returncode == 0
    path = write(tmp_path, shift="1", more=', "first": first')
    store = run(load_study(path), workers=1, accept=True)
    assert recheck(load_study(path), store) == []


def test_the_report_names_packages_what_is_wrong_what_is_judged_and_what_is_missing(tmp_path: Path) -> None:
    path = write(tmp_path, se=SMALL_SE, reps=200)
    run(load_study(path), workers=1, replications=120)
    description = tmp_path / "study.results" / "study.json"
    kept = json.loads(description.read_text())
    kept["loaded"]["R"] = {"version": "4.3.3", "hash": "", "path": "/nowhere", "seen": _r_settings()}
    kept["loaded"]["R package hlr"] = {"version": "0.1.0", "hash": "ab" * 32, "path": "/nowhere", "seen": ""}
    description.write_text(json.dumps(kept))
    assert mc(tmp_path, "report", "study.py").returncode == 0
    page = (tmp_path / "study.results" / "report.html").read_text()
    for wanted in ("<dt>R</dt><dd>4.3.3</dd>", "<dt>R package hlr</dt><dd>0.1.0, code SHA-256 abababababab…</dd>",
                   "standard errors of mu by mean are", "SE ratio", "200 replications a cell are planned"):  # fmt: skip
        assert wanted in page, wanted
    for command in ("summary", "table"):
        said = mc(tmp_path, command, "study.py").stdout
        assert "200 replications a cell are planned" in said and "SE ratio" in said


def test_fewer_than_a_hundred_replications_say_why_nothing_is_said(tmp_path: Path) -> None:
    write(tmp_path)
    run(load_study(tmp_path / "study.py"), workers=1, replications=40)
    said = mc(tmp_path, "verdict", "study.py").stdout
    assert "that needs 100 replications in a cell" in said and not said.endswith("\n\n")


def test_the_cap_names_its_cure_and_plan_says_how_many_replications_would_do(tmp_path: Path) -> None:
    path = write(tmp_path)
    path.write_text(path.read_text().replace("**{}", "cap=120"))
    run(load_study(path), workers=1)
    assert "at the cap: a larger `cap` lets a sequential run add more" in mc(tmp_path, "verdict", "study.py").stdout
    assert "For this PASS: R = " in mc(tmp_path, "plan", "study.py").stdout


def test_bounds_over_failures_are_not_called_like_limits(tmp_path: Path) -> None:
    run(load_study(write(tmp_path)), workers=1)
    rows = list(csv.DictReader(mc(tmp_path, "summary", "study.py", "--format", "csv").stdout.splitlines()))
    assert "low" not in rows[0] and "bounds_low" in rows[0]


def test_what_is_missing_is_told_with_the_name_of_the_study(tmp_path: Path) -> None:
    write(tmp_path)
    assert "statsclaw mc run study.py" in mc(tmp_path, "summary", "study.py").stderr


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("f <- 1", "# a\nf <- 1  # b\n\n\n", True),
        ("f <- 1\ng <- 2", "f <- 1 \n   # x\n\ng <- 2", True),
        ("f <- '# a'", "f <- '# b'", False),
        ('f <- "a\\"# b"', 'f <- "a\\"# c"', False),
        ('f <- r"(a" # b)"', 'f <- r"(a" # c)"', False),
        ("f <- a %#% b", "f <- a %#% c", False),
        ('f <- "a\n\nb"', 'f <- "a\nb"', False),
        ("`a # b` <- 1", "`a # c` <- 1", False),
        ("f <- 1\ng <- 2", "f <- 1 # g <- 2", False),
    ],
)
def test_comments_of_r_do_not_count_and_all_else_does(tmp_path: Path, one: str, other: str, same: bool) -> None:
    for name, text in (("a.R", one), ("b.R", other)):
        (tmp_path / name).write_text(text)
    assert (without_comments(tmp_path / "a.R") == without_comments(tmp_path / "b.R")) is same


def test_a_comment_in_r_changes_nothing_also_for_results_of_before(tmp_path: Path) -> None:
    from statsclaw.montecarlo.storage.identity import describe
    from statsclaw.montecarlo.storage.places import compare

    (tmp_path / "study.R").write_text("dgp <- function(cell) rnorm(5)\nmethods <- list(m = function(d) list(mu = 1))\n")
    (tmp_path / "study.toml").write_text(
        'name = "s"\nreplications = 6\nseed = 1\nmethods = ["m"]\ntruth = {mu = 0.0}\nprogram = {r = "study.R"}\n'
    )
    study = load_study(tmp_path / "study.toml")
    old, new = {**describe(study, 2), "format": 2, "loaded": {}}, {**describe(study), "format": 3, "loaded": {}}
    assert not compare(old, study).refused and not compare(new, study).refused
    (tmp_path / "study.R").write_text("# mine\n" + (tmp_path / "study.R").read_text())
    assert compare(old, study).refused and not compare(new, study).refused


def changed(folder: Path) -> Path:
    path = write(folder)
    assert mc(folder, "run", "study.py", *SMALL, "-q").returncode == 0
    path.write_text(path.read_text().replace("x.mean()", "x.mean() * 1.0"))
    return path


@pytest.mark.parametrize("command", ["summary", "verdict", "table", "figures", "report", "export", "failures"])
def test_results_of_other_code_are_shown_by_no_command(
    command: str, tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    changed(tmp_path)
    refused = mc(tmp_path, command, "study.py")
    assert refused.returncode == 4 and refused.stdout == "" and len(refused.stderr.splitlines()) == 1, refused
    for way in ("--redo", "--apart", "--accept", "to look at these results as they are: --out"):
        assert way in refused.stderr
    assert sorted(path.name for path in (tmp_path / "study.results").iterdir()) == ["chunks", "lock", "study.json"]


def test_a_metric_that_is_judged_is_shown_once(tmp_path: Path) -> None:
    path = write(tmp_path)
    path.write_text(path.read_text().replace('"se_ratio"', '"bias"').replace("low=0.9", "low=-1"))
    assert mc(tmp_path, "run", "study.py", *SMALL, "-q").returncode == 0
    assert mc(tmp_path, "summary", "study.py").stdout.splitlines()[0].count("bias") == 1
    twice = mc(tmp_path, "summary", "study.py", "--metric", "bias", "--metric", "bias")
    assert twice.stdout.splitlines()[0].count("bias") == 1


@pytest.mark.parametrize("place", ["statsclaw.montecarlo.replaying.recheck", "statsclaw.ui.mc_commands._tell_end"])
def test_ctrl_c_when_all_is_computed_says_where_it_is(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path)

    def interrupted(*given: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(place, interrupted)
    ended = mc(tmp_path, "run", "study.py", *SMALL)
    assert ended.returncode == 130 and "resume" not in ended.stderr + ended.stdout
    assert "stopped. All 240 replications are kept in" in ended.stdout, ended
    assert "statsclaw mc summary study.py" in ended.stdout


def test_ctrl_c_in_another_command_names_no_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path)

    def interrupted(*given: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("statsclaw.ui.mc_commands.loaded_from", interrupted)
    ended = mc(tmp_path, "status", "study.py")
    assert ended.returncode == 130 and ended.stderr == "stopped. Results that were complete are kept.\n"


def test_a_file_is_exported_into_folders_that_are_there(tmp_path: Path) -> None:
    write(tmp_path)
    assert mc(tmp_path, "run", "study.py", *SMALL, "-q").returncode == 0
    refused = mc(tmp_path, "export", "study.py", "--to", "not/there/x.csv")
    assert refused.returncode == 4 and refused.stderr.startswith("error: there is no folder not/there"), refused
    assert not (tmp_path / "not").exists() and len(refused.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("was", "is_", "said"),
    [
        ("replications=", "replicatons=", "Study has no 'replicatons': did you mean 'replications'?"),
        ("high=1.1", "hihg=1.1", "Criterion has no 'hihg': did you mean 'high'?"),
        ("high=1.1", "colour=1.1", "Criterion has no 'colour'; known are axis, cells, faults, field, high,"),
        ('"se_ratio"', '"se_rato"', "SE: there is no metric 'se_rato': did you mean 'se_ratio'?"),
        ('"se_ratio"', '"zzz"', "SE: there is no metric 'zzz'; known are agreement, be_coverage, bias,"),
        ("**{}", 'mcse={"covrage": 0.1}', "mcse: there is no metric 'covrage': did you mean 'coverage'?"),
    ],
)
def test_a_misspelt_name_gets_the_nearest_one(was: str, is_: str, said: str, tmp_path: Path) -> None:
    path = write(tmp_path)
    path.write_text(path.read_text().replace(was, is_))
    refused = mc(tmp_path, "status", "study.py")
    assert refused.returncode == 4 and said in refused.stderr and len(refused.stderr.splitlines()) == 1, refused


def test_a_misspelt_metric_of_a_table_gets_the_nearest_one(tmp_path: Path) -> None:
    write(tmp_path)
    assert mc(tmp_path, "run", "study.py", *SMALL, "-q").returncode == 0
    for command in ("summary", "table"):
        refused = mc(tmp_path, command, "study.py", "--metric", "emspe")
        assert "there is no metric 'emspe': did you mean 'empse'?" in refused.stderr, refused


def test_one_level_of_a_criterion_needs_no_list(tmp_path: Path) -> None:
    path = write(tmp_path)
    path.write_text(path.read_text().replace("high=1.1", 'high=1.1, cells={"n": 20}'))
    study = load_study(path)
    assert study.selected(study.criteria[0]) == [0] and study.criteria[0].cells == {"n": (20,)}
    path.write_text(path.read_text().replace('{"n": 20}', '{"n": {20}}'))
    refused = mc(tmp_path, "status", "study.py")
    assert "criterion SE: cells needs lists of levels, such as {'n': [20, 40]}" in refused.stderr, refused


def test_the_r_package_knows_the_metrics_of_the_engine() -> None:
    listed = re.search(
        r"^METRICS <- c\((.*?)\n\)", (Path(__file__).parents[2] / "r/R/study.R").read_text(), re.M | re.S
    )
    assert listed is not None and tuple(re.findall(r'"(\w+)"', listed[1])) == KNOWN
