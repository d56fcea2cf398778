"""The lint of what is drawn at random, of fields of a study, and of lists of names."""

from __future__ import annotations

import pytest

from statsclaw.specs.contract import Contract
from statsclaw.specs.lint.request import Carrier, _of_study, compare
from statsclaw.specs.lint.stated import bounds_of
from statsclaw.specs.lint.tolerances import tolerance_findings
from statsclaw.specs.sim_spec import StudyCriterion
from statsclaw.specs.test_spec import Criterion, TestSpec
from tests.unit.test_lint import found as found_in
from tests.unit.test_lint import honest


def drawn(severity: str, **more: object) -> list[str]:
    """The findings of a criterion whose quantity varies from seed to seed by 0.01."""
    row = Criterion.model_validate(
        {
            "id": "C9", "quantity": "posterior mean", "rule": "close", "source": "notes.md(1)", "scale": 1.0,
            "of": "mean", "scenarios": ["S1"],
            "tolerance": {"absolute": 0.05}, "limited_by": "Monte Carlo", "monte_carlo_error": 0.01,
            "alternatives": [{"name": "prior as precision", "value": 0.2}],
        }
        | more
    )  # fmt: skip
    tests = TestSpec.model_construct(scenarios=(), criteria=(row,))
    return [found.key for found in tolerance_findings(Contract(), tests) if found.severity == severity]


def test_what_is_drawn_at_random_must_notice_a_fault_that_it_names() -> None:
    assert drawn("error") == drawn("warning") == []
    assert drawn("error", alternatives=[]) == ["no-fault-named:C9"]
    assert drawn("error", alternatives=[{"name": "small", "value": 0.04}]) == ["alternative-accepted:small:C9"]
    assert drawn("error", standard_error=0.2) == ["tolerance-too-wide:C9"], "a fourth of a standard error"


BOAST = {"monte_carlo_error": 1.0, "tolerance": {"absolute": 6.0}, "alternatives": [{"name": "all", "value": 99.0}]}


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"tolerance": {"absolute": 0.0601}}, "more than six times its error"),
        ({"scale": 0.4}, "more than a tenth of the quantity"),
        ({"scale": None}, "nobody knows how large it is"),
        (BOAST, "who states a large error may not be off by as much"),
        ({"monte_carlo_error": None}, "no error is stated"),
        ({"limited_by": "iteration"}, "an error of draws explains nothing else"),
    ],
)
def test_a_tolerance_that_its_error_does_not_explain_is_a_warning(more: dict[str, object], why: str) -> None:
    assert "tolerance-not-explained:C9" in drawn("warning", **more), why
    assert drawn("error", **more) == [], why


def test_the_mean_of_a_distance_is_bounded_by_an_upper_bound_alone() -> None:
    def row(quantity: str) -> Carrier:
        criterion = StudyCriterion(
            id="M9", quantity=quantity, metric="mean", field="gap", method="m", high=0.02, spread=0.01,
            source="notes.md A1", alternatives=({"name": "x", "value": 1.0},),
        )  # fmt: skip
        return _of_study(criterion, 0.95, "sim-spec.md:1")

    (bound,), _ = bounds_of("The posterior means are within 0.1 of the estimate.")
    assert compare(bound, row("largest distance of the posterior mean from the estimate")).kept  # type: ignore[union-attr]
    assert not compare(bound, row("posterior mean less the estimate")).kept  # type: ignore[union-attr]


def test_a_list_of_public_names_is_no_text_in_common() -> None:
    names = "interval.mean interval.se interval.low interval.high " * 3
    documents = honest()
    documents["spec.md"] += f"\n{names}\n"
    documents["test-spec.md"] += f"\n{names}\n"
    assert [key for key in found_in(documents) if key.startswith("overlap")] == []
