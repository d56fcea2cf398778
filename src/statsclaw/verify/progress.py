"""What the engine is doing now, for whoever looks: builds, questions, studies. Threads write, a screen reads."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

_Row = TypeVar("_Row")


@dataclass
class Step:
    """`total`: how many parts there are, 0 where that is not known."""

    name: str
    total: int = 0
    done: int = 0
    since: float = field(default_factory=time.monotonic)

    def seconds(self) -> float:
        return time.monotonic() - self.since

    def left(self, usual_s: float | None = None) -> float | None:
        """Seconds to go: by the parts that are done, else by what the same took before; None where nobody knows."""
        if self.total and self.done:
            return self.seconds() / self.done * (self.total - self.done)
        return max(0.0, usual_s - self.seconds()) if usual_s is not None else None


class Progress:
    def __init__(self) -> None:
        self._steps: dict[int, Step] = {}

    @contextmanager
    def step(self, name: str, total: int = 0) -> Iterator[Step]:
        step = Step(name, total)
        self._steps[id(step)] = step
        try:
            yield step
        finally:
            self._steps.pop(id(step), None)

    def each(self, name: str, rows: Iterable[_Row], total: int) -> Iterator[_Row]:
        """The rows, counted as they come."""
        with self.step(name, total) as step:
            for row in rows:
                yield row
                step.done += 1

    def now(self) -> list[Step]:
        """What is under way, the oldest first."""
        return sorted(self._steps.copy().values(), key=lambda step: step.since)
