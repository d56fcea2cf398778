"""Tasks in this very process, for a debugger and for tests: nothing protects it from a method that ends it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from statsclaw.montecarlo.batch import Batch, Lost, Task
from statsclaw.montecarlo.design import Study
from statsclaw.montecarlo.recipe import runner_for


class InlineExecutor:
    """An `Executor` without workers."""

    capacity = 1

    def __init__(self, study: Study) -> None:
        self._runner = runner_for(study)
        self._waiting: deque[Task] = deque()

    def submit(self, task: Task) -> None:
        self._waiting.append(task)

    def completed(self, timeout: float) -> Iterator[Batch | Lost]:
        if self._waiting:
            yield self._runner.run(self._waiting.popleft(), lambda replication: None)

    def close(self, *, at_once: bool = False) -> None:
        self._runner.close()
