"""What was spent, on what, and what nobody knows the price of."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from statsclaw.backends.prices import priced
from statsclaw.runlog.events import Usage
from statsclaw.ui.cli import app
from tests.support.runs import Bench, make_target, order_for

USED = Usage(input_tokens=1_000_000, cached_tokens=1_000_000, output_tokens=100_000)


def test_cached_tokens_cost_less_and_output_more():
    """OpenAI's list: 1.25, 0.125 and 10 dollars a million."""
    assert priced(USED, "openai", "gpt-5").cost_usd == pytest.approx(1.25 + 0.125 + 1.0)


@pytest.mark.parametrize(("provider", "model"), [("openai", ""), ("openai", "no-such-model"), ("nobody", "gpt-5")])
def test_a_price_that_nobody_knows_is_not_made_up(provider, model):
    assert priced(USED, provider, model) == USED


def test_what_a_program_says_itself_counts():
    said = USED.model_copy(update={"cost_usd": 7.0})
    assert priced(said, "openai", "gpt-5").cost_usd == 7.0


def test_a_run_by_dispatch_role_and_in_all(bench: Bench, tmp_path):
    view = bench.start(order_for(make_target(tmp_path)))
    argv = ["cost", view.head.run_id, "--workspace", str(bench.workspace.root)]
    rows = {row["what"]: row for row in json.loads(CliRunner().invoke(app, [*argv, "--json"]).stdout)}
    assert rows["builder"]["cost_usd"] == 0.02 and rows["builder-2"]["cost_usd"] == 0.01, "two attempts"
    assert rows["the run"]["input_tokens"] == view.usage.input_tokens == 1000 * len(view.dispatches)
    shown = CliRunner().invoke(app, argv).stdout
    assert "$0.02" in shown and "the run" in shown
    months = json.loads(CliRunner().invoke(app, ["cost", "--workspace", str(bench.workspace.root), "--json"]).stdout)
    assert [row["what"] for row in months] == [view.head.run_id, "all of 2026-01"]
    assert months[-1]["cost_usd"] == rows["the run"]["cost_usd"]


def test_nothing_spent_is_said_in_one_line(tmp_path):
    assert CliRunner().invoke(app, ["cost", "--workspace", str(tmp_path)]).stdout == "nothing was spent yet\n"
