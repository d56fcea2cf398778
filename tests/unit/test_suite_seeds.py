"""Tests that draw nothing in a scenario with a seed."""

from __future__ import annotations

from statsclaw.verify.suite.python_suite import check_python_suite
from statsclaw.verify.suite.r_suite import check_r_suite
from tests.unit.test_suite_checks import FILE, SPEC, TEXT, rules, suite
from tests.unit.test_suite_checks_r import R_FILE, R_TEXT, r_suite

FIXED = """

@pytest.mark.scenario("S1")
def test_of_fixed_numbers(criterion):
    x = [1.0, 2.0, 6.0]
    criterion("C1").close(tinymean.mean(x), 3.0)
"""
FIXED_R = """
test_that("S1: of fixed numbers", {
  x <- c(1, 2, 6)
  criterion("C1")$close(mean(x), 3)
})
"""


def test_one_that_draws_nothing_may_stand_beside_one_that_draws_with_the_seed() -> None:
    assert check_python_suite({FILE: TEXT + FIXED}, SPEC) == []
    assert check_r_suite({R_FILE: R_TEXT + FIXED_R}, SPEC) == []


def test_one_that_draws_nothing_does_not_replace_the_one_that_should_draw() -> None:
    alone = suite('x = [1.0, 2.0, 6.0]\ncriterion("C1").close(tinymean.mean(x), 3.0)')
    assert "changed-seed" in rules(check_python_suite(alone, SPEC))
    another = suite('x = drawn(13)\ncriterion("C1").close(tinymean.mean(x), sum(x) / len(x))')
    assert "changed-seed" in rules(check_python_suite({FILE: another[FILE] + FIXED}, SPEC))
    alone_r = r_suite('x <- c(1, 2, 6)\ncriterion("C1")$close(mean(x), 3)')
    assert "changed-seed" in rules(check_r_suite(alone_r, SPEC))
