"""What is only suspected stops nobody: honest contracts and packages that look like something else."""

from __future__ import annotations

import pytest

from statsclaw.sources.index import Extracted, Index, StatedCriterion
from statsclaw.specs.contract import read_contract
from statsclaw.specs.lint import _bounded, lint
from statsclaw.specs.lint.found import finding
from tests.unit.test_lint import NOTES, errors, honest, spoiled, warnings

SPOKEN = "The limits are the mean plus and minus the quantile times the standard error."


@pytest.mark.parametrize("file", ["spec.md", "sim-spec.md"])
@pytest.mark.parametrize(
    "added",
    [
        "Stop as soon as a step is shorter than 1e-12.",
        "Two values are the same if they differ by less than 1e-9.",
        "Refuse a constant sample with the message “all 3 numbers lie within 1e-10”.",
        "A p-value below 0.05 or 0.01 is marked.",
        "The coverage is near 92 %, at most 98 %.",
    ],
)
def test_a_usual_number_that_is_also_a_bound_is_not_even_a_warning(added: str, file: str) -> None:
    documents = honest()
    documents[file] += f"\n{added}\n"
    assert (errors(documents), warnings(documents)) == ([], [])


def test_one_threshold_may_stop_a_computation_and_bound_its_error() -> None:
    documents = spoiled("test-spec.md", "tolerance: {relative: 1e-9}", "tolerance: {relative: 1e-8}")
    documents["spec.md"] += "\nThe weights are computed until none changes by more than 1e-8.\n"
    assert (errors(documents), warnings(documents)) == ([], [])


def test_what_the_source_or_the_request_states_may_stand_everywhere() -> None:
    documents = spoiled("sim-spec.md", "low: 0.92\n", "low: 0.925\n")
    documents["spec.md"] += "\nIntervals cover the mean in 92.5 % of samples and more.\n"
    assert warnings(documents) == ["number-leaked:spec.md:bound:0.925"]

    def leaked(source: str = NOTES, request: str = "") -> list[str]:
        text = "The 95% interval covers the true mean in between 92.5% and 98% of samples of size 40."
        stated = StatedCriterion("notes.md A2", "notes.md", "A2", text)
        index = Index((Extracted("notes.md", "0" * 64, "markdown", source, criteria=(stated,)),))
        rows = lint(read_contract(documents), documents, index, request=request)
        return [row.key for row in rows if row.key.startswith("number-leaked")]

    assert leaked() == ["number-leaked:spec.md:bound:0.925"]
    assert leaked(source=f"{NOTES}\nAt least 92.5 %.\n") == []
    assert leaked(request="Cover the mean in at least 92.5 % of samples.") == []


def test_public_behaviour_may_be_told_to_both_in_the_same_words() -> None:
    documents = honest()
    documents["spec.md"] += f"\n{SPOKEN}\n"
    documents["test-spec.md"] += f"\n{SPOKEN}\n"
    assert errors(documents) == []
    (key,) = warnings(documents)
    assert key.startswith("overlap:test-spec.md:")


@pytest.mark.parametrize(
    ("file", "added"),
    [
        ("test-spec.md", "What users see of Algorithm 1:\n\n1. few numbers are refused\n2. limits are in order\n"),
        ("spec.md", "Testing for normality is left to users; a simulation study in the literature advises that."),
        ("spec.md", "Write C2 for the second constant of the expansion and S3 for the third sum."),
        ("test-spec.md", "The builder of a confidence interval chooses its level."),
    ],
)
def test_words_that_sound_like_another_role_are_at_most_a_warning(file: str, added: str) -> None:
    documents = honest()
    documents[file] += f"\n{added}\n"
    assert errors(documents) == []


def test_a_seed_that_is_also_a_count_or_a_year_is_at_most_a_warning() -> None:
    documents = spoiled("sim-spec.md", "seed: 20260101", "seed: 1987")
    documents["spec.md"] += "\nThe estimator is that of Newey and West (1987).\n"
    assert (errors(documents), warnings(documents)) == ([], ["number-leaked:spec.md:seed:1987"])


def test_an_error_beside_a_criterion_that_names_no_call_is_at_most_a_warning() -> None:
    both = "id: C9, quantity: whatever is returned, scenarios: [S4], rule: at least, low: 0.0, source: planner"
    documents = spoiled("test-spec.md", "- id: C3\n", f"- {{{both}}}\n- id: C3\n")
    assert not [key for key in errors(documents) if key.startswith("raises-and-returns")]


@pytest.mark.parametrize(("severities", "last"), [("w" * 301, "warning"), ("w" * 301 + "e", "warning")])
def test_many_warnings_are_no_error_and_hide_none(severities: str, last: str) -> None:
    plain = {"w": "warning", "e": "error"}
    rows = [finding("leaks", plain[kind], "m", "", f"k{n}") for n, kind in enumerate(severities)]  # type: ignore[arg-type]
    shown = _bounded("leaks", rows)
    assert [row.severity for row in shown].count("error") == severities.count("e")
    assert shown[-1].key == "too-many:leaks" and shown[-1].severity == last
