"""The shipped demonstration: recorded roles, everything else live."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import pytest

from statsclaw.backends.replay import Recording
from statsclaw.demo.demo import demos, prepare_demo
from statsclaw.engine.people import Unattended
from statsclaw.runlog.log import verify
from statsclaw.states import State
from tests.support.runs import Bench, branches

RECORDING = Path(str(files("statsclaw.demo"))) / "hac" / "recording"


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    prepared = prepare_demo("hac", folder)
    bench = Bench(folder)
    view = bench.start(prepared.order, person=Unattended(recorded=Recording(RECORDING).answer_to))
    return folder, bench.workspace.find(view.head.run_id), view


def test_there_is_a_demonstration_and_its_recording_is_intact():
    assert demos() == ["hac"]
    assert verify(RECORDING) > 50


def test_it_goes_from_directive_to_push(demo):
    folder, _, view = demo
    assert view.state is State.DONE and view.finished.outcome == "shipped"
    assert branches(folder / "hac" / "packages" / "hacse.git")[view.pushed.branch] == view.pushed.commit


def test_what_the_source_leaves_open_is_asked_at_once_and_answered_from_the_recording(demo):
    _, _, view = demo
    choices = [q for q in view.questions.values() if q.asked.topic == "choice"]
    assert len(choices) == 4 and {q.answer.by for q in choices} == {"recording"}
    assert "n/(n-k)" in choices[0].asked.text, "the weightiest first"
    assert choices[0].asked.options[choices[0].answer.choice].label == "an argument, off by default"


def test_two_independent_readings_agree_and_what_was_read_is_approved(demo):
    _, _, view = demo
    assert [row.agrees for row in view.readings.rows] == [True] * 7
    assert view.approved(view.artifacts["comprehension.md"].sha256).by == "recording"


def test_nothing_is_frozen_that_the_lint_calls_an_error_and_every_criterion_can_fail(demo):
    _, _, view = demo
    assert not [f for f in view.checked.findings if f.severity == "error"]
    null = next(judged for (_, subject), judged in view.judged.items() if subject == "null")
    assert len(null.judgements) == 20 and all(row.verdict == "FAIL" for row in null.judgements)


def test_the_builders_own_tests_agree_with_its_misreading_and_the_independent_ones_do_not(demo):
    _, _, view = demo
    blocked = next(tree for tree, verification in view.verified.items() if verification.failed)
    evidence = {c.phase: c for c in view.evidence_for(blocked)}
    assert evidence["unit_tests"].passed and not evidence["validation"].passed
    missed = [row.id for row in view.judged[blocked, "after"].judgements if row.verdict == "FAIL"]
    assert {"C3", "C4", "C5"} <= set(missed)
    assert [(s.signal, s.route_to) for s, _ in view.signals] == [("BLOCK", "builder")]
    assert "planted" in view.dispatches["builder-1"].finished.note


def test_the_second_attempt_passes_everything_and_every_frozen_criterion_is_judged(demo):
    _, _, view = demo
    evidence = {c.phase: c for c in view.evidence_for(view.tree_sha256)}
    assert set(evidence) == {"build", "checks", "unit_tests", "validation", "study"}
    assert all(c.passed for c in evidence.values())
    assert len(evidence["validation"].tests) == 183
    judged = view.judged[view.tree_sha256, "after"].judgements
    assert len(judged) == 28 and all(row.literal == "PASS" for row in judged)
    assert view.verdict == "PASS WITH NOTE" and view.reviewed.verdict != "STOP"
    assert sum(row.lines_hit for row in view.reviewed.coverage) > 0.9 * sum(row.lines for row in view.reviewed.coverage)


def test_no_path_of_a_machine_is_in_the_recording_or_the_artifacts(demo):
    _, run, _ = demo
    machine = re.compile(rb"(?<![\w.])/(home|Users|root|work|tmp)/(?!role\b)[\w]")
    kept = [p for p in RECORDING.rglob("*") if p.is_file()] + list(run.path.glob("*.md"))
    assert len(kept) > 50
    assert not [p.name for p in kept if machine.search(p.read_bytes())]
