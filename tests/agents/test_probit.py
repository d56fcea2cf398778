"""The flagship with Claude Code in every role: from the note on three probit estimators to the pushed R package."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from statsclaw.demo.demo import fitting_demo
from statsclaw.engine.attestation import dispatches_of
from statsclaw.git import git
from statsclaw.runlog.events import FileChange
from statsclaw.runlog.fold import Question, RunView
from statsclaw.runlog.log import verify
from tests.agents.conftest import SECRET
from tests.agents.recorded import Played, play
from tests.support.runs import Bench, branches

pytestmark = pytest.mark.slow
DEMO = "probit-r"
#: Of the study, in place of the demonstration's twenty: minutes less, and what is left open is the same.
REPLICATIONS = 4
#: The recorded planner heard of its errors after two attempts; today each is told when it hands in.
CALLED_WRONG_WHEN_HANDED_IN = {"planner-2", "planner-3"}


def test_a_full_workflow_driven_by_claude_code_in_every_role_passes_end_to_end_on_the_probit_target(
    agents: Path, bench: Bench
):
    """One test, so that tests in several processes make one run of it and not several."""
    if fitting_demo() != DEMO:
        pytest.skip("R with Rcpp, RcppArmadillo, testthat and xml2 is not installed")
    played = play(DEMO, bench, replications=REPLICATIONS)
    it_is_shipped(played)
    every_attempt_ends_as_it_was_recorded_and_hands_in_the_same(played)
    the_person_is_asked_the_recorded_questions_and_gives_the_recorded_answers(played)
    the_pushed_commit_holds_the_recorded_tree(played)
    the_same_criteria_are_judged_with_the_same_verdicts(played)
    every_request_went_through_the_bridge_which_alone_has_the_key(played)
    usage_is_counted_for_every_attempt_of_every_role(played)
    log_and_barrier_attest_what_each_role_was_given_and_opened(played)


def it_is_shipped(played: Played) -> None:
    assert played.model.failures == []
    assert played.view.finished and played.view.finished.outcome == "shipped", played.view.missing
    assert played.view.verdict == played.recorded.verdict == "PASS WITH NOTE"
    assert {row.backend for row in played.view.dispatches.values()} == {"claude"}


def every_attempt_ends_as_it_was_recorded_and_hands_in_the_same(played: Played) -> None:
    ours, theirs = played.view.dispatches, played.recorded.dispatches
    assert [(d.id, d.status) for d in ours.values()] == [(d.id, d.status) for d in theirs.values()]
    for name, dispatch in ours.items():
        assert dispatch.started.task_sha256 == theirs[name].started.task_sha256, f"{name} was given something else"
        assert dispatch.finished and theirs[name].finished
        assert dispatch.finished.artifacts == theirs[name].finished.artifacts
        assert set(dispatch.finished.files) == set(theirs[name].finished.files)
        sent_back = dispatch.finished.note.startswith("sent back to its conversation: test-spec.md:")
        assert sent_back == (name in CALLED_WRONG_WHEN_HANDED_IN), f"{name}: {dispatch.finished.note}"
    assert [(s.signal, s.cause, s.route_to) for s, _ in played.view.signals] == [
        (s.signal, s.cause, s.route_to) for s, _ in played.recorded.signals
    ]


def _subject(question: Question) -> tuple[str, str]:
    """Whatever number of replications was made, and whether the note's own criteria are counted."""
    text = re.sub(r" C1–C7 of probit\.tex: [^.]+\.", "", question.asked.text)
    return question.asked.topic, re.sub(r"\d+ of 500 replications", "the replications", text)


def the_person_is_asked_the_recorded_questions_and_gives_the_recorded_answers(played: Played) -> None:
    ours, theirs = played.view.questions, played.recorded.questions
    assert list(map(_subject, ours.values())) == list(map(_subject, theirs.values()))
    assert [(q.answer.choice, q.answer.text) for q in ours.values() if q.answer] == [
        (q.answer.choice, q.answer.text) for q in theirs.values() if q.answer
    ]
    assert {q.answer.by for q in ours.values() if q.answer} == {"recording"}


def the_pushed_commit_holds_the_recorded_tree(played: Played) -> None:
    """But for the suite that ships, which the engine of today writes."""
    view, recorded = played.view, played.recorded
    handed_in, then = _handed_in(view), _handed_in(recorded)
    assert handed_in == then
    assert view.pushed and branches(played.remote)[view.pushed.branch] == view.pushed.commit
    for path, change in then.items():
        asks = path.startswith("tests/validation/")  # the tester's own files ship to be read
        place = f"{path}.source" if asks else path
        pushed = git("show", f"{view.pushed.commit}:{place}", git_dir=played.remote)
        assert pushed == played.recording.store.get(change.sha256 or ""), path


def _handed_in(view: RunView) -> dict[str, FileChange]:
    made = {change.path for change in view.suite.files} if view.suite else set()
    return {path: change for path, change in view.overlay.items() if path not in made}


def the_same_criteria_are_judged_with_the_same_verdicts(played: Played) -> None:
    def judged(view: RunView) -> list[tuple[str, list[str]]]:
        return [(subject, [row.id for row in event.judgements]) for (_, subject), event in view.judged.items()]

    def verdicts(view: RunView) -> list[tuple[str, str]]:
        return [(row.id, row.verdict) for row in view.judged[view.tree_sha256, "after"].judgements]

    ours, theirs = judged(played.view), judged(played.recorded)
    assert [row for row in ours if row in theirs] == theirs
    assert len(verdicts(played.view)) == 83
    assert verdicts(played.view) == verdicts(played.recorded)


def every_request_went_through_the_bridge_which_alone_has_the_key(played: Played) -> None:
    assert {asked.headers["x-api-key"] for asked in played.model.asked} == {SECRET}
    closed = [dispatch.closed for dispatch in played.view.dispatches.values()]
    assert sum(row.network.requests for row in closed if row) >= len(played.model.asked)
    refused = {refusal for row in closed if row for refusal in row.network.refusals}
    assert refused == set(), "whether its server is there, Claude Code is told"
    kept = [path for path in played.folder.path.rglob("*") if path.is_file()]
    assert not [path for path in kept if SECRET.encode() in path.read_bytes()]


def usage_is_counted_for_every_attempt_of_every_role(played: Played) -> None:
    for dispatch in played.view.dispatches.values():
        used = dispatch.usage
        assert min(used.input_tokens, used.cached_tokens, used.output_tokens) > 0 and used.cost_usd > 0, dispatch.id
    scripted = sum(asked.size // 8 for asked in played.model.asked)
    assert played.view.usage.input_tokens == scripted, "all that the server counted, and nothing twice"


def log_and_barrier_attest_what_each_role_was_given_and_opened(played: Played) -> None:
    assert verify(played.folder.path) > 100
    seen = dispatches_of(played.folder)
    assert [row.dispatch for row in seen] == list(played.view.dispatches)
    assert [fault for row in seen for fault in row.faults] == []
    for dispatch in played.view.dispatches.values():
        assert dispatch.closed and dispatch.started.sandbox and dispatch.started.barrier == "bubblewrap"
        given = set(dispatch.started.sandbox.documents)
        assert set(dispatch.closed.opened or ()) == given - {"prompt.md"}, f"{dispatch.id} reads all but the copy"
        before = played.recorded.dispatches[dispatch.id].closed
        assert before and dispatch.closed.suspicions == before.suspicions
