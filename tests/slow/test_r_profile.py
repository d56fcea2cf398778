"""The R profile with real R: build, R CMD check, testthat, and a study, on a small package."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from statsclaw.git import git
from statsclaw.runlog.fold import RunView
from tests.support.runs import HERE, Bench, order_for

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        shutil.which("R") is None, reason="needs R (Debian: apt-get install r-base-core r-cran-testthat)"
    ),
]

STUDY = """
out <- commandArgs(trailingOnly = TRUE)[1]
library(rpkg)
value <- plain_mean(c(-1, 1))
writeLines(sprintf('{"replications": 1, "failures": 0, "criteria": [{"id": "C1", "quantity": "bias", "value": %f,
  "mcse": null, "low": -0.1, "high": 0.1}]}', value), out)
"""


def validate(bench: Bench, changes: dict[str, str]) -> RunView:
    target = bench.folder / "rpkg"
    shutil.copytree(HERE / "r_target", target)
    for name, text in changes.items():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / name).write_text(text, encoding="utf-8")
    git("init", "--quiet", "--initial-branch=main", cwd=target)
    git("add", "--all", cwd=target)
    git("commit", "--quiet", "-m", "base", cwd=target)
    return bench.start(order_for(target, directive="check it", workflow="validate", backends={}))


def outcome(view: RunView) -> dict[str, tuple[bool, str]]:
    return {c.name: (c.passed, c.summary) for c in view.evidence_for(view.tree_sha256)}


def test_a_clean_r_package_passes_every_command(bench):
    found = outcome(validate(bench, {"inst/simulations/study.R": STUDY}))
    assert found["r-cmd-check"] == (True, "0 errors, 0 warnings, 0 notes")
    assert found["validation"] == (True, "1 passed")
    assert found["study"] == (True, "1 of 1 criteria met, 1 replications, 0 failed")
    assert all(passed for passed, _ in found.values())


def test_a_wrong_result_is_found_by_the_validation_suite(bench):
    view = validate(bench, {"R/mean.R": "plain_mean <- function(x) sum(x) / (length(x) - 1)\n"})
    found = outcome(view)
    assert not found["validation"][0] and not found["unit-tests"][0]
    assert view.finished and "validation" in view.finished.reason


def test_a_warning_of_r_cmd_check_is_not_a_pass(bench):
    found = outcome(
        validate(bench, {"NAMESPACE": "export(plain_mean, other)\n", "R/other.R": "other <- function(y) y\n"})
    )
    assert found["r-cmd-check"] == (False, "0 errors, 1 warnings, 0 notes")


def test_a_package_that_does_not_build_is_reported_as_such(bench):
    view = validate(bench, {"R/mean.R": "plain_mean <- function(x) {\n"})
    assert list(outcome(view)) == ["install"] and not outcome(view)["install"][0]


def test_a_study_that_divides_by_zero_is_a_fault_of_the_simulator(bench):
    view = validate(bench, {"inst/simulations/study.R": "stop('no')\n"})
    evidence = {c.name: c for c in view.evidence_for(view.tree_sha256)}
    assert evidence["study"].fault_of == "simulator" and not evidence["study"].passed
    assert Path(evidence["study"].argv[2]).name == "study.R"


def test_a_test_without_braces_and_a_warning_at_top_level_are_read_like_any_other(bench):
    changes = {
        "tests/testthat/test-bare.R": 'test_that("bare", expect_equal(plain_mean(c(1, 3)), 2))\nwarning("hello")\n',
        "tests/testthat/test-validation-bare.R": "library(rpkg)\n"
        'test_that("bare & <odd>", expect_equal(plain_mean(1), 1))\n',
    }
    found = outcome(validate(bench, changes))
    assert found["validation"] == (True, "2 passed") and found["unit-tests"][0]
