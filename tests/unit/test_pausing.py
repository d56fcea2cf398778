"""A role rests where its budget is spent or its model does not answer, and goes on from there: nothing is lost."""

from __future__ import annotations

import json
import shutil
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from statsclaw.engine import pausing, working
from statsclaw.engine.attestation import dispatches_of
from statsclaw.engine.pausing import Patience, Pause, pause_after
from statsclaw.runlog import chain
from statsclaw.runlog.events import BudgetSet, DispatchPaused, DispatchResumed, DispatchStarted, QuestionAnswered
from statsclaw.runlog.fold import Overdrawn, RunView
from statsclaw.runlog.log import RunLog
from statsclaw.sandbox.handin import HandIn
from statsclaw.sandbox.meter import Trouble
from statsclaw.workspace.layout import RunFolder
from tests.support.runs import HERE, HONEST, Bench, make_target, order_for

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
FAILED = HandIn(failure="the agent failed")
OVER = Overdrawn("", "$5.00 of $5.00")


def in_seconds(pause: Pause | None) -> float | None:
    assert pause is not None
    return (pause.until - NOW).total_seconds() if pause.until else None


def test_a_result_is_a_result_whatever_it_cost_and_however_the_model_was():
    assert pause_after(HandIn(), OVER, Trouble(429), Patience(), NOW) is None


def test_a_limit_of_the_sandbox_is_no_rest():
    assert pause_after(HandIn(failure="x", ended_by="memory"), OVER, Trouble(429), Patience(), NOW) is None


@pytest.mark.parametrize("trouble", [None, Trouble(400), Trouble(404)])
def test_an_agent_that_fails_by_itself_has_failed(trouble):
    found = trouble if trouble is None or trouble.passes or trouble.needs_a_person else None
    assert pause_after(FAILED, None, found, Patience(), NOW) is None


def test_a_budget_waits_for_the_person():
    assert pause_after(FAILED, OVER, Trouble(429), Patience(), NOW) == Pause(
        "budget", "the budget is spent: $5.00 of $5.00"
    )


@pytest.mark.parametrize("status", [401, 402, 403])
def test_so_does_a_key_that_is_not_taken(status):
    pause = pause_after(FAILED, None, Trouble(status), Patience(), NOW)
    assert pause and pause.why == "model" and pause.until is None and str(status) in pause.reason


@pytest.mark.parametrize("status", [0, 429, 500, 502, 503, 504, 529])
def test_a_limit_an_overload_and_an_absent_network_are_waited_out(status):
    assert in_seconds(pause_after(FAILED, None, Trouble(status), Patience(), NOW)) == pausing.FIRST_WAIT_S


def test_longer_each_time_and_never_longer_than_that():
    waits, patience = [], Patience()
    for _ in range(9):
        seconds = in_seconds(pause_after(FAILED, None, Trouble(529), patience, NOW)) or 0.0
        waits.append(seconds)
        patience = patience.after(seconds)
    assert waits == [30, 60, 120, 240, 480, 960, 1800, 1800, 1800]


def test_as_long_as_the_server_asks_for():
    assert in_seconds(pause_after(FAILED, None, Trouble(429, 4 * 3600.0), Patience(5), NOW)) == 4 * 3600
    assert in_seconds(pause_after(FAILED, None, Trouble(429, 0.0), Patience(), NOW)) == 1.0


def test_nobody_waits_for_ever():
    pause = pause_after(FAILED, None, Trouble(429, 7 * 86400.0), Patience(), NOW)
    assert pause and pause.until is None
    pause = pause_after(FAILED, None, Trouble(529), Patience(30, pausing.PATIENCE_S), NOW)
    assert pause and pause.until is None and "12.0 hours" in pause.reason


# --- runs -----------------------------------------------------------------------------------------------------------

AGENT = f"command:{sys.executable} {HERE / 'asking_agent.py'} 3 {HERE / 'agent.py'} {HONEST} --good --no-hold"
USAGE = {"input_tokens": 1000, "cache_read_input_tokens": 500, "output_tokens": 100}


@dataclass
class Model:
    """Answers as `answer` says, by the number of the request: a status and headers. 200 costs 1,600 tokens."""

    answer: Callable[[int], tuple[int, dict[str, str]]] = lambda number: (200, {})
    asked: list[tuple[str, int]] = field(default_factory=list)
    url: str = ""


@contextmanager
def serving(model: Model) -> Iterator[Model]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None: ...

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            model.asked.append((body["role"], body["question"]))
            status, headers = model.answer(len(model.asked))
            said = json.dumps({"model": "claude-sonnet-4-5", "usage": USAGE} if status == 200 else {}).encode()
            self.send_response(status)
            for name, value in {"content-length": str(len(said)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(said)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    model.url = f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture(autouse=True)
def _keys(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-a-key-of-the-tests")


class Person:
    """Answers questions about budgets and models with `choice`; None: nobody is there."""

    def __init__(self, choice: int | None = None, topics: tuple[str, ...] = ("budget", "model")) -> None:
        self.choice, self.topics, self.asked = choice, topics, []

    def answer(self, question):
        if question.topic not in self.topics:
            return QuestionAnswered(question=question.question, choice=question.default or 0, by="answer")
        self.asked.append(question)
        return (
            None if self.choice is None else QuestionAnswered(question=question.question, choice=self.choice, by="file")
        )

    def wait(self, run):
        return False


def started(bench: Bench, tmp_path, model: Model, person: Person | None = None, events: list | None = None, **more):
    order = order_for(make_target(tmp_path), AGENT, endpoints=(f"{model.url}#ANTHROPIC_API_KEY",), run_id="p-1", **more)
    observe = (lambda record, view: events.append(record.event),) if events is not None else ()
    return bench.start(order, person=person or Person(0), observers=observe)  # type: ignore[arg-type]


def finished(view: RunView) -> bool:
    return view.finished is not None and view.finished.outcome in ("done", "shipped")


def test_a_limit_is_waited_out_in_the_same_room_and_is_no_failed_attempt(bench: Bench, tmp_path):
    events: list = []
    with serving(Model(lambda number: (429, {"retry-after": "1"}) if number == 3 else (200, {}))) as model:
        view = started(bench, tmp_path, model, events=events)
    assert finished(view)
    pauses = [event for event in events if isinstance(event, DispatchPaused)]
    assert [(p.dispatch, p.why) for p in pauses] == [("planner-1", "model")] and "429" in pauses[0].reason
    assert [e.dispatch for e in events if isinstance(e, DispatchResumed)] == ["planner-1"]
    assert [e.dispatch for e in events if isinstance(e, DispatchStarted)].count("planner-1") == 1
    assert [q for role, q in model.asked if role == "planner"] == [0, 1, 2, 2], (
        "only what was not answered is asked again"
    )
    planner = view.dispatches["planner-1"]
    assert planner.status == "finished" and planner.closed.network.answers == {"200": 3, "429": 1}
    assert planner.usage.tokens == 3 * 1100 and planner.usage.cached_tokens == 3 * 500, "both stretches are counted"
    assert planner.usage.cost_usd > 0 and "429" in bench_transcript(bench, planner)


def bench_transcript(bench: Bench, dispatch) -> str:
    from statsclaw.runlog.store import ContentStore

    return ContentStore(bench.workspace.find("p-1").store).get_text(dispatch.transcript_sha256)


def test_a_key_that_is_not_taken_is_the_person_s_and_nothing_is_tried_meanwhile(bench: Bench, tmp_path):
    good = threading.Event()
    with serving(Model(lambda number: (200, {}) if good.is_set() or number < 3 else (401, {}))) as model:
        nobody = Person(None)
        view = started(bench, tmp_path, model, nobody)
        assert view.finished is None and [q.topic for q in view.open_questions] == ["model"]
        assert view.dispatches["planner-1"].status == "paused" and len(model.asked) == 3
        assert "does not take the key" in nobody.asked[0].text
        view = bench.resume("p-1", person=Person(None))  # type: ignore[arg-type]
        assert len(model.asked) == 3 and view.dispatches["planner-1"].status == "paused", "the answer is waited for"
        good.set()
        view = bench.resume("p-1", person=Person(0))  # type: ignore[arg-type]
    assert finished(view)
    assert [q for role, q in model.asked if role == "planner"] == [0, 1, 2, 2]


def test_the_person_may_stop_there(bench: Bench, tmp_path):
    with serving(Model(lambda number: (401, {}))) as model:
        view = started(bench, tmp_path, model, Person(1))
    assert view.finished is not None and view.finished.outcome == "stopped" and len(model.asked) == 1


def test_a_process_that_ends_while_it_waits_has_lost_nothing(bench: Bench, tmp_path):
    class Killed(Exception):
        pass

    def kill(record, view) -> None:
        if isinstance(record.event, DispatchPaused):
            raise Killed

    with serving(Model(lambda number: (529, {"retry-after": "2"}) if number == 2 else (200, {}))) as model:
        order = order_for(make_target(tmp_path), AGENT, endpoints=(f"{model.url}#ANTHROPIC_API_KEY",), run_id="p-1")
        with pytest.raises(Killed):
            bench.start(order, observers=(kill,))
        view = bench.resume("p-1", person=Person(0))  # type: ignore[arg-type]
    assert finished(view)
    assert [q for role, q in model.asked if role == "planner"] == [0, 1, 1, 2]


@pytest.mark.parametrize(
    ("budget", "asked_for"),
    [
        (BudgetSet(tokens=3000), ""),
        (BudgetSet(scope="planner", tokens=3000), "planner"),
        (BudgetSet(scope="dispatch", tokens=3000), "planner-1"),
        (BudgetSet(usd=0.009), ""),
    ],
)
def test_a_budget_cuts_a_dispatch_that_is_under_way(bench: Bench, tmp_path, budget, asked_for):
    """Three questions of 1,600 tokens each would be asked; the third is not let through."""
    with serving(Model()) as model:
        view = started(bench, tmp_path, model, Person(None), budgets=(budget,))
        assert view.finished is None and [q.topic for q in view.open_questions] == ["budget"]
        question = view.open_questions[0]
        assert question.cause == asked_for and "planner: $0.0" in question.text
        planner = view.dispatches["planner-1"]
        assert model.asked == [("planner", 0), ("planner", 1)] and planner.status == "paused"
        assert planner.usage.tokens + planner.usage.cached_tokens == 3200
        view = bench.resume("p-1", person=Person(0))  # type: ignore[arg-type]
        assert finished(view)
    assert [q for role, q in model.asked if role == "planner"] == [0, 1, 2], "it went on where it was cut"
    assert view.dispatches["planner-1"].usage.tokens == 3300


def test_a_budget_of_time_ends_whoever_goes_on(bench: Bench, tmp_path, monkeypatch):
    monkeypatch.setattr(working, "GRACE_S", 0.2)
    slow = threading.Event()
    with serving(Model(lambda number: (slow.wait(30), (200, {}))[1])) as model:
        view = started(bench, tmp_path, model, Person(None), budgets=(BudgetSet(hours=1 / 3600),))
        assert [q.topic for q in view.open_questions] == ["budget"] and "hours" in view.open_questions[0].text
        assert view.dispatches["planner-1"].elapsed_s < 15
        slow.set()


def test_another_backend_does_not_go_on_with_a_conversation_that_is_not_its_own(bench: Bench, tmp_path):
    from statsclaw.engine.run import read_local
    from statsclaw.runlog.store import write_durably
    from tests.support.runs import AGENT as PLAIN

    with serving(Model()) as model:
        started(bench, tmp_path, model, Person(None), budgets=(BudgetSet(scope="dispatch", tokens=3000),))
        folder = bench.workspace.find("p-1")
        local = read_local(folder)
        other = {"*": f"command:/usr/bin/env {PLAIN.removeprefix('command:')} --good --no-hold"}
        write_durably(folder.local, local.model_copy(update={"backends": other}).model_dump_json().encode())
        view = bench.resume("p-1", person=Person(0))  # type: ignore[arg-type]
    assert finished(view) and view.usage.tokens >= 2200, "what the first one spent is not forgotten"
    assert view.dispatches["planner-1"].backend == "command:env"


def with_other_documents(sandbox):
    return {"documents": {**sandbox.documents, "test-spec.md": "0" * 64}}


def with_a_network(sandbox):
    return {"network": ("evil.example",)}


def with_writable_documents(sandbox):
    return {"mounts": tuple(mount.model_copy(update={"writable": True}) for mount in sandbox.mounts)}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (with_other_documents, "after its rest it was given other documents"),
        (with_a_network, "after its rest: it could reach evil.example"),
        (with_writable_documents, "after its rest: /in was writable"),
    ],
)
def test_what_a_role_is_given_after_its_rest_is_verified_too(bench: Bench, tmp_path, change, said):
    with serving(Model()) as model:
        started(bench, tmp_path, model, Person(None), budgets=(BudgetSet(scope="dispatch", tokens=3000),))
        bench.resume("p-1", person=Person(0))  # type: ignore[arg-type]
    folder = bench.workspace.find("p-1")
    assert [fault for one in dispatches_of(folder) for fault in one.faults] == []
    copy = tmp_path / "altered"
    shutil.copytree(folder.path, copy, symlinks=True)
    for name in ("events.jsonl", "head", "lock"):
        (copy / name).unlink(missing_ok=True)
    (copy / "events.jsonl").touch()
    with RunLog.open(copy) as log:
        for record in chain.read(folder.path / "events.jsonl").records:
            event = record.event
            if isinstance(event, DispatchResumed) and event.sandbox:
                altered = event.sandbox.model_copy(update=change(event.sandbox))
                event = event.model_copy(update={"sandbox": altered})
            log.append(event)
    assert said in [fault for one in dispatches_of(RunFolder(copy)) for fault in one.faults]


def test_the_wait_is_counted_from_the_pause(bench: Bench, tmp_path):
    events: list = []
    with serving(Model(lambda number: (429, {"retry-after": "2"}) if number == 1 else (200, {}))) as model:
        view = started(bench, tmp_path, model, events=events)
    pause = next(event for event in events if isinstance(event, DispatchPaused))
    assert pause.until is not None and abs(pause.until - datetime.now(UTC)) < timedelta(minutes=5)
    assert view.dispatches["planner-1"].elapsed_s < 60
