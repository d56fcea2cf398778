"""What a suite shows when it runs, and what the engine puts beside it."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

from statsclaw.runlog.events.command_executed import CaseOutcome, CommandExecuted, Observation
from statsclaw.runlog.events.criteria_judged import Judgement
from statsclaw.verify.criteria.observed import answer
from statsclaw.verify.frozen_criteria import judge_files
from statsclaw.verify.parsers import observations
from statsclaw.verify.suite.executed import check_against_null, check_execution
from tests.unit.test_suite_checks import SPEC, rules, spec_with


def outcome(name: str, *scenarios: str, outcome: str = "passed", **more: Any) -> CaseOutcome:
    return CaseOutcome.model_validate({"name": name, "outcome": outcome, "scenarios": scenarios} | more)


def executed(*tests: CaseOutcome, observed: str = "C1 C2 C3 C4 C5 C6") -> CommandExecuted:
    rows = tuple(Observation(criterion=name, test="t", rule="close") for name in observed.split())
    return CommandExecuted(
        name="validation", phase="validation", subject="after", tree_sha256="0", argv=(), exit_code=0, elapsed_s=1,
        output_sha256="0", passed=True, summary="", tests=tests, observations=rows,
    )  # fmt: skip


ALL = [outcome(f"t::{name}", name) for name in ("S1", "S2", "S3", "S4", "S5", "S6")]


def judged(name: str, verdict: str) -> Judgement:
    row = {"id": name, "quantity": "q", "rule": "close", "verdict": verdict, "literal": "PASS"}
    return Judgement.model_validate(row)


def test_a_complete_run_gives_no_finding() -> None:
    assert check_execution(SPEC, executed(*ALL)) == []
    failed = [row.model_copy(update={"outcome": "failed"}) for row in ALL]
    assert check_execution(SPEC, executed(*failed)) == []


def test_scenarios_not_executed_and_criteria_not_observed_are_found() -> None:
    assert rules(check_execution(SPEC, executed())) == {"nothing-executed"}
    assert [row.key for row in check_execution(SPEC, executed(*ALL[1:]))] == ["scenario-not-executed:S1"]
    found = check_execution(SPEC, executed(*ALL, observed="C1 C2 C3 C4 C5"))
    assert [(row.key, row.severity) for row in found] == [("criterion-not-observed:C6", "error")]


def test_a_criterion_behind_a_failed_assertion_is_a_warning_only() -> None:
    broken = ALL[5].model_copy(update={"outcome": "failed"})
    found = check_execution(SPEC, executed(*ALL[:5], broken, observed="C1 C2 C3 C4 C5"))
    assert [(row.key, row.severity) for row in found] == [("criterion-not-observed:C6", "warning")]


def test_a_skipped_test_needs_a_reason_for_every_scenario_it_carries() -> None:
    run = executed(outcome("t::S1", "S1", "S2", outcome="skipped"), *ALL[1:], observed="C2 C3 C4 C5 C6")
    assert "skipped-without-reason" in rules(check_execution(SPEC, run))
    assert "skipped-without-reason" in rules(check_execution(spec_with(S1={"may_skip": "why"}), run))
    assert check_execution(spec_with(S1={"may_skip": "why"}, S2={"may_skip": "why"}), run) == []


def test_a_suite_that_cannot_be_collected_is_found_and_an_error_of_the_package_is_not_its_fault() -> None:
    broken = outcome("t", outcome="error", error="collection failure")
    assert rules(check_execution(SPEC, executed(*ALL, broken))) == {"not-collected"}
    raised = outcome("t", outcome="error", error="boom", raised_by="package")
    assert check_execution(SPEC, executed(*ALL, raised)) == []


def test_what_passes_on_meaningless_values_cannot_fail() -> None:
    failed = [row.model_copy(update={"outcome": "failed"}) for row in ALL]
    fine = [judged("C1", "FAIL"), judged("C2", "UNDECIDED"), judged("C6", "PASS"), judged("C7", "PASS")]
    assert check_against_null(SPEC, executed(*failed[:5], ALL[5]), fine) == []
    found = check_against_null(SPEC, executed(*failed[:5], ALL[5]), [judged("C1", "PASS")])
    assert [row.message for row in found] == ["C1 passes on a package of meaningless values: its tests cannot fail."]
    named = check_against_null(SPEC, executed(ALL[0], *failed[1:]), fine)
    assert [row.key for row in named] == ["test-passes-on-null:t::S1"]
    both = outcome("t::both", "S1", "S6")
    assert check_against_null(SPEC, executed(both), fine) == []


def compared(criterion: str, *expected: float | None, said: str = "") -> CommandExecuted:
    """What a suite recorded on the null package: meaningless values against what it expects."""
    rows = tuple(
        Observation(criterion=criterion, test="t", rule="close", observed=7.0 if v is not None else None, expected=v,
                    said=said) for v in expected
    )  # fmt: skip
    return executed().model_copy(update={"observations": rows})


def test_what_is_compared_with_nothing_but_zeros_shows_nothing() -> None:
    (row,) = check_against_null(SPEC, compared("C2", 0.0, 0.0), [])
    assert (row.key, row.severity, row.route_to) == ("compared-with-nothing:C2", "error", "tester")
    assert rules(check_against_null(SPEC, compared("C2", None, said="7.0 against nan"), [])) == {
        "compared-with-nothing"
    }


def test_a_zero_among_others_or_a_difference_from_zero_is_no_fault() -> None:
    assert check_against_null(SPEC, compared("C2", 0.0, 1e-5), []) == []
    assert check_against_null(SPEC, compared("C1", 0.0), []) == [], "C1 has an absolute tolerance: a difference"
    assert check_against_null(spec_with(C2={"scale": None}), compared("C2", 0.0), []) == []
    assert check_against_null(SPEC, compared("C2", None, said="nothing to compare"), []) == []


def test_a_scale_that_nothing_has_is_the_planner_s_fault() -> None:
    wide = spec_with(C2={"tolerance": {"absolute": 0.5}, "scale": 1e9, "standard_error": None})
    (row,) = check_against_null(wide, compared("C2", 1.3, 0.2), [])
    assert (row.key, row.route_to, row.where) == ("scale-far-off:C2", "planner", "test-spec.md")
    assert "C2 states a scale of 1e+09" in row.message and "1.3" in row.message


def test_a_scale_that_something_has_or_that_excuses_nothing_is_no_fault() -> None:
    wide = spec_with(C2={"tolerance": {"absolute": 0.5}, "scale": 1e9, "standard_error": None})
    assert check_against_null(wide, compared("C2", 1.3, 2e6), []) == []
    fine = spec_with(C2={"tolerance": {"absolute": 1e-12, "relative": 1e-10}, "scale": 1.0})
    assert check_against_null(fine, compared("C2", 1e-20), []) == [], "a p-value that happens to be the first"


# --- what the engine puts beside the suite ----------------------------------------------------------------------------


def judge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[dict[str, Any], Path]:
    """The engine's conftest.py as a module, and the file in which it records."""
    place = tmp_path / "conftest.py"
    place.write_text(judge_files("python", SPEC, "")["tests/validation/conftest.py"])
    monkeypatch.setenv("STATSCLAW_EVIDENCE", str(tmp_path / "evidence.jsonl"))
    return runpy.run_path(str(place)), tmp_path / "evidence.jsonl"


def test_what_is_changed_in_memory_is_not_what_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module, _ = judge(tmp_path, monkeypatch)
    module["_frozen_criteria"]()["C2"]["tolerance"]["relative"] = 0.5
    assert module["_frozen_criteria"]()["C2"]["tolerance"]["relative"] == 1e-10


def test_the_pair_that_is_farthest_off_is_recorded_whatever_the_tolerance(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module, evidence = judge(tmp_path, monkeypatch)
    lenient = {"rule": "close", "tolerance": {"absolute": 0.0, "relative": 0.5}}
    module["Criterion"]("C2", lenient, "t", ["S2"]).close([0.0, 1.2, 100.0, 3.0], [0.0, 1.0, 100.1, 3.0])
    found = observations(evidence)
    assert {(row.observed, row.expected) for row in found} >= {(1.2, 1.0), (100.0, 100.1)}
    (c2,) = [row for row in SPEC.criteria if row.id == "C2"]
    assert not all(answer(c2, row).passed for row in found)


def test_one_number_is_recorded_once_and_what_missed_most_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module, evidence = judge(tmp_path, monkeypatch)
    of = module["Criterion"]("C1", module["_frozen_criteria"]()["C1"], "t", ["S1"])
    of.close(1.5, 1.5)
    assert len(observations(evidence)) == 1
    with pytest.raises(AssertionError):
        of.close([1.0, 5.0, float("nan")], [2.0, 5.5, float("nan")])
    assert (observations(evidence)[-1].observed, observations(evidence)[-1].size) == (1.0, 3)
