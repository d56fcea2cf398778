"""R packages under a contract, with real R: whole runs behind the barrier."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from statsclaw.git import git
from statsclaw.runlog.chain import Record
from statsclaw.runlog.events import DispatchFailed, Event, QuestionAsked, SignalRaised
from statsclaw.runlog.fold import RunView
from tests.blind.r_side import has_covr
from tests.support.runs import HERE, Bench, order_for

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        shutil.which("R") is None, reason="needs R (Debian: apt-get install r-base-core r-cran-testthat)"
    ),
]

HONEST = HERE / "honest_r"
SUITE, STUDY, SOURCE = "tests/validation/ask_interval.R", "inst/simulations/study.R", "R/mean.R"
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
    assert {f"{SUITE}.source", STUDY, SOURCE, "tests/testthat/test-validation.R"} <= {*shipped}


def test_the_evidence_is_that_of_r_behind_the_barrier(honest):
    view, _ = honest
    found = {row.name: row for row in view.evidence_for(view.tree_sha256)}
    assert found["r-cmd-check"].summary == "0 errors, 0 warnings, 0 notes"
    assert found["validation"].summary == "6 passed" and found["unit-tests"].summary == "2 passed"
    assert found["ask"].summary.startswith("7 calls, 6 claims; 6 criteria decided blindly")
    recorded = "1000 replications a cell recorded, from number 0"
    assert found["study"].summary == recorded and found["study"].carried_from == found["validation"].carried_from != ""
    assert all(row.passed and row.barrier.startswith("bubblewrap") for row in found.values())


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


@pytest.mark.skipif(not has_covr(), reason="needs covr (Debian: apt-get install r-cran-covr)")
def test_the_review_has_the_figures_of_the_changed_r_source(honest):
    view, _ = honest
    assert view.reviewed is not None
    (row,) = view.reviewed.coverage or ()
    # no question asks for a wrong level, and its refusal stands on one line with the condition
    assert (row.path, row.lines, row.lines_hit, row.missed) == (SOURCE, 9, 8, (9,))


def test_a_wrong_divisor_is_caught_by_the_judge(tmp_path: Path):
    signal, view = objection_to(tmp_path, (SOURCE, "/ (n - 1) / n)", "/ n / n)"))
    assert (signal.raised_by, signal.route_to) == ("verification", "builder")
    judged = verdicts(view, "after")
    assert [name for name, verdict in judged.items() if verdict != "PASS"] == ["C2"]
    assert "standard error" in signal.message and "off by" in signal.message
    for told in ("tests/validation", "claim_", "rnorm", "STATSCLAW"):
        assert told not in signal.message


def test_a_claim_that_hides_a_difference_is_caught_by_the_review(tmp_path: Path):
    honest = 'claim_close("C1", ask("plain_mean", x), mean(x))'
    hidden = 'claim_close("C1", 1e-9 * ask("plain_mean", x), 1e-9 * mean(x))'
    signal, _ = objection_to(tmp_path, (SUITE, honest, hidden))
    assert (signal.raised_by, signal.route_to) == ("review", "tester") and "C1" in signal.message


def test_a_criterion_that_nobody_claims_is_told_before_anybody_is_asked(tmp_path: Path):
    signal, view = objection_to(tmp_path, (SUITE, 'claim_raises("C4", ask("plain_mean", numeric(0)))', "NULL"))
    assert (signal.raised_by, signal.route_to) == ("suite", "tester")
    assert view.suite is not None and {row.key for row in view.suite.findings} >= {"criterion-not-claimed:C4:S4"}


def test_a_study_that_ignores_its_stream_is_sent_back_to_the_simulator(tmp_path: Path):
    old, new = "rnorm(cell$n, mean = 1, sd = 2)", "{ set.seed(1); rnorm(cell$n, mean = 1, sd = 2) }"
    signal, _ = objection_to(tmp_path, (STUDY, old, new))
    assert (signal.raised_by, signal.route_to) == ("suite", "simulator")
    assert "does not use its stream" in signal.message


def test_the_suite_that_ships_passes_in_a_fresh_clone_and_fails_on_a_wrong_package(honest, tmp_path: Path):
    """What a maintainer does: clone, install, run testthat. StatsClaw is not needed."""
    view, folder = honest
    clone, library = tmp_path / "rpkg", tmp_path / "library"
    git("clone", "--quiet", "--branch", f"statsclaw/{view.head.run_id}", str(folder / "rpkg.git"), str(clone))
    library.mkdir()
    for wrong in (False, True):
        if wrong:
            source = clone / SOURCE
            source.write_text(source.read_text().replace("/ (n - 1) / n)", "/ n / n)"))
        subprocess.run(["R", "CMD", "INSTALL", f"--library={library}", str(clone)], check=True, capture_output=True)
        code = f'library(rpkg, lib.loc = "{library}"); testthat::test_file("{clone}/tests/testthat/test-validation.R")'
        done = subprocess.run(["Rscript", "--vanilla", "-e", code], capture_output=True, text=True, timeout=300)
        *_, failed = re.findall(r"FAIL (\d+)", done.stdout + done.stderr)  # a line for every step
        assert (int(failed) > 0) is wrong, done.stdout + done.stderr
