"""An answer has the types and shapes of the interface, or that is told before anything is compared."""

from __future__ import annotations

import numpy as np
import pytest

from statsclaw.verify.blind.expressions import Answered, Condition
from statsclaw.verify.blind.form import Forms
from statsclaw.verify.blind.inside.statsclaw_wire import Extra
from tests.blind.made import INTERFACE, fit, questionnaire

QUESTIONS = questionnaire(lambda ask: (ask.call("fit", np.zeros(5), np.ones((5, 2))), ask.call("mean", [1.0])))


def faults(value, call=0, language="python"):
    return dict(Forms(INTERFACE, language).faults(QUESTIONS.calls[call], Answered(call, value)))


def test_an_honest_answer_has_no_fault():
    assert faults(fit()) == {} and faults(1.5, 1) == {} and faults(Extra("scalar", np.array(2.0)), 1) == {}


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("coef", np.zeros(3), "its shape is (3), not (2)"),
        ("coef", np.zeros((2, 1)), "its shape is (2, 1), not (2)"),
        ("coef", [0.5, -1.25], "it is no array"),
        ("coef", np.array(["0.5", "1"]), "it holds text, not numbers"),
        ("loglik", "-3.5", "it is a text, not a number"),
        ("loglik", np.zeros(1), "it is not a single number"),
        ("loglik", True, "it is not a single number"),
        ("steps", 4.0, "it is not a whole number"),
        ("converged", 1, "it is no truth value"),
        ("summary", 3, "it is no text"),
        ("coef", Extra("method", "builtins.method"), "it is a method, not an array"),
    ],
)
def test_another_type_or_shape_is_told(field, value, says):
    assert faults(fit(**{field: value})) == {f"fit.{field}": says}


def test_a_missing_field_and_something_that_is_no_object_are_told():
    value = fit()
    del value.value["fields"]["coef"]
    assert faults(value) == {"fit.coef": "the answer does not have it"}
    assert faults(3.0) == {"fit": "it is no object with fields"}


def test_r_keeps_whole_numbers_as_doubles_and_vectors_of_one_as_numbers():
    assert faults(fit(steps=4.0), language="r") == {}
    assert faults(fit(steps=4.5), language="r") == {"fit.steps": "it is not a whole number"}
    one = questionnaire(lambda ask: ask.call("fit", np.zeros(5), np.ones((5, 1)))).calls[0]
    answer = Answered(0, fit(coef=0.5))
    assert list(Forms(INTERFACE, "r").faults(one, answer)) == []
    assert dict(Forms(INTERFACE, "python").faults(one, answer)) == {"fit.coef": "it is no array"}


def test_an_error_has_no_form():
    answer = Answered(0, error=Condition(("ValueError",), "no"))
    assert list(Forms(INTERFACE, "python").faults(QUESTIONS.calls[0], answer)) == []
