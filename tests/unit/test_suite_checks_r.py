"""Suites of testthat that could not fail are found, and honest look-alikes are left alone."""

from __future__ import annotations

import pytest

from statsclaw.verify.suite.r_suite import check_r_suite
from tests.unit.test_suite_checks import SPEC, cases, rules, spec_with

R_FILE = "tests/validation/test-tinymean.R"
R_TEXT = r"""
library(tinymean)

SEED <- as.integer(Sys.getenv("STATSCLAW_SEED", "0"))

drawn <- function(seed, times = 1) {
  set.seed(seed + SEED)
  times * rnorm(30)
}

expected <- function(x, level = 0.95) {
  m <- sum(x) / length(x)
  se <- sqrt(sum((x - m)^2) / (length(x) - 1) / length(x))
  z <- qnorm((1 + level) / 2)
  c(m, se, m - z * se, m + z * se)
}

test_that("S1: the mean of drawn numbers", {
  x <- drawn(11)
  criterion("C1")$close(mean(x), sum(x) / length(x))
})

test_that("S2: standard error and limits", {
  x <- drawn(12, 5)
  found <- interval(x)
  criterion("C2")$close(c(found$mean, found$se, found$low, found$high), expected(x))
})

test_that("S3: a shift leaves the standard error", {
  x <- drawn(12, 5)
  criterion("C3")$close(tinymean::interval(x + 1000)$se, tinymean::interval(x)$se)
})

test_that("S4: an empty sequence is refused", {
  criterion("C4")$raises(function() mean(numeric(0)))
})

test_that("S5: one number is refused", {
  criterion("C5")$raises(function() interval(1))
})

test_that("S6: the argument is left as it was", {
  x <- c(1, 2, 4)
  interval(x)
  criterion("C6")$holds(identical(x, c(1, 2, 4)))
})
"""


def r_suite(body: str, scenario: str = "S1", head: str = "") -> dict[str, str]:
    blocks = R_TEXT.strip().split("\n\n")
    at = next(n for n, block in enumerate(blocks) if f'test_that("{scenario}:' in block)
    blocks[at] = body if "test_that(" in body else f'test_that("{scenario}: words", {{\n{body}\n}})'
    return {R_FILE: head + "\n" + "\n\n".join(blocks) + "\n"}


def test_an_honest_r_suite_gives_no_finding_at_all() -> None:
    assert check_r_suite({R_FILE: R_TEXT}, SPEC) == []
    assert check_r_suite({R_FILE: R_TEXT}, SPEC, package="tinymean") == []


R_FOOLING = cases(r"""
=== no-assertion | S1
x <- drawn(11)
mean(x)
=== no-assertion | S1
x <- drawn(11)
# expect_equal(mean(x), 0)
"expect_equal(mean(x), 0)"
all.equal(mean(x), 0)
=== no-assertion | S1
if (FALSE) {
  criterion("C1")$close(mean(drawn(11)), 0)
}
=== no-assertion | S1
drawn(11)
succeed()
=== swallowed-exception | S1
x <- drawn(11)
try(criterion("C1")$close(mean(x), 0), silent = TRUE)
=== swallowed-exception | S1
x <- drawn(11)
tryCatch({
  criterion("C1")$close(mean(x), 0)
}, error = function(e) NULL)
=== swallowed-exception | S1
x <- drawn(11)
tryCatch(expect_equal(mean(x), 0, tolerance = 1e-13), expectation_failure = function(e) TRUE)
=== skip-without-reason | S1
skip_on_cran()
x <- drawn(11)
criterion("C1")$close(mean(x), sum(x) / 30)
=== skip-without-reason | S1
skip_if_not_installed("boot")
---
x <- drawn(11)
criterion("C1")$close(mean(x), sum(x) / 30)
=== looser-tolerance | S1
x <- drawn(11)
criterion("C1")$close(mean(x), sum(x) / 30)
expect_equal(mean(x), sum(x) / 30, tolerance = 1e-3)
=== looser-tolerance | S1
x <- drawn(11)
tol <- 10^-3
criterion("C1")$close(mean(x), sum(x) / 30)
expect_true(abs(mean(x) - sum(x) / 30) < tol)
=== looser-tolerance | S1
x <- drawn(11)
criterion("C1")$close(mean(x), sum(x) / 30)
expect_lt(max(abs(mean(x) - sum(x) / 30)), 0.01)
=== wider-exception | S4
criterion("C4")$raises(function() mean(numeric(0)))
expect_error(mean(numeric(0)))
=== wider-exception | S4
criterion("C4")$raises(function() mean(numeric(0)))
expect_error(mean(numeric(0)), ".*")
=== wider-exception | S4
criterion("C4")$raises(function() mean(numeric(0)))
expect_error(mean(numeric(0)), class = "error")
=== exception-without-message | S4
criterion("C4")$raises(function() mean(numeric(0)))
expect_error(mean(numeric(0)), class = "value_error")
=== rounded-before-comparing | S1
x <- drawn(11)
criterion("C1")$close(round(mean(x), 3), sum(x) / 30)
=== rounded-before-comparing | S1
x <- drawn(11)
m <- mean(x)
shown <- signif(m, 3)
criterion("C1")$close(shown, sum(x) / 30)
=== rounded-before-comparing | S1
x <- drawn(11)
criterion("C1")$close(mean(x), sum(x) / 30)
expect_identical(sprintf("%.3f", mean(x)), "0.123")
=== replaced | S1
assignInNamespace("mean", function(x) 0, "tinymean")
---
x <- drawn(11)
criterion("C1")$close(mean(x), sum(x) / 30)
=== replaced | S1
x <- drawn(11)
local_mocked_bindings(mean = function(x) sum(x) / 30)
criterion("C1")$close(mean(x), sum(x) / 30)
=== replaced | S1
library(mockery)
---
x <- drawn(11)
criterion("C1")$close(mean(x), sum(x) / 30)
=== replaced | S1
expect_equal <- function(...) invisible(TRUE)
---
x <- drawn(11)
criterion("C1")$close(mean(x), sum(x) / 30)
=== replaced | S1
`all.equal` = function(...) TRUE
---
x <- drawn(11)
criterion("C1")$close(mean(x), sum(x) / 30)
=== replaced | S1
assign("expect_true", identity, envir = globalenv())
---
x <- drawn(11)
criterion("C1")$close(mean(x), sum(x) / 30)
=== criterion-redefined | S1
criterion <- function(id) list(close = function(...) TRUE)
---
x <- drawn(11)
criterion("C1")$close(mean(x), sum(x) / 30)
=== criterion-misused | S1
x <- drawn(11)
criterion("C1")$tolerance <- 5
criterion("C1")$close(mean(x), sum(x) / 30)
=== ends-the-process | S1
x <- drawn(11)
criterion("C1")$close(mean(x), sum(x) / 30)
quit(status = 0)
=== ends-the-process | S1
x <- drawn(11)
withCallingHandlers(criterion("C1")$close(mean(x), 0), expectation = function(e) invokeRestart("continue_test"))
=== unreadable-code | S1
x <- drawn(11)
criterion("C1")$close(mean(x), sum(x) / 30)
eval(parse(text = "1"))
=== engine-variable | S1
x <- drawn(11)
criterion("C1")$close(mean(x), sum(x) / 30)
writeLines("x", Sys.getenv('STATSCLAW_OBSERVATIONS'))
=== criteria-file | S1
x <- readLines(r"(../criteria.json)")
---
x <- drawn(11)
criterion("C1")$close(mean(x), sum(x) / 30)
=== inner-parts | S1
x <- testthat:::local_test_context
---
x <- drawn(11)
criterion("C1")$close(mean(x), sum(x) / 30)
=== vacuous-comparison | S1
x <- drawn(11)
criterion("C1")$close(mean(x), mean( x ))
=== vacuous-comparison | S1
drawn(11)
criterion("C1")$close(1, c(1))
=== always-true | S6
interval(c(1, 2))
criterion("C6")$holds(TRUE)
=== always-true | S1
x <- drawn(11)
criterion("C1")$close(mean(x), sum(x) / 30)
expect_true(mean(x) > 3 || TRUE)
=== without-the-package | S1
x <- drawn(11)
criterion("C1")$close(sum(x) / 30, sum(x) / length(x))
=== without-the-package | S1
found_by <- function(value) value + 0
---
x <- drawn(11)
mean <- sum(x) / 30
criterion("C1")$close(found_by(mean), sum(x) / length(x))
=== expected-from-the-package | S1
x <- drawn(11)
criterion("C1")$close(mean(x), interval(x)$mean)
=== changed-seed | S1
x <- drawn(13)
criterion("C1")$close(mean(x), sum(x) / 30)
=== changed-seed | S1
set.seed(4)
x <- rnorm(11)
criterion("C1")$close(mean(x), sum(x) / 30)
=== unseeded-randomness | S1
set.seed(NULL)
x <- rnorm(11)
criterion("C1")$close(mean(x), sum(x) / 30)
=== unseeded-randomness | S1
x <- rnorm(11)
criterion("C1")$close(mean(x), sum(x) / 30)
=== unknown-criterion | S1
x <- drawn(11)
criterion("C9")$close(mean(x), sum(x) / 30)
=== criterion-without-test | S1
x <- drawn(11)
expect_lt(mean(x), 30)
=== criterion-outside-its-scenario | S1
x <- drawn(11)
criterion("C2")$close(mean(x), sum(x) / 30)
=== unknown-scenario | S1
test_that("S9: words", expect_lt(mean(1), 30))
=== scenario-without-test | S1
test_that("the mean: of numbers", expect_lt(mean(1), 30))
=== scenario-not-written-out | S1
test_that(paste0("S", 1, ": words"), expect_lt(mean(1), 30))
=== wrong-method | S1
x <- drawn(11)
criterion("C1")$value(mean(x))
=== wrong-method | S1
x <- drawn(11)
ask <- criterion("C1")
ask$holds(mean(x) > 0)
""")


@pytest.mark.parametrize(("rule", "scenario", "body", "head"), R_FOOLING)
def test_an_attempt_to_fool_the_judge_of_an_r_package_is_found(rule: str, scenario: str, body: str, head: str) -> None:
    found = check_r_suite(r_suite(body, scenario, head), SPEC)
    assert rule in rules(found), found


R_LOOK_ALIKES = cases(r"""
=== the function under test is handed over | S1
found_by <- function(fit, values) fit(values)
---
x <- drawn(11)
criterion("C1")$close(found_by(mean, x), sum(x) / 30)
=== a function of one's own asserts | S1
expect_mean <- function(ask, x) {
  ask("C1")$close(tinymean::mean(x), sum(x) / length(x))
}
---
x <- drawn(11)
expect_mean(criterion, x)
criterion("C1")$close(mean(x), sum(x) / length(x))
=== an error that is looked at | S4
failed <- tryCatch(mean(numeric(0)), error = function(e) e)
expect_match(conditionMessage(failed), "no numbers")
criterion("C4")$raises(function() mean(numeric(0)))
=== an error with its message | S4
expect_error(mean(numeric(0)), "no numbers")
criterion("C4")$raises(function() mean(numeric(0)))
=== no error | S1
x <- drawn(11)
expect_error(mean(x), NA)
criterion("C1")$close(mean(x), sum(x) / 30)
=== a narrower tolerance | S1
x <- drawn(11)
expect_equal(mean(x), sum(x) / 30, tolerance = 1e-13)
criterion("C1")$close(mean(x), sum(x) / 30)
=== a bound that is no tolerance | S1
x <- drawn(11)
expect_lt(mean(x), 5)
expect_true(abs(mean(x)) < 5)
criterion("C1")$close(mean(x), sum(x) / 30)
=== rounded input | S1
x <- round(drawn(11), 2)
criterion("C1")$close(mean(round(x, 1)), sum(round(x, 1)) / 30)
=== a rounded message | S1
x <- drawn(11)
criterion("C1")$close(mean(x), sum(x) / 30)
expect_lt(mean(x), 5, label = sprintf("%.3f", mean(x)))
=== names that are used again | S1
x <- drawn(11)
m <- mean(x)
criterion("C1")$close(m, sum(x) / 30)
m <- round(m, 2)
message(m)
=== words in comments and texts | S1
x <- drawn(11) # skip_on_cran(); quit(); criterion <- 1
label <- "assignInNamespace('x'); tolerance = 0.5 }"
criterion("C1")$close(mean(x), sum(x) / 30)
=== raw text with brackets | S1
x <- drawn(11)
label <- r"---(a ) } " text)---"
criterion("C1")$close(mean(x), sum(x) / 30)
=== a seed with withr | S1
withr::local_seed(11)
x <- rnorm(30)
criterion("C1")$close(mean(x), sum(x) / 30)
=== a seed as a default | S1
set.seed(as.integer(Sys.getenv("STATSCLAW_SEED", "11")))
x <- rnorm(30)
criterion("C1")$close(mean(x), sum(x) / 30)
=== several scenarios | S1
test_that("S1, S2: words", {
  x <- drawn(11)
  y <- drawn(12)
  criterion("C1")$close(mean(x), sum(x) / 30)
  criterion("C2")$close(interval(y)$se, expected(y)[2])
})
=== a warning that is noted and quietened | S1
x <- drawn(11)
seen <- NULL
m <- withCallingHandlers(mean(x), warning = function(w) {
  seen <<- conditionMessage(w)
  invokeRestart("muffleWarning")
})
expect_null(seen)
criterion("C1")$close(m, sum(x) / 30)
=== a criterion under a name | S1
x <- drawn(11)
ask <- criterion("C1")
ask$close(mean(x), sum(x) / 30)
""")


@pytest.mark.parametrize(("name", "scenario", "body", "head"), R_LOOK_ALIKES)
def test_an_honest_look_alike_in_r_is_left_alone(name: str, scenario: str, body: str, head: str) -> None:
    assert check_r_suite(r_suite(body, scenario, head), SPEC) == []


def test_a_skip_in_r_with_a_reason_in_the_specification_is_allowed() -> None:
    files = r_suite('skip_on_cran()\nx <- drawn(11)\ncriterion("C1")$close(mean(x), sum(x) / 30)')
    assert check_r_suite(files, spec_with(S1={"may_skip": "slow"})) == []


@pytest.mark.parametrize(
    ("text", "line"),
    [("x <- (1", 1), ("\n}", 2), ('x <- 1\ny <- "a', 2), ("(" * 300 + ")" * 300, 1), ("x <- \x01", 1), ('r"(', 1)],
)
def test_r_that_cannot_be_read_is_an_error_with_its_line(text: str, line: int) -> None:
    found = [row for row in check_r_suite({R_FILE: text}, SPEC) if row.key.startswith("unreadable")]
    assert [row.where for row in found] == [f"{R_FILE}:{line}"]


def test_a_suite_too_large_to_be_read_is_refused_rather_than_read_for_hours() -> None:
    tests = "".join(f'test_that("S1: {number}", expect_true(f()))\n' for number in range(1500))
    assert "unreadable" in rules(check_r_suite({R_FILE: tests}, SPEC))
