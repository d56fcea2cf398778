"""R packages under a contract, with real R: whole runs behind the barrier, and criteria as R answers them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from statsclaw.git import git
from statsclaw.profiles.profile import load_profile
from statsclaw.runlog.chain import Record
from statsclaw.runlog.events import (
    CaseOutcome,
    Deviation,
    DispatchFailed,
    Event,
    Observation,
    QuestionAsked,
    SignalRaised,
)
from statsclaw.runlog.fold import RunView
from statsclaw.specs.test_spec import Criterion, Scenario, TestSpec, Tolerance
from statsclaw.verify.criteria.observed import answer
from statsclaw.verify.frozen_criteria import judge_files
from statsclaw.verify.parsers import Parsed, junit, named_alike, observations
from tests.support.runs import HERE, Bench, order_for

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        shutil.which("R") is None, reason="needs R (Debian: apt-get install r-base-core r-cran-testthat)"
    ),
]

HONEST = HERE / "honest_r"
SUITE, STUDY, SOURCE = "tests/testthat/test-validation-interval.R", "inst/simulations/study.R", "R/mean.R"
VALUES = ("C1", "C2", "C3", "C4", "C5")

# --- whole runs ------------------------------------------------------------------------------------------------------


class Objection(Exception):
    """Somebody objected; the run ends there."""

    def __init__(self, event: Event, view: RunView) -> None:
        super().__init__(str(event))
        self.event, self.view = event, view


def object_at_once(record: Record, view: RunView) -> None:
    match record.event:
        case DispatchFailed() | SignalRaised() as event:
            raise Objection(event, view)
        case QuestionAsked(topic="readings" | "criterion") as event:
            raise Objection(event, view)


def play(folder: Path, *edits: tuple[str, str, str]) -> RunView:
    """A run on the R package; `edits`: file below honest_r/, old text, new text."""
    material = folder / "honest"
    shutil.copytree(HONEST, material)
    for file, old, new in edits:
        text = (material / file).read_text(encoding="utf-8")
        assert text.count(old) == 1, (file, old)
        (material / file).write_text(text.replace(old, new), encoding="utf-8")
    target = folder / "rpkg"
    shutil.copytree(HERE / "r_target", target)
    git("init", "--quiet", "--initial-branch=main", cwd=target)
    git("add", "--all", cwd=target)
    git("commit", "--quiet", "-m", "base", cwd=target)
    git("init", "--quiet", "--bare", "--initial-branch=main", str(folder / "rpkg.git"))
    git("remote", "add", "origin", str(folder / "rpkg.git"), cwd=target)
    git("push", "--quiet", "origin", "main", cwd=target)
    backend = f"command:{sys.executable} {HERE / 'agent_r.py'} {material}"
    order = order_for(target, backend=backend, sources=(material / "sources" / "notes.md",))
    return Bench(folder).start(order, observers=(object_at_once,))


def objection_to(folder: Path, *edits: tuple[str, str, str]) -> tuple[SignalRaised, RunView]:
    with pytest.raises(Objection) as found:
        play(folder, *edits)
    assert isinstance(found.value.event, SignalRaised), found.value.event
    return found.value.event, found.value.view


def verdicts(view: RunView, subject: str) -> dict[str, str]:
    judged = [row for (_, of), row in view.judged.items() if of == subject]
    return {row.id: row.verdict for row in judged[-1].judgements}


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> tuple[RunView, Path]:
    folder = tmp_path_factory.mktemp("honest_r")
    return play(folder), folder


def test_an_honest_run_ships_with_every_criterion_met(honest):
    view, folder = honest
    assert view.finished is not None and view.finished.outcome == "shipped"
    assert verdicts(view, "after") == dict.fromkeys([*VALUES, "C6", "C7", "M1", "M2"], "PASS")
    assert view.reviewed is not None and view.reviewed.verdict != "STOP"
    shipped = git("log", "--all", "--name-only", "--format=", cwd=folder / "rpkg.git").decode().split()
    assert {SUITE, STUDY, SOURCE, "tests/testthat/helper-validation-criterion.R"} <= {*shipped}


def test_the_evidence_is_that_of_r_behind_the_barrier(honest):
    view, _ = honest
    found = {row.name: row for row in view.evidence_for(view.tree_sha256)}
    assert found["r-cmd-check"].summary == "0 errors, 0 warnings, 0 notes"
    assert found["validation"].summary == "7 passed" and found["unit-tests"].summary == "2 passed"
    recorded = "1000 replications a cell recorded, from number 0"
    assert found["study"].summary == f"{recorded}; only documents have changed since"
    assert all(row.passed and row.barrier.startswith("bubblewrap") for row in found.values())
    names = {row.name for row in found["validation"].tests}
    assert {row.test for row in found["validation"].observations} == {name for name in names if "::S" in name}


def test_meaningless_values_fail_every_criterion_about_values(honest):
    view, _ = honest
    null = verdicts(view, "null")
    assert {name: null[name] for name in VALUES} == dict.fromkeys(VALUES, "FAIL")
    assert null["C6"] == "PASS"  # names of fields are no values


def test_the_documents_of_the_run_say_so(honest):
    view, folder = honest
    run = Bench(folder).workspace.find(view.head.run_id)
    audit = (run.path / "audit.md").read_text(encoding="utf-8")
    criteria = audit.partition("## Criteria")[2].partition("\n## ")[0]
    assert "9 criteria: 9 PASS" in criteria and criteria.count("| PASS |") == 9 and "| r-cmd-check | 0 |" in audit
    checks = (run.path / "checks.md").read_text(encoding="utf-8")
    assert "9 of 9 frozen criteria judged, 9 PASS" in checks and "Verdict: PASS WITH NOTE" in checks


def test_a_wrong_divisor_is_caught_by_the_judge(tmp_path: Path):
    signal, view = objection_to(tmp_path, (SOURCE, "/ (n - 1) / n)", "/ n / n)"))
    assert (signal.raised_by, signal.route_to) == ("verification", "builder")
    judged = verdicts(view, "after")
    assert [name for name, verdict in judged.items() if verdict != "PASS"] == ["C2"]
    assert "standard error" in signal.message and "off by" in signal.message
    for told in ("tests/testthat", "criterion(", "drawn", "STATSCLAW"):
        assert told not in signal.message


def test_a_loose_tolerance_and_a_wide_error_are_caught_by_the_suite_check(tmp_path: Path):
    mean = 'criterion("C1")$close(plain_mean(x), mean(x))'
    empty = 'criterion("C4")$raises(function() plain_mean(numeric(0)))'
    loose, wide = "expect_equal(plain_mean(x), mean(x), tolerance = 0.5)", "expect_error(plain_mean(numeric(0)))"
    signal, view = objection_to(tmp_path, (SUITE, mean, loose), (SUITE, empty, wide))
    assert (signal.raised_by, signal.route_to) == ("suite", "tester")
    assert view.suite is not None
    rules = {row.key.partition(":")[0] for row in view.suite.findings if row.severity == "error"}
    assert {"looser-tolerance", "wider-exception", "criterion-without-test"} <= rules
    assert "0.5" in signal.message and f"{SUITE}:" in signal.message


def test_a_study_with_fewer_replications_is_sent_back_to_the_simulator(tmp_path: Path):
    old = 'as.integer(Sys.getenv("STATSCLAW_REPLICATIONS", "1000"))'
    signal, _ = objection_to(tmp_path, (STUDY, f"count <- {old}", f"count <- min({old}, 500L)"))
    assert (signal.raised_by, signal.route_to) == ("verification", "simulator")
    assert re.search("fewer replications than planned: 500 of 1,000", signal.message)


# --- criteria as R answers them --------------------------------------------------------------------------------------


def asked(name: str, rule: str, **bounds: object) -> Criterion:
    return Criterion(id=name, quantity="q", scenarios=("S1",), rule=rule, source="planner", **bounds)  # type: ignore[arg-type]


SPEC = TestSpec(
    scenarios=(Scenario(id="S1", behaviour="b", exercises=("f",), inputs="i"),),
    criteria=(
        asked("near", "close", tolerance=Tolerance(absolute=1e-3, relative=1e-6)),
        asked("digits", "close", tolerance=Tolerance(lre=6)),
        asked("range", "between", low=0.0, high=1.0),
        asked("stops", "raises", error="simpleError", message="no “numbers” \U0001f600"),
        asked("any", "raises", error="simpleError"),
        asked("classed", "raises", error="too_few"),
        asked("warned", "warns", error="simpleWarning", message="slow"),
        asked("true", "holds"),
    ),
)

#: What a test does, and whether it meets its criterion.
ANSWERS = {
    'criterion("near")$close(1.0005, 1)': True,
    'criterion("near")$close(1.002, 1)': False,
    'criterion("near")$close(c(a = 1, b = 2, c = 4), c(1, 2, 3))': False,
    'criterion("near")$close(matrix(1:4, 2), matrix(1:4 + 1e-9, 2))': True,
    'criterion("near")$close(matrix(1:4, 2), 1:4)': False,
    'criterion("near")$close(1:2, 1:3)': False,
    'criterion("near")$close(data.frame(a = 1:2, b = 3:4), matrix(c(1, 2, 3, 4), 2))': True,
    'criterion("near")$close(table(c("a", "b", "b")), 1:2)': True,
    'criterion("near")$close(list(1, 2), c(1, 2.1))': False,
    'criterion("near")$close(1+2i, 1+3i)': False,
    'criterion("near")$close(NA, 1)': False,
    'criterion("near")$close(c(NaN, 1), c(NaN, 1))': True,
    'criterion("near")$close(c(NaN, -Inf), c(NaN, -Inf))': True,
    'criterion("near")$close(Inf, -Inf)': False,
    'criterion("near")$close(c(Inf, 1), c(1, 1))': False,
    'criterion("near")$close(numeric(0), numeric(0))': False,
    'criterion("digits")$close(pi, 3.1415927)': True,
    'criterion("digits")$close(pi, 3.1416)': False,
    'criterion("range")$value(0.5)': True,
    'criterion("range")$value(1.5)': False,
    'criterion("range")$value(NA)': False,
    'criterion("range")$value(NULL)': False,
    'criterion("range")$value(c(0.5, 0.6))': False,
    'criterion("stops")$raises(function() stop("no \\u201cnumbers\\u201d \\U0001f600 here"))': True,
    'criterion("stops")$raises(function() stop("other"))': False,
    'criterion("stops")$raises(function() 1)': False,
    'criterion("stops")$raises(stop("no \\u201cnumbers\\u201d \\U0001f600 here"))': True,
    'criterion("any")$raises(sqrt(4))': False,
    'criterion("any")$raises(function() stop("\\xff", "\\n\\"\\\\ \\u2028 ", strrep("\\"", 2000)))': True,
    'criterion("any")$raises(function() stop("\\xff"))': True,
    'criterion("stops")$raises(function() stop("\\xff"))': False,
    'stop("\\xff"); criterion("true")$holds(TRUE)': False,
    'criterion("any")$raises(function() expect_equal(1, 2))': False,
    'criterion("classed")$raises(function() stop(errorCondition("x", class = "too_few")))': True,
    'criterion("classed")$raises(function() stop("x"))': False,
    'criterion("warned")$warns(function() { warning("other"); warning("it is slow") })': True,
    'criterion("warned")$warns(function() warning("other"))': False,
    'criterion("warned")$warns(function() sqrt(4))': False,
    'criterion("true")$holds(TRUE)': True,
    'criterion("true")$holds(all.equal(1, 2))': False,
    'criterion("true")$holds(NA)': False,
    'described <- function(desc, test, path) criterion("true")$holds(desc == test); described("x", "x", "y.R")': True,
    '.frozen_criteria <<- list(); criterion("near")$close(2, 1)': False,
}  # fmt: skip


def validation_on(folder: Path, files: dict[str, str]) -> tuple[Parsed, str]:
    """The validation command of the R profile on test files: what it reported and what it printed."""
    for path, text in {**judge_files("r", SPEC, ""), **files}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    report, evidence = folder / "report.xml", folder / "evidence.jsonl"
    places = dict.fromkeys(("tree", "site", "scratch", "validation", "python", "simulation"), "")
    (command,) = load_profile("r").validation
    argv, env = command.fill({**places, "report": str(report)})
    env = {**os.environ, **env, "LANG": "C.UTF-8", "R_LIBS": "", "STATSCLAW_EVIDENCE": str(evidence)}
    done = subprocess.run(argv, cwd=folder, env=env, capture_output=True, text=True, errors="replace", timeout=120)
    return junit(report, done.returncode), done.stdout + done.stderr


def answers(folder: Path, files: dict[str, str]) -> tuple[list[CaseOutcome], list[Observation]]:
    """What was reported, and what was recorded about criteria."""
    found, output = validation_on(folder, files)
    assert found.tests, output
    return list(found.tests), list(named_alike(observations(folder / "evidence.jsonl"), found.tests))


def test_the_answers_of_r_and_of_the_judge_are_the_same(tmp_path: Path):
    tests = [f'test_that("S1: no. {n} & <so on>", {{\n{code}\n}})\n' for n, code in enumerate(ANSWERS)]
    reported, recorded = answers(tmp_path, {"tests/testthat/test-validation-a.R": "\n".join(tests)})
    criteria = {row.id: row for row in SPEC.criteria}
    seen = {row.test: answer(criteria[row.criterion], row) for row in recorded}
    assert len(recorded) >= len(seen)
    for case, (code, met) in zip(reported, ANSWERS.items(), strict=True):
        assert (case.outcome == "passed") is met, (code, case)
        assert case.scenarios == ("S1",)
        if case.name in seen:
            assert seen[case.name].passed is met, (code, seen[case.name])
    silent = [code for case, code in zip(reported, ANSWERS, strict=True) if case.name not in seen]
    assert silent == [code for code in ANSWERS if code.startswith("stop(") or "expect_equal" in code]


def test_what_missed_is_said_so_that_direction_and_size_can_be_told(tmp_path: Path):
    missed = {
        'criterion("near")$close(c(0.9, 1), 1:2)': Deviation(decade=-1, direction="too small"),
        'criterion("near")$close(c(1.02, 1.98, 5), c(1, 2, 5))': Deviation(decade=-2),
        'criterion("near")$close(rep(2, 1000), rep(1, 1000))': Deviation(decade=0, direction="too large"),
        'criterion("near")$close(NaN, 1)': None,
        'criterion("range")$value(1.5)': Deviation(decade=-1, direction="too large"),
        'criterion("true")$holds(FALSE)': None,
    }
    tests = [f'test_that("S1: no. {n}", {{\n{code}\n}})\n' for n, code in enumerate(missed)]
    reported, _ = answers(tmp_path, {"tests/testthat/test-validation-a.R": "\n".join(tests)})
    assert [row.deviation for row in reported] == list(missed.values())


def test_tests_of_the_same_name_in_two_files_and_folders_are_told_apart(tmp_path: Path):
    text = 'test_that("S1: near", {{ criterion("near")$close({0}, 1) }})\n'
    files = {
        "tests/testthat/test-validation-a.R": text.format(1),
        "tests/testthat/test-validation-b.R": text.format(2),
        "tests/testthat/validation/test-c.R": text.format(3),
    }
    reported, recorded = answers(tmp_path, files)
    assert {row.name: row.outcome for row in reported} == {
        "test-validation-a.R::S1: near": "passed",
        "test-validation-b.R::S1: near": "failed",
        "test-c.R::S1: near": "failed",
    }
    assert {row.test: row.observed for row in recorded} == {
        "test-validation-a.R::S1: near": 1.0,
        "test-validation-b.R::S1: near": 2.0,
        "test-c.R::S1: near": 3.0,
    }


def test_a_file_that_cannot_be_parsed_is_named_in_the_last_line(tmp_path: Path):
    found, output = validation_on(tmp_path, {"tests/testthat/test-validation-a.R": "x <- 1\ny <- 2 3\n"})
    assert not found.tests and not found.passed
    told = "it cannot be parsed: tests/testthat/test-validation-a.R:2:8: unexpected numeric constant"
    assert output.strip().splitlines()[-1] == told
