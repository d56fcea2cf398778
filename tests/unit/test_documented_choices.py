"""A decision that users are told nothing of is a warning; one that any file for users tells of is not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from statsclaw.review.case import Case
from statsclaw.review.documented_choices import undocumented_choices
from statsclaw.specs.comprehension import Choice, Comprehension
from statsclaw.specs.contract import Contract
from tests.unit.test_review import contract

FEW = {
    "id": "few",
    "question": "What should happen with fewer than two numbers, where (2) is not defined?",
    "options": [
        {"label": "refuse", "consequence": "an error"},
        {"label": "return NaN", "consequence": "callers must look"},
    ],
    "default": 0,
    "changes": "failures",
    "decided_by": "planner",
    "decision": 0,
}


def deciding(**values: object) -> Contract:
    found = contract()
    assert found.comprehension is not None
    choice = Choice.model_validate(FEW | values)
    read: Comprehension = found.comprehension.model_copy(update={"choices": (choice,)})
    return replace(found, comprehension=read)


def told(docs: str = "", code: str = "x = 1\n", roles: tuple[str, ...] = ("builder", "scriber"), **choice: object):
    shown = {"README.md": docs} if docs else {}
    case = Case(roles=roles, contract=deciding(**choice), changed_docs=shown, changed_sources={"src/a.py": code})
    return [(row.severity, row.route_to, row.key, row.message) for row in undocumented_choices(case)]


def test_a_decision_that_is_told_nowhere_is_a_warning_for_whoever_writes() -> None:
    ((severity, role, key, message),) = told("# tinymean\n\nThe mean and its interval.\n")
    assert (severity, role, key) == ("warning", "scriber", "not-documented:few")
    assert message.startswith("few was decided and is documented nowhere in the package: refuse (What should happen")
    assert told(roles=("builder",))[0][1] == "builder"


def test_what_is_told_in_another_passage_of_something_else_is_not_told() -> None:
    assert told("Fewer than two numbers are possible.\n\nNegative weights are refused.\n")
    assert told("Intervals of fewer than two numbers are left to the caller.\n", decision=1)


@pytest.mark.parametrize(
    ("docs", "code", "choice"),
    [
        ("Fewer than two numbers are **refused** with a `ValueError`.\n", "", {}),
        ("", 'def interval(x):\n    """Refuses fewer than two numbers."""\n', {}),
        ("", "#' @details With fewer than two numbers it refuses to answer.\n", {}),
        ("| fewer than two numbers | Refusing |\n", "", {}),
        ("It returns `NaN` for fewer than two numbers.\n", "", {"decision": 1}),
        ("The small-sample factor is left out.\n", "", {"id": "small_sample_factor"}),
    ],
)
def test_a_decision_that_is_told_somewhere_is_not_reported(docs: str, code: str, choice: dict[str, object]) -> None:
    assert told(docs, code, **choice) == []


def test_yes_and_no_are_told_by_what_was_asked() -> None:
    asked = {
        "question": "Is the covariance matrix multiplied by n/(n-k)?",
        "options": [{"label": "yes", "consequence": "wider"}, {"label": "no", "consequence": "as written"}],
        "decision": 1,
    }
    assert told("The covariance matrix is not multiplied by anything.\n", **asked) == []
    assert told("The mean.\n", **asked)


def test_where_nothing_was_changed_or_decided_nothing_is_reported() -> None:
    assert undocumented_choices(Case(roles=("builder",), contract=deciding())) == []
    assert told("The mean.\n", roles=("planner", "scriber")) == []
    assert told("The mean.\n", decided_by="nobody", decision=None) == []
