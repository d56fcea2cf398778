"""The shipped demonstration: recorded roles, everything else live."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files
from pathlib import Path

import pytest

from statsclaw.backends.replay import Recording
from statsclaw.demo.demo import demos, prepare_demo, shipped_files
from statsclaw.engine.people import Unattended
from statsclaw.engine.start import clean_directive
from statsclaw.runlog.log import read_view, verify
from statsclaw.runlog.store import ContentStore, sha256
from statsclaw.specs.contract import read_contract
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


def test_there_are_demonstrations_and_their_recordings_are_intact():
    assert demos() == ["hac", "probit-python", "probit-r"]
    for name in demos():
        assert verify(RECORDING.parents[1] / name / "recording") > 50


@pytest.mark.parametrize("name", ["hac", "probit-python", "probit-r"])
def test_what_a_demonstration_asks_for_is_what_was_recorded(name):
    """A replay finds the roles' answers by what they were given: target, sources and directive must be those."""
    material = RECORDING.parents[1] / name
    settings = tomllib.loads((material / "demo.toml").read_text(encoding="utf-8"))
    created = Recording(material / "recording").created
    assert created.directive == clean_directive(settings["directive"])
    given = {row: sha256((material / "sources" / row).read_bytes()) for row in settings["sources"]}
    assert given == {source.name: source.sha256 for source in created.own_sources}


@pytest.mark.parametrize("name", ["hac", "probit-python", "probit-r"])
def test_no_recording_names_a_folder_of_the_machine_it_was_made_on(name):
    places = [str(Path(__file__).parents[2]), f"{Path.home()}/"]
    for path in (RECORDING.parents[1] / name).rglob("*"):
        found = [place for place in places if path.is_file() and place.encode() in path.read_bytes()]
        assert not found, path


@pytest.mark.parametrize("name", ["probit-python", "probit-r"])
def test_the_documents_that_are_shipped_name_as_many_replications_as_are_made(name):
    settings = tomllib.loads((RECORDING.parents[1] / name / "demo.toml").read_text(encoding="utf-8"))
    made = settings["quick_replications"]
    assert made == read_view(RECORDING.parents[1] / name / "recording").replications
    texts = [data.decode() for path, data in shipped_files(name).items() if path.endswith(".md")]
    assert any(
        re.search(rf"\b{made} of (its|its planned|the) 500|\b500 planned [^.]*\b{made} were", text) for text in texts
    )


@pytest.mark.parametrize("name", ["probit-python", "probit-r"])
def test_the_samplers_of_the_flagship_are_judged_by_calibration_and_by_geweke(name):
    recording = RECORDING.parents[1] / name / "recording"
    view, store = read_view(recording), ContentStore(recording / "store")
    tests = read_contract({"test-spec.md": store.get_text(view.artifacts["test-spec.md"].sha256)}).tests
    assert tests is not None
    judged = {row.id for row in view.judged[view.tree_sha256, "after"].judgements if row.verdict == "PASS"}
    for words in ("calibration", "joint distribution", "convergence diagnostic"):
        about = {row.id for row in tests.scenarios if words in row.behaviour}
        criteria = {row.id for row in tests.criteria if about & set(row.scenarios)}
        assert criteria and criteria <= judged, words


@pytest.mark.parametrize("name", ["probit-python", "probit-r"])
def test_the_flagship_finds_the_contradiction_and_puts_it_to_the_person(name):
    view = read_view(RECORDING.parents[1] / name / "recording")
    first = next(q for q in view.questions.values() if q.asked.topic == "choice")
    assert "s = 1" in first.asked.text and "70" in first.asked.text and "C3" in first.asked.text
    assert "2.4" in first.answer.text
    assert [row.agrees for row in view.readings.rows] == [True] * 14
    carried = {row.partition(" ")[2] for row in _sources_of(view, name) if row.startswith("probit.tex C")}
    assert carried == {f"C{number}" for number in range(1, 8)}
    assert view.finished.outcome == "shipped" and view.verdict == "PASS WITH NOTE"


def _sources_of(view, name):
    store = ContentStore(RECORDING.parents[1] / name / "recording" / "store")
    texts = {doc: store.get_text(view.artifacts[doc].sha256) for doc in ("test-spec.md", "sim-spec.md")}
    contract = read_contract(texts)
    return [row.source for row in (*contract.tests.criteria, *contract.study.criteria)]


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
    assert len(evidence["validation"].tests) == 69
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
