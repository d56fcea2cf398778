"""An answer has the types and shapes of the interface, or that is told before anything is compared."""

from __future__ import annotations

import numpy as np
import pytest

from statsclaw.specs.interface import Interface
from statsclaw.verify.blind.expressions import Answered, Condition
from statsclaw.verify.blind.form import Forms
from statsclaw.verify.blind.inside.statsclaw_wire import Extra
from tests.blind.made import INTERFACE, fit, questionnaire
from tests.blind.small_bench import HONEST, small

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


def test_an_argument_that_is_changed_fails_though_no_criterion_speaks_of_it(tmp_path):
    package = (HONEST / "src/tinymean/__init__.py").read_text().replace("m = mean(x)", "m = mean(list(x))")
    sorting = package.replace("    return fsum(x)", "    x.sort()\n    return fsum(x)")
    found = small(tmp_path / "undeclared", package=sorting)
    assert set(found.failed) == {"answers::mean changes its argument x"}
    says_so = (("{name: x, meaning: a sequence of numbers}]", "{name: x, meaning: a sequence, changes: true}]"),)
    assert not small(tmp_path / "declared", changes=says_so, package=sorting).failed


def test_nan_that_the_interface_does_not_name_is_told_and_stops_nobody(tmp_path):
    package = (HONEST / "src/tinymean/__init__.py").read_text()
    package = package.replace("m + z * se)", "m + z * se if len(x) > 3 else float('nan'))")
    found = small(tmp_path / "undeclared", package=package)
    told = [row.message for row in found.findings() if "NaN" in row.message]
    assert told == ["interval.high holds NaN in S6, and the interface does not say that it may (missing: true)"]
    assert not found.failed and all(row.severity == "warning" for row in found.findings())
    says_so = (("{name: high, type: number}", "{name: high, type: number, missing: true}"),)
    assert not small(tmp_path / "declared", changes=says_so, package=package).findings()


def test_a_single_value_of_r_that_has_a_name_is_a_single_value():
    named = {
        "loglik": Extra("named", {"value": np.array([1.5]), "names": ["F"]}),
        "summary": Extra("named", {"value": ["words"], "names": ["a"]}),
        "steps": Extra("named", {"value": np.array([4.0]), "names": ["df"]}),
    }
    assert faults(fit(**named), language="r") == {}
    assert set(faults(fit(**named), language="python")) == {"fit.loglik", "fit.summary", "fit.steps"}
    two = Extra("named", {"value": np.array([1.5, 2.0]), "names": ["a", "b"]})
    assert faults(fit(loglik=two), language="r") == {"fit.loglik": "it is not a single number"}


INNER = [{"name": "inner", "result": "Curve"}]
SHARED = Interface.model_validate(
    {
        "package": "surv",
        "results": {
            "Curve": {
                "type": "object",
                "class_name": "Curve",
                "fields": [
                    {"name": "times", "type": "array", "shape": ["distinct(time)"]},
                    {"name": "survival", "type": "array", "shape": ["length(times)"]},
                    {"name": "jumps", "type": "array", "shape": ["length(times) - 1"]},
                ],
                "methods": [{"name": "at", "arguments": [{"name": "t"}], "returns": {"type": "number"}}],
            },
        },
        "functions": [
            {"name": "km", "arguments": [{"name": "time"}], "returns": "Curve"},
            {"name": "na", "arguments": [{"name": "time"}], "returns": {"type": "object", "fields": INNER}},
            {"name": "test", "returns": {"type": "number", "names": ["F"]}},
        ],
    }
)  # fmt: skip
CURVES = questionnaire(lambda ask: (ask.call("km", [3.0, 1.0, 1.0, 2.0]), ask.call("test")))


def curve(**other):
    fields = {"times": np.arange(3.0), "survival": np.ones(3), "jumps": np.ones(2)} | other
    return Extra("object", {"classes": ["Curve"], "fields": fields, "missing": []})


def test_a_result_that_is_written_once_is_that_of_every_function_that_names_it():
    assert {"km.survival", "km.at", "na.inner.times", "na.inner.at"} <= set(SHARED.elements())


@pytest.mark.parametrize(
    ("other", "says"),
    [
        ({}, {}),
        (
            {"times": np.arange(4.0)},
            {
                "km.times": "its shape is (4), not (3)",
                "km.survival": "its shape is (3), not (4)",
                "km.jumps": "its shape is (2), not (3)",
            },
        ),
        ({"survival": np.ones(4)}, {"km.survival": "its shape is (4), not (3)"}),
        ({"jumps": np.ones(3)}, {"km.jumps": "its shape is (3), not (2)"}),
    ],
)  # fmt: skip
def test_a_length_may_be_that_of_another_part_or_the_number_of_distinct_values(other, says):
    found = dict(Forms(SHARED, "python").faults(CURVES.calls[0], Answered(0, curve(**other))))
    assert found == says


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (Extra("named", {"value": np.array([5.3]), "names": ["F"]}), {}),
        (Extra("named", {"value": np.array([5.3]), "names": ["LM"]}), {"test": "its names are LM, not F"}),
        (5.3, {"test": "its names are missing, not F"}),
    ],
)
def test_names_of_elements_are_part_of_the_form(value, says):
    assert dict(Forms(SHARED, "r").faults(CURVES.calls[1], Answered(1, value))) == says


@pytest.mark.parametrize(
    ("results", "returns", "says"),
    [
        ({}, "Curve", "'Curve' is not among the results"),
        ({"Curve": {"type": "object", "fields": [{"name": "next", "result": "Curve"}]}}, "Curve", "a part of itself"),
    ],
)
def test_a_result_that_is_not_there_or_holds_itself_is_refused(results, returns, says):
    with pytest.raises(ValueError, match=says):
        Interface.model_validate({"package": "p", "results": results, "functions": [{"name": "f", "returns": returns}]})


def test_an_object_that_one_function_describes_is_the_same_where_its_class_is_named():
    interface = Interface.model_validate(
        {
            "package": "p",
            "functions": [
                {
                    "name": "fit",
                    "returns": {
                        "type": "object",
                        "class_name": "Fit",
                        "fields": [{"name": "coef", "type": "number"}],
                        "methods": [{"name": "print", "returns": {"type": "object", "class_name": "Fit"}}],
                    },
                },
            ],
        }
    )
    calls = questionnaire(lambda ask: ask.call(ask.call("fit"), "print")).calls
    forms = Forms(interface, "r")
    assert forms.fields(calls[0]) == forms.fields(calls[1]) == ["coef"]
