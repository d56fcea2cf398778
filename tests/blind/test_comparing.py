"""What becomes of claims: the one place where an answer meets an expectation."""

from __future__ import annotations

import numpy as np
import pytest

from statsclaw.verify.blind.comparing import Judge, same_answer
from statsclaw.verify.blind.expressions import Answered, Answers, Condition, is_sound
from statsclaw.verify.blind.form import Forms
from statsclaw.verify.blind.inside.statsclaw_wire import Extra
from statsclaw.verify.criteria.observed import answer
from tests.blind.made import INTERFACE, answers, compared, criterion, fit, questionnaire

Y, X = np.zeros(5), np.ones((5, 2))


def passes(write, row, *given, **more):
    return all(found.passed for found in compared(questionnaire(write), row, answers(*given), **more))


def about(claim):
    """One call of fit, and one claim about it."""
    return lambda ask: claim(ask, ask.call("fit", Y, X))


# --- close -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expected", "met"),
    [([0.5, -1.25], True), ([0.5, -1.25 + 2e-6], False), ([0.5], False), ([[0.5, -1.25]], False), (0.5, False)],
)
def test_numbers_are_close_element_by_element_and_of_one_shape(expected, met):
    assert passes(about(lambda ask, f: ask.close("C1", f.coef, expected)), criterion(), fit()) is met


@pytest.mark.parametrize("wrong", ["0.5", ["0.5", "-1.25"], np.array(["0.5", "-1.25"]), None, {"a": 0.5}])
def test_text_and_other_things_are_no_numbers(wrong):
    (found,) = compared(
        questionnaire(about(lambda ask, f: ask.close("C1", f.coef, [0.5, -1.25]))),
        criterion(),
        answers(fit(coef=wrong)),
    )
    assert not found.passed and "where numbers are expected" in found.reason


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_close_to_itself_only(value):
    write = about(lambda ask, f: ask.close("C1", f.loglik, value))
    assert passes(write, criterion(), fit(loglik=value))
    assert not passes(write, criterion(), fit(loglik=-3.5))
    assert not passes(about(lambda ask, f: ask.close("C1", f.loglik, -3.5)), criterion(), fit(loglik=value))


def test_digits_that_agree_are_counted_by_the_log_relative_error():
    row = criterion(tolerance={"lre": 6})
    assert passes(about(lambda ask, f: ask.close("C1", f.loglik, -3.5 * (1 + 9e-7))), row, fit())
    assert not passes(about(lambda ask, f: ask.close("C1", f.loglik, -3.5 * (1 + 2e-6))), row, fit())


def test_parts_of_different_shapes_are_compared_one_by_one():
    write = about(lambda ask, f: ask.close("C1", [f.coef, f.loglik], [[0.5, -1.25], -3.5]))
    assert passes(write, criterion(), fit())
    assert not passes(write, criterion(), fit(loglik=-3.6))


def test_an_error_where_an_answer_was_expected_is_told_with_its_class():
    row, broken = criterion(), Condition(("ZeroDivisionError", "Exception"), "division by zero")
    (found,) = compared(questionnaire(about(lambda ask, f: ask.close("C1", f.coef, [0, 0]))), row, answers(broken))
    assert not found.passed and found.raised == broken


def test_the_verdict_can_be_recomputed_from_what_is_recorded():
    row = criterion()
    for expected in ([0.5, -1.25], [0.5, -1.26]):
        (found,) = compared(
            questionnaire(about(lambda ask, f, e=expected: ask.close("C1", f.coef, e))), row, answers(fit())
        )
        seen = [answer(row, observation).passed for observation in found.observations(row.rule)]
        assert seen and all(seen) is found.passed


# --- what is calculated from promises --------------------------------------------------------------------------------

DRAWS = np.arange(12.0).reshape(6, 2) ** 1.5


@pytest.mark.parametrize(
    ("node", "value"),
    [
        (lambda ask, d: ask.mean(d, axis=0), DRAWS.mean(axis=0)),
        (lambda ask, d: ask.sd(d, axis=0), DRAWS.std(axis=0, ddof=1)),
        (lambda ask, d: ask.var(d), DRAWS.var(ddof=1)),
        (lambda ask, d: ask.sd(d, divisor=0), DRAWS.std()),
        (lambda ask, d: ask.median(d, axis=1), np.median(DRAWS, axis=1)),
        (lambda ask, d: ask.quantile(d, [0.1, 0.9], axis=0), np.quantile(DRAWS, [0.1, 0.9], axis=0)),
        (lambda ask, d: ask.cov(d), np.cov(DRAWS, rowvar=False)),
        (lambda ask, d: ask.cor(d), np.corrcoef(DRAWS, rowvar=False)),
        (lambda ask, d: ask.rate(d > 5), (DRAWS > 5).mean()),
        (lambda ask, d: ask.rate(d <= 5, axis=0), (DRAWS <= 5).mean(axis=0)),
        (lambda ask, d: d[1:, 0], DRAWS[1:, 0]),
        (lambda ask, d: d[[0, 2], 1], DRAWS[[0, 2], 1]),
        (lambda ask, d: d[-1], DRAWS[-1]),
        (lambda ask, d: 2 * d - d / 4 + 1, 2 * DRAWS - DRAWS / 4 + 1),
        (lambda ask, d: 1 - d, 1 - DRAWS),
        (lambda ask, d: 1 / (d + 1), 1 / (DRAWS + 1)),
        (lambda ask, d: d**2, DRAWS**2),
        (lambda ask, d: 2 ** (d / 10), 2 ** (DRAWS / 10)),
        (lambda ask, d: ask.transposed(d) @ d, DRAWS.T @ DRAWS),
        (lambda ask, d: np.ones(6) @ d, np.ones(6) @ DRAWS),
        (lambda ask, d: -abs(d - 3), -np.abs(DRAWS - 3)),
        (lambda ask, d: ask.sorted(d[:, 1]), np.sort(DRAWS[:, 1])),
        (lambda ask, d: ask.diag(d[:2]), np.diag(DRAWS[:2])),
        (lambda ask, d: ask.total(d, axis=1), DRAWS.sum(axis=1)),
        (lambda ask, d: [ask.smallest(d), ask.largest(d)], [DRAWS.min(), DRAWS.max()]),
        (lambda ask, d: ask.sqrt(d), np.sqrt(DRAWS)),
        (lambda ask, d: ask.log(ask.exp(d / 30)), DRAWS / 30),
        (lambda ask, d: ask.eigenvalues(ask.cov(d)), np.linalg.eigvalsh(np.cov(DRAWS, rowvar=False))),
        (lambda ask, d: ask.solve(ask.cov(d), d[0]), np.linalg.solve(np.cov(DRAWS, rowvar=False), DRAWS[0])),
    ],
)
def test_reductions_are_what_numpy_says(node, value):
    write = about(lambda ask, f: ask.close("C1", node(ask, f.draws), value))
    assert passes(write, criterion(), fit(draws=DRAWS))
    assert not passes(write, criterion(), fit(draws=np.abs(np.random.default_rng(1).normal(size=DRAWS.shape))))


def test_a_promise_has_no_value_while_questions_are_written():
    def careless(ask):
        f = ask.call("fit", Y, X)
        for use in (bool, float, len, list, int):
            with pytest.raises(ask.Misasked):
                use(f.loglik)
        with pytest.raises(ask.Misasked):
            f.loglik = 3
        ask.close("C1", f.loglik, -3.5)

    assert passes(careless, criterion(), fit())


# --- bounds, conditions, statements ----------------------------------------------------------------------------------


def test_every_element_lies_within_the_bounds():
    write = about(lambda ask, f: ask.value("C1", abs(f.coef)))
    assert passes(write, criterion("at most"), fit(coef=np.array([0.5, -0.75])))
    assert not passes(write, criterion("at most"), fit())
    assert not passes(write, criterion("at most"), fit(coef=np.array([0.5, np.nan])))


def test_the_error_must_be_exactly_the_frozen_class_with_the_frozen_words():
    write = about(lambda ask, f: ask.raises("C1", f))
    row = criterion("raises")
    assert passes(write, row, Condition(("ValueError", "Exception"), "there are no rows"))
    assert not passes(write, row, Condition(("LinAlgError", "ValueError", "Exception"), "no rows"))
    assert not passes(write, row, Condition(("ValueError",), "something else"))
    assert not passes(write, row, fit())


def test_in_r_a_condition_has_all_its_classes():
    write, row = about(lambda ask, f: ask.raises("C1", f)), criterion("raises", error="error")
    raised = Condition(("simpleError", "error", "condition"), "there are no rows")
    assert not passes(write, row, raised)
    questions = questionnaire(write)
    judge = Judge({"C1": row}, questions.calls, Forms(INTERFACE, "r"))
    found = judge.compare(0, questions.claims[0], answers(raised))
    assert found.passed and [answer(row, seen).passed for seen in found.observations("raises")] == [True]


def test_another_message_of_the_interface_may_be_asked_for():
    write = about(lambda ask, f: ask.raises("C1", f, message="rank"))
    row = criterion("raises")
    assert passes(write, row, Condition(("ValueError",), "X has not full rank"))
    assert not passes(write, row, Condition(("ValueError",), "no rows"))
    (found,) = compared(questionnaire(write), row, answers(Condition(("ValueError",), "full rank")))
    assert [answer(row, seen).passed for seen in found.observations("raises")] == [True]


def test_a_warning_counts_only_beside_an_answer():
    write, row = about(lambda ask, f: ask.warns("C1", f)), criterion("warns")
    slow = Condition(("RuntimeWarning",), "it is slow")
    assert passes(write, row, Answered(0, fit(), warnings=(Condition(("UserWarning",), "other"), slow)))
    assert not passes(write, row, fit())
    assert not passes(write, row, Answered(0, error=slow, warnings=(slow,)))


@pytest.mark.parametrize(
    ("claim", "good", "bad"),
    [
        (lambda ask, f: ask.same("C1", f.steps, 4), fit(), fit(steps=5)),
        (lambda ask, f: ask.same("C1", f.summary, "two coefficients"), fit(), fit(summary="two")),
        (lambda ask, f: ask.same("C1", ask.shape(f.draws), [20, 2]), fit(), fit(draws=np.zeros((2, 20)))),
        (lambda ask, f: ask.same("C1", ask.length(f.coef), 2), fit(), fit(coef=np.zeros(3))),
        (lambda ask, f: ask.same("C1", ask.names(f), ["coef", "draws"]), {"coef": 1, "draws": 2}, {"coef": 1}),
        (lambda ask, f: ask.contains("C1", f.summary, "two"), fit(), fit(summary="three")),
        (lambda ask, f: ask.less("C1", f.coef[1], f.coef[0]), fit(), fit(coef=np.array([1.0, 2.0]))),
        (lambda ask, f: ask.between("C1", 0, f.draws, 1), fit(), fit(draws=np.array([0.5, 1.5]))),
        (lambda ask, f: ask.finite("C1", f.coef), fit(), fit(coef=np.array([1.0, np.nan]))),
        (lambda ask, f: ask.finite("C1", f), fit(), fit(loglik=np.inf)),
        (lambda ask, f: ask.finite("C1", [f.coef, f.draws]), fit(), fit(draws=np.array([[np.nan]]))),
        (lambda ask, f: ask.contains("C1", f.summary, "two"), fit(summary=["one", "two"]), fit(summary=["twofold"])),
        (lambda ask, f: ask.untouched("C1", f), fit(), Answered(0, fit(), changed=("0",))),
        (lambda ask, f: ask.silent("C1", f), fit(), Answered(0, fit(), printed="hello")),
        (lambda ask, f: ask.silent("C1", f), fit(), Answered(0, fit(), warnings=(Condition(("W",), "w"),))),
        (lambda ask, f: ask.returns("C1", f), fit(), fit(loglik="-3.5")),
        (lambda ask, f: ask.returns("C1", f), fit(), fit(coef=np.zeros(3))),
        (lambda ask, f: ask.untouched("C1", f), fit(), Condition(("ValueError",), "no")),
    ],
)
def test_statements_hold_or_do_not(claim, good, bad):
    assert passes(about(claim), criterion("holds"), good)
    assert not passes(about(claim), criterion("holds"), bad)


def test_repeatable_is_bit_for_bit_and_needs_a_second_answer():
    questions, row = questionnaire(about(lambda ask, f: ask.repeatable("C1", f))), criterion("holds")
    one = Answered(0, fit())
    for again, met in ((Answered(0, fit()), True), (Answered(0, fit(loglik=-3.5 + 1e-15)), False)):
        (found,) = compared(questions, row, Answers({0: one}, {0: again}))
        assert found.passed is met
    (alone,) = compared(questions, row, Answers({0: one}))
    assert not alone.passed


def test_answers_are_the_same_only_with_the_same_warnings_and_errors():
    warned = Answered(0, 1.0, warnings=(Condition(("UserWarning",), "w"),))
    assert same_answer(Answered(0, 1.0, seconds=3.0), Answered(0, 1.0, seconds=5.0))
    assert not same_answer(Answered(0, 1.0), warned)
    assert not same_answer(Answered(0, 1.0), Answered(0, 1))
    assert same_answer(Answered(0, Extra("scalar", np.array(1.0))), Answered(0, Extra("scalar", np.array(1.0))))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("y ~ x\n<environment: 0x562732f415e8>", "y ~ x\n<environment: 0x55cf38e64cd8>", True),
        ("<a.Fit object at 0x7f3cd0a1b2e0>", "<a.Fit object at 0x7f3cd0a1b2e0f0>", True),
        ("y ~ x\n<environment: 0x562732f415e8>", "y ~ z\n<environment: 0x562732f415e8>", False),
        ("0x562732f415e8", "0x55cf38e64cd8", False),
    ],
)
def test_where_in_memory_a_text_says_a_thing_lies_is_no_answer(one, other, same):
    assert same_answer(Answered(0, one), Answered(0, other)) is same
    failed = [Answered(0, error=Condition(("error",), text)) for text in (one, other)]
    assert same_answer(*failed) is same


# --- what was seen ---------------------------------------------------------------------------------------------------


def look(found):
    """Stands for an author's function; what it returned is given to the judge."""


def seen(found, rule="close"):
    def moved(ask):
        ask.observe("C1", look, ask.call("fit", Y, X))

    (row,) = compared(questionnaire(moved), criterion(rule), answers(fit()), seen={0: found})
    return row


def test_names_of_rows_and_columns_are_dress_and_no_fault():
    dressed = Extra("named", {"value": np.eye(2), "names": [None, ["a", "b"]]})
    long = Extra("named", {"value": np.ones((3, 2)), "names": [["x", "y", "z"], ["a", "b"]]})
    assert is_sound(dressed) and is_sound(long)
    assert passes(about(lambda ask, f: ask.close("C1", f.coef, np.eye(2))), criterion(), fit(coef=dressed))


def test_what_a_function_returns_is_compared_by_the_engine():
    assert seen({"returned": Extra("tuple", [np.array([1.0, 2.0]), [1.0, 2.0]])}).passed
    assert not seen({"returned": [[1.0, 2.0], [1.0, 2.1]]}).passed
    assert not seen({"returned": True}).passed
    assert not seen({"problem": "ValueError"}).passed
    assert not seen(None).passed
    assert seen({"returned": True}, "holds").passed and not seen({"returned": 1.5}, "holds").passed
    assert seen({"returned": 0.5}, "at most").passed and not seen({"returned": 1.5}, "at most").passed


# --- names -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("expected", "met"), [("t", True), (["t"], True), ("F", False), ("", False)])
def test_one_name_is_a_text_or_a_list_of_it(expected, met):
    """In R a text is a vector of one: the names of `c(t = 2.1)` are "t"."""

    def named(ask):
        ask.same("C1", ask.names(ask.call("fit", Y, X)), expected)

    answer = Extra("named", {"value": np.array([2.1]), "names": ["t"]})
    (row,) = compared(questionnaire(named), criterion("holds"), answers(answer))
    assert row.passed is met
