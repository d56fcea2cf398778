"""The lint at the freeze: what it finds in spoiled versions of the honest example, and what it leaves alone."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from statsclaw.runlog.events.finding import Finding
from statsclaw.sources.index import Extracted, Index, StatedCriterion
from statsclaw.specs.contract import read_contract
from statsclaw.specs.lint import lint, passing_probability, pilot_finding, power_table
from statsclaw.specs.lint.distributions import t_quantile
from statsclaw.specs.lint.stated import bounds_of

HONEST = Path(__file__).parent.parent / "support" / "honest"
NOTES = (HONEST / "sources" / "notes.md").read_text(encoding="utf-8")
A1 = "The mean agrees with its definition within 1e-10."
A2 = "The 95% interval covers the true mean in between 92% and 98% of samples of size 40."


def index_of(**texts: str) -> Index:
    rows = tuple(StatedCriterion(f"notes.md {key}", "notes.md", key, text) for key, text in texts.items())
    return Index((Extracted("notes.md", "0" * 64, "markdown", NOTES, criteria=rows),))


def honest() -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in (HONEST / "out").iterdir()}


def spoiled(file: str, old: str, new: str) -> dict[str, str]:
    documents = honest()
    assert old in documents[file], old
    return documents | {file: documents[file].replace(old, new, 1)}


def found(documents: dict[str, str], index: Index | None = None, checks: tuple[str, ...] = ()) -> dict[str, Finding]:
    rows = lint(read_contract(documents), documents, index or index_of(A1=A1, A2=A2), checks=checks)
    assert all(row.route_to == "planner" and row.where and row.key for row in rows)
    assert len({row.key for row in rows}) == len(rows), "a key stands for one finding"
    return {row.key: row for row in rows}


def warnings(documents: dict[str, str], index: Index | None = None) -> list[str]:
    """Without the one that the honest example deserves."""
    rows = found(documents, index)
    return [key for key, row in rows.items() if row.severity == "warning" and not key.startswith("condition-not")]


def errors(documents: dict[str, str], index: Index | None = None) -> list[str]:
    return [key for key, row in found(documents, index).items() if row.severity == "error"]


def test_the_honest_example_has_no_error_and_one_deserved_warning() -> None:
    rows = found(honest())
    assert list(rows) == ["condition-not-checked:interval:raises:ValueError:level"]
    assert next(iter(rows.values())).severity == "warning"


# --- coverage


def test_a_scenario_without_a_criterion() -> None:
    rows = found(spoiled("test-spec.md", "scenarios: [S6]", "scenarios: [S5]"))
    row = rows["scenario-without-criterion:S6"]
    assert row.severity == "error" and "S6" in row.message
    assert honest()["test-spec.md"].split("\n")[int(row.where.split(":")[1]) - 1].startswith("- {id: S6")


@pytest.mark.parametrize(
    ("file", "old", "new", "key"),
    [
        ("test-spec.md", "scenarios: [S1]", "scenarios: [S1, S9]", "no-such-scenario:C1:S9"),
        ("test-spec.md", "  of: mean\n", "  of: mean\n  reference: R9\n", "no-such-reference:C1:R9"),
        ("test-spec.md", "check: build", "check: bild", "no-such-check:C7:bild"),
        ("test-spec.md", "of: interval.se\n", "of: interval.sd\n", "no-such-element:C2:interval.sd"),
        (
            "test-spec.md",
            "exercises: [mean], inputs: 30",
            "exercises: [median], inputs: 30",
            "no-such-element:S1:median",
        ),
        ("spec.md", "yields: [interval.se]", "yields: [interval.sd]", "no-such-element:B2:interval.sd"),
        ("sim-spec.md", "id: M1", "id: C1", "id-twice:C1"),
        ("sim-spec.md", "id: cover", "id: S1", "id-twice:S1"),
    ],
)
def test_names_must_exist_once(file: str, old: str, new: str, key: str) -> None:
    assert key in errors(spoiled(file, old, new))


@pytest.mark.parametrize("packages", [(), ("tinymean",), ("other", "tinymean")])
def test_an_interface_of_the_target_may_be_one_of_several_packages_or_the_first(packages: tuple[str, ...]) -> None:
    rows = lint(read_contract(honest()), honest(), index_of(), packages=packages)
    assert not [row for row in rows if row.key.startswith("other-package")]


@pytest.mark.parametrize(("packages", "errors_of"), [((), ["no-base:C6"]), (("tinymean",), [])])
def test_what_is_compared_with_the_package_as_it_was_needs_one(packages: tuple[str, ...], errors_of: list[str]) -> None:
    old = next(line for line in honest()["test-spec.md"].splitlines() if "id: C6" in line)
    documents = spoiled("test-spec.md", old, old.replace("rule: holds", "rule: same as base"))
    rows = lint(read_contract(documents), documents, index_of(), packages=packages)
    assert [row.key for row in rows if row.key.startswith("no-base")] == errors_of


@pytest.mark.parametrize(("name", "is_own"), [("statistics", False), ("space.tinymean", True), ("tinymean.sub", True)])
def test_an_interface_of_another_package_than_the_target_is_an_error_that_names_both(name: str, is_own: bool) -> None:
    documents = spoiled("interface.md", "package: tinymean", f"package: {name}")
    rows = lint(read_contract(documents), documents, index_of(), packages=["tinymean"])
    found = [row.message for row in rows if row.severity == "error" and row.key == f"other-package:{name}"]
    assert found == ([] if is_own else [f"The interface is that of the package “{name}”; the target has tinymean."])


@pytest.mark.parametrize(
    ("new", "says"),
    [
        ("  scenarios: [S2]", "names no element of the interface"),
        ("  of: interval.mean\n  scenarios: [S2]", "is of interval.mean"),
        ("  of: interval.se\n  scenarios: [S2]", ""),
        ("  of: interval\n  scenarios: [S2]", ""),
    ],
)
def test_a_criterion_of_an_equation_is_of_what_its_steps_yield(new: str, says: str) -> None:
    documents = spoiled("test-spec.md", "  of: interval.se\n  scenarios: [S2]", new)
    row = found(documents).get("other-element:C2")
    assert (row is not None) is bool(says)
    if row is not None:
        assert row.severity == "warning"
        assert "carries notes.md(2), which gives interval.se, and " + says in row.message


def test_a_check_that_the_run_has_may_be_named() -> None:
    documents = spoiled("test-spec.md", "check: build", "check: docs")
    assert "no-such-check:C7:docs" in found(documents)
    assert "no-such-check:C7:docs" not in found(documents, checks=("docs",))


@pytest.mark.parametrize(
    ("file", "old", "new", "key"),
    [
        ("test-spec.md", ", interval.high]", "]", "step-not-exercised:B3:interval.high"),
        ("test-spec.md", ", interval.high]", "]", "never-exercised:interval.high"),
        ("spec.md", "yields: [mean, interval.mean]", "yields: [interval.mean]", "exercised-not-yielded:S1:mean"),
        (
            "test-spec.md",
            "error: ValueError, message: two numbers",
            "error: TypeError, message: two numbers",
            "condition-not-checked:interval:raises:ValueError:two numbers",
        ),
        (
            "test-spec.md",
            "error: ValueError, message: two numbers",
            "error: ValueError, message: numbers",
            "condition-not-stated:C5",
        ),
        ("comprehension.md", "label: refuse", "label: winsorise silently", "decision-not-carried:few"),
    ],
)
def test_what_is_not_carried_is_a_warning(file: str, old: str, new: str, key: str) -> None:
    assert found(spoiled(file, old, new))[key].severity == "warning"


# --- the request


@pytest.mark.parametrize(
    ("text", "low", "high", "distance"),
    [
        (A1, None, None, 1e-10),
        (A2, 0.92, 0.98, None),
        ("Bias is at most 0.05 in absolute value for n ≥ 500.", None, 0.05, None),
        ("The relative error is below 1e-6.", None, 1e-6, None),
        ("Estimates match R to 6 significant digits.", None, None, 1e-6),
        ("Agrees to eight digits.", None, None, 1e-8),
        ("At least 5× faster than the reference.", 5, None, None),
        ("The speed-up is fivefold or more.", 5, None, None),
        ("Twice as fast as before.", 2, None, None),
        ("The fit takes no more than 2 seconds for n = 10,000.", None, 2, None),
        ("Runs in under 200 ms.", None, 0.2, None),
        ("The acceptance rate is between 20% and 50%.", 0.2, 0.5, None),
        ("0 errors in 1000 replications.", None, 0, None),
        ("There are no warnings.", None, 0, None),
        ("Coverage does not exceed 0.98.", None, 0.98, None),
        ("Coverage is not below 92 per cent.", 0.92, None, None),
        ("Coverage is 0.95 ± 0.02.", None, None, 0.02),
        ("Coverage within 2 percentage points of 0.95.", None, None, 0.02),
        ("Coverage lies in [0.92, 0.98].", 0.92, 0.98, None),
        ("Coverage of 92–98 %.", 0.92, 0.98, None),
        ("$0.92 \\le$ coverage $\\le 0.98$ when n is at least 200.", 0.92, 0.98, None),
        ("The maximum absolute difference is less than $10^{-8}$.", None, 1e-8, None),
        ("Differences of 2 × 10⁻³ or less.", None, 2e-3, None),
        ("The type I error is at most 7%.", None, 0.07, None),
        ("At least 950 of 1000 intervals cover.", 0.95, None, None),
        ("Power is at least 80 % with at least 100 observations.", 0.8, None, None),
        ("With at least 1000 replications, the bias is smaller than 0.01.", None, 0.01, None),
        ("The RMSE must not be larger than 0.3.", None, 0.3, None),
        ("At most one percent of fits fail.", None, 0.01, None),
        ("The gradient norm is < 1e-8.", None, 1e-8, None),
        ("Coefficients agree within a relative tolerance of 1e-6.", None, None, 1e-6),
        ("Ratios from 0.9 to 1.1.", 0.9, 1.1, None),
        ("For samples of 50 to 500 observations the difference stays under 0.001.", None, 0.001, None),
        ("Never more than 3% of the draws are rejected.", None, 0.03, None),
    ],
)
def test_phrases_are_read(text: str, low: float | None, high: float | None, distance: float | None) -> None:
    (bound,) = bounds_of(text)[0]
    for given, expected in ((bound.low, low), (bound.high, high), (bound.distance, distance)):
        assert (given is None) == (expected is None)
        assert given is None or given == pytest.approx(expected)


@pytest.mark.parametrize(
    "text",
    [
        "for all n > 50, k < 5",
        "with at least 1000 replications",
        "samples of at least 500",
        "for n between 50 and 500",
        "see equations (1, 2) on pages 3 to 5",
        "when 2 ≤ k ≤ 10",
    ],
)
def test_restrictions_are_no_bounds(text: str) -> None:
    assert bounds_of(text)[0] == []


def test_a_sentence_may_hold_two_bounds() -> None:
    first, second = bounds_of("|bias| <= 0.02 and coverage >= 0.93.")[0]
    assert (first.high, first.topic, first.two_sided) == (0.02, "bias", True)
    assert (second.low, second.topic) == (0.93, "coverage")


def test_a_stated_criterion_that_nobody_carries() -> None:
    index = index_of(A1=A1, A2=A2, A3="The variance is not negative.")
    assert "stated-not-carried:notes.md A3" in errors(honest(), index)
    assert "stated-not-carried:notes.md A1" in errors(
        spoiled("test-spec.md", "source: notes.md A1", "source: notes.md A10")
    )


def test_the_same_id_of_two_sources_is_not_confused() -> None:
    notes = index_of(A1=A1, A2=A2).sources[0]
    asked = StatedCriterion("request A1", "request", "A1", "The mean agrees within 1e-9.")
    index = Index((notes, Extracted("request", "0" * 64, "text", criteria=(asked,))))
    assert errors(honest(), index) == ["stated-not-carried:request A1"]


def test_a_criterion_that_is_named_by_a_number_is_carried_by_its_whole_name_only() -> None:
    """The sources of the honest example name equations such as notes.md(1)."""
    rows = (StatedCriterion("notes.md 1", "notes.md", "1", A1), StatedCriterion("notes.md 1@41", "notes.md", "1", A1))
    index = Index((Extracted("notes.md", "0" * 64, "markdown", NOTES, criteria=rows),))
    wanted = ["stated-not-carried:notes.md 1", "stated-not-carried:notes.md 1@41"]
    assert errors(spoiled("test-spec.md", "source: notes.md A1", "source: notes.md(1)"), index) == wanted
    assert errors(spoiled("test-spec.md", "source: notes.md A1", "source: notes.md 1"), index) == wanted[1:]
    assert errors(spoiled("test-spec.md", "source: notes.md A1", "source: notes.md 1@41"), index) == wanted[:1]


@pytest.mark.parametrize(
    ("file", "old", "new", "numbers"),
    [
        ("test-spec.md", "{absolute: 1e-12, relative: 1e-12}", "{absolute: 2e-10}", ("1e-10", "2e-10")),
        ("test-spec.md", "{absolute: 1e-12, relative: 1e-12}", "{lre: 9}", ("1e-10", "1e-09")),
        ("sim-spec.md", "low: 0.92", "low: 0.91", ("0.92", "0.91")),
        ("sim-spec.md", "high: 0.98", "high: 0.99", ("0.98", "0.99")),
        ("sim-spec.md", "    high: 0.98\n", "", ("0.98", "anything")),
    ],
)
def test_a_stated_criterion_may_not_be_weakened(file: str, old: str, new: str, numbers: tuple[str, str]) -> None:
    rows = [row for key, row in found(spoiled(file, old, new)).items() if key.startswith("stated-weakened")]
    assert len(rows) == 1 and rows[0].severity == "error"
    assert all(number in rows[0].message for number in numbers)


def test_a_stricter_criterion_is_fine() -> None:
    assert errors(spoiled("sim-spec.md", "low: 0.92", "low: 0.935")) == []


def test_a_strict_criterion_beside_a_wide_one_does_not_excuse_it() -> None:
    strict = """  - id: M3
    quantity: coverage again
    metric: coverage
    parameter: mu
    method: interval
    low: 0.93
    high: 0.97
    source: notes.md A2
    alternatives: [{name: shrunken, value: 0.859}]
  - id: M2"""
    documents = spoiled("sim-spec.md", "  - id: M2", strict)
    assert errors(documents) == []
    documents["sim-spec.md"] = documents["sim-spec.md"].replace("low: 0.92", "low: 0.90")
    assert errors(documents) == ["stated-weakened:notes.md A2:M1"]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Coverage is within 0.03 of the nominal level.", True),
        ("Coverage is within 0.02 of the nominal level.", False),
        ("Coverage is 0.95 ± 0.03.", True),
        ("Coverage is 0.95 ± 0.01.", False),
        ("Coverage is at least 92 %.", True),
        ("Coverage is at least 93 %.", False),
        ("At least 92 of 100 intervals cover.", True),
        ("At least 93 of 100 intervals cover.", False),
        ("The interval covers in no more than 98 % of samples, for n ≥ 500.", True),
        ("The interval covers in no more than 97 % of samples, for n ≥ 500.", False),
    ],
)
def test_coverage_is_compared_in_any_phrasing(text: str, kept: bool) -> None:
    keys = errors(honest(), index_of(A1=A1, A2=text))
    assert keys == ([] if kept else ["stated-weakened:notes.md A2:M1"])


def test_what_cannot_be_compared_and_another_quantity_in_words_are_warnings() -> None:
    rows = found(honest(), index_of(A1="At least 5× faster than R.", A2=A2))
    assert rows["stated-not-compared:notes.md A1:1"].severity == "warning"
    documents = spoiled("test-spec.md", "quantity: difference of the mean from", "quantity: bias of the mean beside")
    rows = found(documents, index_of(A1="The coverage is within 0.01 of 0.95.", A2=A2))
    assert rows["stated-not-compared:notes.md A1:1"].severity == "warning"


def test_a_stated_metric_that_only_another_metric_carries_is_not_carried() -> None:
    documents = spoiled("sim-spec.md", "source: planner", "source: notes.md A3")
    rows = found(documents, index_of(A1=A1, A2=A2, A3="The bias is at most 0.05."))
    row = rows["stated-not-carried:notes.md A3:1"]
    assert row.severity == "error" and "M2 carries it and is about se_ratio" in row.message


def test_a_stated_metric_is_carried_beside_another_and_a_bias_by_the_rmse() -> None:
    documents = spoiled("sim-spec.md", "source: planner", "source: notes.md A2")
    assert errors(documents) == [], "M1 carries the coverage, whatever M2 adds"
    rmse = spoiled("sim-spec.md", "metric: se_ratio", "metric: rmse")
    rmse["sim-spec.md"] = rmse["sim-spec.md"].replace("source: planner", "source: notes.md A3")
    rows = found(rmse, index_of(A1=A1, A2=A2, A3="The bias is at most 1.1."))
    assert rows["stated-not-compared:notes.md A3:1"].severity == "warning"


def carried_by_c6(text: str) -> dict[str, Finding]:
    """C6, which holds or does not, says that it carries A3."""
    documents = spoiled(
        "test-spec.md", "rule: holds, source: planner}\n- {id: C7", "rule: holds, source: A3}\n- {id: C7"
    )
    return found(documents, index_of(A1=A1, A2=A2, A3=text))


def test_a_stated_tolerance_is_not_carried_by_a_yes_or_no() -> None:
    for text in ("Means agree within 1e-10.", "The coverage is at least 93 %.", "The largest error is below 1e-8."):
        row = carried_by_c6(text)["stated-not-carried:notes.md A3:1"]
        assert row.severity == "error" and "C6" in row.message
    assert carried_by_c6("It runs in less than 5 seconds.")["stated-not-compared:notes.md A3:1"].severity == "warning"


def test_a_statement_without_a_number_or_about_an_error_is_carried_by_a_yes_or_no() -> None:
    assert not [key for key in carried_by_c6("There are no warnings.") if "A3" in key]
    assert not [key for key in carried_by_c6("The argument is left alone.") if "A3" in key]
    documents = spoiled("test-spec.md", "message: two numbers, source: notes.md(2)", "message: two numbers, source: A3")
    rows = found(documents, index_of(A1=A1, A2=A2, A3="A level that is not between 0 and 1 is refused."))
    assert rows["stated-not-compared:notes.md A3:1"].severity == "note"


def sizes(text: str, cells: str = "    cells: {n: [4000]}\n") -> dict[str, str]:
    """Key and severity of what is said about sizes, for M1 in some cells of a grid with n = 40 and 4000."""
    documents = spoiled("sim-spec.md", "grid: {n: [40]}", "grid: {n: [40, 4000]}")
    documents["sim-spec.md"] = documents["sim-spec.md"].replace("    low: 0.92\n", f"{cells}    low: 0.92\n")
    rows = found(documents, index_of(A1=A1, A2=f"The interval covers in between 92% and 98% of samples {text}."))
    return {key: row.severity for key, row in rows.items() if key.startswith("stated-size-left-out")}


@pytest.mark.parametrize(
    "text", ["of size 40", "with n = 40", "of size 4000 and 40", "of sizes 40, 4000", "for n ≥ 40", "($n = 40$)"]
)
def test_a_stated_size_must_be_among_the_cells(text: str) -> None:
    assert sizes(text) == {"stated-size-left-out:notes.md A2:n=40": "error"}
    assert sizes(text, cells="") == {}


@pytest.mark.parametrize(
    "text", ["of size 4000", "for n > 40", "of more than 40", "in 40 tables", "of size 4000 (see 40)"]
)
def test_what_is_no_size_or_is_among_the_cells_is_left_alone(text: str) -> None:
    assert sizes(text) == {}


def test_a_size_that_is_only_counted_or_not_in_the_grid_is_a_warning() -> None:
    assert sizes("with 40 observations") == {"stated-size-left-out:notes.md A2:n=40": "warning"}
    assert sizes("of size 100") == {"stated-size-left-out:notes.md A2:n=100": "warning"}


def test_two_criteria_may_share_the_stated_sizes() -> None:
    other = """  - id: M3
    quantity: coverage again
    metric: coverage
    parameter: mu
    method: interval
    cells: {n: [40]}
    low: 0.92
    high: 0.98
    source: notes.md A2
    alternatives: [{name: shrunken, value: 0.859}]
  - id: M2"""
    documents = spoiled("sim-spec.md", "grid: {n: [40]}", "grid: {n: [40, 4000]}")
    text = documents["sim-spec.md"].replace("    low: 0.92\n", "    cells: {n: [4000]}\n    low: 0.92\n")
    documents["sim-spec.md"] = text.replace("  - id: M2", other)
    assert errors(documents) == []


def test_a_bias_must_be_bounded_on_both_sides() -> None:
    bias = """    metric: bias
    parameter: mu
    method: interval
    high: 0.05
    spread: 0.316
    source: notes.md A3
    alternatives: [{name: shifted, value: 0.1}]"""
    old = honest()["sim-spec.md"].split("standard deviation of the means\n")[1].split("\n```")[0]
    documents = spoiled("sim-spec.md", old, bias)
    index = index_of(A1=A1, A2=A2, A3="The bias is at most 0.05.")
    assert "stated-weakened:notes.md A3:M2" in errors(documents, index)
    documents = spoiled("sim-spec.md", old, bias.replace("    high:", "    low: -0.05\n    high:"))
    assert errors(documents, index) == []


def test_an_equation_that_a_step_uses_and_nobody_computed_twice() -> None:
    documents = spoiled(
        "comprehension.md", "symbols:\n", 'not_computed: {"notes.md (2)": everybody knows it}\nsymbols:\n'
    )
    row = found(documents)["equation-excused:notes.md (2)"]
    assert row.severity == "warning" and "used by B2" in row.message and "everybody knows it" in row.message


def test_an_excused_equation_that_no_step_uses_is_left_alone() -> None:
    text = 'not_computed: {"notes.md(9)": the limit theorem}\nsymbols:\n'
    assert list(found(spoiled("comprehension.md", "symbols:\n", text))) == list(found(honest()))


# --- power


@pytest.mark.parametrize(
    ("old", "new", "key", "severity"),
    [
        (
            "tolerance: {relative: 1e-10}\n  scale: 1.0\n  standard_error: 1.0",
            "tolerance: {absolute: 0.05}\n  scale: 100.0\n  standard_error: 0.04",
            "tolerance-too-wide:C2",
            "error",
        ),
        ("tolerance: {relative: 1e-10}", "tolerance: {relative: 0.002}", "tolerance-not-explained:C2", "warning"),
        ("tolerance: {relative: 1e-10}", "tolerance: {lre: 2}", "tolerance-not-explained:C2", "warning"),
        ("tolerance: {relative: 1e-10}", "tolerance: {relative: 1.0}", "accepts-zero:C2", "error"),
        ("tolerance: {relative: 1e-10}", "tolerance: {lre: 0}", "accepts-zero:C2", "error"),
        ("tolerance: {relative: 1e-10}", "tolerance: {relative: 1e-6}", "tolerance-wider-than-rounding:C2", "warning"),
        (
            "tolerance: {relative: 1e-10}",
            "tolerance: {relative: 2e-4}\n  limited_by: iteration",
            "tolerance-not-explained:C2",
            "warning",
        ),
        (
            "tolerance: {relative: 1e-10}\n  scale: 1.0",
            "tolerance: {absolute: 1e-10}",
            "scale-missing:C2",
            "warning",
        ),
        (
            "tolerance: {relative: 1e-10}\n  scale: 1.0\n  standard_error: 1.0",
            "tolerance: {absolute: 0.5}",
            "tolerance-not-explained:C2",
            "warning",
        ),
        (
            "tolerance: {relative: 1e-10}\n  scale: 1.0\n  standard_error: 1.0",
            "tolerance: {relative: 0.5}\n  limited_by: Monte Carlo",
            "tolerance-not-explained:C2",
            "warning",
        ),
        (
            "tolerance: {relative: 1e-10}\n  scale: 1.0\n  standard_error: 1.0",
            "tolerance: {relative: 0.5}\n  scale: 1.0\n  limited_by: Monte Carlo\n"
            "  alternatives: [{name: nothing works at all, value: 100.0}]",
            "tolerance-not-explained:C2",
            "warning",
        ),
        (
            "tolerance: {relative: 1e-10}\n  scale: 1.0\n",
            "tolerance: {relative: 0.5}\n  limited_by: Monte Carlo\n",
            "tolerance-not-explained:C2",
            "warning",
        ),
        (
            "tolerance: {relative: 1e-10}\n  scale: 1.0\n  standard_error: 1.0",
            "tolerance: {absolute: 0.5}\n  scale: 1000000000.0",
            "scale-decides:C2",
            "warning",
        ),
        ("tolerance: {relative: 1e-10}", "tolerance: {relative: 0}", "tolerance-zero:C2", "note"),
        (
            "tolerance: {relative: 1e-10}",
            "tolerance: {relative: 1e-10}\n  alternatives: [{name: divisor n, value: 1e-11}]",
            "alternative-accepted:divisor n:C2",
            "error",
        ),
    ],
)
def test_tolerances_that_could_hardly_fail(old: str, new: str, key: str, severity: str) -> None:
    row = found(spoiled("test-spec.md", old, new))[key]
    assert row.severity == severity and row.message.startswith("C2: ")


def test_monte_carlo_error_is_judged_by_a_standard_error_that_is_stated() -> None:
    drawn = "tolerance: {relative: 0.05}\n  scale: 1.0\n  limited_by: Monte Carlo\n"
    documents = spoiled("test-spec.md", "tolerance: {relative: 1e-10}\n  scale: 1.0\n", drawn)
    assert not [key for key in found(documents) if key.startswith(("tolerance", "scale"))]


def test_an_absolute_tolerance_of_rounding_needs_no_word_about_its_scale() -> None:
    large = "tolerance: {absolute: 1e-8, relative: 1e-10}\n  scale: 1000000.0\n  limited_by: floating point\n"
    documents = spoiled("test-spec.md", "tolerance: {relative: 1e-10}\n  scale: 1.0\n  standard_error: 1.0\n", large)
    assert "scale-decides:C2" not in found(documents)


def test_a_declared_condition_number_explains_more_but_not_anything() -> None:
    relative = "tolerance: {relative: 1e-6}\n  condition: 1e10"
    assert "tolerance-wider-than-rounding:C2" not in found(
        spoiled("test-spec.md", "tolerance: {relative: 1e-10}", relative)
    )
    wide = "tolerance: {relative: 0.01}\n  condition: 1e100"
    assert "tolerance-not-explained:C2" in found(spoiled("test-spec.md", "tolerance: {relative: 1e-10}", wide))


def test_an_alternative_inside_the_band_of_a_test() -> None:
    band = "rule: between\n  low: 0.1\n  high: 9.0\n  alternatives: [{name: doubled, value: 2.0}]"
    documents = spoiled("test-spec.md", "rule: close\n  tolerance: {relative: 1e-9}", band)
    assert "alternative-accepted:doubled:C3" in errors(documents)


def test_a_wide_band_for_coverage_is_found_whatever_alternative_excuses_it() -> None:
    documents = spoiled("sim-spec.md", "    low: 0.92\n    high: 0.98", "    low: 0.80\n    high: 1.0")
    row = found(documents)["could-hardly-fail:M1:standard error too small by a quarter"]
    assert "no number of replications" in row.message
    documents["sim-spec.md"] = documents["sim-spec.md"].replace("value: 0.859", "value: 0.1")
    documents["sim-spec.md"] = documents["sim-spec.md"].replace("source: notes.md A2", "source: planner")
    assert "could-hardly-fail:M1:usual" in errors(documents)


def test_too_few_replications_say_how_many_are_needed() -> None:
    documents = spoiled("sim-spec.md", "value: 0.859", "value: 0.915")
    contract = read_contract(documents)
    assert contract.study is not None
    row = power_table(contract.study)[0]
    assert row.passes is not None and row.passes > 0.1 and row.needed is not None
    assert passing_probability("coverage", 0.915, 0.92, 0.98, row.needed) <= 0.1
    assert passing_probability("coverage", 0.915, 0.92, 0.98, row.needed * 9 // 10) > 0.1
    message = found(documents)["could-hardly-fail:M1:standard error too small by a quarter"].message
    assert str(row.needed) in message and f"{100 * row.passes:.3g} %" in message


def test_a_bias_needs_a_spread_and_an_impossible_alternative_is_no_alternative() -> None:
    documents = spoiled("sim-spec.md", "metric: se_ratio", "metric: bias")
    assert "state the spread" in found(documents)["could-hardly-fail:M2:standard error too small by a quarter"].message
    documents = spoiled("sim-spec.md", "value: 0.859", "value: 85.9")
    assert "not possible" in found(documents)["could-hardly-fail:M1:standard error too small by a quarter"].message


def test_a_correct_package_that_would_often_fail() -> None:
    documents = spoiled("sim-spec.md", "replications: 1000", "replications: 100")
    rows = found(documents)
    exact = (
        1
        - stats.norm(scale=math.sqrt(1 / 198)).cdf(math.log(1.1))
        + stats.norm(scale=math.sqrt(1 / 198)).cdf(math.log(0.9))
    )
    assert f"{100 * exact:.3g} %" in rows["false-alarm:M2"].message
    assert rows["false-alarm:M2"].severity == "warning"


R, DRAWS = 60, 40_000


def _proportion(rng: np.random.Generator) -> np.ndarray:
    return rng.binomial(R, 0.9, (DRAWS, 2)) / R


def _mean(rng: np.random.Generator) -> np.ndarray:
    return 0.1 + 0.5 * rng.standard_normal((DRAWS, 2)) / math.sqrt(R)


def _sd(rng: np.random.Generator) -> np.ndarray:
    return np.stack([rng.normal(0, 2, (DRAWS, R)).std(axis=1, ddof=1) for _ in range(2)], axis=1)


def _rmse(rng: np.random.Generator) -> np.ndarray:
    return np.stack([np.sqrt((rng.normal(0, 2, (DRAWS, R)) ** 2).mean(axis=1)) for _ in range(2)], axis=1)


def _ratio(rng: np.random.Generator) -> np.ndarray:
    return 1.6 / _sd(rng)


@pytest.mark.parametrize(
    ("metric", "value", "low", "high", "spread", "draw", "slack"),
    [
        ("coverage", 0.9, 0.88, 0.97, None, _proportion, 0.01),
        ("failure_rate", 0.9, None, 0.9, None, _proportion, 0.01),
        ("bias", 0.1, -0.1, 0.12, 0.5, _mean, 0.01),
        ("empse", 2.0, 1.9, 2.3, None, _sd, 0.01),
        ("rmse", 2.0, None, 2.1, None, _rmse, 0.01),
        ("se_ratio", 0.8, 0.75, 1.1, None, _ratio, 0.04),  # symmetric on the log scale only for many replications
    ],
)
def test_probabilities_agree_with_simulation(
    metric: str,
    value: float,
    low: float | None,
    high: float | None,
    spread: float | None,
    draw: Callable[[np.random.Generator], np.ndarray],
    slack: float,
) -> None:
    drawn = draw(np.random.default_rng(5))
    bottom, top = -np.inf if low is None else low, np.inf if high is None else high
    inside = (drawn >= bottom - 1e-9) & (drawn <= top + 1e-9)
    for cells, seen in ((1, inside[:, 0].mean()), (2, inside.all(axis=1).mean())):
        assert passing_probability(metric, value, low, high, R, cells=cells, spread=spread) == pytest.approx(  # type: ignore[arg-type]
            seen, abs=slack
        )


@pytest.mark.parametrize("n", [10, 50, 1000, 10**6])
def test_distributions_agree_with_scipy(n: int) -> None:
    assert t_quantile(0.9995, n) == pytest.approx(stats.t.ppf(0.9995, n), rel=1e-8)


# --- leaks

VALIDATION = "## Input validation\n"


@pytest.mark.parametrize(
    "added",
    [
        "Start the generator at 20260101.",
        "Start the generator at 20,260,101.",
        "Start the generator at 20_260_101.",
    ],
)
def test_a_long_number_of_another_is_no_chance_in_the_builders_specification(added: str) -> None:
    documents = spoiled("spec.md", VALIDATION, f"{VALIDATION}\n{added}\n")
    assert errors(documents) == ["number-leaked:spec.md:seed:20260101"]


def test_a_short_seed_is_certain_where_it_is_called_a_seed() -> None:
    documents = spoiled("sim-spec.md", "seed: 20260101", "seed: 4711")
    documents["spec.md"] += "\nThink of 4711.\n\nStart at the seed 4711.\n"
    assert errors(documents) == ["number-leaked:spec.md:seed:4711"]
    documents["spec.md"] = honest()["spec.md"] + "\nAt most 4711 iterations.\n"
    assert (errors(documents), warnings(documents)) == ([], ["number-leaked:spec.md:seed:4711"])


@pytest.mark.parametrize(
    ("added", "key"),
    [
        ("This makes C3 pass.", "id-leaked:spec.md:C3"),
        ("This makes M1. pass", "id-leaked:spec.md:M1"),
        ("See S5.", "id-leaked:spec.md:S5"),
        ("As in test-spec.md, refuse.", "named:spec.md:test-spec.md"),
        ("The tester will look.", "named:spec.md:the tester"),
        ("The validation suite looks.", "named:spec.md:validation suite"),
    ],
)
def test_what_the_builder_need_not_read_is_a_warning(added: str, key: str) -> None:
    documents = spoiled("spec.md", VALIDATION, f"{VALIDATION}\n{added}\n")
    assert (errors(documents), warnings(documents)) == ([], [key])


def test_true_values_and_bounds_are_told_from_three_digits_and_certain_from_six() -> None:
    documents = spoiled("sim-spec.md", "truth: 1.0", "truth: 1.37")
    documents["sim-spec.md"] = documents["sim-spec.md"].replace("low: 0.92", "low: 0.925")
    documents["spec.md"] += "\nNear 1.37 and 92.5 % all is well.\n"
    assert errors(documents) == []
    assert warnings(documents) == ["number-leaked:spec.md:truth:1.37", "number-leaked:spec.md:bound:0.925"]
    documents["sim-spec.md"] = documents["sim-spec.md"].replace("truth: 1.37", "truth: 1.374186")
    documents["spec.md"] += "\nMeans near 1.374186 are the usual ones.\n"
    assert errors(documents) == ["number-leaked:spec.md:truth:1.374186"]
    documents["spec.md"] = honest()["spec.md"]
    documents["test-spec.md"] += "\nThe mean may be 1.374186.\n"
    assert (errors(documents), warnings(documents)) == ([], ["number-leaked:test-spec.md:truth:1.374186"])


@pytest.mark.parametrize(
    "added",
    [
        "The level is 0.95, 0.995 or 0.9995, the quantile 1.96; refuse 0.05.",
        "B1 comes before B2, as A1 states.",
        "Test whether the level is a number.",
        "The specification of the interval is (4).",
    ],
)
def test_what_anybody_may_write(added: str) -> None:
    documents = spoiled("spec.md", VALIDATION, f"{VALIDATION}\n{added}\n")
    assert (errors(documents), warnings(documents)) == ([], [])


def test_a_secret_hidden_in_the_section_interface_is_found_unless_all_see_it() -> None:
    interface = "## Interface\n\n(as in interface.md)\n"
    documents = spoiled("spec.md", interface, f"{interface}\nThe generator starts at 20260101.\n")
    assert errors(documents) == ["number-leaked:spec.md:seed:20260101"]
    documents = honest()
    documents["interface.md"] += "\nBy default the seed is 20260101.\n"
    documents["spec.md"] += "\nThe default seed is 20260101.\n"
    assert errors(documents) == []


def test_a_comment_in_a_fence_is_no_heading() -> None:
    documents = honest()
    for name in ("spec.md", "test-spec.md", "sim-spec.md"):
        example = "## Interface\n\n```text\n# an example\ninterval(x, seed=20260101)\n```\n"
        documents[name] = documents[name].replace("## Interface\n", example, 1)
    assert errors(documents) == [], "what all see in the section is common, also below the comment"
    documents["spec.md"] += "\n```text note\n## Interface\n```\n\nSee S5.\n"
    assert warnings(documents) == ["id-leaked:spec.md:S5"]


COPIED = "Sum of squared deviations from the mean over one less than the count, then the square root."


def test_the_algorithm_in_the_tests() -> None:
    documents = honest()
    documents["test-spec.md"] += f"\n{COPIED}\n"
    (key,) = warnings(documents)
    assert key.startswith("overlap:test-spec.md:sum of squared deviations")
    assert "spec.md:" in found(documents)[key].message
    documents = honest()
    documents["sim-spec.md"] += f"\n{COPIED}\n"
    assert len(warnings(documents)) == 1
    documents = honest()
    documents["test-spec.md"] += "\nAlgorithm 1 of the source:\n\n1. add\n2. divide\n"
    assert [key.split(":")[0] for key in warnings(documents)] == ["algorithm"]


def test_a_decision_may_be_told_to_everybody_in_the_same_words() -> None:
    sentence = "\nWhat should happen with fewer than two numbers, where (2) is not defined? Refuse.\n"
    documents = honest()
    documents["spec.md"] += sentence
    documents["test-spec.md"] += sentence
    assert errors(documents) == []


@pytest.mark.parametrize(
    ("file", "added", "key"),
    [
        ("test-spec.md", "The study starts at 20260101.", "number-leaked:test-spec.md:seed:20260101"),
        ("test-spec.md", "See spec.md.", "named:test-spec.md:spec.md"),
        ("test-spec.md", "The builder knows.", "named:test-spec.md:the builder"),
        ("sim-spec.md", "See C2.", "id-leaked:sim-spec.md:C2"),
        ("sim-spec.md", "See test-spec.", "named:sim-spec.md:test-spec"),
    ],
)
def test_what_the_others_need_not_read_is_a_warning(file: str, added: str, key: str) -> None:
    documents = honest()
    documents[file] += f"\n{added}\n"
    assert (errors(documents), warnings(documents)) == ([], [key])


# --- conflict


def test_two_criteria_that_nothing_meets() -> None:
    timing = "quantity: seconds, of: mean, kind: structure, scenarios: [S1], decided_by: timing, source: planner"
    rows = f"- {{id: C8, {timing}, rule: at most, high: 1.0}}\n- {{id: C9, {timing}, rule: at least, low: 2.0}}\n"
    documents = spoiled("test-spec.md", "- {id: C7,", rows + "- {id: C7,")
    assert errors(documents) == ["contradiction:C8:C9"]
    documents["test-spec.md"] = documents["test-spec.md"].replace("C9, quantity: seconds", "C9, quantity: a ratio")
    assert found(documents)["contradiction:C8:C9"].severity == "warning"


def test_two_criteria_of_the_study_that_nothing_meets() -> None:
    row = honest()["sim-spec.md"].split("  - id: M1\n")[1].split("  - id: M2")[0]
    other = (
        row.replace("low: 0.92", "low: 0.985")
        .replace("high: 0.98\n", "high: 0.999\n")
        .replace("notes.md A2", "planner")
    )
    documents = spoiled("sim-spec.md", "  - id: M2", f"  - id: M3\n{other}  - id: M2")
    assert "contradiction:M1:M3" in errors(documents)
    assert "n=40" in found(documents)["contradiction:M1:M3"].message


def test_a_scenario_cannot_both_raise_and_return() -> None:
    assert "raises-and-returns:C4:C1:S4" in errors(spoiled("test-spec.md", "scenarios: [S1]", "scenarios: [S4]"))
    documents = spoiled("test-spec.md", "scenarios: [S2]", "scenarios: [S4]")
    assert not any(key.startswith("raises-and-returns") for key in found(documents)), "another function is called"


def test_a_default_outside_of_its_domain() -> None:
    assert errors(spoiled("interface.md", "default: 0.95", "default: 95")) == ["default-outside:interval:level"]


def _acceptance(rng: np.random.Generator, scale: float) -> float:
    """Metropolis-Hastings for a probit with two coefficients, n = 200, proposal scale² (X'X)^-1."""
    x = np.column_stack([np.ones(200), rng.standard_normal(200)])
    y = np.where(x @ [0.2, 0.5] + rng.standard_normal(200) > 0, 1.0, -1.0)
    root = scale * np.linalg.cholesky(np.linalg.inv(x.T @ x))
    draws, uniforms = rng.standard_normal((250, 2)) @ root.T, np.log(rng.random(250))
    beta = np.array([0.2, 0.5])
    level, accepted = stats.norm.logcdf(y * (x @ beta)).sum(), 0
    for step, limit in zip(draws, uniforms, strict=True):
        proposed = stats.norm.logcdf(y * (x @ (beta + step))).sum()
        if limit < proposed - level:
            beta, level, accepted = beta + step, proposed, accepted + 1
    return accepted / 250


def test_a_pilot_finds_that_a_proposal_cannot_meet_the_demanded_acceptance_rate() -> None:
    rng = np.random.default_rng(7)
    row = pilot_finding("M1", 0.20, 0.50, [_acceptance(rng, 1.0) for _ in range(12)])
    assert row is not None and row.severity == "error" and "contradicts itself" in row.message
    assert "0.2 to 0.5" in row.message
    assert 0.6 < float(row.message.split(" gives ")[1].split(" ")[0]) < 0.8
    assert pilot_finding("M1", 0.20, 0.50, [_acceptance(rng, 2.4) for _ in range(12)]) is None


def test_pilots_at_the_edge_and_without_numbers() -> None:
    row = pilot_finding("M1", 0.0, 0.5, [0.3, 0.5, 0.7, 0.4, 0.6])
    assert row is not None and row.severity == "note"
    assert pilot_finding("M1", None, 0.5, [0.3] * 10) is None
    for values in ([], [0.3], [0.3, math.nan], [math.inf] * 3):
        row = pilot_finding("M1", 0.0, 0.5, values)
        assert row is not None and row.severity == "error"


# --- hostile documents


def test_hostile_documents_take_little_time_and_few_words() -> None:
    documents = honest()
    documents["spec.md"] += (
        "\n" + "1" * 50_000 + " " + "a " * 50_000 + "9," * 20_000 + "\n" + "10^" * 20_000 + "-S4 " * 20_000
    )
    documents["test-spec.md"] += "\n" + "≤ " * 20_000 + "algorithm 1 " * 5_000
    many = "".join(f"      - {{name: {'x' * 300}{n}, value: 0.93}}\n" for n in range(400))
    documents["sim-spec.md"] = documents["sim-spec.md"].replace(
        "alternatives: [{name: standard error too small by a quarter, value: 0.859}]", f"alternatives:\n{many}", 1
    )
    text = "between " * 400 + "1 ≤ " * 300 + "within of a the " * 200
    start = time.perf_counter()
    rows = lint(read_contract(documents), documents, index_of(A1=A1, A2=text))
    assert time.perf_counter() - start < 10
    assert len(rows) <= 1600 and all(len(row.message) <= 1200 for row in rows)
    assert any(row.key == "too-many:power" for row in rows)


@pytest.mark.parametrize("left_out", ["comprehension.md", "interface.md", "spec.md", "test-spec.md", "sim-spec.md"])
def test_a_document_may_be_missing(left_out: str) -> None:
    documents = {name: text for name, text in honest().items() if name != left_out}
    carried = {"test-spec.md": ["stated-not-carried:notes.md A1"], "sim-spec.md": ["stated-not-carried:notes.md A2"]}
    assert errors(documents) == carried.get(left_out, [])
    assert lint(read_contract({}), {}, index_of(A1=A1)) == []


def test_classes_of_r_are_no_scenarios() -> None:
    documents = spoiled("spec.md", VALIDATION, f"{VALIDATION}\nThe result has S3 methods, not S4 ones.\n")
    assert (errors(documents), warnings(documents)) == ([], [])


def test_what_the_target_has_may_be_exercised_where_the_interface_leaves_the_rest_as_it_was() -> None:
    unknown = spoiled(
        "test-spec.md", "exercises: [mean], inputs: 30 normal", "exercises: [mean, old], inputs: 30 normal"
    )
    assert errors(unknown) == ["no-such-element:S1:old"]
    left = unknown | {
        "interface.md": unknown["interface.md"].replace("package: tinymean", "package: tinymean\nothers: base")
    }
    assert (errors(left), warnings(left)) == ([], [])
