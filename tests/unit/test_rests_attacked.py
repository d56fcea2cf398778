"""Ways in which rests and budgets could lose work or money, hang, or go in circles: each was possible once."""

from __future__ import annotations

import json
import shutil
import sys
import threading
import time

import pytest
from typer.testing import CliRunner

from statsclaw.engine import pausing, working
from statsclaw.engine.pausing import Patience, pause_after
from statsclaw.runlog.events import BudgetSet, DispatchPaused, Usage
from statsclaw.runlog.log import RunLog
from statsclaw.sandbox.endpoints import endpoint
from statsclaw.sandbox.meter import Meter, Trouble
from statsclaw.sandbox.outward import Refused
from statsclaw.states import MAX_ATTEMPTS
from statsclaw.ui.cli import app
from tests.support.runs import HERE, Bench, make_target, order_for
from tests.unit.test_pausing import AGENT, FAILED, NOW, Model, Person, finished, serving, started


@pytest.fixture(autouse=True)
def _keys(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-a-key-of-the-tests")


def test_sums_of_what_a_program_says_never_raise():
    most = Usage(input_tokens=10**12, cost_usd=1e12)
    assert (most + most).cost_usd >= 1e12


def test_batches_are_not_open():
    route = endpoint("anthropic", {"ANTHROPIC_API_KEY": "sk-a-key-of-the-tests"}).route
    with pytest.raises(Refused):
        route.target("POST", b"/v1/messages/batches")


def test_padding_before_an_answer():
    meter = Meter()
    for piece in (b"\n   ", b'{"model": "m", "usage": {"prompt_tokens": 5, "completion_tokens": 2}}'):
        meter.feed(piece)
    meter.end()
    assert meter.usage.tokens == 7


def test_a_server_that_wants_to_be_asked_again_at_once_is_not_asked_thousands_of_times():
    patience, pauses = Patience(), 0
    while (pause := pause_after(FAILED, None, Trouble(429, 1.0), patience, NOW)) and pause.until:
        patience = patience.after((pause.until - NOW).total_seconds())
        pauses += 1
    assert pauses < 200


def test_a_granted_budget_is_granted(bench: Bench, tmp_path):
    """Overshot ten times, one answer is enough."""
    person = Person(0)
    with serving(Model()) as model:
        view = started(bench, tmp_path, model, person, budgets=(BudgetSet(scope="planner", tokens=160),))
    assert finished(view)
    texts = [q.text.split(". Spent")[0] for q in person.asked]
    assert len(texts) <= 3, "each of three answers of the model is ten times the budget"


def test_what_a_role_that_is_done_has_spent_is_not_forgotten_while_others_work(bench: Bench, tmp_path):
    model = Model()

    def answer(number):
        role = model.asked[-1][0]
        if role == "tester" and model.asked.count(("tester", 0)) == 1 and ("tester", 1) not in model.asked:
            until = time.monotonic() + 30
            while time.monotonic() < until and not all((r, 2) in model.asked for r in ("builder", "simulator")):
                time.sleep(0.05)
            time.sleep(4)  # until they have handed in
        return 200, {}

    model.answer = answer
    with serving(model):
        view = started(bench, tmp_path, model, Person(None), budgets=(BudgetSet(tokens=19_000),))
    assert [q.topic for q in view.open_questions] == ["budget"]
    assert ("tester", 1) not in model.asked, "the budget was spent by then"


def test_a_role_goes_on_only_with_what_it_would_be_given_now(bench: Bench, tmp_path):
    from statsclaw.runlog.events import SpecAmended
    from statsclaw.runlog.log import RunLog
    from statsclaw.runlog.store import ContentStore

    with serving(Model()) as model:
        view = started(bench, tmp_path, model, Person(None), budgets=(BudgetSet(scope="tester", tokens=1000),))
        assert view.dispatches["tester-1"].status == "paused"
        folder = bench.workspace.find("p-1")
        store = ContentStore(folder.store)
        before = view.artifacts["test-spec.md"].sha256
        after = store.put(store.get(before) + b"\nOne sentence more.\n")
        with RunLog.open(folder.path) as log:
            log.append(
                SpecAmended(
                    document="test-spec.md",
                    what="C1.x",
                    before="a",
                    after="b",
                    why="because",
                    before_sha256=before,
                    after_sha256=after,
                )
            )
        seen = {}

        def look(record, now):
            if record.event.kind in ("dispatch_resumed", "dispatch_started") and record.event.role == "tester":
                seen.setdefault("text", (folder.room(record.event.dispatch) / "in" / "test-spec.md").read_text())

        view = bench.resume("p-1", person=Person(0), observers=(look,))
    assert "One sentence more." in seen["text"]


def test_a_room_that_is_gone_does_not_take_its_cost_with_it(bench: Bench, tmp_path):
    with serving(Model()) as model:
        view = started(bench, tmp_path, model, Person(None), budgets=(BudgetSet(scope="dispatch", tokens=3000),))
        assert view.usage.tokens == 2200
        shutil.rmtree(bench.workspace.find("p-1").room("planner-1"))
        view = bench.resume("p-1", person=Person(0))
    planner = view.dispatches["planner-1"].usage.tokens
    assert view.usage.tokens == 2200 + sum(d.usage.tokens for d in view.dispatches.values()), planner


def test_a_fault_in_one_role_does_not_wait_for_the_rest_of_another(bench: Bench, tmp_path, monkeypatch):
    rests = threading.Event()
    real = working._stretch

    def stretch(run, seat, stopping):
        if seat.role == "tester":
            assert rests.wait(60)
            time.sleep(1)
            raise RuntimeError("a fault")
        return real(run, seat, stopping)

    monkeypatch.setattr(working, "_stretch", stretch)
    model = Model()
    model.answer = lambda n: (429, {"retry-after": "40"}) if model.asked[-1][0] == "builder" else (200, {})

    def see(record, view):
        if isinstance(record.event, DispatchPaused):
            rests.set()
            see.at = time.monotonic()

    with serving(model), pytest.raises(RuntimeError):
        order = order_for(make_target(tmp_path), AGENT, endpoints=(f"{model.url}#ANTHROPIC_API_KEY",), run_id="p-1")
        bench.start(order, person=Person(0), observers=(see,))
    assert time.monotonic() - see.at < 20


def test_what_was_spent_until_the_person_interrupted_is_counted(bench: Bench, tmp_path, monkeypatch):
    model = Model()

    def answer(number):
        if number == 3:
            stop.set()
            time.sleep(5)
        return 200, {}

    stop = threading.Event()
    real = working._look_after

    def look_after(run, seats, futures):
        if stop.wait(60):
            raise KeyboardInterrupt

    model.answer = answer
    with serving(model):
        monkeypatch.setattr(working, "_look_after", look_after)
        with pytest.raises(KeyboardInterrupt):
            started(bench, tmp_path, model)
        monkeypatch.setattr(working, "_look_after", real)
        assert bench.view("p-1").usage.tokens >= 2200


def test_a_replay_does_not_need_the_questions_about_money(bench: Bench, tmp_path):
    from statsclaw.backends.replay import Recording

    person = Person(0)
    with serving(Model()) as model:
        view = started(bench, tmp_path, model, person, budgets=(BudgetSet(scope="planner", tokens=3000),))
    assert finished(view)
    recording = Recording(bench.workspace.find("p-1").path)
    others = [q.asked for q in view.questions.values() if q.asked.topic not in ("budget", "model")]
    assert others and len(view.questions) > len(others)
    for number, asked in enumerate(others, start=1):
        assert recording.answer_to(asked.model_copy(update={"question": f"q{number}"})) is not None, asked.topic


@pytest.mark.parametrize("cause", ["budget", "model"])
def test_a_program_that_ends_as_if_nothing_were_when_it_is_not_answered_has_not_failed(bench: Bench, tmp_path, cause):
    replies = iter([429]) if cause == "model" else iter([])
    meek = AGENT.replace("asking_agent.py 3", "asking_agent.py 3 --meek")
    assert meek != AGENT
    with serving(Model(lambda number: (next(replies, 200), {"retry-after": "1"}))) as model:
        budgets = (BudgetSet(scope="planner", tokens=3000),) if cause == "budget" else ()
        order = order_for(
            make_target(tmp_path),
            meek,
            endpoints=(f"{model.url}#ANTHROPIC_API_KEY",),
            run_id="p-1",
            budgets=budgets,
        )
        events: list = []
        view = bench.start(order, person=Person(0), observers=(lambda record, view: events.append(record.event),))  # type: ignore[arg-type]
    assert finished(view) and view.dispatches["planner-1"].status == "finished"
    assert [(e.dispatch, e.why) for e in events if isinstance(e, DispatchPaused)] == [("planner-1", cause)]


def test_a_new_budget_takes_back_the_question_about_the_old_one(bench: Bench, tmp_path):
    """Or the person would be asked about what they have just answered."""
    with serving(Model()) as model:
        view = started(bench, tmp_path, model, Person(None), budgets=(BudgetSet(scope="dispatch", tokens=3000),))
        assert [q.topic for q in view.open_questions] == ["budget"]
        with RunLog.open(bench.workspace.find("p-1").path) as log:
            log.append(BudgetSet(scope="dispatch"))
        nobody = Person(None)
        view = bench.resume("p-1", person=nobody)  # type: ignore[arg-type]
    assert finished(view) and nobody.asked == []
    assert [q.answer_text for q in view.questions.values() if q.asked.topic == "budget"] == ["another budget was set"]


def test_but_one_that_is_spent_as_well_is_asked_about(bench: Bench, tmp_path):
    with serving(Model()) as model:
        started(bench, tmp_path, model, Person(None), budgets=(BudgetSet(tokens=3000),))
        with RunLog.open(bench.workspace.find("p-1").path) as log:
            log.append(BudgetSet(scope="dispatch", tokens=10**6))
        assert len(bench.view("p-1").open_questions) == 1, "that is another budget"
        with RunLog.open(bench.workspace.find("p-1").path) as log:
            log.append(BudgetSet(tokens=3001))
        nobody = Person(None)
        view = bench.resume("p-1", person=nobody)  # type: ignore[arg-type]
    assert len(model.asked) == 2 and "of 3,001" in nobody.asked[-1].text
    assert [q.question for q in view.open_questions] == [nobody.asked[-1].question]


def test_a_role_s_budget_and_the_account_remember_what_was_given_up(bench: Bench, tmp_path):
    with serving(Model()) as model:
        started(bench, tmp_path, model, Person(None), budgets=(BudgetSet(scope="planner", tokens=3000),))
        shutil.rmtree(bench.workspace.find("p-1").room("planner-1"))
        with RunLog.open(bench.workspace.find("p-1").path) as log:
            log.append(BudgetSet(scope="planner", tokens=4000))
        view = bench.resume("p-1", person=Person(None))  # type: ignore[arg-type]
    assert [q.cause for q in view.open_questions] == ["planner"], "3,200 before and 1,600 now are more than 4,000"
    argv = ["cost", "p-1", "--workspace", str(bench.workspace.root), "--json"]
    rows = json.loads(CliRunner().invoke(app, argv).stdout)
    assert [(row["what"], row["input_tokens"]) for row in rows] == [
        ("planner-1", 2000),
        ("planner-1", 1000),
        ("planner", 3000),
        ("the run", 3000),
    ]
    assert "given up" in rows[0]["backend"] and rows[-1]["seconds"] > rows[0]["seconds"] > 0


def test_what_a_role_that_rests_has_said_can_be_read(bench: Bench, tmp_path):
    with serving(Model(lambda number: (401, {}) if number > 2 else (200, {}))) as model:
        started(bench, tmp_path, model, Person(None))
    argv = ["transcript", "p-1", "planner", "--workspace", str(bench.workspace.root)]
    shown = CliRunner().invoke(app, argv).stdout
    assert "planner-1" in shown and "paused" in shown and "the model says 401" in shown
    argv = ["log", "verify", "p-1", "--workspace", str(bench.workspace.root)]
    assert CliRunner().invoke(app, argv).exit_code == 0


def test_of_many_rests_no_more_is_kept_than_of_one():
    text = ""
    for _ in range(50):
        text = working._one_after_the_other(text, "a" * 1000 + "\ud800the end", 2000)
    assert len(text) < 2100 and text.startswith("aaa") and text.endswith("the end")


@pytest.mark.parametrize("status", [501, 503])
def test_wrong_work_is_not_paid_for_again_because_a_side_question_went_wrong(bench, tmp_path, monkeypatch, status):
    """It asks once, hands in what is wrong, and asks for something that the server does not do."""
    monkeypatch.setattr(pausing, "FIRST_WAIT_S", 0.01)
    model = Model()
    model.answer = lambda number: (status if model.asked[-1][1] else 200, {})
    agent = f"command:{sys.executable} {HERE / 'side_agent.py'}"
    with serving(model):
        order = order_for(make_target(tmp_path), agent, endpoints=(f"{model.url}#ANTHROPIC_API_KEY",), run_id="p-1")
        nobody = Person(None, ("budget", "model", "escalation"))
        view = bench.start(order, person=nobody)  # type: ignore[arg-type]
    assert sum(question == 0 for _, question in model.asked) == MAX_ATTEMPTS + 1, "each was a failed attempt"
    assert [q.topic for q in view.open_questions] == ["escalation"] and "comprehension.md" in view.open_questions[
        0
    ].text


def test_a_program_that_begins_anew_each_time_is_not_paid_for_fifty_times(bench: Bench, tmp_path, monkeypatch):
    monkeypatch.setattr(pausing, "FIRST_WAIT_S", 0.01)
    model = Model()
    model.answer = lambda number: (503 if model.asked[-1][1] else 200, {})
    agent = f"command:{sys.executable} {HERE / 'side_agent.py'} --nothing"
    with serving(model):
        order = order_for(make_target(tmp_path), agent, endpoints=(f"{model.url}#ANTHROPIC_API_KEY",), run_id="p-1")
        view = bench.start(order, person=Person(None))  # type: ignore[arg-type]
    assert sum(question == 0 for _, question in model.asked) == pausing.MOST_PAID_AGAIN + 1
    assert [q.topic for q in view.open_questions] == ["model"] and "begin anew" in view.open_questions[0].text


def test_a_grant_is_not_inherited_by_a_dispatch_that_begins_anew(bench: Bench, tmp_path):
    class Once(Person):
        def answer(self, question):
            self.choice = 0 if not self.asked else None
            return super().answer(question)

    with serving(Model()) as model:
        started(bench, tmp_path, model, Person(None), budgets=(BudgetSet(scope="dispatch", tokens=1500),))
        shutil.rmtree(bench.workspace.find("p-1").room("planner-1"))
        before = len(model.asked)
        bench.resume("p-1", person=Once())  # type: ignore[arg-type]
    assert [q for role, q in model.asked[before:] if role == "planner"] == [0], "1,500 are spent by one answer"


def test_what_was_spent_is_seen_between_the_end_of_the_work_and_the_log(bench: Bench, tmp_path, monkeypatch):
    seen, runs = [], []
    stretch, messages = working._stretch, working.commit_messages

    def look(*args):
        seen.append(runs[-1].view.used("", runs[-1].meters.live()).usage.tokens)
        return messages(*args)

    monkeypatch.setattr(working, "_stretch", lambda run, *rest: (runs.append(run), stretch(run, *rest))[1])
    monkeypatch.setattr(working, "commit_messages", look)
    with serving(Model()) as model:
        started(bench, tmp_path, model, Person(None), budgets=(BudgetSet(scope="dispatch", tokens=3000),))
    assert seen == [2200]
