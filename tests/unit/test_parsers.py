"""Reports of commands: what passes, and what must not pass however it is dressed up."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from statsclaw.runlog.events import CaseOutcome, CommandExecuted
from statsclaw.runlog.events.command_executed import Deviation
from statsclaw.runlog.store import ContentStore
from statsclaw.verify.parsers import junit, rcheck, study
from statsclaw.verify.report import failure_report

PASSED = '<testsuites><testsuite><testcase classname="a" name="t"/></testsuite></testsuites>'


def write(folder: Path, text: str) -> Path:
    place = folder / "report"
    place.write_text(text, encoding="utf-8")
    return place


def test_a_passing_report_passes(tmp_path):
    assert junit(write(tmp_path, PASSED), 0).passed


@pytest.mark.parametrize(
    ("text", "exit_code"),
    [
        (PASSED, 1),
        ("<testsuites/>", 0),
        ("", 0),
        ("not xml", 0),
        ('<testsuite><testcase name="t"><skipped/></testcase></testsuite>', 0),
        ('<testsuite><testcase name="t"><failure message="AssertionError"/></testcase></testsuite>', 0),
        ('<testsuite><testcase name="t"><error message="x"/></testcase><testcase name="u"/></testsuite>', 0),
        ('<!DOCTYPE x [<!ENTITY a "b">]><testsuite><testcase name="t"/></testsuite>', 0),
    ],
)
def test_nothing_else_passes(tmp_path, text, exit_code):
    assert not junit(write(tmp_path, text), exit_code).passed


def test_a_missing_report_does_not_pass(tmp_path):
    assert not junit(tmp_path / "nowhere", 0).passed
    assert not rcheck(tmp_path / "nowhere", 0).passed
    assert not study(tmp_path / "nowhere", 0).passed


def test_a_report_behind_a_link_is_not_read(tmp_path):
    (tmp_path / "link").symlink_to(write(tmp_path, PASSED))
    assert not junit(tmp_path / "link", 0).passed


@pytest.mark.parametrize(
    ("status", "exit_code", "passed", "summary"),
    [
        ("Status: OK", 0, True, "0 errors, 0 warnings, 0 notes"),
        ("Status: 1 NOTE", 0, True, "0 errors, 0 warnings, 1 notes"),
        ("Status: 1 WARNING", 0, False, "0 errors, 1 warnings, 0 notes"),
        ("Status: 1 ERROR, 2 WARNINGs, 3 NOTEs", 1, False, "1 errors, 2 warnings, 3 notes"),
        ("Status: OK", 1, False, "0 errors, 0 warnings, 0 notes"),
        ("no status", 0, False, "R CMD check did not finish (exit status 0)"),
        ("Status: OK\nStatus: 1 ERROR", 0, False, "R CMD check did not finish (exit status 0)"),
    ],
)
def test_r_cmd_check_is_read_from_its_log(tmp_path, status, exit_code, passed, summary):
    found = rcheck(write(tmp_path, f"* checking\n{status}\n"), exit_code)
    assert (found.passed, found.summary) == (passed, summary)


def results(**changes: object) -> str:
    row = {"id": "C1", "quantity": "bias", "value": 0.0, "mcse": 0.1, "low": -1.0, "high": 1.0} | changes
    return json.dumps({"replications": 10, "failures": 0, "criteria": [row]})


def test_a_study_within_its_bounds_passes(tmp_path):
    found = study(write(tmp_path, results()), 0)
    assert found.passed and found.summary == "1 of 1 criteria met, 10 replications, 0 failed"


@pytest.mark.parametrize(
    "text",
    [
        results(value=1.01),
        results(low=None, high=None),
        results(value=float("nan")),
        results(value=float("inf"), high=None),
        results(passed=True),
        '{"replications": 10, "failures": 0, "criteria": []}',
        '{"criteria": [{"id": "C1"}]}',
        "[1, 2]",
        "[" * 100_000,
        json.dumps({"replications": 1, "failures": 0, "criteria": [json.loads(results())["criteria"][0]] * 2}),
    ],
)
def test_any_other_study_does_not(tmp_path, text):
    assert not study(write(tmp_path, text), 0).passed


def test_a_study_that_ended_badly_does_not_pass_whatever_it_wrote(tmp_path):
    assert not study(write(tmp_path, results()), 1).passed


def test_a_failed_case_keeps_its_first_line_the_error_and_how_far_it_was_off(tmp_path):
    text = (
        '<testsuite><testcase name="t"><failure message="assert 0.7 == 1.5 ± 1.5e-06&#10;  more"/></testcase>'
        '<testcase classname="v" name="u"><error message="failed on setup with &quot;ValueError: no rows&quot;">'
        "E   ValueError: no rows\n\n../site/pkg/a.py:3: ValueError</error></testcase></testsuite>"
    )
    first, second = junit(write(tmp_path, text), 1).tests
    assert (first.error, first.deviation) == (
        "assert 0.7 == 1.5 ± 1.5e-06",
        Deviation(direction="too small", decade=-1),
    )
    assert (second.outcome, second.raised_by, second.error_class) == ("error", "package", "ValueError")
    assert (second.own_message, second.deviation) == ("no rows", None)


def test_the_builder_learns_which_behaviour_failed_and_not_the_values(tmp_path):
    tests = tuple(
        CaseOutcome(name=f"v::test_se_grows[{n}]", outcome="failed", error="AssertionError: 0.734 != 1.5 seed 4711")
        for n in range(3)
    )
    command = CommandExecuted(
        name="validation", phase="validation", subject="after", tree_sha256="0", argv=("x",), exit_code=1,
        elapsed_s=0, output_sha256="0", passed=False, summary="3 failed", tests=tests, fault_of="builder",
    )  # fmt: skip
    told = failure_report([command], "builder", ContentStore(tmp_path), interface="`se`").text
    assert "- `se`: monotone: does not hold, 3 cases" in told
    assert not any(secret in told for secret in ("0.734", "1.5", "4711", "[0]"))
