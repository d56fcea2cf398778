"""What is handed to a worker and what comes back: the only thing that executors, workers and the store share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from statsclaw.montecarlo.table import Floats


class Status(IntEnum):
    """How one method ended in one replication. Everything but OK is a failure, counted and never drawn again."""

    OK = 0
    EXCEPTION = 1
    NOT_FINITE = 2
    NOT_CONVERGED = 3
    TIMEOUT = 4
    DIED = 5  # the process was killed: segmentation fault, out of memory
    NO_DATA = 6  # the data-generating process failed


@dataclass(frozen=True, slots=True)
class Task:
    """Replications first … first + count − 1 of the cell with this number.

    `without`: methods that are left out, because each of them ended the worker that tried this replication before, or
    because what they give is stored. `alone`: in a worker that has done nothing before, while nothing else runs: a
    signal from outside ended the last one.
    """

    cell: int
    first: int
    count: int
    without: tuple[str, ...] = ()
    alone: bool = False


@dataclass(frozen=True, slots=True)
class Rows:
    """What one method gave in the replications of a task, in their order.

    `columns`: NaN wherever the status is not OK, named `mu.estimate`, `mu.se`, `mu.low`, `mu.high`, `mu.reject` (0/1),
    `mu.rhat`, `mu.ess_bulk`, `mu.ess_tail`, `mu.rank`, or as the scalar is called. `seconds`: what the method took.
    `problems`: by offset in the task, what happened (exception with traceback, stderr), also of replications that are
    OK but gave a warning. `warnings`: how many warnings each gave.
    """

    status: NDArray[np.uint8]
    seconds: Floats
    columns: Mapping[str, Floats]
    warnings: NDArray[np.uint16]
    problems: Mapping[int, str] = field(default_factory=dict)


#: The version of a package that a method wanted and that was not installed.
MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Loaded:
    """Something that a worker has loaded: R, one of its packages, a package or file of Python, a program. Or a package
    that it would have loaded, of the version `MISSING`: its path names the libraries that were searched."""

    kind: str
    name: str
    version: str
    path: str


@dataclass(frozen=True, slots=True)
class Batch:
    task: Task
    methods: Mapping[str, Rows]
    #: What was noticed about the study itself ("the data do not depend on the stream"), shown once.
    remarks: tuple[str, ...] = ()
    #: What the task took in the worker, data included; 0 where it was not measured.
    elapsed: float = 0.0
    #: What its worker has loaded, as far as it has not said so before.
    loaded: tuple[Loaded, ...] = ()


@dataclass(frozen=True, slots=True)
class Lost:
    """A worker ended in replication `at` of the task. What it had computed of the task is computed again by others.

    `method`: in which method, None where that is not known or it was the data-generating process. `from_outside`: a
    signal that others send as well (SIGKILL, SIGTERM), so that it may not have been the replication that ended it.
    """

    task: Task
    at: int
    status: Status  # TIMEOUT or DIED
    reason: str
    method: str | None = None
    from_outside: bool = False


class Killed(Exception):
    """What a runner raises whose program was ended by a signal that others send as well."""

    def __init__(self, lost: Lost) -> None:
        super().__init__(lost.reason)
        self.lost = lost


class Runner(Protocol):
    """Computes tasks of one study inside a worker: in Python, or through a long-lived process in another language.

    `started(replication)` is called before each, so that whoever watches the worker knows where it died.
    """

    def run(self, task: Task, started: Callable[[int], None]) -> Batch: ...

    def close(self) -> None: ...


class Executor(Protocol):
    """Where workers are. It is given tasks, at most `capacity` at a time, and gives back what became of them."""

    @property
    def capacity(self) -> int: ...

    def submit(self, task: Task) -> None: ...

    def completed(self, timeout: float) -> Iterator[Batch | Lost]:
        """What has ended by now; waits up to `timeout` seconds for the first."""
        ...

    def close(self, *, at_once: bool = False) -> None: ...
