"""One key changes how a directive was read, in a real terminal, before anything starts."""

from __future__ import annotations

import os
import pty
import select
import signal
import sys
import time

import pytest

from statsclaw.ui.exit_codes import INTERRUPTED

DIRECTIVE = "Read notes.md and add two-way clustering to the package"
CHOOSE = """
import sys
from statsclaw.engine.start import Order
from statsclaw.ui.reading import choose_workflow
from statsclaw.ui.screen import Screen
order = choose_workflow(Order(directive=sys.argv[1], target="."), Screen("live"))
print("chosen", order.workflow)
"""


def typed(keys: str, directive: str = DIRECTIVE) -> tuple[str, int]:
    """What a terminal shows when these keys are pressed at the prompt, and the exit status."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(sys.executable, [sys.executable, "-c", CHOOSE, directive])
    shown, pressed = "", False
    while True:
        if not select.select([terminal], [], [], 20)[0]:
            os.kill(pid, signal.SIGKILL)
        try:
            part = os.read(terminal, 4096).decode(errors="replace")
        except OSError:
            break
        shown += part
        if not pressed and "q starts nothing" in " ".join(shown.split()):
            for key in keys:
                time.sleep(0.5)  # what is typed before a key is awaited is dropped by the terminal
                os.write(terminal, key.encode())
            pressed = True
        if not part:
            break
    os.close(terminal)
    return " ".join(shown.split()), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


@pytest.mark.parametrize(
    ("keys", "chosen"),
    [("\r", "None"), ("1", "None"), ("2", "quick-fix"), ("x2", "quick-fix"), ("o4", "docs")],
    ids=["enter", "the reading", "the runner-up", "a key that means nothing first", "one of the others"],
)
def test_a_key_starts_what_it_says(keys: str, chosen: str) -> None:
    shown, status = typed(keys)
    assert "1 fix-and-ship: planner → builder ∥ tester → scriber → reviewer" in shown
    assert (f"chosen {chosen}" in shown, status) == (True, 0)


@pytest.mark.parametrize("key", ["q", "\x1b", "\x04", "\x03"], ids=["q", "escape", "end", "ctrl-c"])
def test_nothing_is_started_when_the_person_leaves(key: str) -> None:
    shown, status = typed(key)
    assert "chosen" not in shown and status in (INTERRUPTED, -2, 1)


def test_an_unsure_reading_is_not_started_by_enter() -> None:
    shown, status = typed("\r2", "Do something about the package")
    assert "not sure" in shown and "Enter starts" not in shown
    assert "chosen" in shown and status == 0
