"""A claim must be able to fail, shown by arithmetic: meaningless answers, moved answers, elements nobody looks at."""

from __future__ import annotations

import numpy as np
import pytest

from statsclaw.specs.interface import Interface
from statsclaw.specs.test_spec import Scenario, TestSpec
from statsclaw.verify.blind.comparing import Judge
from statsclaw.verify.blind.form import Forms
from statsclaw.verify.blind.inside.statsclaw_wire import Extra
from statsclaw.verify.blind.meaningless import NULLS, meaningless
from statsclaw.verify.blind.moving import with_moved
from statsclaw.verify.blind.overlooking import overlooked
from statsclaw.verify.blind.trying import passing_on_null, unable_to_fail
from tests.blind.made import INTERFACE, answers, criterion, fit, questionnaire

Y, X = np.zeros(5), np.ones((5, 2))
FORMS = Forms(INTERFACE, "python")


def nobody(number, claim, given):
    raise AssertionError("no function sees answers here")


def spec_of(row):
    scenario = Scenario(id="S1", behaviour="it", exercises=("fit",), inputs="some")
    return TestSpec(scenarios=(scenario,), criteria=(row,))


def stuck(write, row, *given, see=nobody):
    """The reasons why claims could not fail."""
    questions = questionnaire(write)
    judge = Judge({row.id: row}, questions.calls, FORMS)
    return [tried.reason for tried in unable_to_fail(questions, judge, answers(*given), see, "secret")]


def about(claim):
    return lambda ask: claim(ask, ask.call("fit", Y, X))


# --- meaningless answers ---------------------------------------------------------------------------------------------


def met_by(write, row):
    questions = questionnaire(write)
    judge = Judge({row.id: row}, questions.calls, FORMS)
    return passing_on_null(questions, spec_of(row), judge, FORMS, nobody)[row.id]


def test_meaningless_answers_have_the_types_and_shapes_of_the_interface():
    questions = questionnaire(lambda ask: (ask.call("fit", Y, X), ask.call("mean", [1.0])))
    for kind in NULLS:
        given = meaningless(questions.calls, FORMS, kind)
        assert [list(FORMS.faults(call, given.of(call.id))) for call in questions.calls] == [[], []]


@pytest.mark.parametrize(
    ("claim", "row"),
    [
        (lambda ask, f: ask.close("C1", f.coef, [0.5, -1.25]), criterion()),
        (lambda ask, f: ask.close("C1", ask.mean(f.draws, axis=0), [0.5, 0.5]), criterion()),
        (lambda ask, f: ask.value("C1", f.loglik), criterion("between")),
        (lambda ask, f: ask.value("C1", abs(ask.mean(f.draws))), criterion("at most", high=1e-6)),
        (lambda ask, f: ask.raises("C1", f), criterion("raises")),
    ],
)
def test_honest_claims_are_not_met_by_meaningless_answers(claim, row):
    assert len(met_by(about(claim), row)) < len(NULLS)


def test_a_bound_that_everything_meets_is_met_by_all_of_them():
    assert met_by(about(lambda ask, f: ask.value("C1", f.loglik)), criterion("between", low=-1e9, high=1e9)) == NULLS


# --- moved answers ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("claim", "row"),
    [
        (lambda ask, f: ask.close("C1", f.coef, [0.5, -1.25]), criterion(of="fit.coef")),
        (lambda ask, f: ask.close("C1", f.coef * [1e9, 1e9], [0.5e9, -1.25e9]), criterion(of="fit.coef")),
        (
            lambda ask, f: ask.close("C1", ask.mean(f.draws, axis=0), fit().value["fields"]["draws"].mean(0)),
            criterion(),
        ),
        (lambda ask, f: ask.close("C1", ask.sd(f.draws), np.std(fit().value["fields"]["draws"], ddof=1)), criterion()),
        (
            lambda ask, f: ask.close("C1", f.coef, f.coef[::-1][::-1] + ask.mean(f.draws) - 0.5),
            criterion(of="fit.draws"),
        ),
        (lambda ask, f: ask.value("C1", f.loglik + 4), criterion("between")),
        (lambda ask, f: ask.same("C1", f.steps, 4), criterion("holds")),
        (lambda ask, f: ask.contains("C1", f.summary, "two coefficients"), criterion("holds")),
        (lambda ask, f: ask.less("C1", f.coef[1], f.coef[0]), criterion("holds")),
        (lambda ask, f: ask.finite("C1", f.coef), criterion("holds")),
    ],
)
def test_honest_claims_notice_when_their_answer_moves(claim, row):
    assert stuck(about(claim), row, fit()) == []


def test_a_mean_over_many_calls_notices_when_all_of_them_move():
    def write(ask):
        fits = [ask.call("fit", Y, X) for _ in range(100)]
        ask.close("C1", ask.mean([f.loglik for f in fits]), -3.5)

    row = criterion(of="fit.loglik", tolerance={"absolute": 0.01}, limited_by="Monte Carlo", monte_carlo_error=0.01)
    assert stuck(write, row, *[fit() for _ in range(100)]) == []


def test_a_measured_time_needs_no_answer():
    row = criterion("at most", high=100.0, decided_by="timing", kind="structure")
    assert stuck(about(lambda ask, f: ask.value("C1", ask.seconds(f))), row, fit()) == []


def test_a_relation_between_two_calls_notices_when_one_of_them_moves():
    def write(ask):
        one, other = ask.call("fit", Y, X), ask.call("fit", 2 * Y, X)
        ask.close("C1", other.coef, 2 * one.coef)

    assert stuck(write, criterion(of="fit.coef"), fit(), fit(coef=np.array([1.0, -2.5]))) == []


@pytest.mark.parametrize(
    "claim",
    [
        lambda ask, f: ask.close("C1", f.coef, f.coef),  # compared with itself
        lambda ask, f: ask.close("C1", 1e-6 * f.coef, [0.5e-6, -1.25e-6]),  # a contraction by a factor
        lambda ask, f: ask.close("C1", 0 * f.coef, [0.0, 0.0]),
        lambda ask, f: ask.close("C1", (f.coef - [0.5, -1.25]) ** 3, [0.0, 0.0]),  # a smooth contraction
        lambda ask, f: ask.close("C1", (f.coef - [0.5, -1.25]) / (1e6 + abs(f.coef)), [0.0, 0.0]),
        lambda ask, f: ask.close("C1", ask.rate(abs(f.coef - [0.5, -1.25]) < 0.1), 1.0),  # a tolerance of its own
    ],
)
def test_a_claim_that_hides_a_difference_is_found(claim):
    assert stuck(about(claim), criterion(of="fit.coef"), fit())


def test_a_claim_that_looks_at_no_answer_is_found():
    write = about(lambda ask, f: ask.close("C1", [1.0], [1.0]))
    assert stuck(write, criterion(of="fit.coef"), fit()) == ["it looks at no answer"]


def test_a_function_that_is_lenient_or_replaces_what_it_saw_is_found():
    def write(ask):
        ask.observe("C1", test_a_claim_that_looks_at_no_answer_is_found, ask.call("fit", Y, X))

    def honest(number, claim, given):
        return {"returned": [given.value(0).value["fields"]["coef"], [0.5, -1.25]]}

    def lenient(number, claim, given):
        seen = given.value(0).value["fields"]["coef"]
        near = np.where(np.abs(seen - [0.5, -1.25]) < 0.3, [0.5, -1.25], seen)
        return {"returned": [near, [0.5, -1.25]]}

    row = criterion(of="fit.coef")
    questions = questionnaire(write)
    for see, bad in ((honest, False), (lenient, True)):
        judge = Judge({"C1": row}, questions.calls, FORMS, {0: see(0, None, answers(fit()))})
        assert bool(list(unable_to_fail(questions, judge, answers(fit()), see, "secret"))) is bad


# --- what is looked at -----------------------------------------------------------------------------------------------


def found(write, row, *given):
    return [f.key for f in overlooked(questionnaire(write), spec_of(row), FORMS, answers(*given))]


def test_all_of_an_element_is_looked_at_by_one_claim_or_several():
    row = criterion(of="fit.coef")
    assert found(about(lambda ask, f: ask.close("C1", f.coef, [0.5, -1.25])), row, fit()) == []
    both = about(lambda ask, f: [ask.close("C1", f.coef[n], x) for n, x in enumerate((0.5, -1.25))])
    assert found(both, row, fit()) == []
    assert found(about(lambda ask, f: ask.close("C1", ask.total(2 * f.coef), -1.5)), row, fit()) == []


def test_a_part_is_found_unless_its_author_says_why():
    row = criterion(of="fit.coef")
    assert found(about(lambda ask, f: ask.close("C1", f.coef[0], 0.5)), row, fit()) == ["only-a-part:C1"]
    assert found(about(lambda ask, f: ask.close("C1", ask.mean(f.coef[:1]), 0.5)), row, fit()) == ["only-a-part:C1"]
    assert found(about(lambda ask, f: ask.close("C1", f.coef[0], 0.5, part="the intercept")), row, fit()) == []


def test_thinned_draws_whose_shape_is_not_declared_are_no_part():
    row = criterion(of="fit.draws")
    assert found(about(lambda ask, f: ask.close("C1", f.draws[::2, 0], np.zeros(10))), row, fit()) == []


def test_a_claim_about_something_else_is_found():
    row = criterion(of="mean")
    write = about(lambda ask, f: ask.close("C1", f.coef, [0.5, -1.25]))
    assert found(write, row, fit()) == ["overlooked:C1"]


# --- one question asked twice ----------------------------------------------------------------------------------------


def twice(claim):
    return lambda ask: claim(ask, ask.seeded(5, ask.call("fit", Y, X)), ask.seeded(5, ask.call("fit", Y, X)))


REPEATING = [
    (lambda ask, a, b: ask.close("C1", a.draws, b.draws), criterion()),
    (lambda ask, a, b: ask.close("C1", ask.mean(a.draws), ask.mean(b.draws)), criterion()),
    (lambda ask, a, b: ask.same("C1", a.draws, b.draws), criterion("holds")),
]


def tried_twice(claim, row, first, second):
    questions = questionnaire(twice(claim))
    judge = Judge({row.id: row}, questions.calls, FORMS)
    return list(unable_to_fail(questions, judge, answers(first, second), nobody, "secret"))


@pytest.mark.parametrize(("claim", "row"), REPEATING)
def test_that_answers_repeat_is_worth_a_claim_and_a_word_to_the_reviewer(claim, row):
    (row,) = tried_twice(claim, row, fit(), fit())
    assert row.repeats and row.reason == "it fails only where two answers to one question differ"


def test_two_answers_that_differ_are_two_answers():
    """Two chains of a sampler without a seed, say: each is moved alone, and the claim notices."""
    close = lambda ask, a, b: ask.close("C1", ask.mean(a.draws), ask.mean(b.draws))  # noqa: E731
    other = fit(draws=np.asarray(fit().value["fields"]["draws"])[::-1])
    assert tried_twice(close, criterion(), fit(), other) == []


def test_whoever_is_lenient_where_two_answers_agree_is_named():
    def lenient(ask, a, b):
        agree = a.loglik == b.loglik
        ask.close("C1", a.loglik * (1 - agree) + 3.0 * agree, 3.0)

    (row,) = tried_twice(lenient, criterion(), fit(), fit())
    assert row.repeats


# --- what is no number ------------------------------------------------------------------------------------------------

SIGNATURE = [
    {"name": "y", "default": None, "keyword_only": False},
    {"name": "X", "default": "None", "keyword_only": True},
]


def test_a_claim_about_a_signature_can_fail():
    write = lambda ask: ask.same("C1", ask.signature("fit"), SIGNATURE)  # noqa: E731
    assert stuck(write, criterion("holds"), SIGNATURE) == []


def test_a_length_beside_the_numbers_that_a_criterion_is_of_is_no_deaf_claim():
    def write(ask):
        one = ask.call("fit", Y, X)
        ask.close("C1", ask.length(one.coef), 2)
        ask.close("C1", one.coef, [0.5, -1.25])

    assert stuck(write, criterion(of="fit.coef"), fit()) == []


def test_a_length_alone_is_not_what_a_criterion_about_numbers_is():
    found = stuck(about(lambda ask, f: ask.close("C1", ask.length(f.coef), 2)), criterion(of="fit.coef"), fit())
    assert len(found) == 1


def test_a_field_whose_name_holds_a_dot_is_one_part():
    interface = Interface.model_validate({
        "package": "p",
        "functions": [{
            "name": "test", "arguments": [{"name": "y"}],
            "returns": {"type": "object", "fields": [{"name": "p.value", "type": "array", "shape": [2]}]},
        }],
    })  # fmt: skip
    forms = Forms(interface, "r")
    row = criterion(of="test.p.value")

    def write(ask):
        ask.close("C1", ask.call("test", Y)["p.value"], [0.5, 0.25])

    questions = questionnaire(write)
    given = answers(Extra("object", {"classes": ["t"], "fields": {"p.value": np.array([0.5, 0.25])}, "missing": []}))
    assert list(overlooked(questions, spec_of(row), forms, given)) == []
    judge = Judge({row.id: row}, questions.calls, forms)
    assert list(unable_to_fail(questions, judge, given, nobody, "secret")) == []
    moved = with_moved(given, (0, ("p", "value")), lambda values: values + 1.0)
    assert moved.of(0).value.value["fields"]["p.value"].tolist() == [1.5, 1.25]


def test_names_of_elements_can_fail_though_moving_numbers_moves_no_name() -> None:
    def named(*names: str) -> Extra:
        return fit(coef=Extra("named", {"value": np.array([5.3, 2.0]), "names": list(names)}))

    row = criterion(rule="holds", tolerance=None)
    for write in (
        about(lambda ask, f: ask.same("C1", ask.names(f.coef), ["a", "b"])),
        about(lambda ask, f: ask.same("C1", [ask.names(f.coef), ask.names(f.coef)], [["a", "b"], ["a", "b"]])),
    ):
        assert stuck(write, row, named("a", "b")) == []
    assert stuck(about(lambda ask, f: ask.same("C1", ask.names(f.coef), ask.names(f.coef))), row, named("a", "b"))
