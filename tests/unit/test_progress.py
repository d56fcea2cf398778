"""What is under way is named, with how far it is and how long it will take, and nothing stays behind."""

from __future__ import annotations

import io
from types import SimpleNamespace

import pytest
from rich.console import Console

from statsclaw.ui.screen import Screen
from statsclaw.verify.progress import Progress, Step


def test_a_step_is_there_while_it_goes_on_and_gone_afterwards_whatever_ended_it():
    progress = Progress()
    with pytest.raises(KeyError), progress.step("install"):
        assert [step.name for step in progress.now()] == ["install"]
        raise KeyError
    assert progress.now() == []


def test_parts_are_counted_as_they_come():
    progress = Progress()
    rows = progress.each("questions", iter(range(3)), 3)
    next(rows), next(rows)
    assert [(step.done, step.total) for step in progress.now()] == [(1, 3)]
    assert list(rows) == [2] and progress.now() == []


def test_what_is_left_follows_from_the_parts_or_from_the_last_time():
    now = Step("x").since
    assert Step("x", 10, 5, now - 60).left() == pytest.approx(60, abs=1)
    assert Step("x", since=now - 60).left(90) == pytest.approx(30, abs=1)
    assert Step("x", since=now - 60).left(30) == 0.0 and Step("x", since=now).left() is None


def test_the_screen_says_what_the_engine_does_and_what_the_same_took_before():
    console = Console(file=io.StringIO(), force_terminal=True, width=100, color_system=None)
    screen = Screen("live", console)
    from datetime import UTC, datetime

    view = SimpleNamespace(
        state="SPEC_READY", created_at=datetime.now(UTC), usage=SimpleNamespace(tokens=0, cost_usd=0.0), dispatches={},
        running=[], paused=[], missing=["the tree as it stands is not verified"],
        evidence={1: SimpleNamespace(name="r-cmd-check", elapsed_s=80.0)},
    )  # fmt: skip
    screen._view = view
    now = Step("x").since
    screen.steps = lambda: [Step("r-cmd-check", since=now - 20), Step("questions", 1200, 300, now - 10)]
    console.print(screen._status())
    shown = console.file.getvalue()
    assert "r-cmd-check · 0:20 · about 0:59 left" in shown or "r-cmd-check · 0:20 · about 1:00 left" in shown
    assert "questions · 300 of 1,200 · 0:10 · about 0:30 left" in shown or "about 0:29 left" in shown
    assert "not verified" not in shown
