"""The lint beside what is known without the planner: the words of sources, usual faults, sizes computed elsewhere."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.honest.bench_lint import honest as honest_material

from statsclaw.runlog.events.finding import Finding
from statsclaw.specs.contract import read_contract
from statsclaw.specs.lint import lint
from statsclaw.specs.lint.scales import suspicious
from statsclaw.specs.lint.smallest_fault import SmallestFault, smallest_faults
from statsclaw.specs.lint.stated import bounds_of
from statsclaw.specs.readings.inputs import Call
from statsclaw.specs.readings.values import largest_values
from tests.unit.test_lint import A2, errors, found, honest, index_of, spoiled, warnings

C1 = "  rule: close\n  tolerance: {absolute: 1e-12, relative: 1e-12}\n"
C2 = "  tolerance: {relative: 1e-10}\n  scale: 1.0\n  standard_error: 1.0\n"


@pytest.mark.parametrize("documents", honest_material(), ids=lambda documents: documents.name)
def test_honest_documents_are_not_stopped(documents) -> None:
    rows = lint(read_contract(documents.texts), documents.texts, documents.index(), checks=documents.checks)
    assert [row.message for row in rows if row.severity == "error" and row.key not in documents.known] == []


# --- the words of a source beside the criterion


@pytest.mark.parametrize(
    ("text", "distance"),
    [
        ("The coefficients agree with glm to 1e-6.", 1e-6),
        ("The log-likelihood agrees with glm to a relative error of 1e-8.", 1e-8),
        ("It matches lm to 1e-6 relative.", 1e-6),
        ("Coefficients match glm to seven digits.", 1e-7),
        ("Accurate to 6 digits.", 1e-6),
        ("Six-digit agreement with glm.", 1e-6),
        ("The standard errors reproduce Table 2 to the third decimal.", 1e-3),
        ("Precise to 1e-9.", 1e-9),
        ("It agrees with theory, and the error goes to zero within 1e-3.", 1e-3),
    ],
)
def test_agreement_to_a_number_is_a_distance(text: str, distance: float) -> None:
    (bound,) = bounds_of(text)[0]
    assert (bound.kind, bound.exact) == ("distance", False)
    assert bound.distance == pytest.approx(distance)


@pytest.mark.parametrize(
    "text",
    [
        "The mean is equal to the mean of its definition.",
        "The estimates equal those of glm.",
        "Coefficients are identical to those of lm.",
        "They agree with glm to machine precision.",
        "The result is exactly 0.25.",
        "The p-value equals 0.0312.",
    ],
)
def test_an_exact_demand_is_read_and_not_carried_by_a_bound_or_a_yes_or_no(text: str) -> None:
    assert [bound.exact for bound in bounds_of(text)[0]] == [True]
    index = index_of(A1=text, A2=A2)
    assert errors(honest(), index) == []
    for rule in ("rule: at most\n  high: 3.0", "rule: between\n  low: -3.0\n  high: 3.0", "rule: at least\n  low: 0.0"):
        rows = found(spoiled("test-spec.md", C1, f"  {rule}\n"), index)
        row = rows["stated-weakened:notes.md A1:C1"]
        assert row.severity == "error" and text.rstrip(".") in row.message and "“difference of the mean" in row.message
    assert "stated-not-carried:notes.md A1:1" in errors(spoiled("test-spec.md", C1, "  rule: holds\n"), index)
    assert errors(spoiled("test-spec.md", C1, "  rule: at most\n  high: 1e-9\n"), index) == []


@pytest.mark.parametrize(
    "text",
    [
        "The same seed gives identical draws.",
        "The intervals are equal-tailed.",
        "Where the variances are equal to those of the prior, a warning comes.",
        "With equal weights nothing changes.",
        "The mean is robust to rounding errors.",
    ],
)
def test_what_demands_no_equality_is_left_alone(text: str) -> None:
    index = index_of(A1=text, A2=A2)
    assert bounds_of(text)[0] == []
    assert errors(spoiled("test-spec.md", C1, "  rule: at most\n  high: 3.0\n"), index) == []


def test_an_exact_demand_of_a_structure_is_told_to_the_person() -> None:
    index = index_of(A1="The number of draws equals n_iter.", A2=A2)
    documents = spoiled("test-spec.md", C1, "  kind: structure\n  rule: holds\n")
    assert found(documents, index)["stated-not-compared:notes.md A1:1"].severity == "warning"
    counted = found(documents, index_of(A1="There are exactly 4 fields.", A2=A2))
    assert counted["stated-not-compared:notes.md A1:1"].severity == "warning"


def test_an_exact_demand_of_what_is_drawn_is_only_noted() -> None:
    drawn = "  rule: close\n  tolerance: {absolute: 0.02}\n  limited_by: Monte Carlo\n  monte_carlo_error: 0.01\n"
    drawn += "  alternatives: [{name: prior left out, value: 0.5}]\n"
    index = index_of(A1="Under a flat prior the posterior mean equals the estimate.", A2=A2)
    rows = found(spoiled("test-spec.md", C1, drawn), index)
    assert rows["stated-not-compared:notes.md A1:1"].severity == "note"
    excused = "  rule: at most\n  high: 3.0\n  limited_by: Monte Carlo\n"
    assert "stated-weakened:notes.md A1:C1" in errors(spoiled("test-spec.md", C1, excused), index)
    named = excused + "  alternatives: [{name: limits ignored, value: 70.0}]\n"
    rows = found(spoiled("test-spec.md", C1, named), index)
    assert rows["stated-not-compared:notes.md A1:1"].severity == "warning"


@pytest.mark.parametrize("text", ["The ratio is between 0.4 and 0.6.", "The share is at most 12 %.", "Below 0.35."])
def test_a_number_is_not_carried_by_a_yes_or_no(text: str) -> None:
    documents = spoiled("test-spec.md", C1, "  rule: holds\n")
    assert errors(documents, index_of(A1=text, A2=A2)) == ["stated-not-carried:notes.md A1:1"]
    assert errors(documents, index_of(A1="At least 2 columns are taken.", A2=A2)) == []


BOUNDED = ("  rule: close\n" + C2, "  rule: between\n  low: 0.0\n  high: 10.0\n")
SHIFT = ("  rule: close\n  tolerance: {relative: 1e-9}\n", "  rule: between\n  low: -10.0\n  high: 10.0\n")


def bounded(extra: str = "") -> dict[str, str]:
    documents = honest()
    made = documents["test-spec.md"].replace(BOUNDED[0], BOUNDED[1] + extra).replace(*SHIFT)
    return documents | {"test-spec.md": made}


def test_a_formula_is_not_carried_by_wide_bounds_alone() -> None:
    assert set(errors(bounded())) == {"formula-only-bounded:C2", "formula-only-bounded:C3"}
    assert errors(spoiled("test-spec.md", *BOUNDED)) == [], "C3 still compares"
    assert errors(bounded("  alternatives: [{name: divisor n, value: 11.0}]\n")) == ["formula-only-bounded:C3"]


# --- the smallest fault


def faults(documents: dict[str, str]) -> dict[tuple[str, str], SmallestFault]:
    study = read_contract(documents).study
    assert study is not None
    return {(row.criterion, row.kind): row for row in smallest_faults(study)}


def test_the_smallest_fault_is_noticed_in_99_of_100_simulated_studies() -> None:
    rows = faults(honest())
    factor = 1 - (rows["M2", "se too small"].smallest or 0.0)
    rng = np.random.default_rng(3)
    deviations = np.std(rng.normal(size=(4000, 1000)), axis=1, ddof=1)
    ratios = factor / deviations
    assert np.mean((ratios >= 0.9) & (ratios <= 1.1)) == pytest.approx(0.01, abs=0.006)
    shrunk = 1 - (rows["M1", "se too small"].smallest or 0.0)
    covered = np.mean(np.abs(rng.normal(size=(4000, 1000))) <= 1.959964 * shrunk, axis=1)
    assert np.mean((covered >= 0.92) & (covered <= 0.98)) == pytest.approx(0.01, abs=0.006)


def test_standard_faults_that_pass_are_named() -> None:
    rows = faults(honest())
    assert rows["M1", "se too small"].missed == ("standard errors 10 % too small",)
    assert rows["M1", "se too small"].text == "standard errors 17 % too small"
    assert rows["M1", "bias"].missed == ("a bias of 0.25 EmpSE", "a bias of 0.5 EmpSE")


M3 = """  - id: M3
    quantity: once more
    metric: {metric}
    parameter: mu
    method: interval
    {band}
    source: planner
    alternatives: [{{name: nothing works at all, value: {value}}}]
  - id: M2
"""


def with_m3(metric: str, band: str, value: float) -> dict[str, str]:
    row = M3.format(metric=metric, band=band.replace(", ", "\n    "), value=value)
    return spoiled("sim-spec.md", "  - id: M2\n", row)


@pytest.mark.parametrize(
    ("metric", "band", "value"),
    [
        ("bias", "low: -3.0, high: 3.0, spread: 0.32", 100.0),
        ("bias", "high: 0.05, spread: 0.32", 100.0),
        ("coverage", "low: 0.3, high: 0.949", 0.1),
        ("rejection", "low: 0.0, high: 0.6", 0.99),
        ("failure_rate", "high: 0.8", 1.0),
        ("empse", "low: 0.05, high: 2.0", 10.0),
        ("modse", "low: 0.1, high: 1.0", 10.0),
    ],
)
def test_a_band_that_only_nonsense_would_miss(metric: str, band: str, value: float) -> None:
    row = found(with_m3(metric, band, value))["smallest-fault:M3"]
    assert row.severity == "error" and "“nothing works at all”" in row.message


@pytest.mark.parametrize(
    ("metric", "band", "value"),
    [
        ("bias", "low: -0.05, high: 0.05, spread: 0.32", 0.3),
        ("bias", "low: 0.2, high: 0.3, spread: 0.32", 0.0),
        ("coverage", "low: 0.84, high: 0.902", 0.95),
        ("rejection", "low: 0.03, high: 0.08", 0.2),
        ("rejection", "low: 0.8", 0.5),
        ("failure_rate", "high: 0.01", 0.05),
        ("empse", "low: 0.28, high: 0.36", 0.6),
    ],
)
def test_a_band_that_notices_usual_faults_is_left_alone(metric: str, band: str, value: float) -> None:
    assert "smallest-fault:M3" not in found(with_m3(metric, band, value))


def test_two_criteria_may_share_the_edges_of_a_band() -> None:
    upper = M3.format(metric="bias", band="high: 0.05\n    spread: 0.32", value=0.3)
    lower = upper.replace("M3", "M4").replace("high: 0.05", "low: -0.05").replace("  - id: M2\n", "")
    lower = lower.replace("value: 0.3", "value: -0.3")
    keys = found(spoiled("sim-spec.md", "  - id: M2\n", lower + upper))
    assert not [key for key in keys if key.startswith("smallest-fault")]


def test_a_stated_band_that_notices_little_is_told_to_the_person() -> None:
    documents = spoiled("sim-spec.md", "    low: 0.92\n", "    low: 0.7\n")
    rows = found(documents, index_of(A1="The mean agrees within 1e-10.", A2="The interval covers in at least 70 %."))
    assert rows["smallest-fault:M1"].severity == "warning"


# --- sizes


def scaled(c2: str, c3: str = "scale: 1.0") -> dict[str, str]:
    documents = spoiled("test-spec.md", C2, c2)
    old = "  tolerance: {relative: 1e-9}\n  scale: 1.0"
    assert old in documents["test-spec.md"]
    made = documents["test-spec.md"].replace(old, f"  tolerance: {{relative: 1e-9}}\n  {c3}")
    return documents | {"test-spec.md": made}


def test_a_scale_far_beyond_another_of_the_same_element() -> None:
    row = found(scaled("  tolerance: {absolute: 0.5}\n  scale: 900.0\n"))["size-far-off:C2:scale"]
    assert row.severity == "warning" and "900" in row.message and "C3 states 1" in row.message
    assert "size-far-off:C2:scale" not in found(scaled("  tolerance: {absolute: 1e-9}\n  scale: 900.0\n"))
    assert "size-far-off:C2:scale" not in found(scaled("  tolerance: {absolute: 0.0001}\n  scale: 20.0\n"))


def test_a_standard_error_far_beyond_another_or_beyond_the_quantity() -> None:
    own = "  tolerance: {absolute: 0.5}\n  scale: 1.0\n  standard_error: 900.0\n  limited_by: Monte Carlo\n"
    assert (errors(scaled(own)), warnings(scaled(own))) == ([], ["standard-error-beyond-scale:C2"])
    assert "size-far-off:C2:standard_error" in warnings(scaled(own, "scale: 1.0\n  standard_error: 1.0"))


def with_values(documents: dict[str, str], computed: dict[str, float] | None) -> dict[str, Finding]:
    rows = lint(read_contract(documents), documents, index_of(A1="It agrees within 1e-10.", A2=A2), computed=computed)
    return {row.key: row for row in rows}


def test_a_scale_beside_what_the_definitions_compute() -> None:
    documents = scaled("  tolerance: {absolute: 0.5}\n  scale: 900.0\n", "scale: 900.0")
    assert suspicious(read_contract(documents)) and not suspicious(read_contract(honest()))
    unknown = with_values(documents, None)["scale-decides:C2"]
    assert unknown.severity == "warning" and "nothing that can be computed" in unknown.message
    assert "at most 3" in with_values(documents, {"notes.md(2)": 3.0})["scale-decides:C2"].message
    assert "scale-decides:C2" not in with_values(documents, {"notes.md(2)": 800.0})


def test_a_spread_far_beyond_that_of_the_same_estimates() -> None:
    small = M3.format(metric="bias", band="low: -0.05\n    high: 0.05\n    spread: 0.3", value=0.3)
    large = small.replace("M3", "M4").replace("spread: 0.3", "spread: 30.0").replace("  - id: M2\n", "")
    assert "spread-far-off:M4" in warnings(spoiled("sim-spec.md", "  - id: M2\n", large + small))


def test_the_largest_value_of_each_equation() -> None:
    definitions = read_contract(honest()).comprehension.definitions  # type: ignore[union-attr]
    calls = [Call("mean", {"x": [1.0]}, {}), Call("mean", {"x": [2.0]}, {}), Call("variance", {"x": [1.0]}, {})]
    written = [{"value": -3.0}, {"value": 2.0}, {"error": "ValueError"}]
    assert largest_values(definitions, calls, written) == {"notes.md(1)": 3.0}
    assert largest_values(definitions, calls, None) == {}
