"""What ships of a validation of an R package: testthat runs it, passes honest packages and fails wrong ones."""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from statsclaw.verify.blind.inside.statsclaw_wire import Extra
from statsclaw.verify.blind.native import _JsonForR, native_suite
from statsclaw.verify.blind.questionnaire import Questionnaire
from tests.blind.native_side import asked, interface, judged, specification
from tests.blind.r_side import installed
from tests.blind.test_native import QUESTIONS as OF_PYTHON


@functools.cache
def has_testthat() -> bool:
    if shutil.which("Rscript") is None:
        return False
    return subprocess.run(["Rscript", "-e", "library(testthat)"], capture_output=True).returncode == 0


pytestmark = pytest.mark.skipif(not has_testthat(), reason="Rscript or testthat is not installed")

RUNNER, NOTHING = "tests/testthat/test-validation.R", Questionnaire((), ())
PACKAGE = """
fit <- function(x, level = 0.95) {
  if (length(x) < 2) stop("at least two numbers")
  f <- list(mean = mean(x), cov = matrix(c(2, 0.5, 0.5, 1), 2) * sqrt(mean((x - mean(x))^2)),
            draws = matrix(0:11, 4, byrow = TRUE) + mean(x), call = match.call())
  structure(f, class = "Fit")
}
print.Fit <- function(x, ...) cat("a fit of mean", format(x$mean), "\\n")
predict.Fit <- function(object, at, ..., scale = 1) object$mean + scale * at
kinds <- function(...) vapply(list(...), function(x) class(x)[[1]], "")
described <- function(x) list(size = length(x), first = x[[1]], none = NULL,
  text = "\\u00e4\\u00e9", flags = c(TRUE, FALSE))
few <- function(x) { warning("few numbers"); 1.5 }
draw <- function(n) rnorm(n)
many <- function(x) list(x, c(1, 2), NaN, Inf, 1+2i)
bump <- function(x) if (inherits(x, "formula")) x else x + 1
"""
NAMESPACE = """
export(fit, kinds, described, few, draw, many, bump)
importFrom(stats, predict, rnorm)
S3method(print, Fit)
S3method(predict, Fit)
"""

#: The same questions but for what the languages call differently.
REFUSALS = OF_PYTHON.partition('@ask.scenario("S1")\ndef kinds_of_values')[0]
QUESTIONS = (
    REFUSALS
    + """
from statsclaw_wire import Extra


@ask.scenario("S1")
def kinds_of_values(rng):
    table = ask.call("described", np.array([0.1, 0.2]))
    given = [1, 0.5, "ä", True, [1, 2], ["a", "b"], np.ones((2, 3)), {"a": 1.0, "b": "c"}, [1.0, "a"], None, 1j, 2**70]
    kinds = ["integer", "numeric", "character", "logical", "integer", "character", "matrix", "list", "list", "NULL",
             "complex", "numeric"]
    ask.same("SAME", ask.call("kinds", *given), kinds)
    ask.same("SAME", table, {"size": 2, "first": 0.1, "none": None, "text": "äé", "flags": np.array([True, False])})
    ask.same("SAME", table["text"], "äé")
    ask.same("SAME", ask.names(table), ["size", "first", "none", "text", "flags"])
    ask.same("SAME", ask.exports(), sorted(["fit", "kinds", "described", "few", "draw", "many", "bump"]))
    ask.same("SAME", ask.signature("fit"), [
        {"name": "x", "default": None, "keyword_only": False},
        {"name": "level", "default": "0.95", "keyword_only": False},
    ])
    many = ask.call("many", np.array([[1.0, 2.0]]))
    ask.close("NEAR", many, [[[1.0, 2.0]], [1.0, 2.0], float("nan"), float("inf"), 1 + 2j])


@ask.scenario("S1")
def random_numbers():
    seeded = ask.seeded(3, ask.call("draw", 3))
    ask.close("NEAR", seeded, [-0.96193341591988268, -0.29252572287846657, 0.25878821624125148])
    ask.repeatable("REPEATABLE", ask.call("draw", 3, ask.generator(7)))
    ask.repeatable("REPEATABLE", ask.text(ask.call("bump", Extra("formula", "y ~ x"))))
"""
)

#: What is changed in the package, and which tests fail then.
WRONG = {
    "a mean": ("mean = mean(x), ", "mean = mean(x) + 1e-7, ", {"numbers_of_a_fit NEAR", "numbers_of_a_fit DIGITS"}),
    "a covariance": ("mean((x - mean(x))^2)", "var(x)", {"numbers_of_a_fit NEAR", "what_is_calculated NEAR"}),
    "bounds": ("mean = mean(x), ", "mean = mean(x) + 9, ", {
        f"numbers_of_a_fit {n}" for n in ("HIGH", "INSIDE", "BETWEEN")}),
    "a low bound": ("c(2, 0.5", "c(-2, 0.5", {"numbers_of_a_fit LOW"}),
    "a message": ("at least two numbers", "too few", {"refusals ERROR"}),
    "no error": ("length(x) < 2", "length(x) < 0", {"refusals ERROR"}),
    "a warning": ('warning("few numbers")', 'message("few numbers")', {"refusals WARNING"}),
    "a text": ("a fit of", "some", {"numbers_of_a_fit CONTAINS"}),
    "no order": ("mean = mean(x), ", "mean = NaN, ", {f"numbers_of_a_fit {n}" for n in ("LESS", "FINITE", "NEAR")}),
    "chance": ("mean = mean(x), ", "mean = mean(x) + rnorm(1) * 1e-13, ", {
        "numbers_of_a_fit SAME"}),
    "a clock": ("mean = mean(x), ", "mean = mean(x) + as.numeric(Sys.time()) * 1e-12, ", {
        "numbers_of_a_fit REPEATABLE"}),
    "an export": ("draw <- function", "drawn <- function", {"numbers_of_a_fit CONTAINS", "kinds_of_values SAME"}),
    "words": ("  f <- list", '  cat("1\\n")\n  f <- list', {"numbers_of_a_fit SILENT"}),
    "a call that fails": ("  f <- list", '  stop("no")\n  f <- list', {"numbers_of_a_fit RETURNS"}),
    "another type": ("size = length(x)", "size = as.character(length(x))", {"kinds_of_values SAME"}),
    "a shape": ("many <- function(x) list(x", "many <- function(x) list(t(x)", {"kinds_of_values NEAR"}),
    "by columns": ("matrix(0:11, 4, byrow = TRUE)", "matrix(0:11, 4)", {"what_is_calculated NEAR"}),
    "a generator": ("draw <- function(n) rnorm(n)", "draw <- function(n) runif(n)", {"random_numbers NEAR"}),
}  # fmt: skip


TESTS = specification(ERROR="simpleError", WARNING="simpleWarning")


@pytest.fixture(scope="module")
def questions(tmp_path_factory: pytest.TempPathFactory) -> Questionnaire:
    return asked(tmp_path_factory.mktemp("asked"), QUESTIONS)


@pytest.fixture(scope="module")
def suite(questions: Questionnaire) -> dict[str, str]:
    return native_suite("r", questions, TESTS, interface())


def outcomes(folder: Path, suite: dict[str, str], package: str) -> dict[str, str]:
    """Of a fresh clone: what testthat says of each test."""
    source = folder / "tiny"
    (source / "R").mkdir(parents=True)
    (source / "DESCRIPTION").write_text("Package: tiny\nVersion: 1.0\nTitle: T\nImports: stats\n")
    (source / "NAMESPACE").write_text(NAMESPACE if "draw <-" in package else NAMESPACE.replace("draw", "drawn"))
    (source / "R" / "tiny.R").write_text(package)
    for path, text in suite.items():
        (source / path).parent.mkdir(parents=True, exist_ok=True)
        (source / path).write_text(text, encoding="utf-8")
    installed(folder / "site", source)
    program = (
        'library(testthat); library(tiny); f <- as.data.frame(test_dir("tests/testthat", reporter = "silent",'
        " stop_on_failure = FALSE, package = 'tiny', load_package = 'installed'));"
        'cat(sprintf("%s|%s\\n", f$test, ifelse(f$error | f$failed > 0, "FAILED",'
        ' ifelse(f$skipped, "SKIPPED", "PASSED"))),'
        ' sep = "")'
    )
    ran = subprocess.run(
        ["Rscript", "-e", program], cwd=source, env=os.environ | {"R_LIBS": str(folder / "site")},
        capture_output=True, text=True,
    )  # fmt: skip
    found = dict(line.split("|") for line in ran.stdout.splitlines() if "|" in line)
    assert found, ran.stdout + ran.stderr
    return found


def as_program(folder: Path) -> tuple[int, dict[str, str]]:
    """The clone that `outcomes` made: exit status and outcomes of the runner alone, without testthat."""
    command = ["Rscript", "--vanilla", "tests/testthat/test-validation.R"]
    site = os.environ | {"R_LIBS": str(folder / "site")}
    done = subprocess.run(command, cwd=folder / "tiny", env=site, capture_output=True, text=True)
    rows = [line.partition(":")[0].split(" ", 1) for line in done.stdout.splitlines()[:-1]]
    return done.returncode, {name: outcome for outcome, name in rows}


def test_an_honest_package_passes_all_but_what_is_left_out(
    tmp_path: Path, suite: dict[str, str], questions: Questionnaire
) -> None:
    found = outcomes(tmp_path, suite, PACKAGE)
    assert judged("r", questions, TESTS, tmp_path / "site") == set()
    status, alone = as_program(tmp_path)
    assert (status, alone) == (0, found)
    skipped = {name for name, outcome in found.items() if outcome == "SKIPPED"}
    assert not [name for name, outcome in found.items() if outcome == "FAILED"]
    assert skipped == {f"numbers_of_a_fit {name} (left out)" for name in ("TIME", "SEEN", "TALK")}
    assert len(found) == 26


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_package_fails_where_the_judge_fails_it(
    tmp_path: Path, suite: dict[str, str], questions: Questionnaire, name: str
) -> None:
    old, new, failing = WRONG[name]
    assert old in PACKAGE
    found = outcomes(tmp_path, suite, PACKAGE.replace(old, new))
    failed = {test for test, outcome in found.items() if outcome == "FAILED"}
    assert failing <= failed, found
    assert {test.replace(" ", "-") for test in failed} == judged("r", questions, TESTS, tmp_path / "site")
    status, alone = as_program(tmp_path)
    assert (status, alone) == (1, found)


def read_by_r(folder: Path, *values: Any) -> list[str]:
    """The file with values as R reads it, in words of R: `values` holds them, one after another."""
    written = _JsonForR()
    rows = json.dumps([written.of(value) for value in values])
    data = ", ".join(f"{json.dumps(name)}: {text}" for text, name in written.data.items())
    (folder / "validation-questions.json").write_text(
        f'{{"package": "base", "calls": [], "claims": [], "data": {{{data}}}, "values": {rows}}}'
    )
    (folder / "test-validation.R").write_text(native_suite("r", NOTHING, specification(), interface())[RUNNER])
    return [f"setwd('{folder}')", "sys.source('test-validation.R', globalenv())", "values <- made(questions$values)"]


def test_r_reads_every_number_exactly(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    drawn = rng.normal(size=2000) * 10.0 ** rng.integers(-300, 300, size=2000)
    x = np.concatenate(
        [drawn, [5e-324, 1.7976931348623157e308, 0.1, 1 / 3, 1e22, 123456789.125, -0.0, np.inf, -np.inf]]
    )
    program = [*read_by_r(tmp_path, *x.tolist(), x), "x <- values[[length(values)]]"]
    program += ["for (v in list(x, unlist(values[-length(values)]))) writeBin(v, stdout_file, endian = 'little')"]
    program.insert(0, f"stdout_file <- file('{tmp_path}/x.bin', 'wb')")
    subprocess.run(["Rscript", "-e", "; ".join([*program, "close(stdout_file)"])], check=True, capture_output=True)
    assert (tmp_path / "x.bin").read_bytes() == 2 * x.astype("<f8").tobytes()


def test_r_reads_values_as_the_worker_would_get_them(tmp_path: Path) -> None:
    values = {
        'c(a = 1, b = 2)': Extra("named", {"value": np.array([1.0, 2.0]), "names": ["a", "b"]}),
        'factor(c("u", NA, "v"))': Extra("factor", {"levels": ["u", "v"], "codes": np.array([1, 0, 2])}),
        'data.frame(x = c(1, 2), y = c("a", NA))': Extra(
            "table", {"columns": {"x": np.array([1.0, 2.0]), "y": ["a", None]}, "index": None}),
        'data.frame(x = 1:2, row.names = c("u", "v"))': Extra("table", {"columns": {"x": [1, 2]}, "index": ["u", "v"]}),
        'list(1, "a")': Extra("named", {"value": [1.0, "a"], "names": None}),
        'list(1, 2)': Extra("named", {"value": [1.0, 2.0], "names": None}),
        'matrix(1:6 / 2, 2, byrow = TRUE)': np.arange(1.0, 7).reshape(2, 3) / 2,
        'matrix(1:2, 1, dimnames = list("r", c("a", "b")))': Extra(
            "named", {"value": np.array([[1, 2]]), "names": [["r"], ["a", "b"]]}),
        'matrix(1:2, 1, dimnames = list(r = NULL, c = c("a", "b")))': Extra(
            "named", {"value": np.array([[1, 2]]), "names": [None, ["a", "b"]], "axes": ["r", "c"]}),
        'c(u = 1.5, v = 2)': Extra("series", {"values": np.array([1.5, 2]), "index": ["u", "v"], "name": None}),
        'c(1L, NA)': np.array([1, -(2**31)], dtype="i4"),
        'as.raw(c(1, 255))': Extra("bytes", "01ff"),
        'raw()': Extra("bytes", ""),
        'c(1, NA)': Extra("masked", [np.array([1.0, 2.0]), np.array([False, True])]),
        'list(`a b` = "q\\"\\\\\\n`")': {"a b": 'q"\\\n`'},
        '"\\u00e4\\U1F600\\t\\ufffd"': "\u00e4\U0001f600\t\0",
        'numeric(0)': [],
        'array(1:8, c(2, 2, 2))': np.arange(1, 9).reshape(2, 2, 2).T,
        'c(TRUE, FALSE)': [True, False],
        'c("a", NA)': np.array(["a", None], dtype=object),
        '1+2i': Extra("complex", [1.0, 2.0]),
        '2^70': Extra("integer", hex(2**70)),
        'c(2^70, 1)': [2**70, 1],
        'list(1, NULL)': [1.0, None],
        'y ~ log(x)': Extra("formula", "y ~ log(x)"),
        'list(`1` = "a")': Extra("pairs", [[1, "a"]]),
    }  # fmt: skip
    program = read_by_r(tmp_path, *values.values())
    rows = [f"isTRUE(all.equal({wanted}, values[[{n}]], tolerance = 0))" for n, wanted in enumerate(values, 1)]
    (tmp_path / "v.R").write_text("\n".join(program) + "\ncat(c(" + ",\n".join(rows) + '), sep = "\\n")')
    said = subprocess.run(["Rscript", str(tmp_path / "v.R")], check=True, capture_output=True, text=True).stdout
    assert dict(zip(values, said.split(), strict=True)) == dict.fromkeys(values, "TRUE")
