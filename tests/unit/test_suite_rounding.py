"""What looks like rounding and hides nothing, and what does hide something behind the same words."""

from __future__ import annotations

import pytest

from statsclaw.specs.interface import Interface
from statsclaw.verify.suite.python_suite import check_python_suite
from statsclaw.verify.suite.r_suite import check_r_suite
from tests.unit.test_suite_checks import C1, SPEC, rules, suite
from tests.unit.test_suite_checks_r import r_suite

ROUNDED = "rounded-before-comparing"
WHOLE = frozenset({"steps"})
R_C1 = 'x <- drawn(11)\ncriterion("C1")$close(mean(x), sum(x) / 30)\n'

PARTS = """
def early(v):
    n = {length}
    return v[: n // 10].mean()
"""
RANKS = """
import numpy as np

def statistic(draws):
    ranks = np.sum(draws < 0.5, axis=0)
    return float(np.max(np.bincount({counted}, minlength=10)))
"""
BINNED = 'x = drawn(11)\ncriterion("C1").{asked}\n'


@pytest.mark.parametrize(
    ("line", "hides"),
    [
        ("assert int(tinymean.interval(x).steps) == 3", False),
        ("f = tinymean.interval(x)\nassert int(f.steps) == 3", False),
        ("assert int(tinymean.interval(x).mean) == 3", True),
        ("assert int(tinymean.interval(x).steps / 7) == 3", True),
        ("assert int(tinymean.interval(x).mean.steps * 10) == 3", True),
        ("assert round(tinymean.interval(x).steps) == 3", True),
        ("import types\nassert int(types.SimpleNamespace(steps=1000 * tinymean.mean(x)).steps) == 3", True),
        ("f = tinymean.interval(x)\nf.steps = 1000 * f.mean\nassert int(f.steps) == 3", True),
        ("f = tinymean.interval(x)\nsetattr(f, 'steps', 1000 * f.mean)\nassert int(f.steps) == 3", True),
    ],
)
def test_int_of_a_part_that_the_interface_calls_whole(line, hides):
    found = check_python_suite(suite(C1 + line), SPEC, whole=WHOLE)
    assert (ROUNDED in rules(found)) is hides
    assert ROUNDED in rules(check_python_suite(suite(C1 + line), SPEC)), "the interface says nothing of it"


@pytest.mark.parametrize(
    ("line", "hides"),
    [
        ("expect_identical(as.integer(interval(x)$steps), 3L)", False),
        ("expect_identical(as.integer(interval(x)$mean), 3L)", True),
        ("expect_identical(as.integer(7 * interval(x)$mean), 3L)", True),
        ("expect_identical(round(interval(x)$steps), 3)", True),
        ("expect_identical(as.integer(1000 * interval(x)$mean + 0 * interval(x)$steps), 3L)", True),
        ("f <- interval(x)\nf$steps <- 1000 * f$mean\nexpect_identical(as.integer(f$steps), 3L)", True),
        ("expect_identical(as.integer(list(steps = 1000 * mean(x))$steps), 3L)", True),
    ],
)
def test_the_same_in_r(line, hides):
    found = check_r_suite(r_suite(R_C1 + line), SPEC, whole=WHOLE)
    assert (ROUNDED in rules(found)) is hides


def test_a_part_is_whole_only_if_it_is_everywhere():
    fields = [{"name": "steps", "type": "integer"}, {"name": "se", "type": "number"}, {"name": "ok", "type": "boolean"}]
    other = [{"name": "ok", "type": "number"}]
    functions = [
        {"name": name, "returns": {"type": "object", "fields": rows}} for name, rows in (("f", fields), ("g", other))
    ]
    assert Interface.model_validate({"package": "p", "functions": functions}).whole_fields() == {"steps"}


@pytest.mark.parametrize(
    ("length", "hides"),
    [("len(v)", False), ("v.shape[0]", False), ("v.size", False), ("v[0]", True), ("v.sum()", True)],
)
def test_a_part_of_a_length_by_its_name(length, hides):
    body = C1 + "assert early(np.asarray(tinymean.interval(x).draws)) < 3"
    assert (ROUNDED in rules(check_python_suite(suite(body, head=PARTS.format(length=length)), SPEC))) is hides


@pytest.mark.parametrize(
    ("counted", "asked", "hides"),
    [
        ("(ranks // 10).astype(int)", "value(statistic(tinymean.interval(x).draws))", False),
        ("ranks // 10", "value(statistic(tinymean.interval(x).draws))", False),
        ("(np.round(ranks) // 10).astype(int)", "value(statistic(tinymean.interval(x).draws))", True),
        ("np.round(ranks).astype(int)", "value(statistic(tinymean.interval(x).draws))", True),
        ("(ranks // 10).astype(int)", "close(statistic(tinymean.interval(x).draws), 30.0)", True),
        ("(ranks // 10).astype(int)", "holds(statistic(tinymean.interval(x).draws) == 30)", True),
    ],
)
def test_ranks_in_bins_are_counted_for_a_statistic_and_for_nothing_else(counted, asked, hides):
    files = suite(BINNED.format(asked=asked), head=RANKS.format(counted=counted))
    assert (ROUNDED in rules(check_python_suite(files, SPEC))) is hides


@pytest.mark.parametrize(
    ("ends", "empty"),
    [("1, steps + 2 if steps else 1", False), ("1 if steps else 3", False), ("1, 1", True), ("0", True)],
)
def test_a_loop_with_two_ends_is_not_empty_because_one_of_them_is_known(ends, empty):
    body = C1 + f"steps = tinymean.mean(x)\nfor k in range({ends}):\n    assert tinymean.mean(x) < k"
    assert ("empty-loop" in rules(check_python_suite(suite(body), SPEC))) is empty
