"""What a person decides makes work needless that was sent back for it: the run takes it back and goes on."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from statsclaw.engine.run import read_local
from statsclaw.runlog.fold import RunView
from statsclaw.runlog.store import write_durably
from statsclaw.ui.cli import app
from tests.replay.test_contracts import WIDE, Stopped, played, stop_at
from tests.support.runs import HONEST, Bench, order_for

CARRIED = ("out/sim-spec.md", "    source: notes.md A2\n", "    source: planner\n")


def played_by_a_person(bench: Bench, run_id: str, role: str) -> None:
    folder = bench.workspace.find(run_id)
    local = read_local(folder)
    changed = local.model_copy(update={"backends": {**local.backends, role: "human"}})
    write_durably(folder.local, changed.model_dump_json().encode())


def typed(bench: Bench, *words: str) -> str:
    done = CliRunner().invoke(app, [*words, "--workspace", str(bench.workspace.root)], env={"COLUMNS": "200"})
    assert done.exit_code == 0, f"{done.output} {done.exception!r}"
    return done.output


def sent_back(bench: Bench, target: Path, tmp_path: Path, run_id: str) -> RunView:
    """A band that accepts everything: the lint has sent the planner back, and a person has to do its work."""
    order = order_for(target, backend=played(tmp_path, WIDE, CARRIED), run_id=run_id)
    with pytest.raises(Stopped):
        bench.start(order, observers=(stop_at("signal_raised"),))
    played_by_a_person(bench, run_id, "planner")
    view = bench.resume(run_id)
    assert [d.id for d in view.running] == ["planner-2"]
    return view


def override_all(bench: Bench, view: RunView) -> str:
    said = ""
    for key in dict.fromkeys(f.key for f in view.checked.findings if f.severity == "error"):
        said = typed(bench, "override", view.head.run_id, key, "--why", "a first look only")
    return said


def test_an_override_of_every_error_takes_the_planner_back_and_the_run_goes_on(bench, target, tmp_path):
    view = sent_back(bench, target, tmp_path, "o-1")
    (bench.workspace.find("o-1").room("planner-2") / "out" / "spec.md").write_text("half a page")
    said = override_all(bench, view)
    assert "the planner need not work again" in said
    shown = typed(bench, "show", "o-1")
    assert "taken back" in shown
    view = bench.resume("o-1")
    assert view.finished is not None and view.finished.outcome == "shipped"
    assert view.dispatches["planner-2"].status == "withdrawn"
    assert [d.id for d in view.dispatches.values() if d.role == "builder"] == ["builder-1"]


def test_while_one_error_stands_the_planner_is_still_waited_for(bench, target, tmp_path):
    view = sent_back(bench, target, tmp_path, "o-2")
    keys = sorted({f.key for f in view.checked.findings if f.severity == "error"})
    assert len(keys) > 1, "one of several is let stand"
    said = typed(bench, "override", "o-2", keys[0], "--why", "a first look only")
    assert "need not work again" not in said
    assert [d.id for d in bench.resume("o-2").running] == ["planner-2"]


@pytest.mark.slow
def test_work_that_was_handed_in_before_the_override_is_taken_as_ever(bench, target, tmp_path):
    view = sent_back(bench, target, tmp_path, "o-3")
    out = bench.workspace.find("o-3").room("planner-2") / "out"
    for document in (HONEST / "out").iterdir():
        text = document.read_text(encoding="utf-8")
        (out / document.name).write_text(text.replace("decided_by: person\n", "decided_by: planner\n"))
    typed(bench, "done", "o-3")
    assert "need not work again" not in override_all(bench, view)
    view = bench.resume("o-3")
    assert view.dispatches["planner-2"].status == "finished"
    assert view.finished is not None and view.finished.outcome == "shipped"


@pytest.mark.slow
def test_an_override_takes_back_the_question_whether_to_try_again(bench, target, tmp_path):
    view = bench.start(order_for(target, backend=played(tmp_path, WIDE, CARRIED), run_id="o-4"))
    (asked,) = view.open_questions
    assert asked.topic == "escalation"
    assert "need not work again" in override_all(bench, view)
    view = bench.resume("o-4")
    assert view.questions[asked.question].withdrawn and view.attempts["BLOCK", "contract"] == 0
    assert view.finished is not None and view.finished.outcome == "shipped"
    assert "not asked any more" in typed(bench, "show", "o-4")


@pytest.mark.slow
def test_an_amendment_takes_the_builder_back_that_was_sent_back_for_what_is_amended(bench, target, tmp_path):
    """The truth of the study is wrong: a right package fails, and the builder cannot mend it."""
    edit = ("out/sim-spec.md", "parameters: [{name: mu, truth: 1.0}]", "parameters: [{name: mu, truth: 1.35}]")
    order = order_for(target, backend=played(tmp_path, edit), run_id="a-1")
    with pytest.raises(Stopped):
        bench.start(order, observers=(stop_at("signal_raised"),))
    played_by_a_person(bench, "a-1", "builder")
    assert [d.id for d in bench.resume("a-1").running] == ["builder-2"]
    said = typed(bench, "amend", "a-1", "cover", "parameters.0.truth=1.0", "--why", "the data have the mean 1")
    assert "the builder need not work again" in said
    view = bench.resume("a-1")
    assert view.finished is not None and view.finished.outcome == "shipped", view.missing
    assert view.dispatches["builder-2"].status == "withdrawn" and "simulator-2" in view.dispatches


def test_an_amendment_does_not_take_back_what_it_has_nothing_to_do_with(bench, target, tmp_path):
    """The package cannot be imported: whatever is judged, the builder has to mend that."""
    backend = played(tmp_path)
    (tmp_path / "material" / "src" / "tinymean" / "__init__.py").write_text("def mean(:\n")
    with pytest.raises(Stopped):
        bench.start(order_for(target, backend=backend, run_id="a-2"), observers=(stop_at("signal_raised"),))
    played_by_a_person(bench, "a-2", "builder")
    assert [d.id for d in bench.resume("a-2").running] == ["builder-2"]
    assert "need not" not in typed(bench, "amend", "a-2", "M1", "high=0.985", "--why", "the source allows it")
