"""A budget pauses a run with a question that says what was spent on what; nothing is lost and nothing hangs."""

from __future__ import annotations

import pytest

from statsclaw.errors import InputRefused
from statsclaw.runlog.events import BudgetSet, QuestionAnswered, Usage
from statsclaw.ui.options import budgets_of
from tests.support.runs import Bench, make_target, order_for

USED = Usage(input_tokens=800, cached_tokens=150, output_tokens=50, cost_usd=0.5)


@pytest.mark.parametrize(
    ("budget", "spent"),
    [
        ({}, ""),
        ({"usd": 0.51}, ""),
        ({"usd": 0.5}, "$0.50 of $0.50"),
        ({"usd": 0.3}, "$0.50 of $0.30"),
        ({"tokens": 1000}, "1,000 of 1,000 tokens"),
        ({"tokens": 1001}, ""),
        ({"hours": 2.0}, "2.00 of 2.00 hours"),
        ({"usd": 0.1, "hours": 1.0}, "$0.50 of $0.10, 2.00 of 1.00 hours"),
    ],
)
def test_what_is_used_up_is_named(budget, spent):
    assert BudgetSet(**budget).spent(USED, 7200.0) == spent


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (["5usd"], (BudgetSet(usd=5),)),
        (["2.50 USD", "3h"], (BudgetSet(usd=2.5, hours=3),)),
        (["2000000tokens"], (BudgetSet(tokens=2_000_000),)),
        (["Tester = 1usd", "5usd"], (BudgetSet(scope="tester", usd=1), BudgetSet(usd=5))),
        (["dispatch=1h", "dispatch=9tokens"], (BudgetSet(scope="dispatch", hours=1, tokens=9),)),
        (["none"], (BudgetSet(),)),
        (["tester=none"], (BudgetSet(scope="tester"),)),
        (None, ()),
        ([], ()),
    ],
)
def test_as_it_is_typed(typed, meant):
    assert budgets_of(typed) == meant


@pytest.mark.parametrize(
    "typed",
    [
        "5",
        "usd",
        "-5usd",
        "5eur",
        "1e9usd",
        "infusd",
        "2.5tokens",
        "9" * 20 + "usd",
        "",
        "nobody=5usd",
        "=5usd=1h",
        "tester=",
        "tester",
    ],
)
def test_what_is_no_amount_is_refused(typed):
    with pytest.raises(InputRefused):
        budgets_of([typed])


class Answering:
    def __init__(self, choice: int | None) -> None:
        self.choice, self.asked = choice, []

    def answer(self, question):
        if question.topic != "budget":
            return QuestionAnswered(question=question.question, choice=question.default or 0, by="answer")
        self.asked.append(question)
        if self.choice is None:
            return None
        return QuestionAnswered(question=question.question, choice=self.choice, by="answer")

    def wait(self, run):
        return False


def test_the_run_waits_for_the_person_and_goes_on_from_there(bench: Bench, tmp_path):
    order = order_for(make_target(tmp_path), budgets=(BudgetSet(usd=0.025),), run_id="b-1")
    nobody = Answering(None)
    view = bench.start(order, person=nobody)  # type: ignore[arg-type]
    assert view.finished is None and [q.topic for q in view.open_questions] == ["budget"]
    assert view.usage.cost_usd == pytest.approx(0.03) and "planner: $0.01" in view.open_questions[0].text
    before = {name: d.finished for name, d in view.dispatches.items()}
    willing = Answering(0)
    view = bench.resume("b-1", person=willing)  # type: ignore[arg-type]
    assert view.finished is not None and view.finished.outcome in ("done", "shipped")
    assert all(view.dispatches[name].finished == finished for name, finished in before.items()), (
        "nothing was done twice"
    )
    assert len(willing.asked) == 2, "asked again each time as much again was spent"


def test_the_person_may_stop_there(bench: Bench, tmp_path):
    order = order_for(make_target(tmp_path), budgets=(BudgetSet(tokens=1),))
    view = bench.start(order, person=Answering(1))  # type: ignore[arg-type]
    assert view.finished is not None and view.finished.outcome == "stopped" and len(view.dispatches) == 1


def test_another_budget_counts_from_the_beginning(bench: Bench, tmp_path):
    view = bench.start(order_for(make_target(tmp_path), budgets=(BudgetSet(usd=5.0),)))
    assert view.finished is not None and view.over_budget("builder-9", "builder") is None
    view.budgets[""] = BudgetSet(usd=0.001)
    assert view.over_budget("builder-9", "builder") is not None
