"""Real agents rest where their model does not answer or their budget is spent, and go on with their conversation."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from statsclaw.runlog.chain import Record
from statsclaw.runlog.events import BudgetSet, DispatchPaused, QuestionAsked
from statsclaw.runlog.fold import RunView
from tests.agents.roles import honest_files
from tests.agents.scripted_model import Act, Fail, Say, ScriptedModel, Shell, Talk, Write
from tests.agents.until import EACH_KIND, KEYS, Enough, first_dispatch_only
from tests.support.runs import Bench, make_target, order_for

pytestmark = pytest.mark.slow


class Nobody:
    def answer(self, question: object) -> None:
        return None

    def wait(self, run: object) -> bool:
        return False


class Willing(Nobody):
    def answer(self, question: QuestionAsked):  # type: ignore[override]
        from statsclaw.runlog.events import QuestionAnswered

        return QuestionAnswered(question=question.question, choice=0, by="answer")


def planner(talk: Talk) -> Iterator[Act]:
    prompt = talk.asked[0].first
    for path, text in honest_files("planner", prompt, "--good", "--no-hold").items():
        yield Write(path, text)
    yield Say("done")


@pytest.mark.parametrize("backend", EACH_KIND)
def test_a_limit_is_waited_out_and_the_conversation_goes_on(agents: Path, bench: Bench, tmp_path: Path, backend):
    pauses: list[DispatchPaused] = []
    limited = True

    def observe(record: Record, view: RunView) -> None:
        nonlocal limited
        if isinstance(record.event, DispatchPaused):
            pauses.append(record.event)
            limited = False
        first_dispatch_only(record, view)

    def script(talk: Talk) -> Iterator[Act]:
        yield Shell("echo remembered > /tmp/left; echo first step")
        while limited:
            yield Fail(429, "rate limit", {"retry-after": "1"})
        assert any("first step" in result for result in talk.now.results), talk.now.results
        yield Shell("cat /tmp/left")
        assert "remembered" in talk.last
        yield from planner(talk)

    with ScriptedModel(script) as model:
        endpoint = f"{model.url}#{KEYS[backend]}"
        order = order_for(make_target(tmp_path), backend=backend, endpoints=(endpoint,), run_id="a-1")
        with pytest.raises(Enough):
            bench.start(order, observers=(observe,))
    assert model.failures == []
    view = bench.view("a-1")
    dispatch = view.dispatches["planner-1"]
    assert dispatch.status == "finished", dispatch.reason
    assert len(pauses) == 1 and "429" in pauses[0].reason, [p.reason for p in pauses]
    assert dispatch.closed is not None and dispatch.closed.network.answers["429"] >= 1
    assert dispatch.usage.input_tokens > 0


@pytest.mark.parametrize("backend", EACH_KIND)
def test_a_budget_cuts_the_agent_and_it_goes_on_when_more_is_granted(agents, bench: Bench, tmp_path: Path, backend):
    def script(talk: Talk) -> Iterator[Act]:
        for step in range(6):
            yield Shell(f"echo step {step}")
        assert any("step 0" in result for result in talk.now.results)
        yield from planner(talk)

    with ScriptedModel(script) as model:
        endpoint = f"{model.url}#{KEYS[backend]}"
        budgets = (BudgetSet(scope="dispatch", tokens=20_000),)
        order = order_for(make_target(tmp_path), backend=backend, endpoints=(endpoint,), run_id="a-1", budgets=budgets)
        view = bench.start(order, person=Nobody())
        assert [q.topic for q in view.open_questions] == ["budget"] and view.dispatches["planner-1"].status == "paused"
        with pytest.raises(Enough):
            bench.resume("a-1", person=Willing(), observers=(first_dispatch_only,))
    assert model.failures == []
    view = bench.view("a-1")
    assert view.dispatches["planner-1"].status == "finished", view.dispatches["planner-1"].reason
    counted = view.dispatches["planner-1"].usage
    assert counted.tokens + counted.cached_tokens >= 20_000


def test_a_key_that_is_not_taken_is_a_question_within_seconds(agents: Path, bench: Bench, tmp_path: Path):
    def script(talk: Talk) -> Iterator[Act]:
        while True:
            yield Fail(401, "invalid x-api-key")

    with ScriptedModel(script) as model:
        endpoint = f"{model.url}#ANTHROPIC_API_KEY"
        order = order_for(make_target(tmp_path), backend="claude", endpoints=(endpoint,), run_id="a-1")
        view = bench.start(order, person=Nobody())
    assert [q.topic for q in view.open_questions] == ["model"]
    assert "does not take the key" in view.open_questions[0].text
