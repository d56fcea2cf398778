"""The line that says what judgements come to, on the screen and in the audit."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from statsclaw.backends.replay import Recording
from statsclaw.engine.people import compose
from statsclaw.runlog.events import Judgement, Stated
from statsclaw.runlog.store import ContentStore
from statsclaw.verify.audit import render_audit
from statsclaw.verify.criteria.tally import tally
from tests.unit.test_review import command


def row(verdict: str, **also: object) -> Judgement:
    literal = "FAIL" if verdict == "FAIL" else "PASS"
    return Judgement.model_validate(
        {"id": "T1", "quantity": "q", "rule": "close", "verdict": verdict, "literal": literal, **also}
    )


PASSED = row("PASS")
LEFT_OPEN = row("UNDECIDED", replications=12, planned=500)


def test_every_kind_is_counted_once():
    rows = [PASSED, PASSED, row("FAIL"), row("UNDECIDED"), LEFT_OPEN, LEFT_OPEN]
    assert tally(rows) == (
        "6 criteria: 2 PASS, 1 FAIL, 1 undecided, taken literally, 2 left open: 12 of 500 replications are too few"
    )
    assert tally([PASSED]) == "1 criteria: 1 PASS"


def test_different_numbers_of_replications_are_not_made_one():
    other = row("UNDECIDED", replications=24, planned=500)
    assert tally([LEFT_OPEN, other]) == "2 criteria: 0 PASS, 2 left open: the replications are too few"


def test_the_verdict_of_an_audit_does_not_hide_what_is_left_open(tmp_path):
    store = ContentStore(tmp_path)
    ran = [command(output_sha256=store.put(b"ok"))]
    assert "PASS: 1 commands, 0 tests passed, none failed.\n" in render_audit(ran, [], store, judgements=[PASSED])
    told = render_audit(ran, [], store, judgements=[PASSED], policy="2 % of failures are let pass")
    assert "2 % of failures are let pass." in told.partition("## Criteria")[2]
    text = render_audit(ran, [], store, judgements=[PASSED, LEFT_OPEN])
    assert "Not decided is a part of it: 2 criteria: 1 PASS, 1 left open: 12 of 500 replications are too few." in text


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([PASSED], "Everything that was to be checked has passed. Push the result?"),
        (
            [PASSED, LEFT_OPEN],
            "Nothing that was checked has failed, but not everything is decided. 2 criteria: 1 PASS, "
            "1 left open: 12 of 500 replications are too few. Push the result?",
        ),
    ],
)
def test_whoever_decides_about_pushing_is_told_what_is_left_open(rows, words):
    asked = compose(run_with(rows), "ship")
    assert asked.text == words


def run_with(rows: list[Judgement], stated: Sequence[Stated] = ()) -> Any:
    credentials = SimpleNamespace(remote="origin")
    view = SimpleNamespace(
        questions={},
        head=SimpleNamespace(credentials=credentials),
        tree_sha256="t",
        judged={("t", "after"): SimpleNamespace(judgements=rows, stated=stated)},
        ship_basis="basis",
    )
    return SimpleNamespace(view=view, folder=SimpleNamespace(id="run-1"))


def test_a_recorded_answer_about_pushing_holds_whatever_was_left_open():
    recording = Recording(Path(str(files("statsclaw.demo"))) / "hac" / "recording")
    place = next(place for place, topic, _ in recording.answers if topic == "ship")
    asked = compose(run_with([LEFT_OPEN]), "ship").model_copy(update={"question": place})
    assert recording.answer_to(asked) is not None
    assert recording.answer_to(asked.model_copy(update={"topic": "choice"})) is None


def test_a_criterion_of_which_a_part_was_not_asked_reads_in_part(tmp_path):
    store, ran = ContentStore(tmp_path), []
    other = PASSED.model_copy(update={"id": "C9"})
    notes = f"# Audit notes\n\n## Suite\n\nAll of C9.\n\n## Not tested\n\nOf {PASSED.id}. the width of the print.\n"
    told = render_audit(ran, [], store, notes, judgements=[PASSED, other])
    assert told.count("PASS, in part") == 1 and f"In part: {PASSED.id}." in told
    assert (
        "in part" not in render_audit(ran, [], store, notes.replace("Not tested", "Else"), judgements=[PASSED]).lower()
    )
