"""Every error a person can meet: what happened, what was kept, what to do next, and the exit code.

StatsClawError
├── InputRefused        4  a directive, target, option or document that cannot be worked with
├── GateClosed          5  a state was entered before its evidence was in the log
├── RunStopped          5  the run ended without a result that may ship
├── RunLocked           6  another process is working on the run
├── LogDamaged          7  the log was altered, cut or reordered
├── MachineRefused      8  disk full, folder not writable, a program missing
└── RecordingMissing    9  a replay was asked for something that was never recorded
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class StatsClawError(Exception):
    """One clear line for the person, and what to do next."""

    exit_code = 1

    def __init__(self, happened: str, *, kept: str = "", todo: str = "") -> None:
        super().__init__(happened)
        self.happened, self.kept, self.todo = happened, kept, todo

    def line(self) -> str:
        """One line, with nothing in it that a terminal would obey."""
        parts = [self.happened.rstrip(".") + "." * (not self.happened.endswith("?"))]
        if self.kept:
            parts.append(self.kept.rstrip(".") + ".")
        if self.todo:
            parts.append("Fix: " + self.todo.rstrip(".") + ".")
        return "".join(c if c.isprintable() else "�" for c in " ".join(" ".join(parts).split()))


class InputRefused(StatsClawError):
    exit_code = 4


class GateClosed(StatsClawError):
    exit_code = 5

    def __init__(self, gate: str, blockers: tuple[str, ...]) -> None:
        super().__init__(f"{gate} is closed: {'; '.join(blockers)}", todo="supply what is missing and resume")
        self.gate, self.blockers = gate, blockers


class RunStopped(StatsClawError):
    exit_code = 5


class RunLocked(StatsClawError):
    exit_code = 6


class LogDamaged(StatsClawError):
    """`line_number` is the first line that is not what was written there."""

    exit_code = 7

    def __init__(self, happened: str, line_number: int, *, kept: str = "", todo: str = "") -> None:
        super().__init__(happened, kept=kept, todo=todo)
        self.line_number = line_number


class MachineRefused(StatsClawError):
    exit_code = 8


class RecordingMissing(StatsClawError):
    exit_code = 9


def one_of(name: str, known: Iterable[str]) -> str:
    """What to do about a name that there is not: the nearest one, then all."""
    names = list(known)
    near = get_close_matches(name, names, n=1)
    return f"{f'did you mean {near[0]}? ' if near else ''}choose one of {', '.join(names)}"
