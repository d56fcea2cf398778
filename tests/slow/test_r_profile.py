"""The R profile with real R: build, R CMD check and testthat, on a small package."""

from __future__ import annotations

import shutil
import subprocess

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
    found = outcome(validate(bench, {}))
    assert found["r-cmd-check"] == (True, "0 errors, 0 warnings, 0 notes")
    assert found["validation"] == (True, "1 passed")
    assert all(passed for passed, _ in found.values())


RNW = r"""%\VignetteIndexEntry{A mean}
\documentclass{article}
\begin{document}
<<>>=
library(rpkg)
plain_mean(c(1, 2))
@
\end{document}
"""
RMD = """---
title: A mean
vignette: >
  %\\VignetteIndexEntry{A mean}
  %\\VignetteEngine{nowhere::html}
---
"""


def description_with(builder: str) -> str:
    text = (HERE / "r_target" / "DESCRIPTION").read_text(encoding="utf-8")
    return text.replace("Suggests: ", f"VignetteBuilder: {builder}\nSuggests: {builder}, ")


def can_knit() -> bool:
    asked = 'quit(status = !all(vapply(c("knitr", "rmarkdown"), requireNamespace, NA, quietly = TRUE)))'
    found = shutil.which("pandoc") and shutil.which("Rscript")
    return bool(found) and subprocess.run(["Rscript", "-e", asked], capture_output=True).returncode == 0


@pytest.mark.skipif(not can_knit(), reason="needs pandoc and the R packages knitr and rmarkdown")
def test_a_vignette_that_stops_fails_the_check_where_it_can_be_built(bench):
    stops = RMD.replace("nowhere::html", "knitr::rmarkdown") + "\n```{r}\nstop('here')\n```\n"
    passed, summary = outcome(validate(bench, {"vignettes/mean.Rmd": stops, "DESCRIPTION": knitted()}))["r-cmd-check"]
    assert not passed, summary


@pytest.mark.skipif(not can_knit(), reason="needs pandoc and the R packages knitr and rmarkdown")
def test_a_vignette_is_built_where_its_tools_are_there(bench):
    works = RMD.replace("nowhere::html", "knitr::rmarkdown").replace(
        "title:", "output: rmarkdown::html_vignette\ntitle:"
    )
    changes = {"vignettes/mean.Rmd": works, "DESCRIPTION": knitted(), "inst/doc/paper.pdf": "%PDF-1.4\n%%EOF\n"}
    found = outcome(validate(bench, changes))["r-cmd-check"]
    assert found == (True, "0 errors, 0 warnings, 0 notes")


def can_typeset() -> bool:
    """LaTeX alone is not enough: Sweave.sty takes more packages."""
    asked = subprocess.run(["kpsewhich", "fancyvrb.sty"], capture_output=True) if shutil.which("pdflatex") else None
    return asked is not None and asked.returncode == 0


def knitted() -> str:
    return description_with("knitr").replace("Suggests: knitr", "Suggests: knitr, rmarkdown")


@pytest.mark.skipif(can_typeset(), reason="this machine can build the vignette")
def test_a_vignette_that_needs_latex_does_not_fail_a_package_where_there_is_none(bench):
    passed, summary = outcome(validate(bench, {"vignettes/mean.Rnw": RNW}))["r-cmd-check"]
    assert passed, summary
    assert summary.endswith("; vignettes not built, this machine lacks LaTeX")


@pytest.mark.skipif(can_typeset(), reason="this machine can build the vignette")
def test_the_code_of_a_vignette_is_run_even_so(bench):
    stops = RNW.replace("plain_mean(c(1, 2))", "plain_mean(nothing)")
    passed, summary = outcome(validate(bench, {"vignettes/mean.Rnw": stops}))["r-cmd-check"]
    assert not passed
    assert summary.endswith("this machine lacks LaTeX; the code of a vignette fails")


@pytest.mark.skipif(not can_typeset(), reason="needs LaTeX with what Sweave uses (Debian: texlive-latex-recommended)")
@pytest.mark.parametrize("called", ["plain_mean(c(1, 2))", "plain_mean(nothing)"])
def test_a_vignette_in_latex_is_built_where_that_is_there(bench, called):
    changes = {"vignettes/mean.Rnw": RNW.replace("plain_mean(c(1, 2))", called)}
    passed, summary = outcome(validate(bench, changes))["r-cmd-check"]
    assert passed is ("nothing" not in called), summary
    assert "not built" not in summary


def test_a_vignette_whose_builder_is_missing_is_left_out_and_named(bench):
    changes = {"vignettes/mean.Rmd": RMD, "DESCRIPTION": description_with("nowhere")}
    passed, summary = outcome(validate(bench, changes))["r-cmd-check"]
    assert passed, summary
    assert "vignettes not built, this machine lacks nowhere" in summary


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


def test_a_test_without_braces_and_a_warning_at_top_level_are_read_like_any_other(bench):
    changes = {
        "tests/testthat/test-bare.R": 'test_that("bare", expect_equal(plain_mean(c(1, 3)), 2))\nwarning("hello")\n',
        "tests/testthat/test-validation-bare.R": "library(rpkg)\n"
        'test_that("bare & <odd>", expect_equal(plain_mean(1), 1))\n',
    }
    found = outcome(validate(bench, changes))
    assert found["validation"] == (True, "2 passed") and found["unit-tests"][0]
