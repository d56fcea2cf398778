"""Long-lived worker processes on this machine. One that dies or hangs costs the replication it was in, nothing else."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from multiprocessing import connection as connections

from statsclaw.errors import MachineRefused
from statsclaw.montecarlo.batch import Batch, Lost, Status, Task
from statsclaw.montecarlo.design import Study, StudyRefused
from statsclaw.montecarlo.executors import worker
from statsclaw.montecarlo.executors.starting import FROM_OUTSIDE, Started, Starter

_AHEAD = 2  # tasks a worker has at a time, so that it never waits for the next
_GLANCE_S = 0.2  # how often workers are looked after while nothing comes
_IDLE_DEATHS = 5  # workers that end without having begun anything before it is given up


def cores() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(slots=True, eq=False)
class _Worker:
    started: Started
    is_ready: bool = False
    has_worked: bool = False
    tasks: deque[tuple[int, Task]] = field(default_factory=deque)
    seen_at: tuple[int, int, int] = (worker.NOWHERE,) * 3
    seen_since: float = 0.0

    @property
    def place(self) -> tuple[int, int, int]:
        marker = self.started.marker
        return marker[worker.SERIAL], marker[worker.REPLICATION], marker[worker.STAGE]


class LocalExecutor:
    """An `Executor` of processes."""

    def __init__(self, study: Study, workers: int | None = None) -> None:
        self._study = study
        self._starter = Starter.of(study)
        self._count = workers or cores()
        self._serial = 0
        self._waiting: deque[Task] = deque()
        self._idle_deaths = 0
        #: A program in another language has a runner that sees to the time itself.
        self._limit = study.timeout + max(2.0, study.timeout) if study.timeout and study.program is None else None
        self._workers = [_Worker(self._starter.start()) for _ in range(self._count)]

    @property
    def capacity(self) -> int:
        return self._count * _AHEAD

    def submit(self, task: Task) -> None:
        if task.alone and self._workers[0].has_worked:
            self._end(self._workers[0])
            self._workers[0] = _Worker(self._starter.start())
        self._waiting.append(task)
        self._hand_out()

    def completed(self, timeout: float) -> Iterator[Batch | Lost]:
        until = time.monotonic() + timeout
        while True:
            left = max(0.0, until - time.monotonic())
            found = self._collect(min(left, _GLANCE_S))
            if found or left <= 0:
                return iter(found)

    def close(self, *, at_once: bool = False) -> None:
        if not at_once:
            for each in self._workers:
                with contextlib.suppress(OSError):
                    each.started.connection.send_bytes(pickle.dumps(None))
            until = time.monotonic() + 5
            while time.monotonic() < until and any(each.started.process.poll() is None for each in self._workers):
                time.sleep(0.005)
        for each in self._workers:
            self._end(each)
        self._workers.clear()

    def _end(self, each: _Worker) -> int:
        each.started.kill()
        while (code := each.started.process.poll()) is None:
            time.sleep(0.002)
        each.started.release()
        return code

    def _hand_out(self) -> None:
        while self._waiting:
            least = min(self._workers, key=lambda each: len(each.tasks))
            if len(least.tasks) >= _AHEAD:
                return
            task = self._waiting.popleft()
            self._serial += 1
            least.tasks.append((self._serial, task))
            with contextlib.suppress(OSError):  # it has died: noticed when it is looked after
                least.started.connection.send_bytes(pickle.dumps((self._serial, task), protocol=5))

    def _collect(self, wait_s: float) -> list[Batch | Lost]:
        found: list[Batch | Lost] = []
        by_connection = {each.started.connection: each for each in self._workers}
        for ready in connections.wait(list(by_connection), wait_s):
            each = by_connection[ready]  # type: ignore[index]
            try:
                self._receive(each, found)
            except (EOFError, OSError):
                self._bury(each, found)
        for each in list(self._workers):
            if each.started.process.poll() is not None:
                self._bury(each, found)
            elif self._limit is not None and self._hangs(each):
                self._bury(each, found, hung=True)
        return found

    def _receive(self, each: _Worker, found: list[Batch | Lost]) -> None:
        kind, *rest = pickle.loads(each.started.connection.recv_bytes())
        if kind == worker.READY:
            each.is_ready = True
        elif kind == worker.REFUSED:
            raise StudyRefused(rest[0])
        elif kind == worker.BROKEN:
            raise RuntimeError(f"a worker failed: {rest[0]}")
        else:
            each.tasks.popleft()
            each.has_worked, self._idle_deaths = True, 0
            self._hand_out()  # before the batch is looked at: the worker is not to wait
            found.append(rest[1])

    def _hangs(self, each: _Worker) -> bool:
        assert self._limit is not None
        place, now = each.place, time.monotonic()
        if place != each.seen_at or place[worker.REPLICATION] == worker.NOWHERE:
            each.seen_at, each.seen_since = place, now
        return now - each.seen_since > self._limit

    def _bury(self, each: _Worker, found: list[Batch | Lost], *, hung: bool = False) -> None:
        """Ends what is left of a worker and puts a new one in its place."""
        if each not in self._workers:
            return
        with contextlib.suppress(EOFError, OSError):
            while each.started.connection.poll(0):
                self._receive(each, found)
        serial, replication, stage = each.place
        said = each.started.said()
        code = self._end_with(each)
        self._workers.remove(each)
        if not each.is_ready and code >= 0:  # it ended by itself, so the next would as well
            raise MachineRefused(f"a worker ended while it started ({_why(code)}): {_last_line(said)}")
        if each.tasks and each.tasks[0][0] == serial and replication != worker.NOWHERE:
            task = each.tasks.popleft()[1]
            method = self._study.method_names[stage - 1] if stage > 0 else None
            if hung:
                reason = f"it did not stop within {self._study.timeout:g} seconds, nor shortly after, and was killed"
                found.append(Lost(task, replication, Status.TIMEOUT, reason, method))
            else:
                text = f"{_why(code)}\n{said}" if said else _why(code)
                killed = -code in FROM_OUTSIDE
                found.append(Lost(task, replication, Status.DIED, text[:4000], method, from_outside=killed))
        else:
            self._idle_deaths += 1
            if self._idle_deaths > _IDLE_DEATHS:
                raise MachineRefused(
                    f"workers end again and again before they begin ({_why(code)}): {_last_line(said)}"
                )
        self._waiting.extendleft(task for _, task in reversed(each.tasks))
        self._workers.append(_Worker(self._starter.start()))
        self._hand_out()

    def _end_with(self, each: _Worker) -> int:
        """How it ended by itself, if it has."""
        for _ in range(100):
            if each.started.process.poll() is not None:
                break
            time.sleep(0.001)
        return self._end(each)


def _why(code: int) -> str:
    if code >= 0:
        return f"the process ended itself with code {code}"
    name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
    meaning = {"SIGKILL": ", perhaps out of memory", "SIGSEGV": ", a segmentation fault"}.get(name, "")
    return f"killed by {name}{meaning}"


def _last_line(said: str) -> str:
    return said.splitlines()[-1] if said else "it said nothing"
