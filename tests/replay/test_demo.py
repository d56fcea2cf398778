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


def test_the_planners_question_is_answered_from_the_recording(demo):
    _, _, view = demo
    held = [q for q in view.questions.values() if q.asked.topic == "hold"]
    assert [q.answer.by for q in held] == ["recording"] and "n/(n-k)" in held[0].asked.text


def test_the_builders_own_tests_agree_with_its_misreading_and_the_independent_ones_do_not(demo):
    _, _, view = demo
    blocked = next(tree for tree, verification in view.verified.items() if verification.failed)
    evidence = {c.phase: c for c in view.evidence_for(blocked)}
    assert evidence["unit_tests"].passed and not evidence["validation"].passed and not evidence["study"].passed
    assert [(s.signal, s.route_to) for s, _ in view.signals if s.raised_by == "verification"] == [("BLOCK", "builder")]
    assert "planted" in view.dispatches["builder-1"].finished.note


def test_the_second_attempt_passes_everything_that_is_executed(demo):
    _, _, view = demo
    evidence = {c.phase: c for c in view.evidence_for(view.tree_sha256)}
    assert set(evidence) == {"build", "checks", "unit_tests", "validation", "study"}
    assert all(c.passed for c in evidence.values())
    assert len(evidence["validation"].tests) > 300 and len(evidence["study"].criteria) == 12


def test_no_path_of_a_machine_is_in_the_recording_or_the_artifacts(demo):
    _, run, _ = demo
    machine = re.compile(rb"(?<![\w.])/(home|Users|root|work|tmp)/[\w]")
    kept = [p for p in RECORDING.rglob("*") if p.is_file()] + list(run.path.glob("*.md"))
    assert len(kept) > 50
    assert not [p.name for p in kept if machine.search(p.read_bytes())]
