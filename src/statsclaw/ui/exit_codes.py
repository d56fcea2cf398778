"""What the exit status of a command says. Errors carry their own (see errors.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from statsclaw.runlog.fold import RunView

OK, WAITING, NOT_PASSED, INTERRUPTED = 0, 3, 5, 130


class SaidAlready(SystemExit):
    """The command has told the person why it ends; nothing is added to it."""


EXIT_CODES = {
    0: "done",
    1: "internal error",
    2: "wrong usage",
    3: "waits for a person",
    4: "input refused, nothing started or changed",
    5: "ended without passing",
    6: "another process has the run",
    7: "log damaged",
    8: "the machine refused (disk, permission, missing program, remote)",
    9: "not in the recording",
    130: "interrupted",
}


def exit_code_of(run: RunView) -> int:
    if run.finished is None:
        return WAITING
    return NOT_PASSED if run.finished.outcome == "stopped" or run.finished.reason else OK
