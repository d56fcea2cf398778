"""What a run may cost is said before anything is spent, and what it is known from."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from statsclaw.backends import agent_program
from statsclaw.backends.prices import priced
from statsclaw.engine.estimate import Expected, expected
from statsclaw.runlog.events import BudgetSet, DispatchStarted, Usage
from statsclaw.runlog.fold import DispatchView, RunView
from statsclaw.ui.cli import app
from statsclaw.ui.estimates import budget_warnings, estimate_line
from tests.support.runs import make_target

NOW = datetime(2026, 1, 1, tzinfo=UTC)
MODELS = {"anthropic": "claude-sonnet-4-5", "openai": "gpt-5"}


@pytest.fixture(autouse=True)
def _installed(monkeypatch):
    monkeypatch.setattr(agent_program.shutil, "which", lambda name: f"/opt/{name}")


def run_with(*rows: tuple[str, str, int, float, str]) -> RunView:
    """Dispatches by role, backend, tokens, seconds and how they ended."""
    view = RunView()
    for n, (role, backend, tokens, seconds, status) in enumerate(rows):
        event = DispatchStarted(
            dispatch=f"{role}-{n}", role=role, attempt=n, backend=backend, task_sha256="", prompt_sha256="",
            view_sha256="", barrier="bubblewrap",
        )  # fmt: skip
        used = Usage(input_tokens=tokens, cost_usd=tokens / 1e6)
        view.dispatches[event.dispatch] = DispatchView(
            event.dispatch, role, n, backend, event, NOW, status=status, usage=used, elapsed_s=seconds
        )  # type: ignore[arg-type]
    return view


def test_the_median_of_earlier_runs_all_attempts_together():
    runs = [
        run_with(("builder", "claude", 10, 1.0, "finished")),
        run_with(("builder", "claude", 100, 5.0, "failed"), ("builder", "claude", 200, 7.0, "finished")),
        run_with(("builder", "claude", 9000, 1.0, "finished")),
    ]
    (row,) = expected({"builder": "claude"}, runs, MODELS)
    assert (row.usage.tokens, row.seconds, row.runs) == (300, 12.0, 3)


@pytest.mark.parametrize(
    "other",
    [("tester", "claude", 10, 1.0, "finished"), ("builder", "codex", 10, 1.0, "finished"),
     ("builder", "claude:opus", 10, 1.0, "finished"), ("builder", "claude", 10, 1.0, "failed"),
     ("builder", "claude", 0, 1.0, "finished")],
)  # fmt: skip
def test_another_role_another_backend_or_an_attempt_without_end_says_nothing(other):
    (row,) = expected({"builder": "claude"}, [run_with(other)], MODELS)
    assert row.runs == 0 and row.usage.tokens > 1000


def test_before_the_first_run_the_demonstration_at_the_price_of_a_model_that_is_named():
    rows = expected({"builder": "claude", "tester": "codex:gpt-5", "scriber": "human"}, [], MODELS)
    assert [(row.role, row.runs, row.priced_as) for row in rows] == [
        ("builder", 0, "claude-sonnet-4-5"),
        ("tester", 0, ""),
    ]
    line = estimate_line(rows)
    assert line and line.text.startswith("about ") and "at the price of claude-sonnet-4-5" in line.text
    assert "$" in line.text and "nothing is known of such a run here yet" in line.text
    assert "what one small function took" in line.text and "took, a whole package" in line.text


def test_many_requests_are_not_charged_as_one_long_one():
    one = priced(Usage(input_tokens=50_000, output_tokens=1_000), "anthropic", "claude-sonnet-4-5")
    many = priced(Usage(input_tokens=5_000_000, output_tokens=100_000), "anthropic", "claude-sonnet-4-5")
    assert many.cost_usd == pytest.approx(100 * one.cost_usd) and one.cost_usd > 0


def test_a_model_nobody_knows_has_no_price():
    line = estimate_line(expected({"builder": "api:custom/qwen3:8b"}, [], MODELS))
    assert line and "price unknown" in line.text and "$" not in line.text


def test_people_and_recordings_cost_nothing_that_could_be_estimated():
    assert (
        estimate_line(expected({"builder": "human", "tester": "replay:x", "reader": "command:x"}, [], MODELS)) is None
    )


def test_what_is_known_in_part_is_said_so():
    used = Usage(input_tokens=10, cost_usd=1.0)
    some = Expected("builder", "claude", used, 1.0, 2, "", used)
    none = Expected("tester", "claude", Usage(input_tokens=10), 0.0, 0, "", Usage(input_tokens=1))
    assert "in part" in str(estimate_line([some, none]))
    assert "the middle of 2 or more earlier runs" in str(estimate_line([some]))


def test_a_dry_run_says_who_and_how_much_and_starts_nothing(tmp_path: Path, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-a-key-of-the-tests")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    place = tmp_path / "workspace"
    argv = ["run", "Build the estimator of the notes", "--workflow", "full", "--target", str(make_target(tmp_path))]
    argv += ["--backend", "claude", "--role-backend", "tester=human", "--budget", "5usd", "--dry-run"]
    done = CliRunner().invoke(app, [*argv, "--workspace", str(place)], env={"COLUMNS": "120"})
    assert done.exit_code == 0, done.output
    assert "Nothing was started" in done.output and "In all: about" in done.output and "$" in done.output
    assert "human" in done.output and not place.exists()


def test_a_dry_run_needs_neither_the_program_nor_a_key_and_says_what_a_run_would_need(tmp_path: Path, monkeypatch):
    for name in [name for name in os.environ if "KEY" in name or "TOKEN" in name]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setattr(agent_program.shutil, "which", lambda name: None)
    argv = ["run", "Build the estimator of the notes", "--workflow", "full", "--target", str(tmp_path)]
    argv += ["--backend", "claude", "--budget", "0.01usd", "--dry-run", "--workspace", str(tmp_path / "workspace")]
    done = CliRunner().invoke(app, argv, env={"COLUMNS": "200"})
    assert done.exit_code == 0, done.output
    assert "'claude' is not installed" in done.output and "there is no key for the model endpoint" in done.output
    assert "$0.01 is less than the $" in done.output and "Nothing was started" in done.output
    refused = CliRunner().invoke(app, [*argv, "--backend", "fly"])
    assert refused.exit_code != 0


def test_a_budget_that_cannot_suffice_is_said_to_be_so_and_one_that_can_is_not():
    used = Usage(input_tokens=100, cost_usd=2.0)
    rows = [Expected(role, "claude", used, 1.0, 2, "", used) for role in ("builder", "tester")]
    said = budget_warnings(
        rows, [BudgetSet(usd=3.0), BudgetSet(scope="tester", usd=2.5), BudgetSet(scope="builder", tokens=50)]
    )
    assert [line.text.split(" that ")[1].split(" is ")[0] for line in said] == ["such a run", "the builder"]


def test_a_first_run_lies_between_one_small_function_and_a_whole_package():
    fix = dict.fromkeys(("builder", "tester"), "claude")
    rows = expected(fix, [], MODELS, "quick-fix")
    least, most = sum(row.least.cost_usd for row in rows), sum(row.usage.cost_usd for row in rows)
    assert 0 < 10 * least < most
    line = estimate_line(rows)
    assert line and f"${least:.2f} to ${most:.2f}" in line.text and "at least" not in line.text
    assert least < sum(row.least.cost_usd for row in expected(fix, [], MODELS, "full"))
    none, some, enough = (
        [line.text for line in budget_warnings(rows, [BudgetSet(usd=usd)])] for usd in (least / 2, most / 2, most * 2)
    )
    assert "cannot suffice" in none[0] and "may not suffice" in some[0] and enough == []


def test_a_dry_run_of_an_unclear_directive_estimates_both_readings(tmp_path: Path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    argv = ["run", "Fix the typo in hl", "--target", str(tmp_path), "--dry-run", "--backend", "claude"]
    argv += ["--budget", "0.05usd", "--workspace", str(tmp_path / "workspace")]
    done = CliRunner().invoke(app, argv, env={"COLUMNS": "200"})
    assert done.exit_code == 0, done.output
    assert "The workflow is not clear yet (a small fix could take the short way)" in done.output
    assert done.output.index("likeliest: workflow quick-fix") < done.output.index("runner-up: workflow fix-and-ship")
    assert done.output.count("In all: about") == done.output.count("so it cannot suffice") == 2


def test_the_price_in_the_readme_is_that_of_the_recorded_run():
    roles = ("planner", "reader", "builder", "tester", "simulator", "scriber", "reviewer")
    rows = expected(dict.fromkeys(roles, "claude"), [], MODELS)
    dollars = sum(row.usage.cost_usd for row in rows)
    readme = " ".join((Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8").split())
    assert f"about ${dollars:.0f} at the price of {MODELS['anthropic']}" in readme
    assert f"one small function about ${sum(row.least.cost_usd for row in rows):.0f}," in readme
